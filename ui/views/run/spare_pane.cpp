#include "views/run/spare_pane.h"

#include <utility>

#include "figures/paint/phrases.h"
#include "figures/study/spare_figure.h"
#include "views/figure_pane.h"
#include "words/run_words.h"

namespace nest {
namespace {
constexpr double kSpareConfidence = 0.999;
constexpr int kLeastSpareHeight = 260, kLeastStateHeight = 160;
}  // namespace

SparePane::SparePane(QWidget* parent) : SparePane(std::make_unique<SpareFigure>(), parent) {}

SparePane::SparePane(std::unique_ptr<SpareFigure> figure, QWidget* parent)
    : RunPane(std::move(figure),
              {tr("Count spare hosts"),
               tr("Solve without one, two and more hosts, and weigh them by how often so many are away"),
               tr("Solving without some hosts …"), tr("Stop; what is known so far is shown")},
              kMostPlansForSpares, false, parent),
      m_figure(static_cast<SpareFigure*>(RunPane::figure())) {
  setSolve([this](const PlanContext& c, const Control& control) -> Answer {
    return [this, found = spareBenefit(*c.problem, *c.plan, kSpareConfidence, control)] { take(found); };
  });
}

void SparePane::show(SpareCurve curve) {
  disown();
  m_figure->setCurve(std::move(curve));
  showFigure();
}

bool SparePane::isEmpty() const {
  return m_figure->curve().empty();
}

void SparePane::take(const SpareBenefit& found) {
  m_lacking = found.missing.empty() ? QString() : phrase(words::listOfFields(found.missing));
  m_figure->setCurve(curveOf(found));
}

void SparePane::forget() {
  m_lacking.clear();
  m_figure->setCurve({});
}

void SparePane::showFigure() {
  m_figure->setEmptyState(
      m_lacking.isEmpty()
          ? FigureState{isBusy() ? tr("Solving …") : tr("Not counted yet"),
                        tr("Count spare hosts shows what each of them saves the run, and how often so many "
                           "are enough.")}
          : FigureState{tr("Spare hosts cannot be counted"),
                        tr("Give %1 in the scenario panel.").arg(m_lacking)});
  pane()->setLeastHeight(isEmpty() ? kLeastStateHeight : kLeastSpareHeight);
  RunPane::showFigure();
}

}  // namespace nest
