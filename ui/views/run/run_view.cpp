#include "views/run/run_view.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QStandardItemModel>
#include <QTabWidget>
#include <QTextDocumentFragment>
#include <QToolButton>
#include <QVBoxLayout>

#include "document/scenario_document.h"
#include "fields/field.h"
#include "fields/field_advice.h"
#include "figures/paint/phrases.h"
#include "figures/plan/run_figure.h"
#include "figures/study/failure_figure.h"
#include "figures/study/improvement_figure.h"
#include "figures/study/spare_figure.h"
#include "theme/qt_text.h"
#include "units/at.h"
#include "views/chip_box.h"
#include "views/failure_strip.h"
#include "views/figure_pane.h"
#include "views/flow_layout.h"
#include "views/run/failure_pane.h"
#include "views/run/improvement_pane.h"
#include "views/run/spare_pane.h"
#include "words/run_words.h"

namespace nest {
namespace {

const QString kUnitSetting = QStringLiteral("views/run/unit");
const QString kLossesSetting = QStringLiteral("views/run/losses");

/// The parts that take solves.
constexpr std::array kSolvedParts{RunView::Part::Failures, RunView::Part::Improvements,
                                  RunView::Part::Spares};

/// The fields as links, whose addresses are their pointers.
QString fieldLinks(const std::vector<std::string>& pointers) {
  QStringList out;
  for (const std::string& pointer : pointers)
    out << QStringLiteral("<a href=\"%1\">%2</a>")
               .arg(toQt(pointer), phrase(words::listOfFields({pointer})).toHtmlEscaped());
  return out.join(QStringLiteral(", "));
}

}  // namespace

RunView::RunView(ViewServices services, QWidget* parent)
    : View(services, parent),
      m_time(std::make_unique<RunFigure>()),
      m_timePane(new FigurePane(*m_time, m_part)),
      m_failures(new FailurePane),
      m_improvements(new ImprovementPane),
      m_spares(new SparePane),
      m_tabs(new QTabWidget),
      m_partButtons{new QWidget, new QWidget, new QWidget, new QWidget},
      m_unit(new ChipBox(tr("Unit"))),
      m_losses(new QToolButton),
      m_asked(new QLabel) {
  m_unit->setAccessibleName(tr("Unit"));
  m_unit->setToolTip(tr("The unit of all that this view shows"));
  for (int k = 0; k < kRunUnitCount; ++k) {
    const auto u = static_cast<RunUnit>(k);
    m_unit->addItem(QString::fromLatin1(words::labelOf(u)), QString::fromLatin1(nameOf(u)));
  }
  remember("unit", m_unit);
  select(*m_unit,
         setting(kUnitSetting, QString::fromLatin1(nameOf(RunUnit::Share))).toString().toStdString());
  const FigureOption losses = m_time->offeredOptions(context()).back();
  m_losses->setText(losses.label);
  m_losses->setToolTip(losses.tip);
  m_losses->setCheckable(true);
  m_losses->setAutoRaise(true);
  m_losses->setChecked(setting(kLossesSetting, false).toBool());
  remember("losses", m_losses);
  m_asked->setTextFormat(Qt::RichText);
  m_asked->setWordWrap(true);
  m_asked->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  m_asked->setAccessibleName(tr("Missing fields of the run"));
  m_asked->setToolTip(tr("A link opens the field in the scenario panel"));

  auto* bar = new QWidget;
  auto* row = new FlowLayout(6);
  bar->setLayout(row);
  row->setContentsMargins(8, 4, 8, 4);
  row->addWidget(m_unit);
  row->addWidget(m_losses);
  row->addWidget(m_asked);
  row->setFilling(m_asked);
  auto* buttons = new QWidget;
  auto* end = new QHBoxLayout(buttons);
  end->setContentsMargins(0, 0, 0, 0);
  const std::array panes{m_timePane, m_failures->pane(), m_improvements->pane(), m_spares->pane()};
  for (std::size_t k = 0; k < panes.size(); ++k) {
    auto* own = new QHBoxLayout(m_partButtons[k]);
    own->setContentsMargins(0, 0, 0, 0);
    panes[k]->addButtons(own);
    end->addWidget(m_partButtons[k]);
  }
  row->setTrailing(buttons);
  m_tabs->setAccessibleName(tr("Parts of the run"));
  m_tabs->setDocumentMode(true);
  m_timePane->setObjectName(QStringLiteral("time"));
  m_failures->setObjectName(QStringLiteral("failures"));
  m_tabs->addTab(m_timePane, tr("Time"));
  m_tabs->addTab(m_failures, tr("Failures"));
  m_improvements->setObjectName(QStringLiteral("improvements"));
  m_tabs->addTab(m_improvements, tr("Improvements"));
  m_spares->setObjectName(QStringLiteral("spares"));
  m_tabs->addTab(m_spares, tr("Spare hosts"));
  remember("tab", m_tabs);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(bar);
  column->addWidget(m_tabs, 1);
  setAccessibleName(title());

  connect(m_unit, &QComboBox::currentIndexChanged, this, [this] {
    keepSetting(kUnitSetting, QString::fromLatin1(nameOf(unit())));
    showOptions();
  });
  connect(m_losses, &QToolButton::toggled, this, [this](bool on) {
    keepSetting(kLossesSetting, on);
    showOptions();
  });
  connect(m_asked, &QLabel::linkActivated, this, &RunView::fieldRequested);
  connect(m_failures, &RunPane::menuMade, this, [this](QMenu* menu) { addFailureActions(*menu); });
  connect(m_failures, &RunPane::tryRequested, this, &RunView::tryFailure);
  connect(m_improvements, &RunPane::menuMade, this, [this](QMenu* menu) { addImprovementActions(*menu); });
  connect(m_improvements, &RunPane::tryRequested, this, &RunView::tryImprovement);
  // Only in a window: a slide and an export ask for what they show.
  for (const Part p : kSolvedParts) paneOf(p)->setStartsItself(services.session != nullptr);
  const auto showButtons = [this] {
    m_losses->setVisible(part() == Part::Time);
    for (std::size_t k = 0; k < m_partButtons.size(); ++k) m_partButtons[k]->setVisible(at(part()) == k);
  };
  connect(m_tabs, &QTabWidget::currentChanged, this, showButtons);
  showButtons();
  showOptions();
}

RunView::~RunView() = default;

RunView::Part RunView::part() const {
  return static_cast<Part>(m_tabs->currentIndex());
}

void RunView::showPart(Part p) {
  m_tabs->setCurrentIndex(static_cast<int>(p));
}

const Figure* RunView::figure() const {
  return figures().front();
}

RunPane* RunView::paneOf(Part p) const {
  switch (p) {
    case Part::Failures:
      return m_failures;
    case Part::Improvements:
      return m_improvements;
    case Part::Spares:
      return m_spares;
    case Part::Time:
      break;
  }
  return nullptr;
}

/// The one in front first.
std::vector<const Figure*> RunView::figures() const {
  std::vector<const Figure*> out{m_time.get(), &m_failures->figure(), &m_improvements->figure(),
                                 &m_spares->figure()};
  std::swap(out.front(), out[at(part())]);
  return out;
}

std::optional<SelectionItem> RunView::marked() const {
  const RunPane* pane = paneOf(part());
  return pane ? pane->chosen().selected() : m_part.selected();
}

std::optional<SavedTable> RunView::table() const {
  if (!whyNotKept().isEmpty()) return std::nullopt;
  switch (part()) {
    case Part::Failures:
      return tableOf(m_failures->figure().ranking());
    case Part::Improvements:
      return tableOf(m_improvements->figure().ranking());
    case Part::Spares:
      return tableOf(m_spares->figure().curve());
    case Part::Time:
      break;
  }
  return std::nullopt;
}

void RunView::showTable(const SavedTable& table) {
  if (part() == Part::Failures) m_failures->show(rankingIn(table));
  if (part() == Part::Improvements) m_improvements->show(improvementsIn(table));
  if (part() == Part::Spares) m_spares->show(curveIn(table));
}

QString RunView::whyNotKept() const {
  const RunPane* pane = paneOf(part());
  if (!pane) return {};
  if (pane->isBusy())
    return tr("It is still being computed. Add the slide when it has finished, or cancel it first.");
  if (!pane->isEmpty()) return {};
  return part() == Part::Spares ? tr("Spare hosts are not counted yet. Count them first.")
                                : tr("There is no ranking yet. Rank %1 first.")
                                      .arg(m_tabs->tabText(m_tabs->currentIndex()).toLower());
}

void RunView::compute(const Control& control) {
  for (const Part p : kSolvedParts) paneOf(p)->computeAtOnce(control);
}

void RunView::tryFailure() {
  const Failure* f = m_failures->failure();
  ScenarioDocument* document = services().document;
  if (!f || !document || !context().problem || !context().scenario) return;
  if (f->degradedLevel >= 0) {
    const std::string pointer = "/cluster/levels/" + std::to_string(f->degradedLevel) + "/bandwidth";
    if (const auto field = fieldAt(*context().scenario, pointer))
      if (const auto now = numberOf(*context().scenario, *field))
        Q_EMIT tryRequested(toQt(pointer), *now / 2);
    return;
  }
  std::vector<int> inputs;
  for (const int p : f->positions)
    inputs.push_back(context().problem->cluster->identity(DeviceIndex(p)).source);
  const QString what = phrase(f->what);
  Q_EMIT whatIfRequested();  // first: what it compares with is the plan before
  failDevices(*document, inputs, what);
}

void RunView::tryImprovement() {
  if (const auto field = m_improvements->toTry()) Q_EMIT tryRequested(toQt(field->pointer), field->value);
}

void RunView::addImprovementActions(QMenu& menu) {
  const QString name = m_improvements->chosenName();
  if (name.isEmpty()) return;
  menu.addSeparator();
  menu.addAction(tr("Try %1 in What-if").arg(name), this, &RunView::tryImprovement)
      ->setEnabled(m_improvements->toTry().has_value());
}

/// What the chosen bar offers.
void RunView::addFailureActions(QMenu& menu) {
  const Failure* f = m_failures->failure();
  if (!f) return;
  menu.addSeparator();
  QAction* tried = menu.addAction(tr("Try %1 in What-if").arg(phrase(f->what)), this, &RunView::tryFailure);
  tried->setEnabled(services().document && context().current);
  const FailureResponse* answer = m_failures->answer();
  if (!answer || f->degradedLevel >= 0) return;
  NamedPlan plan;
  plan.name = tr("%1: %2").arg(phrase(f->what), QString::fromLatin1(nest::nameOf(answer->answer)));
  auto c = std::make_shared<PlanContext>(context());
  c->plan = std::make_shared<const RankedPlan>(*answer->plan);
  c->shownAs = plan.name.toStdString();
  plan.context = std::move(c);
  addPlanActions(menu, plan);
}

RunUnit RunView::unit() const {
  return runUnitNamed(nameIn(*m_unit)).value_or(RunUnit::Share);
}

void RunView::chooseUnit(RunUnit u) {
  m_unit->setCurrentIndex(static_cast<int>(u));
}

QString RunView::asked() const {
  return QTextDocumentFragment::fromHtml(m_asked->text()).toPlainText();
}

void RunView::applyState(const State& state) {
  View::applyState(state);
  showOptions();
}

void RunView::showOptions() {
  m_time->setOption("unit", nameOf(unit()));
  m_time->setOption("losses", m_losses->isChecked() ? FigureOption::kOn : FigureOption::kOff);
  m_timePane->figureChanged();
  for (const Part p : kSolvedParts) paneOf(p)->setUnit(nameOf(unit()));
}

/// A unit whose field is missing cannot be chosen, and says which.
void RunView::refreshUnits() {
  const PlanContext& c = context();
  auto* rows = qobject_cast<QStandardItemModel*>(m_unit->model());
  for (int k = 0; rows && k < kRunUnitCount; ++k) {
    const auto missing =
        c.problem ? missingForUnit(*c.problem, static_cast<RunUnit>(k)) : std::vector<std::string>();
    QStandardItem* row = rows->item(k);
    row->setEnabled(missing.empty());
    row->setToolTip(missing.empty() ? QString() : tr("Give %1").arg(phrase(words::listOfFields(missing))));
  }
}

void RunView::refreshAsked() {
  const PlanContext& c = context();
  QString text;
  if (c.problem && c.plan) {
    const auto needed = askedForRun(*c.problem);
    if (!needed.empty()) text = tr("Give %1").arg(fieldLinks(needed));
  }
  m_asked->setText(text);
  m_asked->setAccessibleDescription(asked());  // its name stands for the text otherwise
  m_asked->setVisible(!text.isEmpty());
}

void RunView::refresh() {
  refreshUnits();
  refreshAsked();
  m_timePane->setLeastHeight(static_cast<int>(m_time->leastHeight(context())));
  m_timePane->show(context(), theme());
  for (const Part p : kSolvedParts) paneOf(p)->setContext(contextPtr(), theme());
}

}  // namespace nest
