#include "views/figure_views.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>
#include <utility>

#include "figures/paint/phrases.h"
#include "figures/plan/communication_figure.h"
#include "figures/plan/memory_figure.h"
#include "figures/plan/stages_figure.h"
#include "figures/plan/timeline_figure.h"
#include "jobs/study_worker.h"

namespace nest {
namespace {

constexpr int kHeadSteps = 2000;

}  // namespace

StagesView::StagesView(ViewServices services, QWidget* parent)
    : FigureView(std::make_unique<StagesFigure>(), services, parent) {}

MemoryView::MemoryView(ViewServices services, QWidget* parent)
    : FigureView(std::make_unique<MemoryFigure>(), services, parent) {}

CommunicationView::CommunicationView(ViewServices services, QWidget* parent)
    : FigureView(std::make_unique<CommunicationFigure>(), services, parent) {}

TimelineView::TimelineView(ViewServices services, QWidget* parent)
    : FigureView(std::make_unique<TimelineFigure>(), services, parent) {
  auto* f = &figureAs<TimelineFigure>();
  m_worker = new StudyWorker(this);
  connect(m_worker, &StudyWorker::finished, this, [this] {
    if (const auto next = std::exchange(m_next, std::nullopt)) simulateLater(next->first, next->second);
  });
  f->setAsk([this](const PlanContext& c, ScheduleKind kind) { simulateLater(c, kind); });

  auto* strip = new QWidget;
  auto* row = new QHBoxLayout(strip);
  row->setContentsMargins(10, 2, 10, 6);
  m_head = new QSlider(Qt::Horizontal);
  m_head->setRange(0, kHeadSteps);
  m_head->setPageStep(kHeadSteps / 50);
  m_head->setAccessibleName(tr("Playhead"));
  m_head->setToolTip(
      tr("Drag through the step: what runs at that time is highlighted here and in the topology"));
  m_time = new QLabel;
  m_time->setMinimumWidth(m_time->fontMetrics().horizontalAdvance(QStringLiteral("000.0 ms")));
  auto* label = new QLabel(tr("Playhead"));
  label->setBuddy(m_head);
  row->addWidget(label);
  row->addWidget(m_head, 1);
  row->addWidget(m_time);
  auto* clear = new QToolButton;
  clear->setText(tr("Clear"));
  clear->setToolTip(tr("Hide the playhead"));
  clear->setAutoRaise(true);
  row->addWidget(clear);
  addBelow(strip);
  connect(m_head, &QSlider::valueChanged, this, &TimelineView::movePlayHead);
  connect(clear, &QToolButton::clicked, this, &TimelineView::hidePlayHead);
}

TimelineView::~TimelineView() {
  m_worker->disconnect(this);
  m_worker->stop();
}

void TimelineView::hidePlayHead() {
  const QSignalBlocker quiet(m_head);
  m_head->setValue(0);  // a knob that stays would seem to stand at a time
  m_time->clear();
  selection().setPlayhead(std::nullopt);
}

void TimelineView::movePlayHead(int step) {
  auto playhead = figureAs<TimelineFigure>().playheadAt(static_cast<double>(step) / kHeadSteps, context());
  m_time->setText(playhead ? timeText(Seconds(playhead->seconds)) : QString());
  selection().setPlayhead(std::move(playhead));
}

/// The newest waits until the one before is through.
void TimelineView::simulateLater(const PlanContext& c, ScheduleKind kind) {
  if (m_worker->isBusy()) {
    m_next = std::pair(c, kind);
    return;
  }
  m_worker->start([this, c, kind](const Control& control, const BackgroundTask::Deliver& deliver) {
    auto schedule = std::make_shared<Schedule>(
        simulate(*c.problem, *c.shownPlan(), *c.shownEvaluation(), kind, true, control.stop));
    deliver([this, c, kind, schedule] {
      figureAs<TimelineFigure>().take(c, kind, std::move(*schedule));
      figureChanged();
    });
  });
}

void TimelineView::refresh() {
  // Another plan: what ran at that time is not what runs now.
  if (selection().playhead()) hidePlayHead();
  FigureView::refresh();
}

}  // namespace nest
