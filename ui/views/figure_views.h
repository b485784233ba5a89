#pragma once

#include "evaluation/schedule.h"
#include "views/figure_view.h"

class QKeyEvent;
class QLabel;
class QLineEdit;
class QMenu;
class QMouseEvent;

namespace nest {

class StudyWorker;

class StagesView : public FigureView {
  Q_OBJECT
public:
  explicit StagesView(ViewServices, QWidget* parent = nullptr);
};

class MemoryView : public FigureView {
  Q_OBJECT
public:
  explicit MemoryView(ViewServices, QWidget* parent = nullptr);
};

class CommunicationView : public FigureView {
  Q_OBJECT
public:
  explicit CommunicationView(ViewServices, QWidget* parent = nullptr);
};

/// The timeline as an instrument: W and S zoom, A and D pan, arrows walk from task to task; a click in the
/// ruler below the rows sets the playhead, a drag there marks a span that is measured; Ctrl+F finds a task.
class TimelineView : public FigureView {
  Q_OBJECT
public:
  explicit TimelineView(ViewServices, QWidget* parent = nullptr);
  ~TimelineView() override;

  void movePlayHead(double seconds);
  void hidePlayHead();
  void markSpan(double from, double to);  ///< seconds, in any order; equal: none
  void findTask();                        ///< shows the line in which one types
  bool find(const QString& words);        ///< selects the next task like this; false: there is none

protected:
  void refresh() override;
  bool eventFilter(QObject*, QEvent*) override;

private:
  void simulateLater(const PlanContext&, ScheduleKind);
  void buildFinder();
  bool pressed(QMouseEvent*);
  bool moved(QMouseEvent*);
  bool released(QMouseEvent*);
  bool typed(QKeyEvent*);
  void showTask(const TaskId&);
  void followPlayback();
  void showPlayHead();  ///< in the middle of what is visible
  void fillMenu(QMenu*);

  /// What a press in the ruler has begun.
  enum class Grip { None, Ruler, Head };
  Grip m_grip = Grip::None;
  QPointF m_pressedAt;
  double m_pressedTime = 0;
  QWidget* m_finder;
  QLineEdit* m_words;
  QLabel* m_found;
  std::shared_ptr<const RankedPlan> m_ofPlan;  ///< whose tasks are numbered so
  bool m_wasShown = false;                     ///< a plan was: a span that is restored comes before the first
  StudyWorker* m_worker;
  std::optional<std::pair<PlanContext, ScheduleKind>> m_next;  ///< to simulate afterwards
};

}  // namespace nest
