#include "views/study/study_view.h"

#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <cmath>
#include <initializer_list>

#include "document/scenario_document.h"
#include "measures/plan_diff.h"
#include "solver/baselines/baselines.h"
#include "study/quiet_solve.h"
#include "theme/qt_text.h"
#include "units/amount.h"
#include "units/text.h"
#include "views/adaptive_splitter.h"
#include "views/background_run.h"
#include "views/figure_pane.h"
#include "views/flow_layout.h"
#include "words/outcome_words.h"

namespace nest {
namespace {

/// The quantity of a study: tokens a second wherever its points train other batches or sequences, as plans
/// are compared anywhere.
QString quantityOf(PaceMeasure m) {
  return m == PaceMeasure::BatchTime ? StudyView::tr("Throughput, samples/s")
                                     : StudyView::tr("Throughput, tokens/s");
}

double rateOf(const Problem& problem, const RankedPlan& plan, PaceMeasure m) {
  const Pace pace = paceOf(problem, plan);
  return pace.tokensPerSecond() / (m == PaceMeasure::BatchTime ? pace.sequenceLength : 1);
}

QString rateText(double rate, PaceMeasure m) {
  return toQt(m == PaceMeasure::BatchTime ? samplesRate(rate) : tokensRate(rate));
}

/// Whether the points of a study along these parameters train the same work in a step.
PaceMeasure measureAlong(const Scenario& scenario, const Problem& problem,
                         const std::vector<Parameter>& parameters) {
  std::vector<Pace> paces;
  const auto add = [&paces](const Job& job) {
    paces.push_back({Seconds(1), job.globalBatch, job.sequenceLength});
  };
  add(scenario.job);
  for (const Parameter& p : parameters)
    for (const double value :
         p.isDevices() ? std::vector<double>() : studyValues(scenario, problem, p, false)) {
      Setting there = scenario.setting();
      setNumber(there, *p.field, value);
      add(there.job);
    }
  return measureOf(paces);
}

QString nameOf(const Parameter& p) {
  return p.isDevices() ? StudyView::tr("devices") : toQt(p.name());
}

/// What a solve gives; no problem: the scenario cannot be planned with that value. `previous`: the plan of
/// the value before, where something fitted.
StudyRecord::Result resultOf(const Problem* problem, const Outcome& outcome,
                             const std::optional<RankedPlan>& previous, PaceMeasure measure) {
  StudyRecord::Result r;
  const RankedPlan* best = outcome.best();
  if (!problem || !best) {
    r.none = problem ? words::of(outcome) : StudyView::tr("cannot be planned").toStdString();
    r.decided = !problem || outcome.status == OutcomeStatus::Infeasible;
    return r;
  }
  r.y = rateOf(*problem, *best, measure), r.yText = rateText(r.y, measure).toStdString();
  r.plan = summaryOf(best->plan);
  if (!previous) return r;
  // More or fewer devices are the point of the study; another strategy, stage count or cut is news.
  for (const auto& c :
       diff(*problem, previous->plan, previous->evaluation, best->plan, best->evaluation).changes)
    if (c.kind != PlanChange::Kind::Data && c.kind != PlanChange::Kind::Placement)
      r.change += (r.change.empty() ? "" : "; ") + c.sentence;
  return r;
}

/// The values of a study as its record keeps them. The axis is logarithmic: of a field that is not, or that
/// may be 0, the values stand at even steps.
std::vector<StudyRecord::Value> valuesOf(const Setting& s, const Problem& problem, const Parameter& p,
                                         bool fine) {
  const auto values = studyValues(s, problem, p, fine);
  const auto now = valueOf(s, problem, p);
  const bool even = (p.field && p.field->field->slide == Slide::Linear) || !(values.front() > 0);
  std::vector<StudyRecord::Value> out;
  for (std::size_t i = 0; i < values.size(); ++i)
    out.push_back({even ? std::exp2(double(i)) : values[i], valueText(s, p, values[i]), values[i] == now});
  return out;
}

/// What runs in the background beside each point: short walks, so that a curve stays affordable.
BaselineOptions curveBaselines() {
  BaselineOptions o;
  o.walks = 2, o.steps = 100;
  return o;
}

}  // namespace

StudyView::StudyView(ViewServices services, QWidget* parent) : View(services, parent) {
  m_curvePane = new FigurePane(m_curve, m_point);
  m_sweepPane = new FigurePane(m_sweep, m_cell);
  for (FigurePane* p : {m_curvePane, m_sweepPane}) p->setLeastHeight(240);
  m_figures = new QStackedWidget;
  m_figures->addWidget(m_curvePane);
  m_figures->addWidget(m_sweepPane);
  m_table = new QTableWidget(0, 4);
  m_table->setAccessibleName(tr("Points of the study"));
  m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->verticalHeader()->hide();
  m_table->horizontalHeader()->setStretchLastSection(true);
  m_table->setAlternatingRowColors(true);
  m_table->setContextMenuPolicy(Qt::ActionsContextMenu);

  m_bar = new QWidget;
  auto* bar = new FlowLayout(6);
  m_bar->setLayout(bar);
  bar->setContentsMargins(8, 6, 8, 6);
  buildBar(*bar);
  m_split = new AdaptiveSplitter(480, {420, 260});
  m_split->addWidget(m_figures);
  m_split->addWidget(m_table);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_bar);
  column->addWidget(m_split, 1);
  setAccessibleName(title());

