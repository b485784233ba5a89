#include "qt_messages.h"

#include <QCoreApplication>
#include <QString>
#include <cstdio>
#include <cstdlib>

namespace nest {
namespace {

void onMessage(QtMsgType type, const QMessageLogContext& context, const QString& text) {
  if (QCoreApplication::instance() || (type != QtFatalMsg && type != QtWarningMsg && type != QtInfoMsg)) {
    std::fprintf(stderr, "%s\n", qPrintable(qFormatLogMessage(type, context, text)));
    return;
  }
  if (type != QtFatalMsg) return;  // what led to the end, in Qt's words
  QString where;
  for (const char* name : {"WAYLAND_DISPLAY", "DISPLAY"})
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

}  // namespace nest
