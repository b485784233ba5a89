#include "editors/network/network_editor.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QResizeEvent>
#include <QSplitter>
#include <QTimer>
#include <QUndoStack>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "cluster/levels/lost_parts.h"
#include "document/scenario_document.h"
#include "editors/network/generator_dialog.h"
#include "editors/network/network_side.h"
#include "editors/network/network_toolbar.h"
#include "editors/network/network_traffic.h"
#include "editors/network/properties_strip.h"
#include "figures/paint/phrases.h"
#include "figures/topology/network_figure.h"
#include "views/failure_strip.h"
#include "views/figure_text_pane.h"
#include "views/flow_layout.h"
#include "views/plan_banner.h"
#include "words/outcome_words.h"

namespace nest {
namespace {
constexpr int kRoomForSide = 680;  ///< pixels from which the panel stands beside the drawing unasked
const std::string kTrafficKey = "links", kUnfoldedKey = "unfolded ", kInBitsKey = "in bits ";
}  // namespace

NetworkEditor::NetworkEditor(ViewServices services, QWidget* parent)
    : View(services, parent),
      m_traffic(new NetworkTraffic(this)),
      m_canvas(new NetworkCanvas),
      m_bar(new NetworkToolbar(m_canvas)),
      m_side(new NetworkSide(m_canvas)),
      m_strip(new PropertiesStrip(m_canvas)),
      m_verdict(new PlanBanner) {
  setAccessibleName(title());
  buildFigure();
  buildBanner();
  arrange();
  listen();
}

NetworkEditor::~NetworkEditor() = default;

const Figure* NetworkEditor::figure() const {
  return m_figure.get();
}

View::State NetworkEditor::state() const {
  State out = View::state();
  for (const std::string& id : m_canvas->scene().unfolded()) out[kUnfoldedKey + id] = 1;
  for (const auto& [key, value] : m_canvas->viewport()) out[key] = value;
  for (const double rate : m_canvas->scene().typedInBits()) out[kInBitsKey + text::exact(rate)] = 1;
  out[kTrafficKey] = m_bar->traffic();
  return out;
}

void NetworkEditor::applyState(const State& state) {
  View::applyState(state);
  std::set<std::string> unfolded;
  std::set<double> inBits;
  for (const auto& [key, value] : state) {
    if (key.starts_with(kUnfoldedKey)) unfolded.insert(key.substr(kUnfoldedKey.size()));
    bool isNumber = false;
    if (!key.starts_with(kInBitsKey)) continue;
    const double rate = QByteArray::fromStdString(key.substr(kInBitsKey.size())).toDouble(&isNumber);
    if (isNumber && std::isfinite(rate)) inBits.insert(rate);
  }
  m_canvas->setTyped(std::move(inBits));
  m_canvas->setUnfolded(std::move(unfolded));
  std::map<std::string, double> places;
  for (const auto& [key, value] : state)
    if (const double* number = value.number()) places[key] = *number;
  m_canvas->setViewport(places);
  if (const auto traffic = state.find(kTrafficKey); traffic != state.end() && traffic->second.name())
    m_bar->setTraffic(*traffic->second.name());
}

QWidget* NetworkEditor::tools() const {
  return m_bar;
}

void NetworkEditor::setOption(const std::string& key, const std::string& name) {
  if (key == "colour") m_canvas->setColouredBy(colouredByNamed(name, m_canvas->scene().colouredBy()));
  if (key == "folding") m_canvas->setFolding(foldingNamed(name));
  showOptions();
}

void NetworkEditor::showOptions() {
  m_bar->setOption(foldingOption(m_canvas->scene().folding()));
  m_bar->setOption(colourOption(context(), m_canvas->scene().colouredBy()));
}

QString NetworkEditor::trafficText() const {
  return m_traffic->sentence();
}

void NetworkEditor::buildFigure() {
  m_figure = std::make_unique<NetworkFigure>(m_canvas->scene(), [this] { return trafficText(); });
  m_pane =
      new FigureTextPane(m_canvas, m_canvas, *m_figure, [this]() -> const PlanContext& { return context(); });
  connect(m_canvas, &NetworkCanvas::menuMade, this, [this](QMenu* menu) {
    menu->addSeparator();
    m_pane->addActions(*menu);
  });
}

void NetworkEditor::buildBanner() {
  m_banner = new QWidget;
  auto* flow = new FlowLayout(6, m_banner);
  flow->setContentsMargins(10, 4, 10, 4);
  flow->addWidget(new QLabel(tr("This cluster is defined by levels.")));
  auto* choices = new QWidget;
  auto* row = new QHBoxLayout(choices);
  row->setContentsMargins(0, 0, 0, 0);
  flow->setTrailing(choices);
  const auto button = [&](const QString& name, const QString& tip, auto f) {
    auto* b = new QPushButton(name);
    b->setToolTip(tip);
    row->addWidget(b);
    connect(b, &QPushButton::clicked, this, f);
  };
  button(tr("Draw this network"),
         tr("Convert the levels to hosts, switches and links that you can edit individually"),
         &NetworkEditor::drawLevels);
  button(tr("Start empty"), tr("Start with an empty network; undo restores the levels"),
         &NetworkEditor::startFromEmpty);

  m_start = new QWidget(m_canvas);
  auto* words = new QVBoxLayout(m_start);
  auto* heading = new QLabel(tr("Draw your network here"));
  heading->setFont(Theme::font(16, true));
  auto* how =
      new QLabel(tr("Press H, S or D and click to place\nhosts, switches or devices;\npress C and drag to "
                    "join two. Esc ends."));
  how->setProperty("role", "muted");
  for (QLabel* label : {heading, how}) {
    label->setAlignment(Qt::AlignHCenter);
    label->setAttribute(Qt::WA_TransparentForMouseEvents);  // clicks are the canvas's
    words->addWidget(label);
  }
  auto* start = new QHBoxLayout;
  words->addLayout(start);
  auto* generate = new QPushButton(tr("Start from a generator…"));
  generate->setToolTip(tr("Fat tree, torus, dragonfly and others, by their parameters"));
  auto* paste = new QPushButton(tr("Paste"));
  paste->setToolTip(tr("A network that was copied here or in another window"));
  start->addStretch(1);
  start->addWidget(generate);
  start->addWidget(paste);
  start->addStretch(1);
  connect(generate, &QPushButton::clicked, this, &NetworkEditor::openGenerators);
  connect(paste, &QPushButton::clicked, m_canvas, &NetworkCanvas::paste);
  auto* over = new QVBoxLayout(m_canvas);
  over->addStretch(1);
  over->addWidget(m_start, 0, Qt::AlignHCenter);
  over->addStretch(1);
  m_start->hide();
}

void NetworkEditor::arrange() {
  auto* split = new QSplitter;
  split->addWidget(m_pane);
  split->addWidget(m_side);
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 1);
  split->setChildrenCollapsible(false);  // the panel goes by its button, which brings it back
  remember("part", m_side);
  remember("split", split);
  split->setSizes({700, 300});
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_bar);
  column->addWidget(m_banner);
  column->addWidget(m_verdict);
  column->addWidget(split, 1);
  column->addWidget(m_strip);
  setFocusProxy(m_pane);
  QWidget* before = m_canvas;  // Tab passes by what stands before a focus proxy
  for (QPushButton* b : m_banner->findChildren<QPushButton*>()) {
    setTabOrder(before, b);
    before = b;
  }
  connect(m_bar->sideAction(), &QAction::triggered, this, [this] { m_sideChosen = true; });
  connect(m_bar->sideAction(), &QAction::toggled, m_side, &QWidget::setVisible);
  m_side->hide();
}

