#include "views/study/study_view.h"

#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSettings>
#include <QStackedWidget>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <initializer_list>

#include "jobs/study_worker.h"
#include "plan/plan_diff.h"
#include "solver/baselines/baselines.h"
#include "study/quiet_solve.h"
#include "units/text.h"
#include "views/adaptive_splitter.h"
#include "views/figure_pane.h"
#include "views/flow_layout.h"
#include "words/outcome_words.h"

namespace nest {
namespace {

QString from(const std::string& s) {
  return QString::fromStdString(s);
}

double rateOf(const Problem& problem, const RankedPlan* plan) {
  return plan ? problem.job.globalBatch / plan->evaluation.batchTime.value() : 0;
}

QString rateText(double samples) {
  return StudyView::tr("%1 samples/s").arg(from(text::rate(samples)));
}

/// A point of a curve from a solve; `previous` is the last point's plan where something fitted.
CurveFigure::Point pointOf(const StudyStep& step, const Outcome& outcome,
                           const std::optional<RankedPlan>& previous) {
  CurveFigure::Point p;
  p.x = step.x, p.xText = step.text;
  const RankedPlan* best = outcome.best();
  if (!best) {
    p.none = QString::fromUtf8(words::of(outcome.status));
    p.decided = outcome.status == OutcomeStatus::Infeasible;
    return p;
  }
  p.y = rateOf(step.problem, best), p.yText = rateText(p.y), p.plan = from(summaryOf(best->plan));
  if (!previous) return p;
  const PlanDiff d = diff(step.problem, previous->plan, previous->evaluation, best->plan, best->evaluation);
  // More or fewer devices are the point of the study; another strategy, stage count or cut is news.
  for (const auto& c : d.changes)
    if (c.what != "data" && c.what != "placement" && c.what != "devices")
      p.changed = true,
      p.change += (p.change.isEmpty() ? QString() : QStringLiteral("; ")) + from(c.sentence);
  return p;
}

/// What runs in the background beside each point: short walks, so that a curve stays affordable.
BaselineOptions curveBaselines() {
  BaselineOptions o;
  o.walks = 2, o.steps = 100;
  return o;
}

}  // namespace

StudyView::StudyView(ViewServices services, QWidget* parent) : View(services, parent) {
  m_worker = new StudyWorker(this);
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

  auto* bar = new FlowLayout(6);
  bar->setContentsMargins(8, 6, 8, 6);
  buildBar(*bar);
  m_split = new AdaptiveSplitter(480, {420, 260});
  m_split->addWidget(m_figures);
  m_split->addWidget(m_table);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(bar);
  column->addWidget(m_split, 1);
  setAccessibleName(title());

  connect(m_worker, &StudyWorker::progressed, this,
          [this] { m_progress->setValue(static_cast<int>(m_worker->fraction() * 100)); });
  connect(m_worker, &StudyWorker::finished, this, [this] {
    showRunning(false);
    m_state->setText(m_worker->failure());
  });
  connect(&m_point, &Selection::selectedChanged, this, [this] {
    if (const int i = ListFigure::indexOf(m_point.selected()); i >= 0 && i < m_table->rowCount())
      m_table->setCurrentCell(i, 0);
  });
  connect(m_table, &QTableWidget::currentCellChanged, this, [this](int row) {
    if (row >= 0 && pane() == m_curvePane) m_point.setSelected(ListFigure::itemOf(row));
  });
}

StudyView::~StudyView() {
  m_worker->stop();
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
  m_field = box(tr("Vary"), tr("What varies"));
  m_second = box(tr("and"), tr("What varies as well"));
  m_baselines = new QCheckBox(tr("Other methods"));
  m_baselines->setToolTip(tr("Plan every point by the hand rules and the other methods, too"));
  m_baselines->setChecked(QSettings().value(QStringLiteral("views/study/baselines"), false).toBool());
  m_run = new QPushButton(tr("Run study"));
  m_run->setToolTip(tr("Solve once for each value, in the background; points appear as they are solved"));
  m_stop = new QPushButton(tr("Cancel"));
  m_stop->setToolTip(tr("Stop here; the points that are solved stay"));
  m_copy = new QPushButton(tr("Copy table"));
  m_copy->setToolTip(tr("As text with tabs, for a spreadsheet"));
  m_progress = new QProgressBar;
  m_progress->setMaximumWidth(160);
  m_progress->setAccessibleName(tr("Progress of the study"));
  m_state = new QLabel;
  for (QWidget* w : std::initializer_list<QWidget*>{m_baselines, m_run, m_stop, m_progress, m_state})
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
  m_stop->setVisible(false);
  m_progress->setVisible(false);
  auto* copy = new QAction(tr("Copy table"), m_table);
  m_table->addAction(copy);
  connect(copy, &QAction::triggered, this, &StudyView::copyTable);
  connect(save, &QToolButton::clicked, this, [this] { pane()->exportFigure(); });
  connect(m_run, &QPushButton::clicked, this, &StudyView::run);
  connect(m_stop, &QPushButton::clicked, this, [this] { m_worker->stop(); });
  connect(m_copy, &QPushButton::clicked, this, &StudyView::copyTable);
  connect(m_baselines, &QCheckBox::toggled, this,
          [](bool on) { QSettings().setValue(QStringLiteral("views/study/baselines"), on); });
  connect(m_second, &QComboBox::currentIndexChanged, this,
          [this](int i) { m_baselines->setEnabled(i <= 0); });
}

FigurePane* StudyView::pane() const {
  return m_figures->currentWidget() == m_sweepPane ? m_sweepPane : m_curvePane;
}
const Figure* StudyView::figure() const {
  return pane() == m_sweepPane ? static_cast<const Figure*>(&m_sweep) : &m_curve;
}
int StudyView::pointCount() const {
  return static_cast<int>(m_curve.points().size());
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
  return m_worker->isBusy();
}

void StudyView::refresh() {
  m_fields = context().problem ? studyFields(*context().problem) : std::vector<StudyField>{};
  QStringList names;
  for (const StudyField& f : m_fields) names << f.name(*context().problem);
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
  m_run->setEnabled(context().problem != nullptr && !m_worker->isBusy());
  m_state->setText(context().problem    ? QString()
                   : context().scenario ? tr("The scenario has to be mended first.")
                                        : tr("Open a scenario to study it."));
  showPoints();
}

void StudyView::showRunning(bool on) {
  m_run->setEnabled(!on && context().problem != nullptr);
  m_stop->setVisible(on);
  m_progress->setVisible(on);
}

void StudyView::run() {
  const int i = m_field->currentIndex(), j = m_second->currentIndex() - 1;
  if (!context().problem || i < 0) return;
  m_progress->setValue(0);
  m_state->clear();
  m_point.setSelected(std::nullopt);
  m_cell.setSelected(std::nullopt);
  showRunning(true);
  const StudyField& first = m_fields[static_cast<std::size_t>(i)];
  if (j >= 0 && j != i)
    runSweep(first, m_fields[static_cast<std::size_t>(j)]);
  else
    runCurve(first);
  m_figures->setCurrentWidget(j >= 0 && j != i ? m_sweepPane : m_curvePane);
  showPoints();
}

void StudyView::runCurve(const StudyField& field) {
  const bool baselines = m_baselines->isChecked();
  std::vector<CurveFigure::Other> others;
  for (BaselineKind k : baselines ? curveBaselines().kinds : std::vector<BaselineKind>{})
    others.push_back({QString::fromUtf8(nameOf(k)), {}});
  m_curve.setIdealLine(field.kind == StudyField::Kind::Devices);
  m_curve.setPoints(field.name(*context().problem), tr("Throughput, samples/s"), {});
  m_curve.setOthers(std::move(others));
  m_worker->start([this, problem = context().problem, field, baselines,
                   typed = levelsAsTyped(context().scenario->cluster)](
                      const Control& control, const BackgroundTask::Deliver& deliver) {
    std::optional<RankedPlan> previous;
    const auto steps = field.steps(*problem, true, typed);
    for (std::size_t i = 0; i < steps.size() && !studyStopped(control); ++i) {
      const Outcome o = quietSolve(steps[i].problem, control);
      if (control.stopRequested()) return;
      const auto point = pointOf(steps[i], o, previous);
      if (o.best()) previous = *o.best();
      deliver([this, point] { addPoint(point); });
      std::vector<double> rates;
      if (baselines) {
        Control quiet;
        quiet.stop = control.stop;
        for (const auto& b : runBaselines(steps[i].problem, quiet, curveBaselines()))
          rates.push_back(b.runs() ? rateOf(steps[i].problem, &*b.plan) : 0);
        if (control.stopRequested()) return;
        deliver([this, i, rates] { addOthers(i, rates); });
      }
      reportStudy(control, "study", i + 1, steps.size());
    }
  });
}

void StudyView::runSweep(const StudyField& across, const StudyField& up) {
  const Problem& problem = *context().problem;
  QStringList xs, ys;
  const auto typed = levelsAsTyped(context().scenario->cluster);
  for (const auto& s : across.steps(problem, false, typed)) xs << s.text;
  for (const auto& s : up.steps(problem, false, typed)) ys << s.text;
  m_sweep.begin(across.name(problem), xs, up.name(problem), ys, tr("Throughput, samples/s"));
  m_worker->start([this, start = context().problem, across, up, typed](
                      const Control& control, const BackgroundTask::Deliver& deliver) {
    const auto rows = up.steps(*start, false, typed);
    std::size_t done = 0;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const auto columns = across.steps(*start, false, typed);
      // A value of the second field may change what the first one's steps mean (devices): by position.
      const auto here = across.steps(rows[r].problem, false, rows[r].typed);
      for (std::size_t x = 0; x < columns.size() && !studyStopped(control); ++x) {
        const Problem& p = here.size() == columns.size() ? here[x].problem : columns[x].problem;
        const Outcome o = quietSolve(p, control);
        if (control.stopRequested()) return;
        SweepFigure::Cell cell;
        cell.known = true, cell.y = rateOf(p, o.best());
        if (o.best())
          cell.yText = rateText(cell.y), cell.plan = from(summaryOf(o.best()->plan));
        else
          cell.none = QString::fromUtf8(words::of(o.status));
        reportStudy(control, "sweep", ++done, rows.size() * columns.size());
        deliver([this, x, r, cell] {
          m_sweep.setCell(static_cast<int>(x), static_cast<int>(r), cell);
          showPoints();
        });
      }
    }
  });
}

