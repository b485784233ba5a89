#include "views/compare/compare_view.h"

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QTabWidget>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <iterator>
#include <utility>

#include "export/export_dialog.h"
#include "fields/setting_difference.h"
#include "figures/paint/frame.h"
#include "figures/paint/table_figure.h"
#include "figures/plan/plan_pair_figure.h"
#include "figures/plan/waterfall_figure.h"
#include "figures/study/comparison_figure.h"
#include "measures/plan_diff.h"
#include "study/quiet_solve.h"
#include "theme/offline_browser.h"
#include "theme/qt_text.h"
#include "units/text.h"
#include "views/adaptive_splitter.h"
#include "views/background_run.h"
#include "views/figure_pane.h"
#include "words/metric_words.h"
#include "words/outcome_words.h"

namespace nest {
namespace {

constexpr const char* kEarlierTabs[] = {"times", "stages", "table"};  ///< in the order of earlier versions

}  // namespace

CompareView::CompareView(ViewServices services, QWidget* parent) : View(services, parent) {
  m_figure = std::make_unique<ComparisonFigure>();
  m_waterfall = std::make_unique<WaterfallFigure>();
  m_pair = std::make_unique<PlanPairFigure>();
  m_pane = new FigurePane(*m_figure, m_row);
  m_waterfallPane = new FigurePane(*m_waterfall, m_step);
  m_waterfallPane->setLeastHeight(200);
  m_pairPane = new FigurePane(*m_pair, m_stage);
  m_pairPane->setLeastHeight(250);
  auto* run = new QPushButton(tr("Run baselines"));
  run->setToolTip(tr("Plan with five other methods and cost all plans with the same model"));
  m_keep = new QPushButton(tr("Keep this plan"));
  m_keep->setToolTip(tr("Keep the current plan for comparison"));
  m_backgroundRun = new BackgroundRun(tr("Stop; finished baselines are kept"));
  m_backgroundRun->addTrigger(run);
  m_first = new QComboBox;
  m_first->setAccessibleName(tr("First plan"));
  m_second = new QComboBox;
  m_second->setAccessibleName(tr("Second plan"));
  m_difference = new OfflineBrowser;
  m_difference->setAccessibleName(tr("Differences"));

  m_bar = new QWidget;
  auto* bar = new QHBoxLayout(m_bar);
  bar->setContentsMargins(8, 6, 8, 6);
  bar->addWidget(run);
  bar->addWidget(m_keep);
  bar->addWidget(m_backgroundRun, 1);
  m_tabs = new QTabWidget;
  m_tabs->setAccessibleName(tr("Parts of the comparison"));
  m_tabs->setDocumentMode(true);
  m_pane->setObjectName(QStringLiteral("times"));
  m_pairPane->setObjectName(QStringLiteral("stages"));
  m_tabs->addTab(m_pane, tr("Step time"));
  m_waterfallPane->setObjectName(QStringLiteral("difference"));
  m_tabs->addTab(m_waterfallPane, tr("Difference"));
  m_tabs->addTab(m_pairPane, tr("Stage by stage"));
  m_tabs->addTab(buildTable(), tr("Table"));
  m_table->setObjectName(QStringLiteral("table"));
  showTab(setting(QStringLiteral("views/compare/tab"), QStringLiteral("times")).toString());
  connect(m_tabs, &QTabWidget::currentChanged, this, [this] {
    keepSetting(QStringLiteral("views/compare/tab"), m_tabs->currentWidget()->objectName());
  });
  auto* save = new QToolButton;
  save->setText(tr("Export…"));
  save->setAutoRaise(true);
  save->setToolTip(tr("Save the figure as SVG, PDF or PNG, or copy it"));
  connect(save, &QToolButton::clicked, this, [this] { ExportDialog(*figure(), context(), this).exec(); });
  bar->addWidget(save);
  auto* below = new QWidget;
  auto* belowColumn = new QVBoxLayout(below);
  belowColumn->setContentsMargins(8, 4, 8, 8);
  auto* choice = new QHBoxLayout;
  for (const auto& [word, box] : {std::pair(tr("From"), m_first), std::pair(tr("to"), m_second)}) {
    auto* label = new QLabel(word);
    label->setBuddy(box);
    choice->addWidget(label);
    choice->addWidget(box, 1);
  }
  belowColumn->addLayout(choice);
  belowColumn->addWidget(m_difference, 1);
  m_split = new AdaptiveSplitter(480, {560, 340});
  m_split->addWidget(m_tabs);
  m_split->addWidget(below);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_bar);
  column->addWidget(m_split, 1);

