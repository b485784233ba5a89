#pragma once

#include "evaluation/schedule.h"
#include "views/figure_view.h"

class QLabel;
class QSlider;

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

class TimelineView : public FigureView {
  Q_OBJECT
public:
  explicit TimelineView(ViewServices, QWidget* parent = nullptr);
  ~TimelineView() override;

protected:
  void refresh() override;

private:
  void simulateLater(const PlanContext&, ScheduleKind);
  void hidePlayHead();
  void movePlayHead(int step);

  QSlider* m_head;
  QLabel* m_time;
  StudyWorker* m_worker;
  std::optional<std::pair<PlanContext, ScheduleKind>> m_next;  ///< to simulate afterwards
};

}  // namespace nest
