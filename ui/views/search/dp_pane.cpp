#include "views/search/dp_pane.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "accessible/screen_reader.h"
#include "figures/paint/phrases.h"
#include "figures/plan/dp_words.h"
#include "jobs/study_worker.h"
#include "theme/qt_text.h"
#include "units/text.h"
#include "views/adaptive_splitter.h"
#include "views/figure_canvas.h"
#include "views/figure_pane.h"
#include "views/search/candidate_model.h"

namespace nest {
namespace {

/// Units for the best whole plans, some minutes: a thousand layers would take the memory of a machine.
constexpr long long kMostWork = 200'000;
constexpr int kLeastTableHeight = 170;  ///< pixels of the figure; below, it scrolls

QString secondsText(double seconds) {
  return std::isfinite(seconds) ? toQt(text::time(Seconds(seconds))) : QStringLiteral("–");
}

}  // namespace

DpPane::DpPane(QWidget* parent) : QWidget(parent), m_worker(new StudyWorker(this)) {
  m_pane = new FigurePane(m_figure, m_cell);
  m_pane->canvas()->installEventFilter(this);
  m_pane->setLeastHeight(kLeastTableHeight);
  m_recurrence = new QLabel;
  m_recurrence->setObjectName(QStringLiteral("recurrence"));
  m_recurrence->setWordWrap(true);
  m_recurrence->setTextFormat(Qt::PlainText);
  m_recurrence->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_recurrence->setAccessibleName(tr("How the chosen cell is computed"));
  m_table = new QTableWidget(0, 0);
  m_table->setAccessibleName(tr("Candidates"));
  m_table->setMinimumHeight(48);
  m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->verticalHeader()->hide();
  m_table->horizontalHeader()->setStretchLastSection(true);

  m_steps = new QWidget;
  auto* steps = new QHBoxLayout(m_steps);
  steps->setContentsMargins(0, 0, 0, 0);
  const auto button = [&](const QString& text, const QString& tip, auto act) {
    auto* b = new QToolButton;
    b->setText(text);
    b->setToolTip(tip);
    connect(b, &QToolButton::clicked, this, act);
    steps->addWidget(b);
    return b;
  };
  m_back = button(tr("Back"), tr("Empty the row that was filled last (comma)"), [this] { step(-1); });
  m_forward = button(tr("Step"), tr("Fill one more row, from the last stage to the first (period)"),
                     [this] { step(1); });
  m_forward->setObjectName(QStringLiteral("dp-step"));
  m_all = button(tr("All"), tr("The complete table, with the best whole plan through each cell (slash)"),
                 [this] { fillAll(); });
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(8, 4, 8, 4);
  bar->addWidget(m_recurrence, 1);
  bar->addWidget(m_steps, 0, Qt::AlignTop);
  auto* split = new AdaptiveSplitter(360, {420, 300});
  split->addWidget(m_pane);
  split->addWidget(m_table);
  split->setSizes({340, 140});
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(bar);
  column->addWidget(split, 1);
  connect(&m_cell, &Selection::selectedChanged, this, &DpPane::showChosen);
}

DpPane::~DpPane() = default;

int DpPane::chosenStage() const {
  return m_figure.isTable() && m_cell.selected() ? m_cell.selected()->index : -1;
}

void DpPane::setContext(PlanContextPtr context, const Theme& theme) {
  m_worker->stop();
  m_context = std::move(context);
  std::string why = "it needs a plan";
  const Plan* plan = m_context->problem ? m_context->shownPlan() : nullptr;
  std::shared_ptr<const DpProbe> probe = plan ? DpProbe::of(*m_context->problem, *plan, why) : nullptr;
  m_figure.setTable(std::move(probe), toQt(why), m_context->outcome);
  m_pane->show(*m_context, theme);
  m_steps->setVisible(m_figure.isTable());
  std::optional<SelectionItem> first;
  if (const auto* configurations = m_figure.configurations()) {
    if (const auto& path = configurations->grid().path; !path.empty())
      first = DpFigure::itemOf(path.front().y(), path.front().x());
  } else if (m_figure.isTable()) {
    first = DpFigure::itemOf(0, 0);
  }
  m_cell.setSelected(first);
  showChosen();
  computeThrough();
}

/// From a table of its own: what costs look up is kept where it was looked up, and the window's is in use.
void DpPane::computeThrough() {
  if (!m_figure.isTable()) return;
  m_worker->start(
      [this, context = m_context](const Control& control, const BackgroundTask::Deliver& deliver) {
        std::string why;
        std::shared_ptr<const DpProbe> probe = DpProbe::of(*context->problem, *context->shownPlan(), why);
        if (!probe) return;
        Control limited = control;
        limited.work = std::make_shared<WorkLimit>(kMostWork);
        std::shared_ptr<const DpThrough> through = DpThrough::of(std::move(probe), limited);
        if (!through) return;
        deliver([this, through] {
          m_figure.setThrough(through);
          m_pane->figureChanged();
          showChosen();
        });
      });
}

bool DpPane::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::KeyPress || !m_figure.isTable()) return QWidget::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  if ((key->modifiers() & ~Qt::KeypadModifier) != Qt::NoModifier) return false;
  switch (key->key()) {
    case Qt::Key_Period:
      step(1);
      return true;
    case Qt::Key_Comma:
      step(-1);
      return true;
    case Qt::Key_Slash:
      fillAll();
      return true;
    default:
      return false;
  }
}

