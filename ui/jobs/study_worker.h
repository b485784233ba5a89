#pragma once

#include <QObject>

#include "jobs/background_task.h"

namespace nest {

/// A BackgroundTask that lives in a window: results arrive on the GUI thread, as slots would.
class StudyWorker : public QObject {
  Q_OBJECT
public:
  explicit StudyWorker(QObject* parent = nullptr)
      : QObject(parent), m_task([this] { QMetaObject::invokeMethod(this, "drain", Qt::QueuedConnection); }) {}

  void start(BackgroundTask::Work work) {
    m_task.start(std::move(work));
    Q_EMIT progressed();
  }
  /// What has not been delivered yet is dropped, although the study itself may have ended.
  void stop() {
    const bool busy = m_task.isBusy();
    m_task.stop();
    if (busy) Q_EMIT finished();
  }
  bool isBusy() const { return m_task.isBusy(); }
  double fraction() const { return m_task.fraction(); }
  QString failure() const { return QString::fromStdString(m_task.failure()); }

Q_SIGNALS:
  void progressed();
  void finished();  ///< ended, failed or stopped

private Q_SLOTS:
  void drain() {
    const bool ended = m_task.drain();
    Q_EMIT progressed();
    if (ended) Q_EMIT finished();
  }

private:
  BackgroundTask m_task;
};

}  // namespace nest
