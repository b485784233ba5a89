#pragma once

#include <QPlainTextEdit>
#include <memory>

namespace spdlog::sinks {
class sink;
}

namespace nest {

/// Shows the program's log (log/program_log.h) from info, or the level asked for, on, as long as it lives.
class LogPane : public QPlainTextEdit {
  Q_OBJECT
public:
  explicit LogPane(QWidget* parent = nullptr);
  ~LogPane() override;

  QString text();  ///< all that has been logged by now

private:
  std::shared_ptr<spdlog::sinks::sink> m_sink;
};

void logLine(const QString&);     ///< what the user did and got
void logTrouble(const QString&);  ///< what the user is told went wrong

}  // namespace nest