void DpPane::step(int by) {
  if (!m_figure.isTable()) return;
  const int stages = m_figure.probe()->stageCount(), states = stages + 2;  // 0 … stages, and the whole
  const int now = m_figure.isFilling() ? m_figure.filled() : stages + 1;
  setFilled((now + by + states) % states);
}

void DpPane::fillAll() {
  if (m_figure.isTable()) setFilled(m_figure.probe()->stageCount() + 1);
}

/// The plan's cell of the row that was filled last is looked at: what it is made of stands below.
void DpPane::setFilled(int stages) {
  m_figure.setFilled(stages);
  m_pane->figureChanged();
  const int row = std::max(0, m_figure.probe()->stageCount() - stages);
  for (int x = 0; stages > 0 && x < m_figure.probe()->cutCount(); ++x)
    if (row < m_figure.probe()->stageCount() && m_figure.probe()->cell(row, x).onPath)
      m_cell.setSelected(DpFigure::itemOf(row, x));
  showChosen();
}

void DpPane::showChosen() {
  m_table->setRowCount(0);
  m_recurrence->clear();
  const auto& chosen = m_cell.selected();
  if (!chosen || !(m_figure.isTable() || m_figure.configurations())) return;
  if (m_figure.configurations()) {
    listCandidates(chosen->index, chosen->other);
    return;
  }
  const DpProbe& probe = *m_figure.probe();
  if (m_figure.isFilling() && chosen->index < probe.stageCount() - m_figure.filled()) {
    setNamedText(*m_recurrence, tr("This row is not filled yet. It will need the row below."));
    return;
  }
  setNamedText(*m_recurrence,
               dp::recurrence(probe, m_figure.through(), chosen->index, chosen->other, *m_context));
  listWays(chosen->index, chosen->other);
}

void DpPane::addRow(const QStringList& cells, bool bold) {
  const int row = m_table->rowCount();
  m_table->insertRow(row);
  for (int k = 0; k < cells.size(); ++k) {
    auto* item = new QTableWidgetItem(cells[k]);
    if (bold) {
      QFont f = item->font();
      f.setBold(true);
      item->setFont(f);
    }
    m_table->setItem(row, k, item);
  }
  if (bold) m_table->selectRow(row);
}

QString DpPane::whyNot(const DpAlternative& a, double best) const {
  if (!a.allowed) return tr("a rule of the scenario forbids it");
  if (a.policy < 0)
    return a.shortfall > 0 ? tr("lacks %1 of memory").arg(toQt(text::memory(Bytes(a.shortfall))))
                           : tr("not available");
  if (!std::isfinite(a.time)) return tr("nothing that follows fits");
  const QString slower =
      a.time <= best * (1 + 1e-12) ? tr("best from here") : toQt(text::signedPercent(a.time / best - 1));
  return a.chosen ? tr("the plan; %1").arg(slower) : slower;
}

void DpPane::listWays(int stage, int cut) {
  m_table->setAccessibleName(tr("Ways to go on from the chosen cell"));
  m_table->setColumnCount(7);
  m_table->setHorizontalHeaderLabels({tr("Ends before"), tr("From here"), tr("Against the best"),
                                      tr("Whole plan"), tr("Load"), tr("Recompute"), tr("Sum")});
  const DpProbe& probe = *m_figure.probe();
  const DpThrough* through = m_figure.through();
  const auto all = probe.alternatives(stage, cut);
  double best = INFINITY;
  for (const auto& a : all) best = std::min(best, a.time);
  for (const DpAlternative& a : all) {
    const QString none = QStringLiteral("–");
    const bool fits = a.policy >= 0, ends = std::isfinite(a.time);
    const double whole = through && ends ? through->time(stage, cut, a.to) : INFINITY;
    addRow({dp::layerText(probe, a.to, *m_context), secondsText(a.time), whyNot(a, best),
            std::isfinite(whole) ? tr("%1 × the best").arg(dp::ratioText(whole / through->best())) : none,
            fits ? secondsText(a.load) : none,
            fits ? QString::fromLatin1(nameOf(static_cast<Recompute>(a.policy))) : none,
            ends ? dp::sumOf(probe, a.terms, stage) : none},
           a.chosen);
  }
  m_table->resizeColumnsToContents();
}

void DpPane::listCandidates(int row, int column) {
  const ConfigurationTable& table = *m_figure.configurations();
  if (row >= table.grid().rowCount() || column >= table.grid().columnCount()) return;
  setNamedText(*m_recurrence, table.sentence(row, column));
  m_table->setAccessibleName(tr("Candidates of the chosen configuration"));
  m_table->setColumnCount(5);
  m_table->setHorizontalHeaderLabels({tr("MBS"), tr("DP"), tr("Chunks"), tr("Step time"), tr("Why")});
  for (const Candidate* c : table.candidates(row, column))
    addRow({QString::number(c->microbatch), QString::number(c->dataDegree), QString::number(c->chunks),
            c->best ? toQt(text::time(*c->best)) : QStringLiteral("–"),
            CandidateModel::reason(*c, *table.outcome(), m_context->problem.get())},
           c->result == CandidateResult::Won);
  m_table->resizeColumnsToContents();
}

}  // namespace nest
