#pragma once

#include <QWidget>
#include <vector>

#include "jobs/background_task.h"

class QAbstractButton;
class QLabel;
class QProgressBar;
class QPushButton;

namespace nest {

class StudyWorker;
struct PlanContext;

/// Whether so many solves like the one of this plan are so little work that they may begin without being
/// asked for: seconds, by the time that its search took. False while a search goes on.
bool isLittleWork(const PlanContext&, int solves);

/// A question that a view puts to the engine in the background, one at a time, as one line: what is being
/// found and how far it is, with a button that cancels it; then how it ended. Buttons that ask are off
/// meanwhile.
class BackgroundRun : public QWidget {
  Q_OBJECT
public:
  explicit BackgroundRun(const QString& cancelTip, QWidget* parent = nullptr);
  ~BackgroundRun() override;

  void addTrigger(QAbstractButton*);
  const std::vector<QAbstractButton*>& askers() const { return m_askers; }
  /// Whether there is anything to ask about now, and why not, in words.
  void setReady(bool ready, const QString& whyNot = {});
  /// What `work` delivers arrives on this thread, as long as it has not been cancelled or dropped.
  void start(const QString& doing, BackgroundTask::Work work);
  void drop();                    ///< what was asked about is shown no more: no answer is to come
  void say(const QString& text);  ///< until something else is asked
  QString text() const;
  bool isBusy() const;

Q_SIGNALS:
  void ended();  ///< answered, failed or cancelled

private:
  void cancel();
  void refresh();

  StudyWorker* m_worker;
  QLabel* m_state;
  QProgressBar* m_progress;
  QPushButton* m_cancel;
  std::vector<QAbstractButton*> m_askers;
  QAbstractButton* m_askedBy = nullptr;  ///< who had the keyboard when it was asked
  QString m_doing, m_remark, m_whyNot;
  bool m_isReady = true, m_isOver = true;
};

}  // namespace nest
