#include "views/run/improvement_pane.h"

#include <algorithm>
#include <utility>

#include "figures/paint/phrases.h"
#include "figures/study/improvement_figure.h"
#include "units/at.h"
#include "views/figure_pane.h"

namespace nest {
namespace {
constexpr double kImprovedBy = 0.25;
constexpr int kImprovementSolves = 12;  ///< some 30, which begin with a plan and take a fraction of the first
}  // namespace

ImprovementPane::ImprovementPane(QWidget* parent)
    : ImprovementPane(std::make_unique<ImprovementFigure>(), parent) {}

ImprovementPane::ImprovementPane(std::unique_ptr<ImprovementFigure> figure, QWidget* parent)
    : RunPane(std::move(figure),
              {tr("Rank improvements"), tr("Solve with each parameter improved by 25 %, one at a time"),
               tr("Solving for each parameter …"), tr("Stop; improvements ranked so far are kept")},
              kImprovementSolves, true, parent),
      m_figure(static_cast<ImprovementFigure*>(RunPane::figure())) {
  setSolve([this](const PlanContext& c, const Control& control) -> Answer {
    return [this, all = rankImprovements(*c.scenario, *c.problem, *c.plan, kImprovedBy, control)] {
      m_figure->setRanking(rankingOf(all));
      m_all = all;
      std::erase_if(m_all, [](const Improvement& one) { return one.status == OutcomeStatus::Stopped; });
    };
  });
}

void ImprovementPane::show(ImprovementRanking ranking) {
  disown();
  m_all.clear();
  m_figure->setRanking(std::move(ranking));
  showFigure();
}

bool ImprovementPane::isEmpty() const {
  return m_figure->ranking().empty();
}

void ImprovementPane::forget() {
  m_all.clear();
  m_figure->setRanking({});
}

void ImprovementPane::showFigure() {
  pane()->setLeastHeight(static_cast<int>(m_figure->leastHeight()));
  RunPane::showFigure();
}

const Improvement* ImprovementPane::improvement() const {
  const int i = ListFigure::indexOf(chosen().selected());
  if (i < 0 || i >= m_figure->count(context())) return nullptr;
  const int row = m_figure->rowOfItem(i);
  return at(row) < m_all.size() ? &m_all[at(row)] : nullptr;
}

std::optional<FieldToTry> ImprovementPane::toTry() const {
  const Improvement* one = improvement();
  if (!one || !context().scenario || !context().problem) return std::nullopt;
  return fieldToTry(*context().scenario, *context().problem, *one);
}

QString ImprovementPane::chosenName() const {
  const Improvement* one = improvement();
  return one ? phrase(one->what) : QString();
}

}  // namespace nest