void NetworkEditor::listen() {
  connect(m_bar, &NetworkToolbar::generateRequested, this, &NetworkEditor::openGenerators);
  connect(m_bar, &NetworkToolbar::exportRequested, m_pane, &FigureTextPane::exportFigure);
  connect(m_bar->textAction(), &QAction::toggled, m_pane, &FigureTextPane::setShowsText);
  connect(m_pane, &FigureTextPane::showsTextChanged, m_bar->textAction(), &QAction::setChecked);
  // The menu that it was chosen in is filled anew.
  connect(
      m_bar, &NetworkToolbar::optionChosen, this,
      [this](const std::string& key, const std::string& name) {
        setOption(key, name);
        Q_EMIT optionChosen(key, name);
      },
      Qt::QueuedConnection);
  connect(m_bar, &NetworkToolbar::trafficChanged, this, &NetworkEditor::showTraffic);
  connect(m_traffic, &NetworkTraffic::changed, this, [this] {
    const RoutedTraffic* r = m_traffic->routed();
    r ? m_canvas->setLoads(r->links, r->busiest, m_traffic->byLevel()) : m_canvas->setLoads({}, -1, {});
    showSelection();
  });
  connect(m_canvas, &NetworkCanvas::edited, this, &NetworkEditor::applyEdit);
  connect(m_canvas, &NetworkCanvas::menuMade, this, [this](QMenu* menu) {
    ScenarioDocument* document = services().document;
    if (!document || document->isEmpty()) return;
    menu->addSeparator();
    std::vector<int> nodes;
    for (const int n : m_canvas->selectedNodes())
      for (const int one : m_canvas->scene().behind(m_canvas->scene().shownAs(n))) nodes.push_back(one);
    addHostStates(*menu, *document, hostsOfNodes(m_canvas->graph(), nodes));
    addUnplannedHosts(*menu, *document);
  });
  connect(m_strip, &PropertiesStrip::edited, this, &NetworkEditor::applyEdit);
  connect(m_side, &NetworkSide::edited, this, &NetworkEditor::applyEdit);
  connect(m_side, &NetworkSide::cutsMoved, this, [this](const std::vector<double>& cuts) {
    editSource(QStringLiteral("cluster.cuts"), tr("Move the cuts between levels"),
               [cuts](GraphSource& s) { s.cuts = cuts; });
  });
  connect(m_side, &NetworkSide::cutsReset, this, [this] {
    editSource({}, tr("Cut levels at the largest gaps"), [](GraphSource& s) { s.cuts.clear(); });
  });
  connect(m_canvas, &NetworkCanvas::selectionChanged, this, &NetworkEditor::showSelection);
  connect(m_canvas, &NetworkCanvas::foldingChanged, this, &NetworkEditor::followHover);
  connect(m_canvas, &NetworkCanvas::selectedByHand, this, &NetworkEditor::shareSelection);
  connect(m_canvas, &NetworkCanvas::hovered, this, [this](int node) {
    m_sharing = true;
    selection().setHovered(m_numbers.itemOf(node));
    m_sharing = false;
    followHover();
  });
  connect(&selection(), &Selection::hoveredChanged, this, [this] {
    if (!m_sharing && isInSight()) followHover();
  });
  connect(&selection(), &Selection::selectedChanged, this, [this] {
    if (!m_sharing && isInSight()) followSelection();
  });
  connect(&selection(), &Selection::playheadChanged, this, [this] {
    if (isInSight()) followPlayhead();
  });
  // What is drawn follows the document at once, also while a drag previews it; the plan follows in its own
  // time.
  if (services().document) {
    connect(services().document, &ScenarioDocument::opened, m_canvas, &NetworkCanvas::forget);
    connect(services().document, &ScenarioDocument::opened, this, [this] { m_chosenAt.clear(); });
    connect(&services().document->history(), &QUndoStack::indexChanged, this, &NetworkEditor::followHistory);
    connect(m_canvas, &NetworkCanvas::selectedByHand, this, &NetworkEditor::keepChosen);
    connect(services().document, &ScenarioDocument::changed, this, [this](ScenarioParts parts, bool) {
      if (parts & kSettingParts && !m_editing) m_before.reset();
      if (parts & (ScenarioPart::Cluster | ScenarioPart::Constraints)) outdate();
    });
  }
}