  connect(run, &QPushButton::clicked, this, &CompareView::runBaselines);
  connect(m_keep, &QPushButton::clicked, this, &CompareView::keepPlan);
  connect(&m_row, &Selection::selectedChanged, this,
          [this] { chooseSecond(ListFigure::indexOf(m_row.selected())); });
  // A stage of the shown plan lights up everywhere.
  connect(&m_stage, &Selection::selectedChanged, this, [this] {
    const int i = ListFigure::indexOf(m_stage.selected());
    if (i < 0 || i >= m_pair->count(context())) return;
    const auto [side, stage] = m_pair->at(i);
    if ((side == 0 ? m_first : m_second)->currentIndex() == 0)
      selection().setSelected(SelectionItem{ItemKind::Stage, stage});
  });
  setAccessibleName(title());
  remember("tab", m_tabs);
  if (services.document)
    connect(services.document, &ScenarioDocument::opened, this, [this] { m_named.clear(); });
  if (services.document)
    connect(services.document, &ScenarioDocument::changed, this, [this](ScenarioParts parts) {
      if (parts & ScenarioPart::KeptPlans) outdate();
    });
  for (QComboBox* box : {m_first, m_second})
    connect(box, &QComboBox::currentIndexChanged, this, &CompareView::showDifference);
}

CompareView::~CompareView() = default;

const Figure* CompareView::figure() const {
  if (m_tabs->currentWidget() == m_table) return m_tableFigure.get();
  if (m_tabs->currentWidget() == m_waterfallPane) return m_waterfall.get();
  return m_tabs->currentWidget() == m_pairPane ? static_cast<const Figure*>(m_pair.get()) : m_figure.get();
}

View::State CompareView::state() const {
  State state = View::state();
  state["first"] = m_first->currentText().toStdString();
  state["second"] = m_second->currentText().toStdString();
  return state;
}

void CompareView::showTab(const QString& name) {
  bool isPlace = false;  // earlier versions kept the place of a tab
  const int place = name.toInt(&isPlace);
  const QString known = isPlace && place >= 0 && place < static_cast<int>(std::size(kEarlierTabs))
                            ? QLatin1String(kEarlierTabs[place])
                            : name;
  for (int i = 0; i < m_tabs->count(); ++i)
    if (m_tabs->widget(i)->objectName() == known) m_tabs->setCurrentIndex(i);
}

void CompareView::applyState(const State& state) {
  View::applyState(state);
  if (const auto tab = state.find("tab"); tab != state.end() && tab->second.number())
    showTab(QString::number(static_cast<int>(*tab->second.number())));
  m_wanted = state;
}

PlanContextPtr CompareView::contextOf(const Entry& e) {
  auto c = std::make_shared<PlanContext>();
  c->scenario = e.scenario, c->problem = e.problem, c->plan = std::make_shared<const RankedPlan>(e.plan);
  return c;
}

std::vector<View::PlanBeside> CompareView::plansBeside() const {
  std::vector<PlanBeside> out;
  for (std::size_t i = context().plan ? 1 : 0; i < m_entries.size(); ++i)
    out.push_back({m_entries[i].name, m_entries[i].note, contextOf(m_entries[i])});
  return out;
}

std::pair<PlanContextPtr, PlanContextPtr> CompareView::plansCompared() const {
  const int a = m_first->currentIndex(), b = m_second->currentIndex();
  if (a < 0 || b < 0 || a == b) return {};
  return {contextOf(m_entries[a]), contextOf(m_entries[b])};
}

void CompareView::showBeside(std::vector<PlanBeside> plans) {
  m_given = std::move(plans);
}

QString CompareView::whyNotKept() const {
  return m_entries.size() == 1 && context().plan
             ? tr("There is only one plan to compare. Run the baselines or keep a plan first.")
             : QString();
}

std::optional<SelectionItem> CompareView::marked() const {
  if (m_tabs->currentWidget() == m_table) return std::nullopt;
  if (m_tabs->currentWidget() == m_waterfallPane) return m_step.selected();
  return (m_tabs->currentWidget() == m_pairPane ? m_stage : m_row).selected();
}

std::vector<const Figure*> CompareView::figures() const {
  return {m_figure.get(), m_waterfall.get(), m_pair.get()};
}

void CompareView::compute(const Control& control) {
  if (!context().problem || !context().plan) return;
  m_baselineProblem = context().problem;
  m_baselines = nest::runBaselines(*m_baselineProblem, control);
  rebuild();
}

