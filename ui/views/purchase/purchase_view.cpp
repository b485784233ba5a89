#include "views/purchase/purchase_view.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <thread>
#include <utility>

#include "document/scenario_document.h"
#include "document/scenario_files.h"
#include "export/save_path.h"
#include "figures/paint/frame.h"
#include "figures/paint/phrases.h"
#include "formats/scenario/scenario_json.h"
#include "theme/qt_text.h"
#include "units/at.h"
#include "views/background_run.h"
#include "views/chip_box.h"
#include "views/figure_canvas.h"
#include "views/figure_pane.h"
#include "views/flow_layout.h"

namespace nest {
namespace {

const QString kPurchaseSetting = QStringLiteral("views/purchase/show");

constexpr int kSolvesOfCell = 4;  ///< its plan, and a share of what is asked of fewer hosts

/// Money is decided on the cells that take the fewest days.
PurchaseMeasure goalFor(PurchaseMeasure m) {
  return m == PurchaseMeasure::Energy ? m : PurchaseMeasure::Days;
}

/// What is decided on the cells of a goal.
std::vector<PurchaseMeasure> measuresOf(PurchaseMeasure goal) {
  if (goal == PurchaseMeasure::Energy) return {goal};
  return {PurchaseMeasure::Days, PurchaseMeasure::Money};
}

int threadsToUse() {
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

}  // namespace

/// What a comparison is made of, for another thread.
struct PurchaseView::Source {
  std::shared_ptr<const Scenario> scenario;
  std::string file;
  ReferenceLoader load;