  if (services.document) connect(services.document, &ScenarioDocument::opened, this, &StudyView::forget);
  connect(m_backgroundRun, &BackgroundRun::ended, this, [this] {
    m_record.cancelled = !m_record.isWhole();
    show(m_record);
    if (m_record.isWhole()) tellIfOutdated();
  });
  connect(&m_point, &Selection::selectedChanged, this, [this] {
    if (const int i = ListFigure::indexOf(m_point.selected()); i >= 0 && i < m_table->rowCount())
      m_table->setCurrentCell(i, 0);
  });
  connect(m_table, &QTableWidget::currentCellChanged, this, [this](int row) {
    if (row >= 0 && pane() == m_curvePane) m_point.setSelected(ListFigure::itemOf(row));
  });
}

void StudyView::buildBar(FlowLayout& bar) {
  int place = 0;
  const auto box = [&](const QString& label, const QString& name) {
    auto* b = new QComboBox;
    b->setAccessibleName(name);
    b->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    auto* text = new QLabel(label);
    text->setBuddy(b);
    auto* both = new QWidget;  // the name goes with its box into the next line
    auto* row = new QHBoxLayout(both);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(text);
    row->addWidget(b);
    bar.insertWidget(place++, both);
    return b;
  };
  m_field = box(tr("Vary"), tr("Vary"));
  m_second = box(tr("and"), tr("Second field to vary"));
  m_baselines = new QCheckBox(tr("Baselines"));
  m_baselines->setToolTip(tr("Plan every point with the baselines as well"));
  m_baselines->setChecked(setting(QStringLiteral("views/study/baselines"), false).toBool());
  auto* run = new QPushButton(tr("Run study"));
  run->setToolTip(tr("Solve for each value in the background; points appear as they are solved"));
  m_backgroundRun = new BackgroundRun(tr("Stop; solved points are kept"));
  m_backgroundRun->addTrigger(run);
  m_copy = new QPushButton(tr("Copy table"));
  m_copy->setToolTip(tr("As tab-separated text, for a spreadsheet"));
  for (QWidget* w : std::initializer_list<QWidget*>{m_baselines, run, m_backgroundRun})
    bar.insertWidget(place++, w);
  auto* right = new QWidget;
  auto* buttons = new QHBoxLayout(right);
  buttons->setContentsMargins(0, 0, 0, 0);
  buttons->addWidget(m_copy);
  auto* save = new QToolButton;
  save->setText(tr("Export…"));
  save->setAutoRaise(true);
  save->setToolTip(tr("Save the figure as SVG, PDF or PNG, or copy it"));
  buttons->addWidget(save);
  bar.setTrailing(right);
  auto* copy = new QAction(tr("Copy table"), m_table);
  m_table->addAction(copy);
  connect(copy, &QAction::triggered, this, &StudyView::copyTable);
  connect(save, &QToolButton::clicked, this, [this] { pane()->exportFigure(); });
  connect(run, &QPushButton::clicked, this, &StudyView::run);
  connect(m_copy, &QPushButton::clicked, this, &StudyView::copyTable);
  connect(m_baselines, &QCheckBox::toggled, this,
          [this](bool on) { keepSetting(QStringLiteral("views/study/baselines"), on); });
  connect(m_second, &QComboBox::currentIndexChanged, this,
          [this](int i) { m_baselines->setEnabled(i <= 0); });
}

FigurePane* StudyView::pane() const {
  return m_figures->currentWidget() == m_sweepPane ? m_sweepPane : m_curvePane;
}
const Figure* StudyView::figure() const {
  return pane() == m_sweepPane ? static_cast<const Figure*>(&m_sweep) : &m_curve;
}
std::optional<StudyRecord> StudyView::study() const {
  return m_record.results.empty() ? std::nullopt : std::optional(m_record);
}
std::optional<SelectionItem> StudyView::marked() const {
  return (pane() == m_sweepPane ? m_cell : m_point).selected();
}
QString StudyView::whyNotKept() const {
  if (isBusy())
    return tr("The study is still running. Add the slide when it has finished, or cancel the study first.");
  return m_record.results.empty() ? tr("There is no study yet. Run one first.") : QString();
}
int StudyView::pointCount() const {
  return static_cast<int>(m_record.results.size());
}
void StudyView::chooseField(int index) {
  m_field->setCurrentIndex(index);
}
void StudyView::chooseSecondField(int index) {
  m_second->setCurrentIndex(index + 1);
}
void StudyView::setWithBaselines(bool on) {
  m_baselines->setChecked(on);
}
bool StudyView::isBusy() const {
  return m_backgroundRun->isBusy();
}

