#include "qt_messages.h"

#include <QString>
#include <cstdio>
#include <cstdlib>

#include "log/log.h"
#include "text/printable.h"

namespace nest {
namespace {

LogLevel levelOf(QtMsgType type) {
  switch (type) {
    case QtDebugMsg:
      return LogLevel::Debug;
    case QtInfoMsg:
      return LogLevel::Info;
    case QtWarningMsg:
      return LogLevel::Warning;
    case QtCriticalMsg:
    case QtFatalMsg:
      break;
  }
  return LogLevel::Error;
}

bool isOpen = false;

void onMessage(QtMsgType type, const QMessageLogContext& context, const QString& text) {
  // Of the platform without a display, when something is laid out that is never shown.
  if (text.startsWith(QLatin1String("This plugin does not support "))) type = QtDebugMsg;
  if (isOpen || (type != QtFatalMsg && type != QtWarningMsg && type != QtInfoMsg)) {
    logLine(levelOf(type), printable(qFormatLogMessage(type, context, text).toStdString(), false));
    return;
  }
  if (type != QtFatalMsg) return;  // what led to the end, in Qt's words
  QString where;
  for (const char* name : {"WAYLAND_DISPLAY", "DISPLAY", "QT_QPA_PLATFORM"})
    if (qEnvironmentVariableIsSet(name))
      where += QStringLiteral(" %1=%2").arg(QLatin1String(name), qEnvironmentVariable(name));
  std::fprintf(
      stderr,
      "nest-explorer: the display cannot be opened (%s). nest-explorer --export DIR [SCENARIO] writes the "
      "figures without one.\n",
      qPrintable(where.trimmed()));
  std::_Exit(2);
}

}  // namespace

void takeQtMessages() {
  qInstallMessageHandler(onMessage);
}

void displayIsOpen() {
  isOpen = true;
}

}  // namespace nest
