#include "editors/what_if/what_if_view.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QTextBrowser>
#include <QVBoxLayout>

#include "document/scenario_document.h"
#include "editors/what_if/kept_strip.h"
#include "editors/what_if/what_if_form.h"
#include "figures/phrases.h"
#include "figures/plan_pair_figure.h"
#include "plan/plan_diff.h"
#include "units/text.h"
#include "views/figure_pane.h"
#include "words/outcome_words.h"

namespace nest {
namespace {

constexpr int kLow = 420;

}  // namespace

WhatIfView::WhatIfView(ViewServices services, QWidget* parent)
    : View(services, parent),
      m_form(new WhatIfForm(services.document)),
      m_pair(std::make_unique<PlanPairFigure>()),
      m_strip(new KeptStrip(services.document)) {
  setAccessibleName(title());
  auto* scroll = new QScrollArea;
  scroll->setWidget(m_form);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  auto* above = new QSplitter;
  above->addWidget(scroll);
  above->addWidget(buildAnswer());
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
  m_story = new QTextBrowser;
  m_story->setAccessibleName(tr("What changes"));
  m_story->document()->setDefaultStyleSheet(
      QStringLiteral("h3 { margin: 0; } p { margin: 2px 0; } ul { margin: 0; }"));
  m_story->setMinimumHeight(m_story->fontMetrics().lineSpacing() * 5);
  m_pane = new FigurePane(*m_pair, m_stage);
  m_pane->setLeastHeight(250);
  m_keep = new QPushButton(tr("Keep this what-if"));
  m_keep->setToolTip(tr("Put it into a strip below, to return to with one click and to compare"));
  m_reset = new QPushButton(tr("Compare with this plan"));
  m_reset->setToolTip(tr("From now on, changes are told against the plan as it is now"));
  auto* right = new QWidget;
  auto* column = new QVBoxLayout(right);
  column->setContentsMargins(4, 8, 8, 8);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(m_reset);
  buttons->addWidget(m_keep);
  buttons->addStretch(1);
  column->addLayout(buttons);
  m_pane->addButtons(buttons);
  auto* told = new QSplitter(Qt::Vertical);
  told->addWidget(m_story);
  told->addWidget(m_pane);
  told->setSizes({150, 220});
  told->setChildrenCollapsible(false);
  column->addWidget(told, 1);
  return right;
}

const Figure* WhatIfView::figure() const {
  return m_pair.get();
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
  keepPlan(*services().document, context(),
           tr("What-if %1").arg(services().document->scenario().keptPlans.size() + 1));
}

void WhatIfView::tellAgainst(const QString& name, const PlanContext& c) {
  if (!c.plan || !c.problem || !c.scenario) return;
  m_reference = {name, c.scenario, c.plan, c.problem};
  m_form->setReference(c.scenario);
  showStory();
  showPair();
}

void WhatIfView::refresh() {
  m_form->rebuild();
  if (!m_reference.plan) tellAgainst(tr("Before"), context());
  if (!m_form->isDragging()) m_form->showValues();
  m_keep->setEnabled(context().plan != nullptr);
  m_reset->setEnabled(context().plan != nullptr);
  showStory();
  showPair();
  m_strip->refresh(theme());
  arrange();
}

void WhatIfView::resizeEvent(QResizeEvent* event) {
  View::resizeEvent(event);
  arrange();
}

/// In a low view the words keep their room: kept ones are small, and the two plans wait for more height.
void WhatIfView::arrange() {
  const bool low = height() < kLow;
  m_strip->setLow(low);
  m_pane->setVisible(!low || keptCount() == 0);
}

void WhatIfView::showPair() {
  const bool same = m_reference.plan == context().plan;
  const bool comparable = m_reference.plan && context().plan && m_reference.problem &&
                          *m_reference.problem->graph == *context().problem->graph;
  if (comparable)
    m_pair->setSides({m_reference.name, m_reference.plan},
                     {same ? tr("Now: the same") : tr("Now"), context().plan});
  else
    m_pair->setSides({}, {});
  m_pane->show(context(), theme());
}

void WhatIfView::showStory() {
  m_story->setHtml(storyHtml());
}

QString WhatIfView::storyHtml() const {
  const PlanContext& c = context();
  if (!m_reference.plan)
    return tr("<p>Drag a slider: the plan follows, and what it changes is told here.</p>");
  if (!c.plan)
    return c.outcome ? tr("<p><b>%1.</b> %2.</p>")
                           .arg(phrase(words::noPlan(*c.outcome).title),
                                phrase(words::noPlan(*c.outcome).detail).toHtmlEscaped())
                     : tr("<p><b>There is no plan.</b></p>");
  if (!(*m_reference.problem->graph == *c.problem->graph))
    return tr("<p>The model has changed; compare with this plan to begin anew.</p>");
  if (m_reference.plan == c.plan || m_reference.scenario->setting() == c.scenario->setting())
    return tr("<h3>%1</h3><p>Drag a slider: the plan follows, and what it changes is told here.</p>")
        .arg(timeText(c.plan->evaluation.batchTime));
  return changesHtml();
}

QString WhatIfView::changesHtml() const {
  const PlanContext& c = context();
  const auto& before = m_reference.plan->evaluation;
  const auto& after = c.plan->evaluation;
  const PlanDiff d = diff(*c.problem, m_reference.plan->plan, before, c.plan->plan, after);
  QString html = QStringLiteral("<h3>%1 → %2 <small>(%3)</small></h3>")
                     .arg(timeText(before.batchTime), timeText(after.batchTime),
                          phrase(text::signedPercent(after.batchTime / before.batchTime - 1)));
  if (!c.current) html += tr("<p><i>Being solved …</i></p>");
  if (d.same()) return html + tr("<p>The plan stays the same.</p>");
  html += tr("<p>The plan changes:</p><ul>");
  for (const auto& change : d.changes)
    html += QStringLiteral("<li>%1</li>").arg(phrase(change.sentence).toHtmlEscaped());
  return html + QStringLiteral("</ul>");
}

}  // namespace nest
