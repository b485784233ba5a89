#include "editors/what_if/what_if_view.h"

#include <QAction>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QSlider>
#include <QSplitter>
#include <QTextBrowser>
#include <QVBoxLayout>
#include <cmath>

#include "document/scenario_document.h"
#include "export/figure_export.h"
#include "figures/phrases.h"
#include "figures/plan_pair_figure.h"
#include "figures/stages_figure.h"
#include "plan/plan_diff.h"
#include "units/text.h"
#include "views/figure_pane.h"

namespace nest {
namespace {

constexpr int kStrip = 180;

QString from(const std::string& s) {
  return QString::fromStdString(s);
}

}  // namespace

WhatIfView::WhatIfView(ViewServices services, QWidget* parent) : View(services, parent) {
  m_form = new QWidget;
  m_grid = new QGridLayout(m_form);
  m_grid->setColumnStretch(1, 1);
  m_grid->setHorizontalSpacing(12);
  auto* scroll = new QScrollArea;
  scroll->setWidget(m_form);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  m_story = new QTextBrowser;
  m_story->setAccessibleName(tr("What changes"));
  m_story->document()->setDefaultStyleSheet(
      QStringLiteral("h3 { margin: 0; } p { margin: 2px 0; } ul { margin: 0; }"));
  m_story->setMinimumHeight(m_story->fontMetrics().lineSpacing() * 5);
  m_pair = std::make_unique<PlanPairFigure>();
  m_pane = new FigurePane(*m_pair, m_stage);
  m_pane->setLeastHeight(250);
  // The second side is the plan that every other view shows.
  connect(&m_stage, &Selection::selectedChanged, this, [this] {
    const int i = ListFigure::indexOf(m_stage.selected());
    if (i < 0 || i >= m_pair->count(context())) return;
    if (const auto [side, stage] = m_pair->at(i); side == 1)
      selection().setSelected(SelectionItem{ItemKind::Stage, stage});
  });
  setAccessibleName(title());
  m_strip = new QListWidget;
  m_strip->setAccessibleName(tr("Kept what-ifs"));
  m_strip->setViewMode(QListView::IconMode);
  m_strip->setFlow(QListView::LeftToRight);
  m_strip->setWrapping(false);
  m_strip->setIconSize({170, 96});
  m_strip->setMovement(QListView::Static);
  m_strip->setWordWrap(true);
  m_strip->setGridSize({190, 150});
  m_strip->setEditTriggers(QAbstractItemView::EditKeyPressed);
  m_strip->setContextMenuPolicy(Qt::CustomContextMenu);
  m_keep = new QPushButton(tr("Keep this what-if"));
  m_keep->setToolTip(tr("Put it into a strip below, to return to with one click and to compare"));
  m_reset = new QPushButton(tr("Compare with this plan"));
  m_reset->setToolTip(tr("From now on, changes are told against the plan as it is now"));

  // Away while it is empty: the room is the figures'.
  m_strip->setMinimumHeight(kStrip - 40);
  m_strip->setMaximumHeight(kStrip);
  m_strip->hide();

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
  auto* above = new QSplitter;
  above->addWidget(scroll);
  above->addWidget(right);
  above->setSizes({560, 420});
  auto* split = new QSplitter(Qt::Vertical);
  split->addWidget(above);
  split->addWidget(m_strip);
  split->setSizes({420, 170});
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(split);

  connect(m_keep, &QPushButton::clicked, this, &WhatIfView::keep);
  connect(m_reset, &QPushButton::clicked, this, [this] {
    takeReference();
    showStory();
    showPair();
  });
  connect(m_strip, &QListWidget::itemActivated, this, &WhatIfView::returnTo);
  connect(m_strip, &QListWidget::itemChanged, this, &WhatIfView::renamed);
  connect(m_strip, &QListWidget::customContextMenuRequested, this, &WhatIfView::openStripMenu);
  auto* remove = new QAction(tr("Remove"), m_strip);
  remove->setShortcut(QKeySequence::Delete);
  remove->setShortcutContext(Qt::WidgetShortcut);
  connect(remove, &QAction::triggered, this, &WhatIfView::removeCurrent);
  m_strip->addAction(remove);
  connect(m_strip, &QListWidget::itemClicked, this, &WhatIfView::returnTo);
  if (services.document) {
    connect(services.document, &ScenarioDocument::opened, this, [this] {
      m_reference = {};
      m_shape.clear();
    });
    connect(services.document, &ScenarioDocument::changed, this, [this](ScenarioParts parts) {
      if (parts & ScenarioPart::KeptPlans) return outdate();
      if (isInSight() && !m_dragging) showValues();
    });
  }
}

WhatIfView::~WhatIfView() {
  m_strip->disconnect(this);  // a name that is being typed is not to be taken any more
}

const Figure* WhatIfView::figure() const {
  return m_pair.get();
}

void WhatIfView::showPair() {
  const bool same = m_reference.plan == context().plan;
  const bool comparable = m_reference.plan && context().plan && m_reference.problem &&
                          *m_reference.problem->graph == *context().problem->graph;
  if (comparable)
    m_pair->setSides({tr("Before"), m_reference.plan},
                     {same ? tr("Now: the same") : tr("Now"), context().plan});
  else
    m_pair->setSides({}, {});
  m_pane->show(context(), theme());
}

QSlider* WhatIfView::sliderOf(const QString& fieldId) const {
  for (const Row& r : m_rows)
    if (r.field.id == fieldId) return r.slider;
  return nullptr;
}

QString WhatIfView::story() const {
  return m_story->toPlainText();
}
int WhatIfView::keptCount() const {
  return m_strip->count();
}

void WhatIfView::buildRows() {
  const ScenarioDocument* document = services().document;
  const bool open = document && !document->isEmpty();
  auto fields = open ? whatIfFields(document->scenario()) : std::vector<WhatIfField>{};
  QString shape;
  for (const auto& f : fields) shape += f.id + QLatin1Char(';');
  if (shape == m_shape && !shape.isEmpty()) return;
  m_shape = shape;
  m_rows.clear();
  while (QLayoutItem* item = m_grid->takeAt(0)) {
    if (item->widget()) item->widget()->deleteLater();
    delete item;
  }
  int line = 0;
  QString group;
  if (fields.empty()) m_grid->addWidget(new QLabel(tr("Open a scenario to ask what if.")), line++, 0, 1, 4);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].group != group) {
      group = fields[i].group;
      auto* heading = new QLabel(QStringLiteral("<b>%1</b>").arg(group.toHtmlEscaped()));
      m_grid->addWidget(heading, line++, 0, 1, 4);
    }
    Row r;
    r.field = fields[i];
    r.slider = new QSlider(Qt::Horizontal);
    r.slider->setRange(0, WhatIfField::kSteps);
    r.slider->setPageStep(WhatIfField::kSteps / 16);
    r.slider->setAccessibleName(group + QLatin1Char(' ') + r.field.name);
    r.figure = new QLineEdit;
    r.figure->setMaximumWidth(110);
    r.figure->setAccessibleName(r.slider->accessibleName());
    r.change = new QLabel;
    r.change->setMinimumWidth(r.change->fontMetrics().horizontalAdvance(QStringLiteral("+1,600 %")));
    auto* name = new QLabel(r.field.name);
    name->setBuddy(r.slider);
    m_grid->addWidget(name, line, 0);
    m_grid->addWidget(r.slider, line, 1);
    m_grid->addWidget(r.figure, line, 2);
    m_grid->addWidget(r.change, line++, 3);
    connect(r.slider, &QSlider::valueChanged, this, [this, i](int step) { dragged(i, step); });
    connect(r.slider, &QSlider::sliderReleased, this, [this, i] { released(i); });
    connect(r.figure, &QLineEdit::editingFinished, this, [this, i] { typed(i); });
    m_rows.push_back(std::move(r));
  }
  m_grid->setRowStretch(line, 1);
}

