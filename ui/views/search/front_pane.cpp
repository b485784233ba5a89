#include "views/search/front_pane.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QResizeEvent>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "accessible/screen_reader.h"
#include "figures/study/front_figure.h"
#include "solver/even_hosts.h"
#include "theme/qt_text.h"
#include "views/background_run.h"
#include "views/figure_pane.h"
#include "words/outcome_words.h"

namespace nest {

QString reachInWords(const Outcome& o) {
  switch (o.frontReach) {
    case FrontReach::Complete:
      return FrontPane::tr("Complete front.");
    case FrontReach::CompleteInOrder:
      return FrontPane::tr("Complete front in the network's order.");
    case FrontReach::Sampled:
      return FrontPane::tr("Wider front, in steps.");
    case FrontReach::Encountered:
      break;
  }
  return FrontPane::tr("Partial front.");
}

namespace {

constexpr int kLowPane = 300, kLeastChart = 130;
constexpr std::size_t kMostKnown = 8, kMostPlans = 20000;  ///< fronts that are kept, and plans of all of them

/// The same at length.
QString promiseOf(const Outcome& o) {
  return capitalised(QString::fromUtf8(words::promiseOf(o.frontReach))) + QLatin1Char('.');
}

}  // namespace

FrontPane::FrontPane(QWidget* parent)
    : QWidget(parent),
      m_figure(std::make_unique<FrontFigure>()),
      m_pane(new FigurePane(*m_figure, m_chosen)),
      m_reach(new QLabel),
      m_find(new QPushButton(tr("Compute a wider front"))),
      m_backgroundRun(new BackgroundRun(tr("The front stays unchanged"))) {
  m_reach->setWordWrap(true);
  m_reach->setAccessibleName(tr("Completeness of the front"));
  m_find->setToolTip(
      tr("Continue searching for plans with fewer devices or less memory: all of them where that is little "
         "work, else the fastest plan at decreasing device counts and memory limits (takes up to ten times "
         "as long)"));
  m_backgroundRun->addTrigger(m_find);
  m_pane->setLeastHeight(kLeastChart);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(8, 4, 8, 4);
  bar->addWidget(m_reach, 1);
  bar->addWidget(m_backgroundRun);
  bar->addWidget(m_find);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(bar);
  column->addWidget(m_pane, 1);
  connect(m_find, &QPushButton::clicked, this, &FrontPane::search);
  connect(m_pane, &FigurePane::menuMade, this, [this](QMenu* menu) {
    const int i = ListFigure::indexOf(m_chosen.selected());
    if (!m_context || i < 0 || i >= m_figure->count(*m_context)) return;
    menu->addSeparator();
    Q_EMIT menuMade(menu, m_figure->planAt(i, *m_context));
  });
  connect(m_backgroundRun, &BackgroundRun::ended, this, &FrontPane::tell);
  offer();
}

FrontPane::~FrontPane() = default;

void FrontPane::setContext(PlanContextPtr context, const Theme& theme) {
  m_wider.reset();
  m_backgroundRun->drop();
  m_context = std::move(context);
  m_chosen.setSelected(std::nullopt);
  m_pane->show(*m_context, theme);
  offer();
  recall();
}

/// What was computed for the same setting: an edit has been undone.
void FrontPane::recall() {
  const PlanContext& c = *m_context;
  if (!canBeWider() || !c.current || !c.scenario) return;
  const auto it = std::find_if(m_known.begin(), m_known.end(), [&](const Known& k) {
    return k.scenario->setting() == c.scenario->setting();
  });
  if (it == m_known.end()) return;
  auto outcome = std::make_shared<Outcome>(*c.outcome);
  outcome->front = it->front, outcome->frontReach = it->reach;
  auto wider = std::make_shared<PlanContext>(c);
  wider->outcome = std::move(outcome);
  m_wider = std::move(wider);
  QMetaObject::invokeMethod(this, &FrontPane::tell, Qt::QueuedConnection);
}

void FrontPane::keep(const PlanContext& wider) {
  if (!wider.scenario) return;
  m_known.push_back({wider.scenario, wider.outcome->front, wider.outcome->frontReach});
  std::size_t plans = 0, kept = 0;
  for (auto k = m_known.rbegin(); k != m_known.rend() && kept < kMostKnown; ++k, ++kept)
    if ((plans += k->front.size()) > kMostPlans) break;
  m_known.erase(m_known.begin(), m_known.end() - static_cast<std::ptrdiff_t>(kept));
}

void FrontPane::tell() {
  if (auto wider = std::exchange(m_wider, nullptr)) Q_EMIT found(std::move(wider));
}

bool FrontPane::canBeWider() const {
  return m_context && m_context->problem && m_context->plan && m_context->outcome &&
         !m_context->outcome->front.empty() && m_context->outcome->frontReach == FrontReach::Encountered;
}

void FrontPane::search() {
  m_backgroundRun->start(
      tr("Computing a wider front …"),
      [this, context = m_context](const Control& control, const BackgroundTask::Deliver& deliver) {
        Problem problem = *context->problem;
        problem.search.topPlans = std::max(2, problem.search.topPlans);  // one plan alone has no front
        Control wide = control;
        wide.front = FrontEffort::Wider;
        const Outcome found = solveOnEvenHosts(problem, wide);
        if (control.stopRequested()) return;
        auto outcome = std::make_shared<Outcome>(*context->outcome);
        const bool whole = found.best() && !found.cutShort() && found.frontReach != FrontReach::Encountered;
        if (whole) outcome->front = found.front, outcome->frontReach = found.frontReach;
        auto wider = std::make_shared<PlanContext>(*context);
        wider->outcome = std::move(outcome);
        deliver([this, wider, whole] {
          if (!whole) return m_backgroundRun->say(tr("The time allowed was too short for more."));
          m_wider = wider;
          keep(*wider);
        });
      });
}

void FrontPane::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (m_isLow != (height() < kLowPane)) offer();
}

/// What can be asked for now.
void FrontPane::offer() {
  const bool has = m_context && m_context->problem && m_context->plan && m_context->outcome &&
                   !m_context->outcome->front.empty();
  const bool more = canBeWider();
  const bool low = m_isLow =
      height() < kLowPane;  // then the room is the chart's, and the words are its tip's
  m_find->setVisible(has && (more || !low));
  m_backgroundRun->setReady(more);
  m_reach->setVisible(has && !low);
  m_pane->setToolTip(low && has ? promiseOf(*m_context->outcome) : QString());
  if (!has) return;
  m_reach->setToolTip(promiseOf(*m_context->outcome));
  setNamedText(*m_reach, reachInWords(*m_context->outcome));
}

}  // namespace nest
