#include "views/search/front_pane.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

#include "accessible/screen_reader.h"
#include "figures/front_figure.h"
#include "jobs/study_worker.h"
#include "solver/solve.h"
#include "views/figure_pane.h"

namespace nest {

QString reachInWords(const Outcome& o) {
  switch (o.frontReach) {
    case FrontReach::Exact:
      return FrontPane::tr("Complete front.");
    case FrontReach::Stepped:
      return FrontPane::tr(
          "The front at decreasing device counts and memory limits; there may be more plans between them.");
    case FrontReach::Met:
      break;
  }
  return FrontPane::tr("The front of the plans met during the search; there may be more.");
}

namespace {

/// The same at length.
QString promiseOf(const Outcome& o) {
  switch (o.frontReach) {
    case FrontReach::Exact:
      return FrontPane::tr(
          "No plan with one strategy for all stages is at least as good as one of these in time, devices and "
          "peak memory.");
    case FrontReach::Stepped:
      return FrontPane::tr(
          "Fastest plan at decreasing device counts and memory limits. Computing every step would take too "
          "long here.");
    case FrontReach::Met:
      break;
  }
  return FrontPane::tr("Of all plans that the search came across, none beats one of these.");
}

}  // namespace

FrontPane::FrontPane(QWidget* parent) : QWidget(parent), m_figure(std::make_unique<FrontFigure>()) {
  m_worker = new StudyWorker(this);
  m_pane = new FigurePane(*m_figure, m_chosen);
  m_reach = new QLabel;
  m_reach->setWordWrap(true);
  m_reach->setAccessibleName(tr("Completeness of the front"));
  m_progress = new QProgressBar;
  m_progress->setMaximumWidth(120);
  m_progress->setAccessibleName(tr("Progress of the search for the front"));
  m_find = new QPushButton(tr("Compute the complete front"));
  m_find->setToolTip(
      tr("Continue searching for plans with fewer devices or less memory (takes up to ten times as long)"));
  m_stop = new QPushButton(tr("Cancel the search"));
  m_stop->setToolTip(tr("The front stays unchanged"));
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(8, 4, 8, 4);
  bar->addWidget(m_reach, 1);
  bar->addWidget(m_progress);
  bar->addWidget(m_stop);
  bar->addWidget(m_find);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(bar);
  column->addWidget(m_pane, 1);
  connect(m_find, &QPushButton::clicked, this, &FrontPane::search);
  connect(m_stop, &QPushButton::clicked, this, [this] {
    m_remark = tr("Cancelled.");
    m_worker->stop();
  });
  connect(m_worker, &StudyWorker::progressed, this, &FrontPane::told);
  connect(m_worker, &StudyWorker::finished, this, &FrontPane::ended);
  offer();
}

FrontPane::~FrontPane() {
  m_worker->disconnect(this);
  m_worker->stop();
}

void FrontPane::setContext(PlanContextPtr context, const Theme& theme) {
  m_wider.reset();
  m_worker->stop();
  m_remark.clear();
  m_context = std::move(context);
  m_chosen.setSelected(std::nullopt);
  m_pane->show(*m_context, theme);
  offer();
}

void FrontPane::search() {
  m_remark.clear();
  m_worker->start(
      [this, context = m_context](const Control& control, const BackgroundTask::Deliver& deliver) {
        Problem problem = *context->problem;
        problem.search.topPlans = std::max(2, problem.search.topPlans);  // one plan alone has no front
        Control wide = control;
        wide.widerFront = true;
        const Outcome found = solve(problem, wide);
        if (control.stopRequested()) return;
        auto outcome = std::make_shared<Outcome>(*context->outcome);
        const bool whole = found.status == OutcomeStatus::Optimal && found.frontReach != FrontReach::Met;
        if (whole) outcome->front = found.front, outcome->frontReach = found.frontReach;
        auto wider = std::make_shared<PlanContext>(*context);
        wider->outcome = std::move(outcome);
        deliver([this, wider, whole] {
          if (whole)
            m_wider = wider;
          else
            m_remark = tr("The time allowed was too short for more.");
        });
      });
  offer();
}

void FrontPane::told() {
  // Once every configuration has been searched, the steps along the front are still to come: no end is known.
  const int percent = static_cast<int>(100 * m_worker->fraction());
  m_progress->setRange(0, percent < 100 ? 100 : 0);
  m_progress->setValue(percent);
}

void FrontPane::ended() {
  if (!m_worker->failure().isEmpty()) m_remark = tr("The search ended early: %1").arg(m_worker->failure());
  offer();
  if (auto wider = std::exchange(m_wider, nullptr)) Q_EMIT found(std::move(wider));
}

/// What can be asked for now.
void FrontPane::offer() {
  const bool has = m_context && m_context->problem && m_context->plan && m_context->outcome &&
                   !m_context->outcome->front.empty();
  const bool busy = m_worker->isBusy();
  const bool more = has && m_context->outcome->frontReach == FrontReach::Met;
  m_find->setVisible(has && !busy);
  m_find->setEnabled(more);
  m_stop->setVisible(busy);
  m_progress->setVisible(busy);
  m_reach->setVisible(has);
  if (!has) return;
  m_reach->setToolTip(promiseOf(*m_context->outcome));
  const QString words = busy ? tr("Computing the complete front …") : reachInWords(*m_context->outcome);
  setNamedText(*m_reach, m_remark.isEmpty() ? words : m_remark + QLatin1Char(' ') + words);
}

}  // namespace nest