void StudyView::refresh() {
  m_fields =
      context().problem && context().scenario ? parametersOf(*context().scenario) : std::vector<Parameter>{};
  QStringList names;
  for (const Parameter& p : m_fields) names << nameOf(p);
  QStringList present;
  for (int i = 0; i < m_field->count(); ++i) present << m_field->itemText(i);
  if (names != present) {
    const int chosen = m_field->currentIndex(), second = m_second->currentIndex();
    m_field->clear();
    m_field->addItems(names);
    m_field->setCurrentIndex(chosen >= 0 && chosen < m_field->count() ? chosen : 0);
    m_second->clear();
    m_second->addItem(tr("nothing else"));
    m_second->addItems(names);
    m_second->setCurrentIndex(second >= 0 && second < m_second->count() ? second : 0);
  }
  m_backgroundRun->setReady(context().problem != nullptr, context().scenario
                                                              ? tr("Fix the errors in the scenario first.")
                                                              : tr("Open a scenario to study it."));
  tellIfOutdated();
  showPoints();
}

PlanContextPtr StudyView::shownContext() const {
  if (!m_studied || m_record.results.empty()) return contextPtr();
  auto studied = std::make_shared<PlanContext>(*m_studied);
  studied->current = true, studied->soFar = false;  // its plan is not what a study shows
  studied->search.reset();
  return studied;
}

void StudyView::tellIfOutdated() {
  const QString edited = tr("The scenario has changed since this study was run.");
  const bool outdated = m_studied && !m_record.results.empty() && !isBusy() && context().scenario &&
                        m_studied->scenario->setting() != context().scenario->setting();
  if (outdated)
    m_backgroundRun->say(edited);
  else if (m_backgroundRun->text() == edited)
    m_backgroundRun->say({});
}

void StudyView::run() {
  const int i = m_field->currentIndex(), j = m_second->currentIndex() - 1;
  if (!context().problem || i < 0) return;
  m_point.setSelected(std::nullopt);
  m_cell.setSelected(std::nullopt);
  m_studied = contextPtr();
  const Parameter& first = m_fields[i];
  if (j >= 0 && j != i)
    runSweep(first, m_fields[j]);
  else
    runCurve(first);
}

void StudyView::show(StudyRecord record) {
  m_record = std::move(record);
  const bool grid = !m_record.upName.empty();
  m_curve.setRecord(grid ? StudyRecord{} : m_record);
  m_sweep.setRecord(grid ? m_record : StudyRecord{});
  m_figures->setCurrentWidget(grid ? m_sweepPane : m_curvePane);
  showPoints();
}

/// Another scenario: what was studied is not of it.
void StudyView::forget() {
  m_backgroundRun->drop();
  m_studied.reset();
  show({});
}

void StudyView::take(StudyRecord::Result result) {
  m_record.results.push_back(std::move(result));
  show(std::move(m_record));
}

StudyRecord StudyView::curveOf(const Parameter& parameter, bool fine, PaceMeasure measure,
                               const std::vector<BaselineKind>& kinds) const {
  const Problem& problem = *context().problem;
  StudyRecord record;
  record.quantity = quantityOf(measure).toStdString();
  record.acrossName = nameOf(parameter).toStdString();
  record.across = valuesOf(*context().scenario, problem, parameter, fine);
  for (const BaselineKind k : kinds) record.others.emplace_back(nest::nameOf(k));
  if (parameter.isDevices()) record.heldBatch = problem.job.globalBatch;
  return record;
}

/// How throughput grows with the devices, from fewer values than a study that is asked for.
void StudyView::compute(const Control& control) {
  if (!context().problem || !context().plan || !context().scenario) return;
  const Scenario& scenario = *context().scenario;
  const Problem& problem = *context().problem;
  m_studied = contextPtr();
  const Parameter devices;
  const PaceMeasure measure = measureAlong(scenario, problem, {devices});
  StudyRecord record = curveOf(devices, false, measure, {});
  std::optional<RankedPlan> previous;
  for (const double value : studyValues(scenario, problem, devices, false)) {
    const auto there = problemAt(scenario, problem, devices, value);
    const Outcome o = there ? quietSolve(*there, control) : Outcome{};
    record.results.push_back(resultOf(there ? &*there : nullptr, o, previous, measure));
    if (o.best()) previous = *o.best();
  }
  show(std::move(record));
}

