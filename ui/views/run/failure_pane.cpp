#include "views/run/failure_pane.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "figures/study/failure_figure.h"
#include "units/at.h"
#include "views/background_run.h"
#include "views/figure_pane.h"

namespace nest {

FailurePane::FailurePane(QWidget* parent)
    : QWidget(parent),
      m_figure(std::make_unique<FailureFigure>()),
      m_pane(new FigurePane(*m_figure, m_chosen)),
      m_backgroundRun(new BackgroundRun(tr("Stop; failures ranked so far are kept"))),
      m_context(std::make_shared<const PlanContext>()),
      m_theme(&Theme::of(Theme::Kind::Light)) {
  auto* rank = new QPushButton(tr("Rank failures"));
  rank->setToolTip(
      tr("Solve for the loss of one device, host and group of each kind, with swap, shrink and re-plan"));
  m_backgroundRun->addTrigger(rank);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(8, 0, 8, 4);
  bar->addWidget(rank);
  bar->addWidget(m_backgroundRun, 1);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(bar);
  column->addWidget(m_pane, 1);
  connect(rank, &QPushButton::clicked, this, &FailurePane::rank);
  connect(m_backgroundRun, &BackgroundRun::ended, this, &FailurePane::ranked);
  connect(m_pane, &FigurePane::menuMade, this, &FailurePane::menuMade);
}

FailurePane::~FailurePane() = default;

void FailurePane::setUnit(const std::string& name) {
  m_figure->setOption("unit", name);
  m_pane->figureChanged();
}

void FailurePane::setContext(PlanContextPtr context, const Theme& theme) {
  const bool isOther = m_context->plan != context->plan;
  m_context = std::move(context), m_theme = &theme;
  if (isOther && (m_plan || m_backgroundRun->isBusy())) {
    m_backgroundRun->drop();
    take({});
  }
  m_backgroundRun->setReady(m_context->plan && m_context->problem && m_context->scenario &&
                            m_context->plan->evaluation.feasible());
  showFigure();
}

void FailurePane::show(FailureRanking ranking) {
  m_plan.reset();
  m_failures.clear();
  m_figure->setRanking(std::move(ranking));
  showFigure();
}

bool FailurePane::isBusy() const {
  return m_backgroundRun->isBusy();
}

void FailurePane::rank() {
  const PlanContextPtr c = m_context;
  if (!c->plan || !c->problem || !c->scenario) return;
  m_backgroundRun->start(tr("Solving for each kind of failure …"),
                         [this, c](const Control& control, const BackgroundTask::Deliver& deliver) {
                           auto all = rankFailures(*c->scenario, *c->problem, *c->plan, control);
                           deliver([this, all = std::move(all)] { take(all); });
                         });
}

void FailurePane::rankAtOnce(const Control& control) {
  const PlanContext& c = *m_context;
  if (c.plan && c.problem && c.scenario && c.plan->evaluation.feasible())
    take(rankFailures(*c.scenario, *c.problem, *c.plan, control));
}

void FailurePane::take(std::vector<Failure> all) {
  m_chosen.setSelected(std::nullopt);
  m_figure->setRanking(rankingOf(all));
  std::erase_if(all, [](const Failure& f) { return f.status == OutcomeStatus::Stopped; });
  m_plan = all.empty() ? nullptr : m_context->plan;
  m_failures = std::move(all);
  showFigure();
}

void FailurePane::showFigure() {
  m_pane->setLeastHeight(static_cast<int>(m_figure->leastHeight()));
  m_pane->show(*m_context, *m_theme);
}

const Failure* FailurePane::failure() const {
  const int i = ListFigure::indexOf(m_chosen.selected());
  if (i < 0 || i >= m_figure->count(*m_context)) return nullptr;
  const int row = m_figure->placeOfItem(i).first;
  return at(row) < m_failures.size() ? &m_failures[at(row)] : nullptr;
}

const FailureResponse* FailurePane::answer() const {
  const Failure* f = failure();
  if (!f) return nullptr;
  const int k = m_figure->placeOfItem(ListFigure::indexOf(m_chosen.selected())).second;
  return at(k) < f->answers.size() && f->answers[at(k)].plan ? &f->answers[at(k)] : nullptr;
}

}  // namespace nest
