#include "views/compare/compare_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QTextBrowser>
#include <QVBoxLayout>
#include <utility>

#include "figures/comparison_figure.h"
#include "jobs/study_worker.h"
#include "plan/metrics.h"
#include "plan/plan_diff.h"
#include "views/figure_pane.h"

namespace nest {
namespace {

QString from(const std::string& s) {
  return QString::fromStdString(s);
}

const TransformerArchitecture* architectureOf(const std::shared_ptr<const Scenario>& s) {
  return s && s->model.architecture ? &*s->model.architecture : nullptr;
}

}  // namespace

CompareView::CompareView(ViewServices services, QWidget* parent) : View(services, parent) {
  m_worker = new StudyWorker(this);
  m_figure = std::make_unique<ComparisonFigure>();
  m_pane = new FigurePane(m_figure.get());
  m_run = new QPushButton(tr("Run baselines"));
  m_run->setToolTip(
      tr("Solve the same scenario by hand rules, random walk, without the network, without memory, and with "
         "equal splits; all judged alike"));
  m_keep = new QPushButton(tr("Keep this plan"));
  m_keep->setToolTip(tr("Keep the shown plan here, to compare it with later ones"));
  m_stop = new QPushButton(tr("Cancel"));
  m_stop->setVisible(false);
  m_state = new QLabel;
  m_first = new QComboBox;
  m_first->setAccessibleName(tr("First plan"));
  m_second = new QComboBox;
  m_second->setAccessibleName(tr("Second plan"));
  m_difference = new QTextBrowser;
  m_difference->setAccessibleName(tr("Differences"));

  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(8, 6, 8, 6);
  for (QPushButton* b : {m_run, m_keep, m_stop}) bar->addWidget(b);
  bar->addWidget(m_state, 1);
  auto* below = new QWidget;
  auto* belowColumn = new QVBoxLayout(below);
  belowColumn->setContentsMargins(8, 4, 8, 8);
  auto* choice = new QHBoxLayout;
  choice->addWidget(new QLabel(tr("From")));
  choice->addWidget(m_first, 1);
  choice->addWidget(new QLabel(tr("to")));
  choice->addWidget(m_second, 1);
  belowColumn->addLayout(choice);
  belowColumn->addWidget(m_difference, 1);
  auto* split = new QSplitter(Qt::Vertical);
  split->addWidget(m_pane);
  split->addWidget(below);
  split->setSizes({420, 180});
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(bar);
  column->addWidget(split, 1);

  connect(m_run, &QPushButton::clicked, this, &CompareView::runBaselines);
  connect(m_keep, &QPushButton::clicked, this, &CompareView::keepPlan);
  connect(m_stop, &QPushButton::clicked, this, [this] { m_worker->stop(); });
  connect(m_worker, &StudyWorker::finished, this, [this] {
    m_stop->setVisible(false);
    m_run->setEnabled(true);
    m_state->setText(m_worker->failure());
  });
  for (QComboBox* box : {m_first, m_second})
    connect(box, &QComboBox::currentIndexChanged, this, &CompareView::showDifference);
}

CompareView::~CompareView() {
  m_worker->stop();
}

const Figure* CompareView::figure() const {
  return m_figure.get();
}

void CompareView::runBaselines() {
  if (!context().problem) return;
  m_run->setEnabled(false);
  m_stop->setVisible(true);
  m_baselines.clear();
  m_baselineProblem = context().problem;
  m_state->setText(tr("Running the baselines …"));
  // One after the other, so that each appears as soon as it is known.
  m_worker->start(
      [this, problem = m_baselineProblem](const Control& control, const BackgroundTask::Deliver& deliver) {
        for (BaselineKind kind : BaselineOptions{}.kinds) {
          if (control.stopRequested()) return;
          BaselineOptions one;
          one.kinds = {kind};
          Control quiet;
          quiet.stop = control.stop;
          auto found = nest::runBaselines(*problem, quiet, one);
          deliver([this, found = std::move(found)] {
            m_baselines.insert(m_baselines.end(), found.begin(), found.end());
            rebuild();
          });
        }
      });
}

void CompareView::keepPlan() {
  if (!context().plan || !context().problem) return;
  const QString name = tr("Kept %1").arg(m_kept.size() + 1);
  m_kept.push_back({name, {}, *context().plan, context().problem, context().scenario, true});
  rebuild();
}

void CompareView::addPlan(const Plan& plan, const QString& name) {
  m_waiting.emplace_back(plan, name);
  takeWaiting();
  rebuild();
}

void CompareView::takeWaiting() {
  if (!context().problem) return;
  for (auto& [plan, name] : std::exchange(m_waiting, {})) {
    RankedPlan ranked;
    ranked.evaluation = evaluate(*context().problem, plan);
    ranked.plan = std::move(plan);
    m_kept.push_back({name, {}, std::move(ranked), context().problem, context().scenario, true});
  }
}

void CompareView::refresh() {
  takeWaiting();
  if (m_baselineProblem && m_baselineProblem != context().problem) {
    m_worker->stop();
    m_baselines.clear();
    m_baselineProblem.reset();
  }
  m_run->setEnabled(context().problem != nullptr && !m_worker->isBusy());
  m_keep->setEnabled(context().plan != nullptr);
  rebuild();
}

void CompareView::rebuild() {
  m_entries.clear();
  if (context().plan && context().problem)
    m_entries.push_back({tr("This plan"), {}, *context().plan, context().problem, context().scenario, false});
  m_entries.insert(m_entries.end(), m_kept.begin(), m_kept.end());
  QStringList without;
  for (const auto& b : m_baselines) {
    if (b.plan)
      m_entries.push_back({QString::fromUtf8(nameOf(b.kind)), from(b.note), *b.plan, m_baselineProblem,
                           context().scenario, false});
    else
      without << tr("%1: %2").arg(QString::fromUtf8(nameOf(b.kind)), from(b.note));
  }
  if (!m_worker->isBusy()) m_state->setText(without.join(QStringLiteral("; ")));
  std::vector<ComparisonFigure::Row> rows;
  for (const Entry& e : m_entries)
    rows.push_back({e.name, metricsOf(*e.problem, architectureOf(e.scenario), e.plan),
                    from(summaryOf(e.plan.plan)), e.plan.evaluation.feasible()});
  m_figure->setRows(std::move(rows));
  m_pane->setContext(contextPtr(), theme());
  fillChoices();
}

void CompareView::fillChoices() {
  const int first = std::max(0, m_first->currentIndex());
  const int second = m_second->currentIndex();
  for (QComboBox* box : {m_first, m_second}) {
    const QSignalBlocker quiet(box);
    box->clear();
    for (const Entry& e : m_entries) box->addItem(e.name);
  }
  const int last = static_cast<int>(m_entries.size()) - 1;
  {
    const QSignalBlocker a(m_first), b(m_second);
    m_first->setCurrentIndex(std::min(first, last));
    m_second->setCurrentIndex(second > 0 && second <= last ? second : std::min(1, last));
  }
  showDifference();
}

void CompareView::showDifference() {
  const int a = m_first->currentIndex(), b = m_second->currentIndex();
  if (a < 0 || b < 0 || a == b) {
    m_difference->setHtml(tr("<p>Choose two plans to see what differs.</p>"));
    return;
  }
  const Entry &x = m_entries[static_cast<std::size_t>(a)], &y = m_entries[static_cast<std::size_t>(b)];
  if (!(*x.problem->graph == *y.problem->graph)) {
    m_difference->setHtml(tr("<p>These plans are of different models.</p>"));
    return;
  }
  const PlanDiff d = diff(*y.problem, x.plan.plan, x.plan.evaluation, y.plan.plan, y.plan.evaluation);
  QString html = QStringLiteral("<p><b>%1</b></p>").arg(from(d.sentence()).toHtmlEscaped());
  if (!d.same()) {
    html += QStringLiteral("<ul>");
    for (const auto& c : d.changes)
      html += QStringLiteral("<li>%1</li>").arg(from(c.sentence).toHtmlEscaped());
    html += QStringLiteral("</ul>");
  }
  if (!y.note.isEmpty()) html += QStringLiteral("<p>%1</p>").arg(y.note.toHtmlEscaped());
  for (const auto& v : y.plan.evaluation.violations)
    html += QStringLiteral("<p>%1</p>").arg(from(v.message).toHtmlEscaped());
  m_difference->setHtml(html);
}

}  // namespace nest
