#include "qt_messages.h"

#include <spdlog/spdlog.h>

#include <QString>
#include <cstdio>
#include <cstdlib>

#include "text/printable.h"

namespace nest {
namespace {

spdlog::level::level_enum levelOf(QtMsgType type) {
  switch (type) {
    case QtDebugMsg:
      return spdlog::level::debug;
    case QtInfoMsg:
      return spdlog::level::info;
    case QtWarningMsg:
      return spdlog::level::warn;
    case QtCriticalMsg:
    case QtFatalMsg:
      break;
  }
  return spdlog::level::err;
}

bool isOpen = false;

void onMessage(QtMsgType type, const QMessageLogContext& context, const QString& text) {
  if (isOpen || (type != QtFatalMsg && type != QtWarningMsg && type != QtInfoMsg)) {
    spdlog::log(levelOf(type), printable(qFormatLogMessage(type, context, text).toStdString(), false));
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