void WhatIfView::dragged(std::size_t row, int step) {
  if (m_filling || !services().document) return;
  const WhatIfField field = m_rows[row].field;
  const double v = field.at(step);
  const auto set = [field, v](Scenario& s) { field.set(s, v); };
  if (m_rows[row].slider->isSliderDown()) {
    m_dragging = true;
    services().document->preview(set);
  } else {  // keys and clicks beside the handle
    services().document->edit(QStringLiteral("whatif.") + field.id,
                              tr("Set %1 of %2 to %3").arg(field.name.toLower(), field.group, field.text(v)),
                              set);
  }
  showValues();
}

void WhatIfView::released(std::size_t row) {
  if (!std::exchange(m_dragging, false) || !services().document) return;
  const WhatIfField field = m_rows[row].field;
  const double v = field.at(m_rows[row].slider->value());
  services().document->edit(QStringLiteral("whatif.") + field.id,
                            tr("Set %1 of %2 to %3").arg(field.name.toLower(), field.group, field.text(v)),
                            [field, v](Scenario& s) { field.set(s, v); });
  services().document->closeStep();
  showValues();
}

void WhatIfView::typed(std::size_t row) {
  if (m_filling || !services().document || !m_rows[row].figure->isModified()) return;
  const WhatIfField field = m_rows[row].field;
  const auto v = field.read(m_rows[row].figure->text());
  m_rows[row].figure->setModified(false);
  if (v) {
    services().document->edit({},
                              tr("Set %1 of %2 to %3").arg(field.name.toLower(), field.group, field.text(*v)),
                              [field, v](Scenario& s) { field.set(s, *v); });
  } else {
    m_rows[row].figure->setToolTip(
        tr("A figure like %1").arg(field.text(field.value(services().document->scenario()))));
  }
  showValues();
}