QWidget* CompareView::buildTable() {
  m_table = new QTableWidget(0, 6);
  m_table->setHorizontalHeaderLabels(
      {tr("Plan by"), tr("Step time"), tr("Throughput"), tr("× Manual"), tr("Fullest device"), tr("Plan")});
  m_table->horizontalHeaderItem(3)->setToolTip(
      tr("Throughput relative to the manual plan, as in the paper's figures"));
  m_table->setAccessibleName(tr("Plans compared"));
  m_tableFigure = std::make_unique<TableFigure>(QStringLiteral("compared-plans"), tr("Plans compared"),
                                                *m_table->model());
  m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->setAlternatingRowColors(true);
  m_table->verticalHeader()->hide();
  m_table->horizontalHeader()->setStretchLastSection(true);
  auto* copy = new QAction(tr("Copy table"), m_table);
  connect(copy, &QAction::triggered, this, &CompareView::copyTable);
  m_table->addAction(copy);
  m_whyEmpty = new QLabel;
  m_whyEmpty->setAlignment(Qt::AlignCenter);
  m_whyEmpty->setWordWrap(true);
  (new QVBoxLayout(m_table->viewport()))->addWidget(m_whyEmpty);
  auto* remove = new QAction(tr("Remove kept plan"), m_table);
  connect(remove, &QAction::triggered, this, [this] {
    const int row = m_table->currentRow();
    if (row < 0 || row >= rowCount() || !services().document) return;
    if (const Entry& entry = m_entries[row]; entry.kept)
      removeKeptPlan(*services().document, QString(entry.name));
  });
  m_table->addAction(remove);
  connect(m_table, &QTableWidget::currentCellChanged, this, [this](int row) { chooseSecond(row); });
  m_table->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(m_table, &QWidget::customContextMenuRequested, this, [this](const QPoint& at) {
    QMenu menu(this);
    if (const int row = m_table->rowAt(at.y()); row >= 0 && row < rowCount()) {
      const Entry& e = m_entries[row];
      addPlanActions(menu, {e.name, contextOf(e), {}});
      menu.addSeparator();
    }
    menu.addActions(m_table->actions());
    menu.exec(m_table->viewport()->mapToGlobal(at));
  });
  return m_table;
}

void CompareView::copyTable() const {
  QString out;
  for (int c = 0; c < m_table->columnCount(); ++c)
    out +=
        m_table->horizontalHeaderItem(c)->text() + QLatin1Char(c + 1 < m_table->columnCount() ? '\t' : '\n');
  for (int r = 0; r < m_table->rowCount(); ++r)
    for (int c = 0; c < m_table->columnCount(); ++c)
      out += m_table->item(r, c)->text() + QLatin1Char(c + 1 < m_table->columnCount() ? '\t' : '\n');
  QGuiApplication::clipboard()->setText(out);
}

void CompareView::chooseSecond(int row) {
  if (row >= 0 && row < rowCount()) m_second->setCurrentIndex(row);
}

void CompareView::fillTable() {
  const QSignalBlocker quiet(m_table);
  const auto& rows = m_figure->rows();
  double manual = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (m_entries[i].name == QString::fromUtf8(nameOf(BaselineKind::Manual)) && rows[i].runs())
      manual = rows[i].pace.tokensPerSecond();
  m_table->setRowCount(static_cast<int>(rows.size()));
  m_whyEmpty->setVisible(rows.empty());
  m_whyEmpty->setText(
      stateOf(context(), tr("the plans")).value_or(FigureState{tr("No plan to compare."), {}}).heading);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& r = rows[i];
    const double rate = r.pace.tokensPerSecond();
    const QString cells[] = {r.name,
                             r.runs() ? toQt(text::time(r.metrics.batchTime)) : r.obstacle,
                             !r.runs() ? QStringLiteral("–") : toQt(tokensRate(rate)),
                             r.runs() && manual > 0 ? toQt(text::number(rate / manual)) + QStringLiteral(" ×")
                                                    : QStringLiteral("–"),
                             toQt(words::memory(r.metrics)),
                             r.plan};
    for (int c = 0; c < 6; ++c) {
      auto* item = new QTableWidgetItem(cells[c]);
      if (c > 0 && c < 5) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      if (!m_entries[i].note.isEmpty()) item->setToolTip(m_entries[i].note);
      m_table->setItem(static_cast<int>(i), c, item);
    }
  }
  m_table->resizeColumnsToContents();
}

