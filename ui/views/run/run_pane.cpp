#include "views/run/run_pane.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>
#include <utility>

#include "figures/paint/list_figure.h"
#include "views/background_run.h"
#include "views/figure_canvas.h"
#include "views/figure_pane.h"

namespace nest {
namespace {

constexpr double kLittleWork = 3;    ///< seconds that may be spent without being asked
constexpr int kRestAfterEdit = 300;  ///< milliseconds: while a slider moves, nothing starts

}  // namespace

RunPane::RunPane(std::unique_ptr<ListFigure> figure, const Texts& texts, int solves, bool tries,
                 QWidget* parent)
    : QWidget(parent),
      m_figure(std::move(figure)),
      m_doing(texts.doing),
      m_solves(solves),
      m_pane(new FigurePane(*m_figure, m_chosen)),
      m_try(tries ? new QPushButton(tr("Try in What-if")) : nullptr),
      m_backgroundRun(new BackgroundRun(texts.cancelTip)),
      m_soon(new QTimer(this)),
      m_context(std::make_shared<const PlanContext>()),
      m_theme(&Theme::of(Theme::Kind::Light)) {
  auto* button = new QPushButton(texts.button);
  button->setToolTip(texts.tip);
  m_backgroundRun->addTrigger(button);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(8, 4, 8, 4);
  bar->addWidget(button);
  if (m_try) {
    m_try->setToolTip(
        tr("Change the scenario by what is chosen below; a double click and Return do the same"));
    bar->addWidget(m_try);
    connect(m_try, &QPushButton::clicked, this, &RunPane::tryRequested);
    connect(m_pane->canvas(), &FigureCanvas::itemActivated, this, [this] {
      if (canTry()) Q_EMIT tryRequested();
    });
    connect(&m_chosen, &Selection::selectedChanged, this, &RunPane::refreshTry);
  }
  bar->addWidget(m_backgroundRun, 1);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(bar);
  column->addWidget(m_pane, 1);
  m_soon->setSingleShot(true);
  m_soon->setInterval(kRestAfterEdit);
  connect(m_soon, &QTimer::timeout, this, &RunPane::startIfLittle);
  connect(button, &QPushButton::clicked, this, &RunPane::compute);
  connect(m_backgroundRun, &BackgroundRun::ended, this, [this] { showFigure(); });
  connect(m_pane, &FigurePane::menuMade, this, &RunPane::menuMade);
}

RunPane::~RunPane() = default;

void RunPane::setUnit(const std::string& name) {
  m_figure->setOption("unit", name);
  m_pane->figureChanged();
}

bool RunPane::isReady() const {
  const PlanContext& c = *m_context;
  return c.plan && c.problem && c.scenario && c.plan->evaluation.feasible();
}

void RunPane::setContext(PlanContextPtr context, const Theme& theme) {
  const bool isOther = m_context->plan != context->plan;
  m_context = std::move(context), m_theme = &theme;
  // What a slide kept was of the plan that comes next; what was computed here, of the one before.
  if (isOther && (m_ownsAnswer || isBusy())) {
    m_backgroundRun->drop();
    clearChosen();
    forget();
    m_ownsAnswer = false;
  }
  m_backgroundRun->setReady(isReady());
  showFigure();
  if (m_startsItself && isVisible()) m_soon->start();
}

void RunPane::setStartsItself(bool starts) {
  m_startsItself = starts;
  if (starts && isVisible()) m_soon->start();
}

void RunPane::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  startIfLittle();
}

void RunPane::startIfLittle() {
  if (!m_startsItself || !isVisible() || !isReady() || isBusy() || !isEmpty()) return;
  if (m_started == m_context->plan || !isLittleWork(*m_context, m_solves)) return;
  m_started = m_context->plan;
  compute();
}

bool RunPane::isBusy() const {
  return m_backgroundRun->isBusy();
}

void RunPane::compute() {
  if (!isReady()) return;
  m_backgroundRun->start(m_doing, [this, solve = m_solve, c = m_context](
                                      const Control& control, const BackgroundTask::Deliver& deliver) {
    deliver([this, answer = solve(*c, control)] { take(answer); });
  });
  showFigure();
}

void RunPane::computeAtOnce(const Control& control) {
  if (isReady()) take(m_solve(*m_context, control));
}

void RunPane::take(const Answer& answer) {
  clearChosen();
  m_ownsAnswer = true;
  answer();
  showFigure();
}

void RunPane::refreshTry() {
  if (m_try) m_try->setEnabled(canTry());
}

void RunPane::showFigure() {
  m_pane->show(*m_context, *m_theme);
  refreshTry();
}

}  // namespace nest