void WhatIfView::showValues() {
  if (!services().document || services().document->isEmpty()) return;
  const Scenario& now = services().document->scenario();
  m_filling = true;
  for (Row& r : m_rows) {
    const double v = r.field.value(now);
    if (!r.slider->isSliderDown()) r.slider->setValue(r.field.stepOf(v));
    if (!r.figure->hasFocus() || !r.figure->isModified()) r.figure->setText(r.field.text(v));
    const double before = m_reference.scenario ? r.field.value(*m_reference.scenario) : v;
    const bool same = std::abs(v - before) <= 1e-12 * std::abs(before);
    r.change->setText(same || before <= 0 ? QString() : from(text::signedPercent(v / before - 1)));
  }
  m_filling = false;
}

void WhatIfView::takeReference() {
  if (!context().plan || !context().problem || !context().scenario) return;
  m_reference = {context().scenario, context().plan, context().problem};
  showValues();
}

void WhatIfView::refresh() {
  buildRows();
  if (!m_reference.plan) takeReference();
  if (!m_dragging) showValues();
  m_keep->setEnabled(context().plan != nullptr);
  m_reset->setEnabled(context().plan != nullptr);
  showStory();
  showPair();
  showStrip();
}

void WhatIfView::showStory() {
  const PlanContext& c = context();
  if (!m_reference.plan) {
    m_story->setHtml(tr("<p>Drag a slider: the plan follows, and what it changes is told here.</p>"));
    return;
  }
  if (!c.plan) {
    const QString miss =
        c.isNearestMiss()
            ? tr("<p><b>Nothing fits any more.</b> Stage %1 of the nearest miss is short by %2.</p>")
                  .arg(stageNumber(c.outcome->nearestMiss->stage))
                  .arg(from(text::memory(c.outcome->nearestMiss->shortfall)))
            : tr("<p><b>There is no plan.</b></p>");
    m_story->setHtml(miss);
    return;
  }
  if (!(*m_reference.problem->graph == *c.problem->graph)) {
    m_story->setHtml(tr("<p>The model has changed; compare with this plan to begin anew.</p>"));
    return;
  }
  if (m_reference.plan == c.plan || m_reference.scenario->setting() == c.scenario->setting()) {
    m_story->setHtml(
        tr("<h3>%1</h3><p>Drag a slider: the plan follows, and what it changes is told here.</p>")
            .arg(from(text::time(c.plan->evaluation.batchTime))));
    return;
  }
  const auto& before = m_reference.plan->evaluation;
  const auto& after = c.plan->evaluation;
  const PlanDiff d = diff(*c.problem, m_reference.plan->plan, before, c.plan->plan, after);
  QString html = QStringLiteral("<h3>%1 → %2 <small>(%3)</small></h3>")
                     .arg(from(text::time(before.batchTime)), from(text::time(after.batchTime)),
                          from(text::signedPercent(after.batchTime / before.batchTime - 1)));
  if (!c.current) html += tr("<p><i>Being solved …</i></p>");
  if (d.same()) {
    html += tr("<p>The plan stays the same.</p>");
  } else {
    html += tr("<p>The plan changes:</p><ul>");
    for (const auto& change : d.changes)
      html += QStringLiteral("<li>%1</li>").arg(from(change.sentence).toHtmlEscaped());
    html += QStringLiteral("</ul>");
  }
  m_story->setHtml(html);
}