void CompareView::runBaselines() {
  if (!context().problem) return;
  m_baselines.clear();
  m_baselineProblem = context().problem;
  // One after the other, so that each appears as soon as it is known.
  m_backgroundRun->start(
      tr("Running the baselines …"),
      [this, problem = m_baselineProblem](const Control& control, const BackgroundTask::Deliver& deliver) {
        const auto kinds = BaselineOptions{}.kinds;
        for (std::size_t i = 0; i < kinds.size(); ++i) {
          if (control.stopRequested()) return;
          BaselineOptions one;
          one.kinds = {kinds[i]};
          Control quiet;
          quiet.stop = control.stop;
          auto found = nest::runBaselines(*problem, quiet, one);
          deliver([this, found = std::move(found)] {
            m_baselines.insert(m_baselines.end(), found.begin(), found.end());
            rebuild();
          });
          reportStudy(control, "baselines", i + 1, kinds.size());
        }
      });
}

void CompareView::keepPlan() {
  if (!context().plan || !context().problem) return;
  if (services().document)
    nest::keepPlan(*services().document, context(),
                   tr("Kept %1").arg(services().document->scenario().keptPlans.size() + 1));
}

void CompareView::addPlan(const Plan& plan, const QString& name) {
  m_waiting.emplace_back(plan, name);
  takeWaiting();
  rebuild();
}

void CompareView::compareWith(const QString& name, const PlanContextPtr& other, bool isBefore) {
  if (!other || !other->plan || !other->problem) return;
  std::erase_if(m_named, [&](const PlanBeside& b) { return b.name == name; });
  m_named.push_back({name, {}, other});
  m_wantedSecond = name;
  m_wantedIsBefore = isBefore;
  showTab(QStringLiteral("difference"));
  outdate();
}

void CompareView::takeWaiting() {
  if (!context().problem) return;
  for (auto& [plan, name] : std::exchange(m_waiting, {})) {
    auto ranked = std::make_shared<RankedPlan>();
    ranked->plan = std::move(plan);
    PlanContext brought = context();
    brought.plan = std::move(ranked);
    if (services().document) nest::keepPlan(*services().document, brought, name);
  }
}

void CompareView::refresh() {
  takeWaiting();
  if (m_baselineProblem && m_baselineProblem != context().problem) {
    m_backgroundRun->drop();
    m_baselines.clear();
    m_baselineProblem.reset();
  }
  m_backgroundRun->setReady(context().problem != nullptr);
  m_keep->setEnabled(context().plan != nullptr);
  rebuild();
}

void CompareView::rebuild() {
  m_entries.clear();
  if (context().plan && context().problem)
    m_entries.push_back({tr("This plan"), {}, *context().plan, context().problem, context().scenario, false});
  for (const PlanBeside& b : m_given.value_or(std::vector<PlanBeside>{}))
    m_entries.push_back({b.name, b.note, *b.context->plan, b.context->problem, b.context->scenario, false});
  if (const ScenarioDocument* document = services().document; document && !m_given) {
    m_keptContexts.forgetOthers(document->scenario());
    for (const KeptPlan& kept : document->scenario().keptPlans)
      if (const auto c = m_keptContexts.of(kept, document->scenario()); c->plan)
        m_entries.push_back({toQt(kept.name), {}, *c->plan, c->problem, c->scenario, true});
  }
  for (const PlanBeside& b : m_named)
    m_entries.push_back({b.name, b.note, *b.context->plan, b.context->problem, b.context->scenario, false});
  QStringList without;
  for (const auto& b : m_baselines) {
    if (b.plan)
      m_entries.push_back({QString::fromUtf8(nameOf(b.kind)), toQt(b.note), *b.plan, m_baselineProblem,
                           context().scenario, false});
    else
      without << tr("%1: %2").arg(QString::fromUtf8(nameOf(b.kind)), toQt(b.note));
  }
  m_backgroundRun->say(without.join(QStringLiteral("; ")));
  std::vector<ComparisonFigure::Row> rows;
  for (const Entry& e : m_entries)
    rows.push_back(ComparisonFigure::rowOf(e.name, e.scenario.get(), *e.problem, e.plan));
  m_pane->setLeastHeight(static_cast<int>(ComparisonFigure::leastHeight(rows.size())));
  m_split->showSecond(rows.size() > 1);  // with one plan there is nothing to choose
  m_figure->setRows(std::move(rows));
  m_tabs->setTabText(0,
                     m_figure->measure() == PaceMeasure::BatchTime ? tr("Step time") : tr("Time per token"));
  m_pane->show(context(), theme());
  fillTable();
  fillChoices();
}

