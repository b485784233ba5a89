#include "panes/log_pane.h"

#include <QCoreApplication>
#include <QMetaObject>

#include "log/log.h"
#include "log/program_log.h"
#include "text/printable.h"

namespace nest {

LogPane::LogPane(QWidget* parent)
    : QPlainTextEdit(parent), m_sink(lineSink([this](std::string_view line) {
        const QString text = QString::fromUtf8(line.data(), static_cast<qsizetype>(line.size()));
        // Never at once, not even on the pane's thread: what is shown may log in its turn.
        QMetaObject::invokeMethod(
            this, [this, text] { appendPlainText(text); }, Qt::QueuedConnection);
      })) {
  setReadOnly(true);
  setMaximumBlockCount(2000);
  setAccessibleName(tr("Log"));
  addLogSink(m_sink);
}

LogPane::~LogPane() {
  removeLogSink(m_sink);
}

QString LogPane::text() {
  QCoreApplication::sendPostedEvents(this, QEvent::MetaCall);
  return toPlainText();
}

void logLine(const QString& line) {
  logLine(LogLevel::Info, printable(line.toStdString(), false));
}

void logTrouble(const QString& line) {
  logLine(LogLevel::Warning, printable(line.toStdString(), false));
}

}  // namespace nest