void WhatIfView::keep() {
  if (!context().plan || !services().document) return;
  keepPlan(*services().document, context(),
           tr("What-if %1").arg(services().document->scenario().keptPlans.size() + 1));
}

/// The strip shows what the scenario keeps; pictures are painted once.
void WhatIfView::showStrip() {
  static const std::vector<KeptPlan> kNone;
  const Scenario* scenario = services().document ? &services().document->scenario() : nullptr;
  const auto& kept = scenario ? scenario->keptPlans : kNone;
  m_strip->setVisible(!kept.empty());
  QStringList shape{QString::number(static_cast<int>(theme().kind()))};
  for (const KeptPlan& k : kept)
    shape += from(k.name) + QStringLiteral("@%1").arg(reinterpret_cast<quintptr>(k.plan.get()), 0, 16);
  if (shape == m_stripShape) return;
  m_stripShape = shape;
  if (scenario) m_keptContexts.forgetOthers(*scenario);
  const QSignalBlocker quiet(m_strip);
  const int current = m_strip->currentRow();
  m_strip->clear();
  for (const KeptPlan& k : kept) {
    const PlanContextPtr c = m_keptContexts.of(k, *scenario);
    auto* item = new QListWidgetItem(m_strip);
    item->setData(Qt::UserRole, from(k.name));
    item->setFlags(item->flags() | Qt::ItemIsEditable);
    item->setText(from(k.name));
    if (c->plan) {
      const QString time = from(text::time(c->plan->evaluation.batchTime));
      const QImage picture = thumbnailOf(StagesFigure(), *c, QSize(340, 192), theme().kind());
      item->setIcon(QIcon(QPixmap::fromImage(picture)));
      item->setToolTip(tr("%1\n%2, %3\nClick to return to this what-if (one undo step), F2 to rename it")
                           .arg(from(k.name), time, from(summaryOf(*k.plan))));
    } else {
      item->setToolTip(c->diagnostics.empty() ? from(k.name) : from(toText(c->diagnostics.front())));
    }
    item->setData(Qt::AccessibleDescriptionRole, item->toolTip());
  }
  m_strip->setCurrentRow(std::min(current, m_strip->count() - 1));
}

void WhatIfView::returnTo(QListWidgetItem* item) {
  if (services().document) returnToKeptPlan(*services().document, item->data(Qt::UserRole).toString());
}

void WhatIfView::renamed(QListWidgetItem* item) {
  if (!services().document) return;
  renameKeptPlan(*services().document, item->data(Qt::UserRole).toString(), item->text());
  m_stripShape.clear();  // a name that was refused gives way to the one that stands
  QMetaObject::invokeMethod(
      this, [this] { outdate(); }, Qt::QueuedConnection);
}

void WhatIfView::removeCurrent() {
  if (const auto* item = m_strip->currentItem(); item && services().document)
    removeKeptPlan(*services().document, item->data(Qt::UserRole).toString());
}

void WhatIfView::openStripMenu(const QPoint& at) {
  QListWidgetItem* item = m_strip->itemAt(at);
  if (!item) return;
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addAction(tr("Return to it"), this, [this, item] { returnTo(item); });
  menu->addAction(tr("Rename"), this, [this, item] { m_strip->editItem(item); });
  menu->addAction(tr("Remove"), this, &WhatIfView::removeCurrent);
  menu->popup(m_strip->viewport()->mapToGlobal(at));
}

}  // namespace nest
