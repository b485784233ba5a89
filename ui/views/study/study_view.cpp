#include "views/study/study_view.h"

#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QTableWidget>
#include <QVBoxLayout>
#include <cmath>

#include "figures/curve_figure.h"
#include "jobs/study_worker.h"
#include "plan/plan_diff.h"
#include "study/quiet_solve.h"
#include "study/scaling.h"
#include "units/text.h"
#include "views/figure_pane.h"

namespace nest {
namespace {

QString from(const std::string& s) {
  return QString::fromStdString(s);
}
QString countText(long long n) {
  return from(text::count(n));
}

/// A point of a curve from a solve; `previous` is the last point's plan where something fitted.
CurveFigure::Point pointOf(double x, QString xText, const Outcome& outcome, double y, QString yText,
                           const Problem& problem, const std::optional<RankedPlan>& previous) {
  CurveFigure::Point p;
  p.x = x, p.xText = std::move(xText);
  const RankedPlan* best = outcome.best();
  if (!best) {
    p.plan = CurveFigure::tr("nothing fits");
    return p;
  }
  p.y = y, p.yText = std::move(yText), p.plan = from(summaryOf(best->plan));
  if (previous) {
    const PlanDiff d = diff(problem, previous->plan, previous->evaluation, best->plan, best->evaluation);
    // More or fewer devices are the point of the study; another strategy, stage count or cut is news.
    for (const auto& c : d.changes)
      if (c.what != "data" && c.what != "placement" && c.what != "devices")
        p.changed = true,
        p.change += (p.change.isEmpty() ? QString() : QStringLiteral("; ")) + from(c.sentence);
  }
  return p;
}

QString throughputText(double samples) {
  return StudyView::tr("%1 samples/s").arg(from(text::number(samples)));
}

}  // namespace

StudyView::StudyView(ViewServices services, QWidget* parent) : View(services, parent) {
  m_worker = new StudyWorker(this);
  m_curve = std::make_unique<CurveFigure>();
  m_pane = new FigurePane(m_curve.get());
  m_field = new QComboBox;
  m_field->setAccessibleName(tr("What varies"));
  m_field->setMinimumContentsLength(28);
  m_run = new QPushButton(tr("Run study"));
  m_stop = new QPushButton(tr("Cancel"));
  m_copy = new QPushButton(tr("Copy table"));
  m_copy->setToolTip(tr("As text with tabs, for a spreadsheet"));
  m_stop->setVisible(false);
  m_progress = new QProgressBar;
  m_progress->setVisible(false);
  m_progress->setMaximumWidth(160);
  m_state = new QLabel;
  m_table = new QTableWidget(0, 4);
  m_table->setAccessibleName(tr("Points of the study"));
  m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_table->verticalHeader()->hide();
  m_table->horizontalHeader()->setStretchLastSection(true);
  m_table->setAlternatingRowColors(true);

  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(8, 6, 8, 6);
  auto* label = new QLabel(tr("Vary"));
  label->setBuddy(m_field);
  bar->addWidget(label);
  bar->addWidget(m_field);
  for (QPushButton* b : {m_run, m_stop}) bar->addWidget(b);
  bar->addWidget(m_progress);
  bar->addWidget(m_state, 1);
  bar->addWidget(m_copy);
  auto* split = new QSplitter(Qt::Vertical);
  split->addWidget(m_pane);
  split->addWidget(m_table);
  split->setSizes({420, 200});
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(bar);
  column->addWidget(split, 1);

  connect(m_run, &QPushButton::clicked, this, &StudyView::run);
  connect(m_stop, &QPushButton::clicked, this, [this] { m_worker->stop(); });
  connect(m_copy, &QPushButton::clicked, this, &StudyView::copyTable);
  connect(m_worker, &StudyWorker::progressed, this,
          [this] { m_progress->setValue(static_cast<int>(m_worker->fraction() * 100)); });
  connect(m_worker, &StudyWorker::finished, this, [this] {
    m_stop->setVisible(false);
    m_progress->setVisible(false);
    m_run->setEnabled(context().problem != nullptr);
    m_state->setText(m_worker->failure());
  });
}

StudyView::~StudyView() {
  m_worker->stop();
}

const Figure* StudyView::figure() const {
  return m_curve.get();
}
int StudyView::pointCount() const {
  return static_cast<int>(m_curve->points().size());
}
void StudyView::chooseField(int index) {
  m_field->setCurrentIndex(index);
}

void StudyView::refresh() {
  const int chosen = m_field->currentIndex();
  m_fields.clear();
  if (context().problem) {
    m_fields.push_back({tr("devices (scaling curve)"), true, false, {}});
    m_fields.push_back({tr("global batch"), false, true, {}});
    for (const Lever& l : leversOf(*context().problem))
      if (l.kind != Lever::Kind::Devices)
        m_fields.push_back({from(nameOf(*context().problem, l)), false, false, l});
  }
  QStringList names;
  for (const Field& f : m_fields) names << f.name;
  QStringList present;
  for (int i = 0; i < m_field->count(); ++i) present << m_field->itemText(i);
  if (names != present) {
    m_field->clear();
    m_field->addItems(names);
    m_field->setCurrentIndex(chosen >= 0 && chosen < m_field->count() ? chosen : 0);
  }
  m_run->setEnabled(context().problem != nullptr && !m_worker->isBusy());
  if (!context().problem) m_state->setText(tr("Open a scenario to study it."));
  showPoints();
}

void StudyView::run() {
  const int i = m_field->currentIndex();
  if (!context().problem || i < 0) return;
  m_run->setEnabled(false);
  m_stop->setVisible(true);
  m_progress->setValue(0);
  m_progress->setVisible(true);
  m_state->clear();
  const Field& f = m_fields[static_cast<std::size_t>(i)];
  m_curve->setIdealLine(f.scaling);
  f.scaling ? runScaling() : f.batch ? runBatch() : runLever(f.lever);
  showPoints();
}

void StudyView::runScaling() {
  m_curve->setPoints(tr("devices"), tr("Throughput, samples/s"), {});
  const int here = context().problem->cluster->deviceCount();
  int most = 64;
  while (most < here * 16 && most < 16384) most *= 2;
  int least = 1;
  while (least < std::min(64, std::max(8, here / 16))) least *= 2;
  m_worker->start([this, problem = context().problem, counts = powersOfTwo(least, most)](
                      const Control& control, const BackgroundTask::Deliver& deliver) {
    std::optional<RankedPlan> previous;
    for (std::size_t i = 0; i < counts.size() && !studyStopped(control); ++i) {
      const Problem p = withDeviceCount(*problem, counts[i]);
      const Outcome o = quietSolve(p, control);
      if (control.stopRequested()) return;
      const double rate = o.best() ? p.job.globalBatch / o.best()->evaluation.batchTime.value() : 0;
      auto point = pointOf(counts[i], countText(counts[i]), o, rate, throughputText(rate), p, previous);
      if (o.best()) previous = *o.best();
      reportStudy(control, "scaling", i + 1, counts.size());
      deliver([this, point] { addPoint(point); });
    }
  });
}

void StudyView::runBatch() {
  m_curve->setPoints(tr("global batch, sequences"), tr("Throughput, samples/s"), {});
  m_worker->start(
      [this, problem = context().problem](const Control& control, const BackgroundTask::Deliver& deliver) {
        std::optional<RankedPlan> previous;
        std::vector<int> batches;
        for (int shift = -4; shift <= 4; ++shift) {
          const double b = problem->job.globalBatch * std::pow(2.0, shift);
          if (b >= 1 && b == std::floor(b) && b < 1e6) batches.push_back(static_cast<int>(b));
        }
        for (std::size_t i = 0; i < batches.size() && !studyStopped(control); ++i) {
          Problem p = *problem;
          p.job.globalBatch = batches[i];
          const Outcome o = quietSolve(p, control);
          if (control.stopRequested()) return;
          const double rate = o.best() ? batches[i] / o.best()->evaluation.batchTime.value() : 0;
          auto point = pointOf(batches[i], countText(batches[i]), o, rate, throughputText(rate), p, previous);
          if (o.best()) previous = *o.best();
          reportStudy(control, "batch", i + 1, batches.size());
      deliver([this, point] { addPoint(point); });
        }
      });
}

void StudyView::runLever(const Lever& lever) {
  m_curve->setPoints(from(nameOf(*context().problem, lever)), tr("Throughput, samples/s"), {});
  m_worker->start([this, problem = context().problem, lever](const Control& control,
                                                             const BackgroundTask::Deliver& deliver) {
    std::optional<RankedPlan> previous;
    constexpr int kSteps = 8;  // two to the octave
    for (int i = -kSteps; i <= kSteps && !studyStopped(control); ++i) {
      const double factor = std::pow(2.0, i / 2.0);
      const Problem p = pulled(*problem, lever, factor);
      const Outcome o = quietSolve(p, control);
      if (control.stopRequested()) return;
      const double rate = o.best() ? p.job.globalBatch / o.best()->evaluation.batchTime.value() : 0;
      auto point = pointOf(factor, from(valueText(*problem, lever, factor)), o, rate, throughputText(rate), p,
                           previous);
      if (o.best()) previous = *o.best();
      reportStudy(control, "sweep", static_cast<std::size_t>(i + kSteps + 1), 2 * kSteps + 1);
      deliver([this, point] { addPoint(point); });
    }
  });
}

void StudyView::addPoint(const CurveFigure::Point& point) {
  auto points = m_curve->points();
  points.push_back(point);
  m_curve->setPoints(m_curve->xTitle(), m_curve->yTitle(), std::move(points));
  showPoints();
}

void StudyView::showPoints() {
  m_table->setHorizontalHeaderLabels({m_curve->xTitle().isEmpty() ? tr("Value") : m_curve->xTitle(),
                                      tr("Throughput"), tr("Plan"), tr("What changed")});
  const auto& points = m_curve->points();
  m_table->setRowCount(static_cast<int>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) {
    const QString cells[] = {points[i].xText, points[i].y > 0 ? points[i].yText : tr("–"), points[i].plan,
                             points[i].change};
    for (int c = 0; c < 4; ++c) m_table->setItem(static_cast<int>(i), c, new QTableWidgetItem(cells[c]));
  }
  m_table->resizeColumnsToContents();
  m_copy->setEnabled(!points.empty());
  m_pane->setContext(contextPtr(), theme());
}

void StudyView::copyTable() const {
  QGuiApplication::clipboard()->setText(m_curve->asText(context()));
}

}  // namespace nest
