#include "views/figure_views.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QSlider>
#include <QToolButton>
#include <utility>

#include "document/scenario_document.h"
#include "figures/communication_figure.h"
#include "figures/memory_figure.h"
#include "figures/phrases.h"
#include "figures/stages_figure.h"
#include "figures/timeline_figure.h"
#include "figures/topology_figure.h"
#include "jobs/study_worker.h"
#include "views/figure_pane.h"
#include "views/loss_strip.h"

namespace nest {
namespace {

constexpr int kHeadSteps = 2000;

}  // namespace

TopologyView::TopologyView(ViewServices services, QWidget* parent)
    : FigureView(std::make_unique<TopologyFigure>(), services, parent) {
  m_loss = new LossStrip(services.document);
  addBelow(m_loss);
  if (services.document)
    connect(addButton(tr("Edit"), tr("Draw the network and change it: add, connect, move, fail")),
            &QToolButton::clicked, this, &TopologyView::editWanted);
  connect(pane(), &FigurePane::menuMade, this, &TopologyView::addFailures);
}

void TopologyView::refresh() {
  FigureView::refresh();
  m_loss->setContext(contextPtr());
}

/// "Fail" for the selected device and everything around it.
void TopologyView::addFailures(QMenu* menu) {
  const auto item = selection().selected();
  ScenarioDocument* document = services().document;
  if (!item || !document || document->isEmpty() || !context().problem || !context().current) return;
  const Hierarchy& h = *context().problem->cluster;
  const bool device = item->kind == ItemKind::Device && item->index >= 0 && item->index < h.deviceCount();
  const bool group = item->kind == ItemKind::Group && item->level >= 0 && item->level < h.levelCount() &&
                     item->index >= 0 && item->index < h.groupCount(item->level);
  if (!device && !group) return;
  menu->addSeparator();
  menu->addAction(tr("Edit in Network"), this, &TopologyView::editWanted);
  const auto offer = [&](const QString& what, int begin, int end) {
    if (end - begin >= h.deviceCount()) return;
    std::vector<int> inputs;
    for (int p = begin; p < end; ++p) inputs.push_back(h.identity(DeviceIndex(p)).source);
    menu->addAction(tr("Fail %1").arg(what), this,
                    [document, inputs, what] { failDevices(*document, inputs, what); });
  };
  const int first = device ? item->index : h.groupSpan(item->level, item->index).first;
  if (device) offer(deviceName(h, item->index), item->index, item->index + 1);
  for (int l = device ? 0 : item->level; l + 1 < h.levelCount(); ++l) {
    const int g = h.groupOf(l, first);
    const auto [begin, end] = h.groupSpan(l, g);
    offer(phrase(h.groupName(l, g)), begin, end);
  }
}

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
  connect(clear, &QToolButton::clicked, this, [this] {
    m_time->clear();
    selection().setMoment(std::nullopt);
  });
}

TimelineView::~TimelineView() {
  m_worker->disconnect(this);
  m_worker->stop();
}

void TimelineView::movePlayHead(int step) {
  auto moment = figureAs<TimelineFigure>().momentAt(static_cast<double>(step) / kHeadSteps, context());
  m_time->setText(moment ? timeText(Seconds(moment->seconds)) : QString());
  selection().setMoment(std::move(moment));
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
  if (selection().moment()) {
    m_time->clear();
    selection().setMoment(std::nullopt);
  }
  FigureView::refresh();
}

}  // namespace nest