void NetworkEditor::shareSelection() {
  const auto nodes = m_canvas->selectedNodes();
  m_sharing = true;
  if (!nodes.empty()) selection().setSelected(m_numbers.itemOf(nodes.front()));
  m_sharing = false;
  followHover();
}

void NetworkEditor::followSelection() {
  if (const auto& item = selection().selected())
    if (auto nodes = m_numbers.nodesOf(*item, context()); !nodes.empty())
      m_canvas->select(std::move(nodes), {});
  followHover();
}

void NetworkEditor::followHover() {
  const auto lit = [&](const std::optional<SelectionItem>& item) {
    return item ? m_numbers.devicesOf(*item, context()) : std::vector<int>();
  };
  m_canvas->setLit(lit(selection().hovered()), lit(selection().selected()));
}

void NetworkEditor::followPlayhead() {
  std::vector<int> tasks;
  const Plan* plan = context().shownPlan();
  if (const auto& playhead = selection().playhead(); playhead && plan) {
    tasks.assign(plan->stageCount(), NetworkMarks::kWaits);
    for (const RunningTask& r : playhead->running)
      if (r.stage >= 0 && r.stage < plan->stageCount()) tasks[r.stage] = static_cast<int>(r.kind);
  }
  m_canvas->setRunning(std::move(tasks));
}