  Reading<PurchaseGrid> grid() const { return PurchaseGrid::build(writeScenario(*scenario), file, load); }
};

PurchaseView::PurchaseView(ViewServices services, QWidget* parent)
    : View(services, parent),
      m_pane(new FigurePane(m_figure, m_cell)),
      m_show(new ChipBox(tr("Show"))),
      m_backgroundRun(new BackgroundRun(tr("Stop; solved cells are kept"))) {
  const FigureOption shown = m_figure.offeredOptions(context()).front();
  m_show->setAccessibleName(shown.label);
  m_show->setToolTip(shown.tip);
  for (const auto& c : shown.choices) m_show->addItem(c.label, QString::fromStdString(c.name));
  remember("show", m_show);
  select(*m_show, setting(kPurchaseSetting, QStringLiteral("money")).toString().toStdString());
  auto* compare = new QPushButton(tr("Compare offers"));
  compare->setToolTip(tr("Plan every job on every offer, in the background"));
  m_backgroundRun->addTrigger(compare);
  m_showPlan = new QPushButton(tr("Show plan"));
  m_showPlan->setToolTip(
      tr("Show the plan of the chosen cell in all views; a double click and Return do the same"));
  auto* save = new QToolButton;
  save->setText(tr("Save CSV…"));
  save->setToolTip(tr("Save all cells as CSV, with days, money, energy and MFU"));
  save->setAutoRaise(true);
  m_saveCsv = save;

  auto* bar = new QWidget;
  auto* row = new FlowLayout(6);
  bar->setLayout(row);
  row->setContentsMargins(8, 4, 8, 4);
  row->addWidget(m_show);
  row->addWidget(compare);
  row->addWidget(m_showPlan);
  row->addWidget(m_backgroundRun);
  auto* buttons = new QWidget;
  auto* end = new QHBoxLayout(buttons);
  end->setContentsMargins(0, 0, 0, 0);
  end->addWidget(m_saveCsv);
  m_pane->addButtons(end);
  row->setTrailing(buttons);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(bar);
  column->addWidget(m_pane, 1);
  setAccessibleName(title());

  connect(m_show, &QComboBox::currentIndexChanged, this, [this] {
    keepSetting(kPurchaseSetting, QString::fromLatin1(nest::nameOf(quantity())));
    showBoard();
    startIfLittle();
  });
  connect(compare, &QPushButton::clicked, this, &PurchaseView::start);
  connect(save, &QToolButton::clicked, this, &PurchaseView::saveCsv);
  connect(m_backgroundRun, &BackgroundRun::ended, this, [this] {
    showBoard();
    sayIfOutdated();
  });
  connect(m_pane, &FigurePane::menuMade, this, [this](QMenu* menu) {
    const int i = ListFigure::indexOf(m_cell.selected());
    if (i < 0) return;
    menu->addSeparator();
    addPlanActions(*menu, namedPlan(i));
  });
  connect(m_showPlan, &QPushButton::clicked, this,
          [this] { showPlan(ListFigure::indexOf(m_cell.selected())); });
  connect(&m_cell, &Selection::selectedChanged, this, &PurchaseView::refreshButtons);
  connect(m_pane->canvas(), &FigureCanvas::itemActivated, this,
          [this](const SelectionItem& item) { showPlan(ListFigure::indexOf(item)); });
  if (services.document) connect(services.document, &ScenarioDocument::opened, this, &PurchaseView::forget);
}

PurchaseView::~PurchaseView() = default;

PurchaseQuantity PurchaseView::quantity() const {
  return purchaseQuantityNamed(nameIn(*m_show)).value_or(PurchaseQuantity::Days);
}

void PurchaseView::choose(PurchaseQuantity q) {
  m_show->setCurrentIndex(static_cast<int>(q));
}

bool PurchaseView::isBusy() const {
  return m_backgroundRun->isBusy();
}

bool PurchaseView::hasOffers() const {
  return context().scenario && !context().scenario->purchase.empty();
}

const PurchaseView::Compared* PurchaseView::compared() const {
  const auto it = m_compared.find(goalFor(measureFor(quantity())));
  return it == m_compared.end() ? nullptr : &it->second;
}

PurchaseMatrix PurchaseView::decided(const PurchaseGrid& grid, const PurchaseMatrix& cells,
                                     PurchaseMeasure measure) {
  PurchaseMatrix out = cells;
  out.measure = measure;
  out.choices = choicesOf(out, grid.jobs(), grid.clusters());
  return out;
}

PurchaseView::Source PurchaseView::source() const {
  // What was never saved names no files but those of the samples.
  const QString own = services().document ? services().document->path() : QString();
  const QString path = own.isEmpty() ? QStringLiteral(":/samples/purchase.nest.json") : own;
  return {context().scenario, path.toStdString(), loaderOf(path)};
}

void PurchaseView::start() {
  if (!hasOffers()) return;
  m_cell.setSelected(std::nullopt);
  if (m_scenario != context().scenario) m_compared.clear();
  m_scenario = context().scenario;
  m_wrong.clear();
  const PurchaseMeasure goal = goalFor(measureFor(quantity()));
  m_compared.erase(goal);
  m_backgroundRun->start(
      tr("Solving every job on every offer …"),
      [this, from = source(), goal](const Control& control, const BackgroundTask::Deliver& deliver) {
        auto built = from.grid();
        if (!built) return deliver([this, wrong = std::move(built.diagnostics)] { takeErrors(wrong); });
        auto grid = std::make_shared<const PurchaseGrid>(std::move(*built));
        PurchaseMatrix part;
        part.measure = goal;
        part.cells.resize(at(grid->jobs()) * at(grid->clusters()));
        for (PurchaseCell& c : part.cells) c.status = nest::nameOf(OutcomeStatus::Stopped);
        auto all = solvePurchase(*grid, goal, threadsToUse(), control,
                                 [&](const PurchaseCell& c, std::size_t, std::size_t) {
                                   part.cells[at(c.job * grid->clusters() + c.cluster)] = c;
                                   deliver([this, goal, grid, part] { take(goal, grid, part); });
                                 });
        deliver([this, goal, grid, all] { take(goal, grid, all); });
        for (const PurchaseMeasure measure : measuresOf(goal)) {
          PurchaseFlips flips;
          flips.ofHosts = shortfallsOf(*grid, decided(*grid, all, measure), threadsToUse(), control);
          deliver([this, goal, measure, flips = std::move(flips)] { takeFlips(goal, measure, flips); });
        }
      });
  showBoard();
}

void PurchaseView::compute(const Control& control) {
  if (!hasOffers()) return;
  m_scenario = context().scenario;
  m_wrong.clear();
  auto built = source().grid();
  if (!built) return takeErrors(built.diagnostics);
  auto grid = std::make_shared<const PurchaseGrid>(std::move(*built));
  const PurchaseMeasure goal = goalFor(measureFor(quantity()));
  const PurchaseMatrix all = solvePurchase(*grid, goal, threadsToUse(), control);
  take(goal, grid, all);
  for (const PurchaseMeasure measure : measuresOf(goal)) {
    PurchaseFlips flips;
    flips.ofHosts = shortfallsOf(*grid, decided(*grid, all, measure), threadsToUse(), control);
    takeFlips(goal, measure, std::move(flips));
  }
}

void PurchaseView::take(PurchaseMeasure goal, std::shared_ptr<const PurchaseGrid> grid,
                        PurchaseMatrix matrix) {
  m_compared[goal] = {std::move(grid), std::move(matrix), {}};
  showBoard();
}

void PurchaseView::takeFlips(PurchaseMeasure goal, PurchaseMeasure measure, PurchaseFlips flips) {
  m_compared[goal].flips[measure] = std::move(flips);
  showBoard();
}

void PurchaseView::takeErrors(const Diagnostics& all) {
  QStringList said;
  for (const Diagnostic& d : all)
    if (d.severity == Severity::Error)
      said << capitalised(phrase(d.message)) +
                  (d.remedy.empty() ? QString() : QStringLiteral(": ") + phrase(d.remedy));
  m_wrong = said.join(u'\n');
  m_compared.clear();
  showBoard();
}

/// Another scenario: what was compared is not of it.
void PurchaseView::forget() {
  m_backgroundRun->drop();
  m_compared.clear();
  m_scenario.reset();
  m_started.clear();
  m_wrong.clear();
  m_cell.setSelected(std::nullopt);
  showBoard();
}

/// In a window, where nothing is compared yet.
void PurchaseView::startIfLittle() {
  if (!services().session || !isInSight() || m_isKept || !hasOffers() || isBusy()) return;
  const PurchaseMeasure goal = goalFor(measureFor(quantity()));
  const Purchase& p = context().scenario->purchase;
  const std::size_t cells =
      std::max<std::size_t>(1, p.clusters.size()) * std::max<std::size_t>(1, p.jobs.size());
  if (m_compared.contains(goal) || m_started.contains(goal)) return;
  if (!isLittleWork(context(), kSolvesOfCell * static_cast<int>(cells))) return;
  m_started.insert(goal);
  start();
}

FigureState PurchaseView::emptyState() const {
  if (!m_wrong.isEmpty()) return {tr("The offers cannot be compared"), m_wrong};
  if (!hasOffers())
    return {
        tr("No offers to compare"),
        tr("In the scenario file, list \"clusters\" and \"jobs\" in a section \"purchase\". Each has a name "
           "and the sections of the scenario that it changes: {\"name\": \"512 H200\", \"cluster\": "
           "{\"device\": \"h200\"}}. The sample Three offers for three jobs has all of it.")};
  const Purchase& p = context().scenario->purchase;
  const auto count = [](std::size_t n) { return static_cast<long long>(std::max<std::size_t>(1, n)); };
  return {isBusy() ? tr("Solving …") : tr("Not compared yet"),
          tr("Compare offers plans %1 on %2%3.")
              .arg(plural(count(p.jobs.size()), tr("job")), plural(count(p.clusters.size()), tr("cluster")),
                   measureFor(quantity()) == PurchaseMeasure::Energy ? tr(", each for the least energy")
                                                                     : tr(", each for the fewest days"))};
}

void PurchaseView::showBoard() {
  m_figure.setOption("show", nest::nameOf(quantity()));
  if (!m_isKept) {
    PurchaseBoard board;
    if (const Compared* c = compared()) {
      const PurchaseMeasure by = measureFor(quantity());
      const auto flips = c->flips.find(by);
      board = boardOf(*c->grid, decided(*c->grid, c->matrix, by),
                      flips != c->flips.end() ? flips->second : PurchaseFlips());
    }
    m_figure.setBoard(std::move(board));
  }
  m_figure.setEmptyState(emptyState());
  refreshButtons();
  m_pane->setLeastHeight(static_cast<int>(m_figure.board().empty() ? 220 : m_figure.leastHeight()));
  m_pane->show(context(), theme());
}

void PurchaseView::refreshButtons() {
  const Compared* c = compared();
  const int i = ListFigure::indexOf(m_cell.selected());
  m_saveCsv->setEnabled(c != nullptr);
  m_showPlan->setEnabled(c && i >= 0 && at(i) < c->matrix.cells.size() && c->matrix.cells[at(i)].plan);
}

void PurchaseView::sayIfOutdated() {
  const QString edited = tr("The scenario has changed since its offers were compared.");
  const auto& now = context().scenario;
  const bool isOutdated =
      m_scenario && !m_compared.empty() && !isBusy() && now && now != m_scenario &&
      (now->setting() != m_scenario->setting() || !(now->purchase == m_scenario->purchase));
  if (isOutdated)
    m_backgroundRun->say(edited);
  else if (m_backgroundRun->text() == edited)
    m_backgroundRun->say({});
}

void PurchaseView::refresh() {
  m_backgroundRun->setReady(hasOffers());
  sayIfOutdated();
  showBoard();
  startIfLittle();
}

void PurchaseView::applyState(const State& state) {
  View::applyState(state);
  showBoard();
}

std::optional<SavedTable> PurchaseView::table() const {
  return board().empty() ? std::nullopt : std::optional(tableOf(board()));
}

void PurchaseView::showTable(const SavedTable& table) {
  m_isKept = true;
  m_figure.setBoard(boardIn(table));
  showBoard();
}

QString PurchaseView::whyNotKept() const {
  if (isBusy())
    return tr("The comparison is still running. Add the slide when it has finished, or cancel it first.");
  return board().empty() ? tr("Nothing is compared yet. Compare offers first.") : QString();
}

View::NamedPlan PurchaseView::namedPlan(int i) const {
  const Compared* c = compared();
  if (!c || i < 0 || at(i) >= c->matrix.cells.size()) return {};
  const PurchaseCell& cell = c->matrix.cells[at(i)];
  NamedPlan out;
  out.name = tr("%1 on %2").arg(toQt(c->grid->job(cell.job)), toQt(c->grid->cluster(cell.cluster)));
  out.whyNotKept = tr("The plan is of another cluster or job than those of the scenario.");
  if (!cell.plan) return out;
  auto scenario = c->grid->scenarioOf(cell.job, cell.cluster);
  auto problem = scenario ? buildProblem(*scenario) : Reading<Problem>();
  if (!problem) return out;
  auto context = std::make_shared<PlanContext>();
  scenario->name = out.name.toStdString();
  context->scenario = std::make_shared<const Scenario>(std::move(*scenario));
  context->problem = std::make_shared<const Problem>(std::move(*problem));
  context->plan = std::make_shared<const RankedPlan>(*cell.plan);
  context->outcome = cell.outcome;
  context->shownAs = out.name.toStdString();
  out.context = std::move(context);
  return out;
}

void PurchaseView::showPlan(int i) {
  const NamedPlan plan = namedPlan(i);
  if (plan.context) return Q_EMIT planRequested(PlanUse::Show, plan);
  if (!plan.name.isEmpty()) m_backgroundRun->say(tr("%1 has no plan").arg(plan.name));
}

void PurchaseView::addToPaneMenu(QMenu& menu) {
  menu.addAction(tr("Save CSV…"), this, &PurchaseView::saveCsv)->setEnabled(!csv().isEmpty());
}

QString PurchaseView::csv() const {
  const Compared* c = compared();
  return c ? toQt(report::purchaseCsv(*c->grid, decided(*c->grid, c->matrix, measureFor(quantity()))))
           : QString();
}

void PurchaseView::saveCsv() {
  const Written written = saveExport(this, tr("Save purchase"), QStringLiteral("purchase.csv"),
                                     tr("CSV files (*.csv)"), [this] { return csv().toUtf8(); });
  if (written.path.isEmpty()) return;
  m_backgroundRun->say(written.problem.isEmpty() ? tr("Saved to %1").arg(written.path) : written.problem);
}

}  // namespace nest
