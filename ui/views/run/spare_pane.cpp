#include "views/run/spare_pane.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

#include "figures/paint/phrases.h"
#include "figures/study/spare_figure.h"
#include "views/background_run.h"
#include "views/figure_pane.h"
#include "words/run_words.h"

namespace nest {
namespace {
constexpr double kSpareConfidence = 0.999;
constexpr int kLeastSpareHeight = 260;
}  // namespace

SparePane::SparePane(QWidget* parent)
    : QWidget(parent),
      m_figure(std::make_unique<SpareFigure>()),
      m_pane(new FigurePane(*m_figure, m_chosen)),
      m_backgroundRun(new BackgroundRun(tr("Stop; what is known so far is shown"))),
      m_context(std::make_shared<const PlanContext>()),
      m_theme(&Theme::of(Theme::Kind::Light)) {
  auto* button = new QPushButton(tr("Count spare hosts"));
  button->setToolTip(
      tr("Solve without one, two and more hosts, and weigh them by how often so many are away"));
  m_backgroundRun->addTrigger(button);
  m_pane->setLeastHeight(kLeastSpareHeight);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(8, 4, 8, 4);
  bar->addWidget(button);
  bar->addWidget(m_backgroundRun, 1);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(bar);
  column->addWidget(m_pane, 1);
  connect(button, &QPushButton::clicked, this, &SparePane::compute);
  connect(m_backgroundRun, &BackgroundRun::ended, this, &SparePane::showFigure);
}

SparePane::~SparePane() = default;

void SparePane::setUnit(const std::string& name) {
  m_figure->setOption("unit", name);
  m_pane->figureChanged();
}

bool SparePane::isReady() const {
  return m_context->plan && m_context->problem && m_context->plan->evaluation.feasible();
}

void SparePane::setContext(PlanContextPtr context, const Theme& theme) {
  const bool isOther = m_context->plan != context->plan;
  m_context = std::move(context), m_theme = &theme;
  if (isOther && (m_isOwn || m_backgroundRun->isBusy())) forget();
  m_backgroundRun->setReady(isReady());
  showFigure();
}

void SparePane::show(SpareCurve curve) {
  m_isOwn = false;
  m_figure->setCurve(std::move(curve));
  showFigure();
}

bool SparePane::isBusy() const {
  return m_backgroundRun->isBusy();
}

void SparePane::compute() {
  if (!isReady()) return;
  m_backgroundRun->start(
      tr("Solving without some hosts …"),
      [this, c = m_context](const Control& control, const BackgroundTask::Deliver& deliver) {
        auto found = spareBenefit(*c->problem, *c->plan, kSpareConfidence, control);
        deliver([this, found = std::move(found)] { take(found); });
      });
  showFigure();
}

void SparePane::computeAtOnce(const Control& control) {
  if (isReady()) take(spareBenefit(*m_context->problem, *m_context->plan, kSpareConfidence, control));
}

void SparePane::take(const SpareBenefit& found) {
  m_chosen.setSelected(std::nullopt);
  m_isOwn = true;
  m_lacking = found.missing.empty() ? QString() : phrase(words::listOfFields(found.missing));
  m_figure->setCurve(curveOf(found));
  showFigure();
}

void SparePane::forget() {
  m_backgroundRun->drop();
  m_chosen.setSelected(std::nullopt);
  m_isOwn = false;
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
  m_pane->show(*m_context, *m_theme);
}

}  // namespace nest