bool NetworkEditor::isDrawn() const {
  const ScenarioDocument* d = services().document;
  return d && !d->isEmpty() && std::holds_alternative<GraphSource>(d->scenario().cluster.network);
}

void NetworkEditor::editSource(const QString& field, const QString& verb,
                               const std::function<void(GraphSource&)>& change) {
  if (!isDrawn()) return;
  const PlanContextPtr before = context().current && context().plan ? contextPtr() : nullptr;
  m_editing = true;
  services().document->edit(field, verb,
                            [change](Scenario& s) { change(std::get<GraphSource>(s.cluster.network)); });
  m_editing = false;
  m_before = before;
  m_verb = verb;
}

QString NetworkEditor::effectText() const {
  const PlanContext& now = context();
  if (!m_before || !now.current || !now.problem || now.generation == m_before->generation ||
      !lostPartsOf(*now.scenario).empty())  // the loss is said already
    return {};
  const auto* was = std::get_if<GraphSource>(&m_before->scenario->cluster.network);
  const auto* is = std::get_if<GraphSource>(&now.scenario->cluster.network);
  if (!was || !is || (was->cuts == is->cuts && graph::differOnlyInPlace(was->graph, is->graph))) return {};
  const Seconds before = m_before->plan->evaluation.batchTime;
  if (!now.plan)
    return tr("%1: %2 (was %3 per step)")
        .arg(m_verb,
             now.isSearching() ? tr("searching …")
             : now.outcome     ? QString::fromUtf8(words::of(*now.outcome))
                               : tr("not solved yet"),
             timeText(before));
  const Seconds after = now.plan->evaluation.batchTime;
  constexpr double kSame = 5e-5;
  if (std::abs(after / before - 1) < kSame)
    return tr("%1: %2 per step, unchanged").arg(m_verb, timeText(after));
  return tr("%1: %2 → %3 per step (%4)")
      .arg(m_verb, timeText(before), timeText(after), phrase(text::signedPercent(after / before - 1)));
}

void NetworkEditor::applyEdit(const QString& verb, const QString& field,
                              const NetworkCanvas::GraphEdit& edit) {
  keepChosen();
  editSource(field, verb, [edit](GraphSource& s) {
    // Places that were found for the picture are kept once one of them is chosen by hand.
    if (graph::needsLayout(s.graph)) graph::layOut(s.graph);
    edit(s.graph);
  });
}

/// What is selected in this state of the history, for the way back to it.
void NetworkEditor::keepChosen() {
  if (services().document) m_chosenAt[services().document->history().index()] = m_canvas->chosen();
}

/// Undo and redo bring back what was selected there.
void NetworkEditor::followHistory(int index) {
  if (m_editing) {
    m_chosenAt.erase(m_chosenAt.lower_bound(index), m_chosenAt.end());
    return;
  }
  const auto chosen = m_chosenAt.find(index);
  if (isInSight() && chosen != m_chosenAt.end()) m_canvas->select(chosen->second);
}

void NetworkEditor::jumpTo(int node, int link) {
  // A view that comes into sight has its size, and the graph of today, only after the events on their way.
  QTimer::singleShot(0, this, [this, node, link] {
    const NetworkGraph& g = m_canvas->graph();
    if (node >= static_cast<int>(g.nodes.size()) || link >= static_cast<int>(g.links.size())) return;
    m_pane->setShowsText(false);
    m_canvas->jumpTo(node, link);
    m_canvas->setFocus(Qt::OtherFocusReason);
  });
}

void NetworkEditor::showSelected() {
  QTimer::singleShot(0, this, [this] {
    m_pane->setShowsText(false);
    m_canvas->setFocus(Qt::OtherFocusReason);
    const auto& item = selection().selected();
    const std::vector<int> nodes = item ? m_numbers.nodesOf(*item, context()) : std::vector<int>();
    if (nodes.empty()) return;
    // Where all of it can be seen, the view stays: who comes to draw wants to see the whole.
    const NetworkScene& scene = m_canvas->scene();
    const QRectF seen = m_canvas->seen();
    const bool isSeen = std::all_of(nodes.begin(), nodes.end(),
                                    [&](int n) { return scene.isShown(n) && seen.contains(scene.box(n)); });
    if (!isSeen) m_canvas->jumpTo(nodes.front(), -1);  // unfolds what hides it
    m_canvas->select(nodes, {});
    if (!isSeen && nodes.size() > 1) m_canvas->fitSelection();
  });
}

