#include "views/run/failure_pane.h"

#include <algorithm>
#include <utility>

#include "figures/study/failure_figure.h"
#include "units/at.h"
#include "views/figure_pane.h"

namespace nest {
namespace {
constexpr int kFailureSolves = 16;  ///< a device, a host, groups and levels, some under two answers
}

FailurePane::FailurePane(QWidget* parent) : FailurePane(std::make_unique<FailureFigure>(), parent) {}

FailurePane::FailurePane(std::unique_ptr<FailureFigure> figure, QWidget* parent)
    : RunPane(std::move(figure),
              {tr("Rank failures"),
               tr("Solve for the loss of one device, host and group of each kind, with swap, shrink and "
                  "re-plan"),
               tr("Solving for each kind of failure …"), tr("Stop; failures ranked so far are kept")},
              kFailureSolves, true, parent),
      m_figure(static_cast<FailureFigure*>(RunPane::figure())) {
  setSolve([this](const PlanContext& c, const Control& control) -> Answer {
    return [this, all = rankFailures(*c.scenario, *c.problem, *c.plan, control)] { take(all); };
  });
}

void FailurePane::show(FailureRanking ranking) {
  disown();
  m_failures.clear();
  m_figure->setRanking(std::move(ranking));
  showFigure();
}

bool FailurePane::isEmpty() const {
  return m_figure->ranking().empty();
}

void FailurePane::take(std::vector<Failure> all) {
  m_figure->setRanking(rankingOf(all));
  std::erase_if(all, [](const Failure& f) { return f.status == OutcomeStatus::Stopped; });
  m_failures = std::move(all);
}

void FailurePane::forget() {
  take({});
}

void FailurePane::showFigure() {
  pane()->setLeastHeight(static_cast<int>(m_figure->leastHeight()));
  RunPane::showFigure();
}

const Failure* FailurePane::failure() const {
  const int i = ListFigure::indexOf(chosen().selected());
  if (i < 0 || i >= m_figure->count(context())) return nullptr;
  const int row = m_figure->placeOfItem(i).first;
  return at(row) < m_failures.size() ? &m_failures[at(row)] : nullptr;
}

const FailureResponse* FailurePane::answer() const {
  const Failure* f = failure();
  if (!f) return nullptr;
  const int k = m_figure->placeOfItem(ListFigure::indexOf(chosen().selected())).second;
  return at(k) < f->answers.size() && f->answers[at(k)].plan ? &f->answers[at(k)] : nullptr;
}

}  // namespace nest