void CompareView::fillChoices() {
  int first = std::max(0, m_first->currentIndex());
  int second = m_second->currentIndex();
  for (int i = 0; i < rowCount() && !m_wanted.empty(); ++i) {
    const OptionValue name = m_entries[i].name.toStdString();
    const auto wants = [&](const char* key) { return m_wanted.contains(key) && m_wanted[key] == name; };
    if (wants("first")) first = i;
    if (wants("second")) second = i;
  }
  if (rowCount() > 1) m_wanted.clear();
  for (int i = 1; i < rowCount() && !m_wantedSecond.isEmpty(); ++i)
    if (m_entries[i].name == m_wantedSecond)
      first = m_wantedIsBefore ? i : 0, second = m_wantedIsBefore ? 0 : i;
  m_wantedSecond.clear();
  for (QComboBox* box : {m_first, m_second}) {
    const QSignalBlocker quiet(box);
    box->clear();
    for (const Entry& e : m_entries) box->addItem(e.name);
  }
  const int last = static_cast<int>(m_entries.size()) - 1;
  {
    const QSignalBlocker a(m_first), b(m_second);
    m_first->setCurrentIndex(std::min(first, last));
    const bool isChosen = second > 0 || (second == 0 && first > 0);
    m_second->setCurrentIndex(isChosen && second <= last ? second : std::min(1, last));
  }
  showDifference();
}

void CompareView::showDifference() {
  const int a = m_first->currentIndex(), b = m_second->currentIndex();
  const auto sideOf = [this](int i) {
    if (i < 0) return PlanPairFigure::Side{};
    const Entry& e = m_entries[i];
    return PlanPairFigure::Side{e.name, std::make_shared<RankedPlan>(e.plan), e.problem};
  };
  m_stage.setSelected(std::nullopt);
  m_pair->setSides(sideOf(a), a == b ? PlanPairFigure::Side{} : sideOf(b));
  m_step.setSelected(std::nullopt);
  m_waterfall->setSides(sideOf(a), a == b ? PlanSide{} : sideOf(b));
  if (a >= 0 && b >= 0 && a != b)
    m_waterfall->setScenarioChange(
        toQt(settingDifference(m_entries[a].scenario->setting(), m_entries[b].scenario->setting())));
  m_waterfallPane->show(context(), theme());
  m_pairPane->show(context(), theme());
  if (a < 0 || b < 0 || a == b) {
    m_difference->setHtml(tr("<p>Choose two plans to see what differs.</p>"));
    return;
  }
  const Entry &x = m_entries[a], &y = m_entries[b];
  if (!(*x.problem->graph == *y.problem->graph)) {
    m_difference->setHtml(tr("<p>These plans are of different models.</p>"));
    return;
  }
  const PlanDiff d =
      diff(*y.problem, x.plan.plan, x.plan.evaluation, y.plan.plan, y.plan.evaluation, x.problem.get());
  QString html = QStringLiteral("<p><b>%1</b></p>").arg(toQt(d.sentence()).toHtmlEscaped());
  if (const std::string parts =
          words::partsThatDiffer(d.before, x.plan.evaluation, d.after, y.plan.evaluation);
      !parts.empty())
    html += QStringLiteral("<p>%1</p>").arg(toQt(parts).toHtmlEscaped());
  if (const std::string what = settingDifference(x.scenario->setting(), y.scenario->setting()); !what.empty())
    html += QStringLiteral("<p>%1</p>").arg(tr("The scenarios differ: %1.").arg(toQt(what)).toHtmlEscaped());
  if (!d.same()) {
    html += QStringLiteral("<ul>");
    for (const auto& c : d.changes)
      html += QStringLiteral("<li>%1</li>").arg(toQt(c.sentence).toHtmlEscaped());
    html += QStringLiteral("</ul>");
  }
  if (!y.note.isEmpty())
    html += QStringLiteral("<p>%1: %2.</p>").arg(y.name.toHtmlEscaped(), y.note.toHtmlEscaped());
  for (const Entry* e : {&x, &y})
    for (const auto& v : e->plan.evaluation.violations)
      html += QStringLiteral("<p>%1 %2: %3</p>")
                  .arg(e->name.toHtmlEscaped(), toQt(words::obstacleTo(e->plan.evaluation)),
                       toQt(v.message).toHtmlEscaped());
  m_difference->setHtml(html);
}

}  // namespace nest