void NetworkEditor::repair(const graph::Problem& problem) {
  if (problem.repair) applyEdit(QString::fromStdString(problem.repairVerb), {}, problem.repair);
}

void NetworkEditor::drawLevels() {
  if (!services().document || services().document->isEmpty() || isDrawn()) return;
  for (const LevelSpec& l : std::get<LevelsSource>(services().document->scenario().cluster.network).levels)
    m_canvas->rememberUnit({l.bandwidth / l.oversubscription, l.shownAs});
  services().document->edit({}, tr("Draw the network"), [](Scenario& s) {
    GraphSource drawn;
    drawn.graph = graph::fromLevels(std::get<LevelsSource>(s.cluster.network));
    s.cluster.network = std::move(drawn);
  });
  m_canvas->setFocus();
}

void NetworkEditor::startFromEmpty() {
  if (!services().document || services().document->isEmpty()) return;
  services().document->edit({}, tr("Start an empty drawing"),
                            [](Scenario& s) { s.cluster.network = GraphSource{}; });
  m_canvas->setFocus();
}

void NetworkEditor::openGenerators() {
  if (!services().document || services().document->isEmpty()) return;
  GeneratorDialog dialog(this);
  if (dialog.exec() != QDialog::Accepted || !dialog.graph()) return;
  GraphSource made;
  made.graph = *dialog.graph();
  if (graph::needsLayout(made.graph)) graph::layOut(made.graph);
  services().document->edit({}, tr("Generate a network: %1").arg(dialog.generatorName()),
                            [made](Scenario& s) { s.cluster.network = made; });
  m_canvas->fit();
}

NetworkGraph NetworkEditor::shownGraph(bool marked) const {
  const ScenarioDocument* document = services().document;
  const Scenario* scenario =
      document && !document->isEmpty() ? &document->scenario() : context().scenario.get();
  if (!scenario) return {};
  return drawnWithout(scenario->cluster, marked ? scenario->constraints.excludedDevices : std::vector<int>());
}

void NetworkEditor::refresh() {
  m_canvas->setTheme(theme());
  const bool drawn = isDrawn();
  const NetworkGraph network = shownGraph(true);
  m_banner->setVisible(!network.nodes.empty() && !drawn);
  m_start->setVisible(drawn && network.nodes.empty());
  m_verdict->show(contextPtr(), theme());
  m_bar->setDrawn(drawn);
  chooseSide();
  if (m_numbersFor != contextPtr() || !graph::differOnlyInPlace(network, m_canvas->graph())) {
    m_numbers = NetworkSelection(shownGraph(false), context());
    m_numbersFor = contextPtr();
  }
  m_canvas->setGraph(network, m_numbers.seats(), drawn, contextPtr());
  showOptions();
  m_pane->refreshText();
  showSide();
  showTraffic();
  showSelection();
  followHover();
  followPlayhead();
}

void NetworkEditor::searchChanged() {
  View::searchChanged();
  m_verdict->show(contextPtr(), theme());
}

void NetworkEditor::showSide() {
  const ScenarioDocument* document = services().document;
  const GraphSource* source =
      isDrawn() ? std::get_if<GraphSource>(&document->scenario().cluster.network) : nullptr;
  m_side->show(source, source ? document->scenario().cluster.device : DeviceSpec{}, theme());
}

void NetworkEditor::showTraffic() {
  const bool wanted = m_bar->showsTraffic() && isDrawn() && context().scenario &&
                      context().scenario->cluster.network == services().document->scenario().cluster.network;
  wanted ? m_traffic->route(contextPtr(), m_bar->trafficKind()) : m_traffic->clear();
}

void NetworkEditor::showSelection() {
  m_strip->show(isDrawn(), effectText(), trafficText());
  m_side->followSelection();
}

void NetworkEditor::resizeEvent(QResizeEvent* e) {
  View::resizeEvent(e);
  chooseSide();
}

/// Of levels that were typed the panel has nothing to show: they stand in the scenario's own.
void NetworkEditor::chooseSide() {
  if (!m_sideChosen) m_bar->sideAction()->setChecked(width() >= kRoomForSide && isDrawn());
}

}  // namespace nest