void StudyView::runCurve(const Parameter& parameter) {
  const auto kinds = m_baselines->isChecked() ? curveBaselines().kinds : std::vector<BaselineKind>{};
  const PaceMeasure measure = measureAlong(*context().scenario, *context().problem, {parameter});
  show(curveOf(parameter, true, measure, kinds));
  m_backgroundRun->start(
      tr("Solving …"),
      [this, problem = context().problem, scenario = context().scenario, parameter, measure,
       baselines = !kinds.empty()](const Control& control, const BackgroundTask::Deliver& deliver) {
        std::optional<RankedPlan> previous;
        const auto values = studyValues(*scenario, *problem, parameter, true);
        for (std::size_t i = 0; i < values.size() && !studyStopped(control); ++i) {
          const auto there = problemAt(*scenario, *problem, parameter, values[i]);
          const Outcome o = there ? quietSolve(*there, control) : Outcome{};
          if (control.stopRequested()) return;
          auto result = resultOf(there ? &*there : nullptr, o, previous, measure);
          if (o.best()) previous = *o.best();
          if (baselines && there) {
            Control quiet;
            quiet.stop = control.stop;
            for (const auto& b : runBaselines(*there, quiet, curveBaselines()))
              result.others.push_back(b.runs() ? rateOf(*there, *b.plan, measure) : 0);
            if (control.stopRequested()) return;
          }
          deliver([this, result = std::move(result)] { take(result); });
          reportStudy(control, "study", i + 1, values.size());
        }
      });
}

void StudyView::runSweep(const Parameter& across, const Parameter& up) {
  const Problem& problem = *context().problem;
  const PaceMeasure measure = measureAlong(*context().scenario, problem, {across, up});
  StudyRecord record;
  record.quantity = quantityOf(measure).toStdString();
  record.acrossName = nameOf(across).toStdString(), record.upName = nameOf(up).toStdString();
  record.across = valuesOf(*context().scenario, problem, across, false);
  record.up = valuesOf(*context().scenario, problem, up, false);
  show(std::move(record));
  m_backgroundRun->start(
      tr("Solving …"), [this, problem = context().problem, scenario = context().scenario, across, up,
                        measure](const Control& control, const BackgroundTask::Deliver& deliver) {
        const auto rows = studyValues(*scenario, *problem, up, false);
        const auto columns = studyValues(*scenario, *problem, across, false);
        std::size_t done = 0;
        for (const double row : rows)
          for (const double column : columns) {
            if (studyStopped(control)) return;
            const auto there = problemAt(*scenario, *problem, {{across, column}, {up, row}});
            const Outcome o = there ? quietSolve(*there, control) : Outcome{};
            if (control.stopRequested()) return;
            deliver([this, result = resultOf(there ? &*there : nullptr, o, std::nullopt, measure)] {
              take(result);
            });
            reportStudy(control, "sweep", ++done, rows.size() * columns.size());
          }
      });
}

void StudyView::showPoints() {
  const bool grid = pane() == m_sweepPane;
  const auto& results = m_record.results;
  m_split->showSecond(!grid && !results.empty());
  QStringList heads{m_record.acrossName.empty() ? tr("Value") : toQt(m_record.acrossName), tr("Throughput"),
                    tr("Plan")};
  for (const auto& o : m_record.others) heads << toQt(o);
  heads << tr("What changed");
  m_table->setColumnCount(static_cast<int>(heads.size()));
  m_table->setHorizontalHeaderLabels(heads);
  m_table->setRowCount(grid ? 0 : static_cast<int>(results.size()));
  for (int i = 0; i < m_table->rowCount(); ++i) {
    const auto& r = results[i];
    QStringList cells{toQt(m_record.across[i].text), r.y > 0 ? toQt(r.yText) : QStringLiteral("–"),
                      toQt(r.y > 0 ? r.plan : r.none)};
    for (std::size_t k = 0; k < m_record.others.size(); ++k)
      cells << (k < r.others.size() && r.others[k] > 0 ? toQt(text::amount(r.others[k]))
                                                       : QStringLiteral("–"));
    cells << toQt(r.change);
    for (int c = 0; c < cells.size(); ++c) m_table->setItem(i, c, new QTableWidgetItem(cells[c]));
  }
  m_table->resizeColumnsToContents();
  m_copy->setEnabled(!results.empty());
  m_curvePane->show(context(), theme());
  m_sweepPane->show(context(), theme());
}

void StudyView::copyTable() const {
  QGuiApplication::clipboard()->setText(figure()->asText(context()));
}

}  // namespace nest