void StudyView::addPoint(const CurveFigure::Point& point) {
  auto points = m_curve.points();
  points.push_back(point);
  m_curve.setPoints(m_curve.xTitle(), m_curve.yTitle(), std::move(points));
  showPoints();
}

void StudyView::addOthers(std::size_t point, const std::vector<double>& rates) {
  auto others = m_curve.others();
  for (std::size_t k = 0; k < others.size() && k < rates.size(); ++k) {
    others[k].ys.resize(point, 0);
    others[k].ys.push_back(rates[k]);
  }
  m_curve.setOthers(std::move(others));
  showPoints();
}

void StudyView::showPoints() {
  const bool grid = pane() == m_sweepPane;
  const auto& points = m_curve.points();
  m_split->showSecond(!grid && !points.empty());
  const auto& others = m_curve.others();
  QStringList heads{m_curve.xTitle().isEmpty() ? tr("Value") : m_curve.xTitle(), tr("Throughput"),
                    tr("Plan")};
  for (const auto& o : others) heads << o.name;
  heads << tr("What changed");
  m_table->setColumnCount(static_cast<int>(heads.size()));
  m_table->setHorizontalHeaderLabels(heads);
  m_table->setRowCount(static_cast<int>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) {
    QStringList cells{points[i].xText, points[i].y > 0 ? points[i].yText : QStringLiteral("–"),
                      points[i].y > 0 ? points[i].plan : points[i].none};
    for (const auto& o : others)
      cells << (i < o.ys.size() && o.ys[i] > 0 ? from(text::number(o.ys[i])) : QStringLiteral("–"));
    cells << points[i].change;
    for (int c = 0; c < cells.size(); ++c)
      m_table->setItem(static_cast<int>(i), c, new QTableWidgetItem(cells[c]));
  }
  m_table->resizeColumnsToContents();
  m_copy->setEnabled(grid ? m_sweep.columns() > 0 : !points.empty());
  m_curvePane->show(context(), theme());
  m_sweepPane->show(context(), theme());
}

void StudyView::copyTable() const {
  QGuiApplication::clipboard()->setText(figure()->asText(context()));
}

}  // namespace nest
