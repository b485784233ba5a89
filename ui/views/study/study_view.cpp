#include "views/study/study_view.h"

#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
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
#include "views/study/study_controls.h"
#include "words/outcome_words.h"

namespace nest {
namespace {

const TransformerArchitecture* architectureIn(const Setting& s) {
  return s.model.architecture ? &*s.model.architecture : nullptr;
}

/// All that the views show of a point; null: it has no plan.
PlanContextPtr contextOf(const StudyPoint& point, const Outcome& outcome, const Scenario& studied) {
  if (!point.problem || !outcome.best()) return nullptr;
  auto scenario = std::make_shared<Scenario>(studied);
  static_cast<Setting&>(*scenario) = point.setting;
  auto c = std::make_shared<PlanContext>();
  c->scenario = std::move(scenario);
  c->problem = std::make_shared<const Problem>(*point.problem);
  c->plan = std::make_shared<const RankedPlan>(*outcome.best());
  c->outcome = std::make_shared<const Outcome>(outcome);
  return c;
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
  m_table->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(m_table, &QWidget::customContextMenuRequested, this, [this](const QPoint& at) {
    QMenu menu(this);
    if (const int row = m_table->rowAt(at.y()); row >= 0) addPlanActions(menu, namedPlan(row));
    menu.addSeparator();
    menu.addActions(m_table->actions());
    menu.exec(m_table->viewport()->mapToGlobal(at));
  });
  for (const auto& [pane, items] : {std::pair(m_curvePane, &m_point), std::pair(m_sweepPane, &m_cell)})
    connect(pane, &FigurePane::menuMade, this, [this, items = items](QMenu* menu) {
      const int i = ListFigure::indexOf(items->selected());
      if (i < 0) return;
      menu->addSeparator();
      addPlanActions(*menu, namedPlan(i));
    });

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
  const auto put = [&](const QString& label, QWidget* widget) {
    auto* text = new QLabel(label);
    text->setBuddy(widget);
    auto* both = new QWidget;  // the name goes with its box into the next line
    auto* row = new QHBoxLayout(both);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(text);
    row->addWidget(widget);
    bar.insertWidget(place++, both);
  };
  m_quantity = new QComboBox;
  m_quantity->setAccessibleName(tr("Quantity"));
  m_quantity->setToolTip(tr("What is read off the best plan at each value"));
  for (int k = 0; k < kStudyQuantityCount; ++k) {
    const auto q = static_cast<StudyQuantity>(k);
    m_quantity->addItem(QString::fromLatin1(labelOf(q)), QString::fromLatin1(nest::nameOf(q)));
  }
  select(*m_quantity,
         setting(QStringLiteral("views/study/quantity"), QStringLiteral("tokens")).toString().toStdString());
  m_field = new ParameterBox(tr("Vary"));
  m_range = new RangeBox(tr("First field"));
  m_second = new ParameterBox(tr("Second field to vary"), tr("nothing else"));
  m_secondRange = new RangeBox(tr("Second field"));
  m_threshold = new QLineEdit;
  m_threshold->setObjectName(QStringLiteral("threshold"));
  m_threshold->setFixedWidth(96);
  m_threshold->setAccessibleName(tr("Threshold"));
  m_threshold->setToolTip(tr("A value to reach, drawn as a line: \"20 s\", \"900 k\", \"40 %\""));
  m_threshold->setPlaceholderText(tr("none"));
  m_log = new QToolButton;
  m_log->setText(tr("Log axis"));
  m_log->setCheckable(true);
  m_log->setAutoRaise(true);
  m_log->setToolTip(tr("Draw the quantity on a logarithmic axis"));
  m_log->setChecked(setting(QStringLiteral("views/study/log"), false).toBool());
  put(tr("Study"), m_quantity);
  put(tr("over"), m_field);
  bar.insertWidget(place++, m_range);
  put(tr("and"), m_second);
  bar.insertWidget(place++, m_secondRange);
  put(tr("Threshold"), m_threshold);
  m_baselines = new QCheckBox(tr("Baselines"));
  m_baselines->setToolTip(tr("Plan every point with the baselines as well"));
  m_baselines->setChecked(setting(QStringLiteral("views/study/baselines"), false).toBool());
  auto* run = new QPushButton(tr("Run study"));
  run->setToolTip(tr("Solve for each value in the background; points appear as they are solved"));
  m_backgroundRun = new BackgroundRun(tr("Stop; solved points are kept"));
  m_backgroundRun->addTrigger(run);
  m_copy = new QPushButton(tr("Copy table"));
  m_copy->setToolTip(tr("As tab-separated text, for a spreadsheet"));
  for (QWidget* w : std::initializer_list<QWidget*>{m_log, m_baselines, run, m_backgroundRun})
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
  connect(m_quantity, &QComboBox::currentIndexChanged, this, [this] {
    keepSetting(QStringLiteral("views/study/quantity"), QString::fromLatin1(nest::nameOf(quantity())));
    showThreshold();
  });
  connect(m_threshold, &QLineEdit::textChanged, this, &StudyView::showThreshold);
  connect(m_log, &QToolButton::toggled, this, [this](bool on) {
    keepSetting(QStringLiteral("views/study/log"), on);
    m_record.logarithmic = on;
    show(m_record);
  });
  for (ParameterBox* box : {m_field, m_second})
    connect(box, &ParameterBox::chosenChanged, this, &StudyView::showRanges);
}

View::NamedPlan StudyView::namedPlan(int i) const {
  const auto at = static_cast<std::size_t>(i);
  if (i < 0 || at >= m_record.results.size()) return {};
  const std::size_t columns = m_record.across.size();
  NamedPlan out;
  out.name = tr("%1 %2").arg(toQt(m_record.acrossName), toQt(m_record.across[at % columns].text));
  if (!m_record.upName.empty())
    out.name += tr(", %1 %2").arg(toQt(m_record.upName), toQt(m_record.up[at / columns].text));
  if (at < m_points.size()) out.context = m_points[at];
  const std::string devices = ParameterBox::nameOf({}).toStdString();
  if (m_record.acrossName == devices || m_record.upName == devices)
    out.whyNotKept = tr("The scenario has no field for this number of devices, so it cannot keep the plan.");
  return out;
}

StudyQuantity StudyView::quantity() const {
  return studyQuantityNamed(nameIn(*m_quantity)).value_or(StudyQuantity::Tokens);
}

void StudyView::chooseQuantity(StudyQuantity q) {
  m_quantity->setCurrentIndex(static_cast<int>(q));
}

/// The usual ends of what is chosen, and the second range only where there is a second field.
void StudyView::showRanges() {
  const int i = m_field->chosen(), j = m_second->chosen();
  const bool grid = j >= 0 && j != i;
  m_secondRange->setVisible(grid);
  m_baselines->setEnabled(!grid);
  m_log->setEnabled(!grid);
  if (!context().scenario || !context().problem) return;
  const auto show = [&](RangeBox& box, int at, bool fine) {
    if (at >= 0 && at < static_cast<int>(m_fields.size()))
      box.showUsual(*context().scenario, *context().problem, m_fields[static_cast<std::size_t>(at)], fine);
  };
  show(*m_range, i, !grid);
  show(*m_secondRange, j, false);
}

/// The line that the record draws, if the study is of the quantity that is chosen.
void StudyView::showThreshold() {
  if (m_record.results.empty() || m_record.quantity != nest::axisOf(quantity())) return;
  const auto value = readValue(quantity(), m_threshold->text().toStdString());
  m_record.threshold = value.value_or(0);
  m_record.thresholdText = value ? valueText(quantity(), *value) : std::string();
  show(m_record);
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
  m_field->choose(index);
}
void StudyView::chooseSecondField(int index) {
  m_second->choose(index);
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
  m_field->setParameters(m_fields);
  m_second->setParameters(m_fields);
  showRanges();
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

std::optional<StudyAxis> StudyView::axisOf(const ParameterBox& box, const RangeBox& range, bool fine,
                                           QString& wrong) const {
  const Parameter& p = m_fields[static_cast<std::size_t>(box.chosen())];
  const auto read = range.range(*context().scenario, p, wrong);
  if (!read) return std::nullopt;
  StudyAxis axis{p, *read, studyValues(*context().scenario, *context().problem, p, *read, fine)};
  if (axis.values.empty()) {
    wrong = tr("%1 has no value in this range.").arg(capitalised(ParameterBox::nameOf(p)));
    return std::nullopt;
  }
  return axis;
}

void StudyView::run() {
  const int i = m_field->chosen(), j = m_second->chosen();
  if (!context().problem || !context().scenario || i < 0) return;
  const bool grid = j >= 0 && j != i;
  QString wrong;
  const auto across = axisOf(*m_field, *m_range, !grid, wrong);
  const auto up = across && grid ? axisOf(*m_second, *m_secondRange, false, wrong) : std::nullopt;
  if (!across || (grid && !up)) return m_backgroundRun->say(wrong);
  m_point.setSelected(std::nullopt);
  m_cell.setSelected(std::nullopt);
  m_studied = contextPtr();
  m_points.clear();
  if (up)
    runSweep(*across, *up, quantity());
  else
    runCurve(*across, quantity());
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
  m_points.clear();
  show({});
}

void StudyView::take(StudyRecord::Result result, PlanContextPtr point) {
  m_record.results.push_back(std::move(result));
  m_points.push_back(std::move(point));
  show(std::move(m_record));
}

StudyRecord StudyView::recordOf(const StudyAxis& across, const StudyAxis* up, StudyQuantity quantity,
                                const std::vector<BaselineKind>& kinds) const {
  StudyRecord record = emptyStudy(*context().scenario, *context().problem, across, up, quantity);
  for (const BaselineKind k : kinds) record.others.emplace_back(nest::nameOf(k));
  record.logarithmic = !up && m_log->isChecked();
  if (const auto value = readValue(quantity, m_threshold->text().toStdString()))
    record.threshold = *value, record.thresholdText = valueText(quantity, *value);
  return record;
}

/// How throughput grows with the devices, from fewer values than a study that is asked for.
void StudyView::compute(const Control& control) {
  if (!context().problem || !context().plan || !context().scenario) return;
  m_studied = contextPtr();
  m_points.clear();
  StudyRecord record = scalingStudy(*context().scenario, *context().problem, control,
                                    [this](const StudyPoint& there, const Outcome& o) {
                                      m_points.push_back(contextOf(there, o, *context().scenario));
                                    });
  record.logarithmic = m_log->isChecked();
  show(std::move(record));
}

void StudyView::runCurve(const StudyAxis& axis, StudyQuantity quantity) {
  const auto kinds = m_baselines->isChecked() ? curveBaselines().kinds : std::vector<BaselineKind>{};
  show(recordOf(axis, nullptr, quantity, kinds));
  m_backgroundRun->start(tr("Solving …"), [this, problem = context().problem, scenario = context().scenario,
                                           axis, quantity, baselines = !kinds.empty()](
                                              const Control& control,
                                              const BackgroundTask::Deliver& deliver) {
    std::optional<RankedPlan> previous;
    for (std::size_t i = 0; i < axis.values.size() && !studyStopped(control); ++i) {
      const StudyPoint there = studyPointAt(*scenario, *problem, {{axis.parameter, axis.values[i]}});
      const Outcome o = there.problem ? quietSolve(*there.problem, control) : Outcome{};
      if (control.stopRequested()) return;
      auto result = studyResult(there, o, previous, quantity);
      if (o.best()) previous = *o.best();
      if (baselines && there.problem) {
        Control quiet;
        quiet.stop = control.stop;
        for (const auto& b : runBaselines(*there.problem, quiet, curveBaselines()))
          result.others.push_back(
              b.runs() ? valueOf(quantity, metricsOf(*there.problem, architectureIn(there.setting), *b.plan))
                             .value_or(0)
                       : 0);
        if (control.stopRequested()) return;
      }
      deliver([this, result = std::move(result), point = contextOf(there, o, *scenario)] {
        take(result, point);
      });
      reportStudy(control, "study", i + 1, axis.values.size());
    }
  });
}

void StudyView::runSweep(const StudyAxis& across, const StudyAxis& up, StudyQuantity quantity) {
  show(recordOf(across, &up, quantity, {}));
  m_backgroundRun->start(
      tr("Solving …"), [this, problem = context().problem, scenario = context().scenario, across, up,
                        quantity](const Control& control, const BackgroundTask::Deliver& deliver) {
        std::size_t done = 0;
        for (const double row : up.values)
          for (const double column : across.values) {
            if (studyStopped(control)) return;
            const StudyPoint there =
                studyPointAt(*scenario, *problem, {{across.parameter, column}, {up.parameter, row}});
            const Outcome o = there.problem ? quietSolve(*there.problem, control) : Outcome{};
            if (control.stopRequested()) return;
            deliver([this, result = studyResult(there, o, std::nullopt, quantity),
                     point = contextOf(there, o, *scenario)] { take(result, point); });
            reportStudy(control, "sweep", ++done, up.values.size() * across.values.size());
          }
      });
}

void StudyView::showPoints() {
  const bool grid = pane() == m_sweepPane;
  const auto& results = m_record.results;
  m_split->showSecond(!grid && !results.empty());
  QStringList heads{m_record.acrossName.empty() ? tr("Value") : toQt(m_record.acrossName),
                    m_record.quantity.empty() ? tr("Throughput") : toQt(m_record.quantity), tr("Plan")};
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
