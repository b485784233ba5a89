#include "editors/what_if/what_if_view.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QTabWidget>
#include <QTextDocument>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "document/scenario_document.h"
#include "editors/what_if/kept_strip.h"
#include "editors/what_if/what_if_form.h"
#include "fields/setting_difference.h"
#include "figures/paint/phrases.h"
#include "figures/plan/plan_pair_figure.h"
#include "figures/plan/waterfall_figure.h"
#include "theme/offline_browser.h"
#include "theme/qt_text.h"
#include "units/amount.h"
#include "units/text.h"
#include "views/figure_pane.h"
#include "views/flow_layout.h"
#include "words/metric_words.h"
#include "words/outcome_words.h"

namespace nest {
namespace {

constexpr int kLowForm = 420, kLeastForm = 270;

/// "does not fit", "batch not divisible": why there is no plan.
QString obstacleOf(const PlanContext& c) {
  return c.outcome ? phrase(words::of(*c.outcome)) : WhatIfView::tr("not solved");
}

}  // namespace

WhatIfView::WhatIfView(ViewServices services, QWidget* parent)
    : View(services, parent),
      m_form(new WhatIfForm(services.document)),
      m_waterfall(std::make_unique<WaterfallFigure>(QStringLiteral("what-if"))),
      m_pair(std::make_unique<PlanPairFigure>(QStringLiteral("what-if-stages"))),
      m_strip(new KeptStrip(services.document)) {
  setAccessibleName(title());
  auto* scroll = new QScrollArea;
  scroll->setAccessibleName(tr("Sliders"));
  scroll->setWidget(m_form);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setMinimumWidth(kLeastForm);
  auto* above = new QSplitter;
  above->addWidget(scroll);
  above->addWidget(buildAnswer());
  above->setChildrenCollapsible(false);
  above->setSizes({560, 420});
  auto* split = new QSplitter(Qt::Vertical);
  split->addWidget(above);
  split->addWidget(m_strip);
  split->setSizes({420, 170});
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(split);

  // The second side is the plan that every other view shows.
  connect(&m_stage, &Selection::selectedChanged, this, [this] {
    const int i = ListFigure::indexOf(m_stage.selected());
    if (i < 0 || i >= m_pair->count(context())) return;
    if (const auto [side, stage] = m_pair->at(i); side == 1)
      selection().setSelected(SelectionItem{ItemKind::Stage, stage});
  });
  connect(m_keep, &QPushButton::clicked, this, &WhatIfView::keep);
  connect(m_reset, &QPushButton::clicked, this, [this] { tellAgainst(tr("Before"), context()); });
  connect(m_strip, &KeptStrip::comparisonRequested, this,
          [this](const QString& name, const PlanContextPtr& kept) { tellAgainst(name, *kept); });
  connect(m_strip, &KeptStrip::outdated, this, &WhatIfView::outdate);
  if (services.document) {
    connect(services.document, &ScenarioDocument::opened, this, [this] {
      m_reference = {};
      m_form->forget();
    });
    connect(services.document, &ScenarioDocument::changed, this, [this](ScenarioParts parts) {
      if (parts & ScenarioPart::KeptPlans) return outdate();
      if (isInSight() && !m_form->isDragging()) m_form->showValues();
    });
  }
}

WhatIfView::~WhatIfView() = default;

/// What changes, in words and as two plans beside each other.
QWidget* WhatIfView::buildAnswer() {
  m_story = new OfflineBrowser;
  m_story->setAccessibleName(tr("What changes"));
  m_story->document()->setDefaultStyleSheet(
      QStringLiteral("h3 { margin: 0; } p { margin: 2px 0; } ul { margin: 0; }"));
  m_story->setMinimumHeight(m_story->fontMetrics().lineSpacing() * 5);
  m_waterfallPane = new FigurePane(*m_waterfall, m_step);
  m_waterfallPane->setLeastHeight(200);
  m_waterfallPane->setObjectName(QStringLiteral("difference"));
  m_pane = new FigurePane(*m_pair, m_stage);
  m_pane->setLeastHeight(250);
  m_pane->setObjectName(QStringLiteral("stages"));
  m_tabs = new QTabWidget;
  m_tabs->setAccessibleName(tr("Pictures of the difference"));
  m_tabs->setDocumentMode(true);
  m_tabs->addTab(m_waterfallPane, tr("Difference"));
  m_tabs->addTab(m_pane, tr("Stage by stage"));
  remember("tab", m_tabs);
  m_keep = new QPushButton(tr("Keep this what-if"));
  m_keep->setToolTip(tr("Save this variant to revisit or compare later"));
  m_reset = new QPushButton(tr("Set as baseline"));
  m_reset->setToolTip(tr("Show changes relative to the current plan"));
  auto* right = new QWidget;
  auto* column = new QVBoxLayout(right);
  column->setContentsMargins(4, 8, 8, 8);
  auto* bar = new QWidget;
  auto* flow = new FlowLayout(6, bar);
  flow->setContentsMargins(0, 0, 0, 0);
  flow->addWidget(m_reset);
  flow->addWidget(m_keep);
  auto* tools = new QWidget;
  auto* buttons = new QHBoxLayout(tools);
  buttons->setContentsMargins(0, 0, 0, 0);
  for (const auto& [pane, own] :
       {std::pair(m_waterfallPane, &m_waterfallTools), std::pair(m_pane, &m_pairTools)}) {
    *own = new QWidget;
    auto* row = new QHBoxLayout(*own);
    row->setContentsMargins(0, 0, 0, 0);
    pane->addButtons(row);
    buttons->addWidget(*own);
  }
  flow->setTrailing(tools);
  const auto showTools = [this] {
    const bool isPair = m_tabs->currentWidget() == m_pane;
    m_waterfallTools->setVisible(!isPair);
    m_pairTools->setVisible(isPair);
  };
  connect(m_tabs, &QTabWidget::currentChanged, this, showTools);
  showTools();
  column->addWidget(bar);
  auto* told = new QSplitter(Qt::Vertical);
  told->addWidget(m_story);
  told->addWidget(m_tabs);
  told->setSizes({150, 220});
  told->setChildrenCollapsible(false);
  column->addWidget(told, 1);
  return right;
}

const Figure* WhatIfView::figure() const {
  if (m_tabs->currentWidget() == m_pane) return m_pair.get();
  return m_waterfall.get();
}

QSlider* WhatIfView::sliderOf(const QString& fieldId) const {
  return m_form->sliderOf(fieldId);
}

QString WhatIfView::story() const {
  return m_story->toPlainText();
}

int WhatIfView::keptCount() const {
  return m_strip->count();
}

void WhatIfView::keep() {
  if (!context().plan || !services().document) return;
  // Named by what was changed where that is one thing.
  constexpr std::size_t kLongest = 48;
  const auto changed = m_reference.scenario ? settingDifferences(m_reference.scenario->setting(),
                                                                 context().scenario->setting())
                                            : std::vector<std::string>{};
  keepPlan(*services().document, context(),
           changed.size() == 1 && changed.front().size() <= kLongest
               ? phrase(changed.front())
               : tr("What-if %1").arg(services().document->scenario().keptPlans.size() + 1));
}

void WhatIfView::tryValue(const QString& pointer, double value) {
  m_form->tryValue(pointer, value);
}

/// What nothing fits is a reference as well: then a change that makes something fit is told as such.
void WhatIfView::tellAgainst(const QString& name, const PlanContext& c) {
  if (!c.problem || !c.scenario || !(c.plan || (c.current && c.outcome))) return;
  m_reference = {name, c.scenario, c.plan, c.problem, {}, {}};
  if (!c.plan) m_reference.obstacle = phrase(words::of(*c.outcome));
  if (c.isNearestMiss()) m_reference.shortfall = phrase(words::shortfall(*c.outcome->nearestMiss));
  m_form->setReference(c.scenario);
  showAnswer();
}

std::vector<const Figure*> WhatIfView::figures() const {
  if (isReferenceShown()) return {};
  const Figure* other =
      figure() == m_pair.get() ? static_cast<const Figure*>(m_waterfall.get()) : m_pair.get();
  return {figure(), other};
}

std::vector<View::PlanBeside> WhatIfView::plansBeside() const {
  if (!m_reference.plan || isReferenceShown()) return {};
  auto before = std::make_shared<PlanContext>();
  before->scenario = m_reference.scenario, before->problem = m_reference.problem,
  before->plan = m_reference.plan;
  return {{m_reference.name, {}, std::move(before)}};
}

std::pair<PlanContextPtr, PlanContextPtr> WhatIfView::plansCompared() const {
  const auto before = plansBeside();
  if (before.empty() || !(context().plan || context().outcome)) return {};
  return {before.front().context, contextPtr()};
}

void WhatIfView::showBeside(std::vector<PlanBeside> plans) {
  if (!plans.empty()) tellAgainst(plans.front().name, *plans.front().context);
}

QString WhatIfView::whyNotKept() const {
  if (!m_reference.scenario || isReferenceShown())
    return tr("There is no change to show yet. Move a slider first.");
  if (!m_reference.plan)
    return tr(
        "No plan fitted before, so there are not two plans to show. Add the slide in Memory or Stages.");
  if (!context().plan)
    return tr("No plan fits now, so there are not two plans to show. Add the slide in Memory or Stages.");
  return {};
}

/// What changes, which stands beside the figure in the window.
QStringList WhatIfView::slideText(const QString& sentence) const {
  return QStringList{sentence} + notes();
}

bool WhatIfView::isReferenceShown() const {
  const PlanContext& c = context();
  return m_reference.scenario && c.scenario &&
         (m_reference.plan ? c.plan && m_reference.plan->plan == c.plan->plan : !c.plan) &&
         m_reference.scenario->setting() == c.scenario->setting();
}

void WhatIfView::refresh() {
  m_form->rebuild();
  // The first context after opening may still be of the scenario before.
  const bool isOfTheDocument =
      !services().document ||
      (context().scenario && context().scenario->setting() == services().document->scenario().setting());
  if (!m_reference.scenario && isOfTheDocument) tellAgainst(tr("Before"), context());
  if (!m_form->isDragging()) m_form->showValues();
  m_keep->setEnabled(context().plan != nullptr);
  m_reset->setEnabled(context().plan != nullptr || context().isNearestMiss());
  showAnswer();
  m_strip->refresh(theme());
  arrange();
}

void WhatIfView::resizeEvent(QResizeEvent* event) {
  View::resizeEvent(event);
  arrange();
}

/// In a low view the words keep their room: kept ones are small, and the two plans wait for more height.
void WhatIfView::arrange() {
  const bool low = height() < kLowForm;
  m_strip->setLow(low);
  m_tabs->setVisible(!low || keptCount() == 0);
}

void WhatIfView::showAnswer() {
  m_story->setHtml(m_told = storyHtml());
  const bool sameModel =
      m_reference.problem && context().problem && *m_reference.problem->graph == *context().problem->graph;
  const auto instead = [this](const FigureState& why) {
    m_pair->showInstead(why);
    m_waterfall->showInstead(why);
  };
  if (m_reference.plan && context().plan && sameModel) {
    const PlanSide before{m_reference.name, m_reference.plan, m_reference.problem},
        now{tr("Now"), context().plan, context().problem};
    m_pair->setSides(before, now);
    m_waterfall->setSides(before, now);
    m_waterfall->setScenarioChange(
        phrase(settingDifference(m_reference.scenario->setting(), context().scenario->setting())));
  } else if (m_reference.scenario && context().scenario && (!m_reference.plan || !context().plan)) {
    instead({m_reference.plan ? tr("Now: %1").arg(obstacleOf(context()))
             : context().plan ? tr("Before: %1").arg(m_reference.obstacle)
                              : tr("Before and now: %1").arg(m_reference.obstacle),
             tr("Two plans are shown here once there is one before and one after the change.")});
  } else if (m_reference.scenario && !sameModel && context().problem) {
    instead({tr("Another model"), tr("Set a new baseline to compare again.")});
  } else {
    m_pair->setSides({}, {});
    m_waterfall->setSides({}, {});
  }
  m_pair->setNotes(isReferenceShown() ? QStringList() : notes());
  m_waterfallPane->show(context(), theme());
  m_pane->show(context(), theme());
}

void WhatIfView::searchChanged() {
  View::searchChanged();
  if (context().plan && context().current) return;
  if (const QString now = storyHtml(); now != m_told) m_story->setHtml(m_told = now);
}

QString WhatIfView::searchHtml() const {
  return QStringLiteral("<p><i>%1</i></p>")
      .arg((context().isSearching() ? searchText(*context().search) : tr("Not solved yet.")).toHtmlEscaped());
}

QString WhatIfView::storyHtml() const {
  const PlanContext& c = context();
  const QString ask =
      tr("<p>Drag a slider. The plan updates as you drag, and the changes are listed here.</p>");
  if (!m_reference.scenario) return ask;
  if (!c.plan) {
    if (!c.outcome || c.isSearching()) return searchHtml();
    const words::NoPlan none = words::noPlan(*c.outcome);
    return QStringLiteral("<p><b>%1.</b> %2.</p>")
               .arg(phrase(none.title), phrase(none.detail).toHtmlEscaped()) +
           (m_reference.plan ? differencesHtml() : ask);
  }
  if (!(*m_reference.problem->graph == *c.problem->graph))
    return tr("<p>The model has changed. Set a new baseline to compare again.</p>");
  if (isReferenceShown())
    return QStringLiteral("<h3>%1</h3>").arg(timeText(c.plan->evaluation.batchTime)) + ask;
  return changesHtml();
}

/// What differs in the scenario.
QString WhatIfView::differences() const {
  const std::string what = settingDifference(m_reference.scenario->setting(), context().scenario->setting());
  return what.empty() ? QString() : tr("Changed: %1.").arg(phrase(what));
}

QString WhatIfView::differencesHtml() const {
  const QString what = differences();
  return what.isEmpty() ? what : QStringLiteral("<p>%1</p>").arg(what.toHtmlEscaped());
}

PlanDiff WhatIfView::planChanges() const {
  const PlanContext& c = context();
  return diff(*c.problem, m_reference.plan->plan, m_reference.plan->evaluation, c.plan->plan,
              c.plan->evaluation, m_reference.problem.get());
}

/// The parts of the time that grew, or fell.
QString WhatIfView::partsThatDiffer(const PlanDiff& d) const {
  return phrase(
      words::partsThatDiffer(d.before, m_reference.plan->evaluation, d.after, context().plan->evaluation));
}

QStringList WhatIfView::notes() const {
  if (!m_pair->count(context())) return {};
  QStringList out;
  if (const QString what = differences(); !what.isEmpty()) out << what;
  const PlanDiff d = planChanges();
  if (const QString parts = partsThatDiffer(d); !parts.isEmpty()) out << parts;
  if (d.same()) out << tr("The plan stays the same.");
  for (const auto& change : d.changes) out << phrase(change.sentence);
  return out;
}

/// Tokens a second, where the heading says the time of a step.
QString WhatIfView::paceHtml(const PlanDiff& d) const {
  if (measureOf(d.before, d.after) == PaceMeasure::Throughput) return {};
  return QStringLiteral("<p>%1 → %2</p>")
      .arg(phrase(text::amount(d.before.tokensPerSecond())), phrase(tokensRate(d.after.tokensPerSecond())));
}

QString WhatIfView::changesHtml() const {
  const PlanContext& c = context();
  const QString solving = c.current ? QString() : searchHtml();
  if (!m_reference.plan) {
    const QString before = m_reference.shortfall.isEmpty()
                               ? m_reference.obstacle
                               : QStringLiteral("%1 (%2)").arg(m_reference.obstacle, m_reference.shortfall);
    return QStringLiteral("<h3>%1 → %2</h3>")
               .arg(capitalised(before), timeText(c.plan->evaluation.batchTime)) +
           solving + differencesHtml() +
           QStringLiteral("<p>%1</p>").arg(phrase(summaryOf(c.plan->plan)).toHtmlEscaped());
  }
  const PlanDiff d = planChanges();
  QString html =
      QStringLiteral("<h3>%1</h3>")
          .arg(phrase(paceChangeText(d.before, d.after, measureOf(d.before, d.after))).toHtmlEscaped()) +
      paceHtml(d) + solving + differencesHtml();
  if (const QString parts = partsThatDiffer(d); !parts.isEmpty())
    html += QStringLiteral("<p>%1</p>").arg(parts.toHtmlEscaped());
  if (d.same()) return html + tr("<p>The plan stays the same.</p>");
  html += tr("<p>The plan changes:</p><ul>");
  for (const auto& change : d.changes)
    html += QStringLiteral("<li>%1</li>").arg(phrase(change.sentence).toHtmlEscaped());
  return html + QStringLiteral("</ul>");
}

}  // namespace nest
