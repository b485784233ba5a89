#include "panes/log_pane.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <QCoreApplication>
#include <QMetaObject>

#include "log/program_log.h"
#include "text/printable.h"

namespace nest {

/// Hears lines on any thread and hands them to the pane's.
class LogPane::Sink : public spdlog::sinks::base_sink<std::mutex> {
public:
  explicit Sink(LogPane& pane)
      : spdlog::sinks::base_sink<std::mutex>(std::make_unique<spdlog::pattern_formatter>("%H:%M:%S  %v")),
        m_pane(pane) {}

protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    const QString text = QString::fromUtf8(line.data(), static_cast<qsizetype>(line.size())).trimmed();
    // Never at once, not even on the pane's thread: what is shown may log in its turn.
    QMetaObject::invokeMethod(
        &m_pane, [&pane = m_pane, text] { pane.appendPlainText(text); }, Qt::QueuedConnection);
  }
  void flush_() override {}

private:
  LogPane& m_pane;
};

LogPane::LogPane(QWidget* parent) : QPlainTextEdit(parent), m_sink(std::make_shared<Sink>(*this)) {
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
  spdlog::info(printable(line.toStdString(), false));
}

void logTrouble(const QString& line) {
  spdlog::warn(printable(line.toStdString(), false));
}

}  // namespace nest
