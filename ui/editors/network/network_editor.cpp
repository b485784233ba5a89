#include "editors/network/network_editor.h"

#include <QAction>
#include <QActionGroup>
#include <QClipboard>
#include <QFormLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "cluster/level_abstraction.h"
#include "document/scenario_document.h"
#include "editors/network/dendrogram_pane.h"
#include "editors/network/generator_dialog.h"
#include "editors/network/node_table_model.h"
#include "export/export_dialog.h"
#include "figures/network_figure.h"
#include "jobs/study_worker.h"
#include "plan/routed_plan.h"
#include "units/text.h"
#include "views/loss_strip.h"

namespace nest {
namespace {

QLineEdit* figureField(const QString& name, const QString& example) {
  auto* field = new QLineEdit;
  field->setAccessibleName(name);
  field->setPlaceholderText(example);
  field->setMaximumWidth(120);
  return field;
}

/// Typed text that cannot be read is marked, and says what may stand there.
void mark(QLineEdit* field, bool good, const QString& allowed) {
  field->setStyleSheet(good ? QString() : QStringLiteral("border: 1px solid #D55E00"));
  field->setToolTip(good ? QString() : allowed);
}

}  // namespace

NetworkEditor::NetworkEditor(ViewServices services, QWidget* parent) : View(services, parent) {
  m_canvas = new NetworkCanvas;
  m_router = new StudyWorker(this);
  m_loss = new LossStrip(services.document);
  buildFigure();
  connect(m_router, &StudyWorker::finished, this, [this] {
    if (std::exchange(m_routeAgain, false)) routeTraffic();
  });
  m_dendrogram = new DendrogramPane;
  m_table = new NodeTableModel(this);
  m_outline = new QTableView;
  m_outline->setModel(m_table);
  m_outline->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_outline->verticalHeader()->hide();
  m_outline->horizontalHeader()->setStretchLastSection(true);
  m_outline->setAccessibleName(tr("Network as a table"));
  m_problems = new QListWidget;
  m_problems->setAccessibleName(tr("Problems of the network"));
  m_problems->setWordWrap(true);

  m_bar = new QToolBar;
  buildToolBar();
  m_banner = new QWidget;
  auto* bannerRow = new QHBoxLayout(m_banner);
  bannerRow->setContentsMargins(10, 4, 10, 4);
  auto* bannerText =
      new QLabel(tr("This cluster is typed as levels. Draw it to change single hosts and links."));
  bannerText->setWordWrap(true);
  bannerRow->addWidget(bannerText, 1);
  auto* draw = new QPushButton(tr("Draw this network"));
  bannerRow->addWidget(draw);
  connect(draw, &QPushButton::clicked, this, &NetworkEditor::drawLevels);
  m_strip = new QStackedWidget;
  buildStrip();

  auto* side = new QTabWidget;
  side->setAccessibleName(tr("Parts of the network"));
  side->setDocumentMode(true);
  side->addTab(m_dendrogram, tr("Levels"));
  side->addTab(m_outline, tr("Table"));
  side->addTab(m_problems, tr("Problems"));
  auto* split = new QSplitter;
  split->addWidget(m_canvas);
  split->addWidget(side);
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 1);
  split->setSizes({700, 280});
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_bar);
  column->addWidget(m_banner);
  column->addWidget(split, 1);
  column->addWidget(m_loss);
  column->addWidget(m_strip);

  connect(m_canvas, &NetworkCanvas::edited, this, &NetworkEditor::applyEdit);
  connect(m_canvas, &NetworkCanvas::previewed, this, [this](const NetworkCanvas::GraphEdit& edit) {
    if (!this->services().document || !isDrawn()) return;
    this->services().document->preview(
        [edit](Scenario& s) { edit(std::get<GraphSource>(s.cluster.network).graph); });
  });
  connect(m_canvas, &NetworkCanvas::previewEnded, this, [this] {
    if (this->services().document) this->services().document->cancelPreview();
  });
  connect(m_canvas, &NetworkCanvas::selectionChanged, this, &NetworkEditor::showSelection);
  connect(m_outline->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& row) {
            if (row.isValid()) m_canvas->jumpTo(row.row(), -1);
          });
  const auto jump = [this](QListWidgetItem* item) {
    m_canvas->jumpTo(item->data(Qt::UserRole).toInt(), item->data(Qt::UserRole + 1).toInt());
  };
  connect(m_problems, &QListWidget::itemClicked, this, jump);
  connect(m_problems, &QListWidget::itemActivated, this, [this](QListWidgetItem* item) {
    const auto row = static_cast<std::size_t>(m_problems->row(item));
    if (row < m_canvas->problems().size() && m_canvas->problems()[row].repair)
      applyEdit(QString::fromStdString(m_canvas->problems()[row].repairVerb), {},
                m_canvas->problems()[row].repair);
  });
  connect(m_dendrogram, &DendrogramPane::cutsMoved, this, [this](const std::vector<double>& cuts, bool) {
    if (this->services().document && isDrawn())
      this->services().document->edit(
          QStringLiteral("cluster.cuts"), tr("Move the cuts between levels"),
          [cuts](Scenario& s) { std::get<GraphSource>(s.cluster.network).cuts = cuts; });
  });
  connect(m_dendrogram, &DendrogramPane::cutsReset, this, [this] {
    if (this->services().document && isDrawn())
      this->services().document->edit({}, tr("Cut levels at the largest gaps"), [](Scenario& s) {
        std::get<GraphSource>(s.cluster.network).cuts.clear();
      });
  });
  // What is drawn follows the document at once, also while a drag previews it; the plan follows in its own
  // time.
  if (services.document)
    connect(services.document, &ScenarioDocument::changed, this, [this](ScenarioParts parts, bool) {
      if (parts & ScenarioPart::Cluster) outdate();
    });
}

NetworkEditor::~NetworkEditor() {
  m_router->disconnect(this);
  m_router->stop();
}

const Figure* NetworkEditor::figure() const {
  return m_figure.get();
}

void NetworkEditor::buildFigure() {
  m_figure = std::make_unique<NetworkFigure>(NetworkFigure::Source{
      [this] { return m_canvas->sceneBounds(); },
      [this](QPainter& p, const QRectF& visible, double scale, const Theme& theme) {
        m_canvas->paintFigure(p, visible, scale, theme);
      },
      [this]() -> const NetworkGraph& { return m_canvas->graph(); }, [this] { return m_trafficText; }});
  connect(m_canvas, &NetworkCanvas::menuMade, this, [this](QMenu* menu) {
    menu->addSeparator();
    menu->addAction(tr("Copy as image"), this, &NetworkEditor::copyImage);
    menu->addAction(tr("Copy as text"), this, &NetworkEditor::copyText);
    menu->addAction(tr("Export…"), this, &NetworkEditor::exportFigure);
  });
}

void NetworkEditor::copyImage() {
  auto* content = new QMimeData;
  content->setImageData(imageOf(*m_figure, context()));
  content->setData(QStringLiteral("image/svg+xml"), renderFigure(*m_figure, context(), ExportFormat::Svg));
  QGuiApplication::clipboard()->setMimeData(content);
}

void NetworkEditor::copyText() {
  QGuiApplication::clipboard()->setText(m_figure->asText(context()));
}

void NetworkEditor::exportFigure() {
  ExportDialog dialog(*m_figure, context(), window());
  dialog.exec();
}

/// Routes the plan's bytes over the drawn links, in the background: a large network takes seconds. The
/// newest plan waits until the one before is through.
void NetworkEditor::routeTraffic() {
  const PlanContext& c = context();
  const bool wanted = c.scenario && std::holds_alternative<GraphSource>(c.scenario->cluster.network) &&
                      c.plan && c.current && m_showTraffic->isChecked();
  if (wanted && m_routedFor == contextPtr()) return showTraffic();
  m_routedFor.reset();
  m_trafficText.clear();
  m_canvas->setLoads({}, -1);
  m_routeAgain = m_router->isBusy();
  if (!wanted || m_routeAgain) return;
  m_router->start([this, of = contextPtr()](const Control& control, const BackgroundTask::Deliver& deliver) {
    auto routed = std::make_shared<Reading<RoutedTraffic>>(
        routePlan(std::get<GraphSource>(of->scenario->cluster.network), *of->problem, of->plan->plan, nullptr,
                  control.stop));
    deliver([this, of, routed] {
      if (!*routed || contextPtr() != of) return;
      m_routedFor = of;
      m_routed = std::move(**routed);
      showTraffic();
    });
  });
}

void NetworkEditor::showTraffic() {
  const NetworkGraph& then = std::get<GraphSource>(m_routedFor->scenario->cluster.network).graph;
  const NetworkGraph& now = m_canvas->graph();
  m_trafficText.clear();
  if (then.nodes.size() != now.nodes.size() || then.links.size() != now.links.size()) return;
  m_canvas->setLoads(m_routed.links, m_routed.busiest);
  if (m_routed.busiest >= 0)
    m_trafficText = tr("Most loaded link: %1. It alone takes %2 a batch; the model says %3")
                        .arg(QString::fromStdString(
                                 nameOfLink(now, m_routed.links[static_cast<std::size_t>(m_routed.busiest)])),
                             QString::fromStdString(text::time(m_routed.bound)),
                             QString::fromStdString(text::time(m_routedFor->plan->evaluation.batchTime)));
  if (!m_routed.complete) m_trafficText += tr(" (only part of the traffic was routed)");
  showSelection();
}

bool NetworkEditor::isDrawn() const {
  const ScenarioDocument* d = services().document;
  return d && !d->isEmpty() && std::holds_alternative<GraphSource>(d->scenario().cluster.network);
}

void NetworkEditor::buildToolBar() {
  m_bar->setToolButtonStyle(Qt::ToolButtonTextOnly);
  m_tools = new QActionGroup(this);
  const auto tool = [&](const QString& name, const QString& tip, const QKeySequence& key,
                        NetworkCanvas::Tool t) {
    auto* a = m_bar->addAction(name);
    a->setCheckable(true);
    a->setChecked(t == NetworkCanvas::Tool::Select);
    a->setShortcut(key);
    a->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    a->setToolTip(tip + QStringLiteral(" (") + key.toString(QKeySequence::NativeText) + QLatin1Char(')'));
    a->setData(static_cast<int>(t));
    m_tools->addAction(a);
    addAction(a);
    if (t != NetworkCanvas::Tool::Select) m_editActions.push_back(a);
    connect(a, &QAction::triggered, this, [this, t] { m_canvas->setTool(t); });
  };
  using Tool = NetworkCanvas::Tool;
  tool(tr("Select"), tr("Select and move"), QKeySequence(Qt::Key_V), Tool::Select);
  tool(tr("Connect"), tr("Drag from one node to another to join them"), QKeySequence(Qt::Key_C),
       Tool::Connect);
  tool(tr("Device"), tr("Click where the device is to stand; on a host, it goes into it"),
       QKeySequence(Qt::Key_D), Tool::AddDevice);
  tool(tr("Host"), tr("Click where a host with 8 devices is to stand"), QKeySequence(Qt::Key_H),
       Tool::AddHost);
  tool(tr("Switch"), tr("Click where the switch is to stand"), QKeySequence(Qt::Key_S), Tool::AddSwitch);
  connect(m_canvas, &NetworkCanvas::toolChanged, this, [this] {
    for (QAction* a : m_tools->actions())
      a->setChecked(a->data().toInt() == static_cast<int>(m_canvas->tool()));
  });
  m_bar->addSeparator();
  const auto act = [&](const QString& name, const QString& tip, auto&& f, bool edits = true) {
    auto* a = m_bar->addAction(name);
    a->setToolTip(tip);
    connect(a, &QAction::triggered, this, f);
    if (edits) m_editActions.push_back(a);
    return a;
  };
  act(tr("Duplicate…"), tr("Make more of what is selected, joined to the same switches"), [this] {
    bool ok = false;
    const int total =
        QInputDialog::getInt(this, tr("Duplicate"), tr("How many of it in all?"), 8, 2, 1024, 1, &ok);
    if (ok) m_canvas->duplicateSelected(total - 1);
  });
  auto* alignMenu = new QMenu(this);
  const std::pair<QString, graph::Alignment> ways[] = {
      {tr("Left"), graph::Alignment::Left},
      {tr("Centre horizontally"), graph::Alignment::CentreX},
      {tr("Right"), graph::Alignment::Right},
      {tr("Top"), graph::Alignment::Top},
      {tr("Centre vertically"), graph::Alignment::CentreY},
      {tr("Bottom"), graph::Alignment::Bottom},
      {tr("Distribute horizontally"), graph::Alignment::DistributeX},
      {tr("Distribute vertically"), graph::Alignment::DistributeY}};
  for (const auto& [name, way] : ways)
    connect(alignMenu->addAction(name), &QAction::triggered, this,
            [this, way = way] { m_canvas->alignSelected(way); });
  auto* align = act(tr("Align"), tr("Line up what is selected"), [] {});
  align->setMenu(alignMenu);
  if (auto* button = qobject_cast<QToolButton*>(m_bar->widgetForAction(align)))
    button->setPopupMode(QToolButton::InstantPopup);
  act(tr("Group"), tr("Put the selected devices into a host"), [this] { m_canvas->groupSelected(); });
  act(tr("Fail"), tr("Fail or restore what is selected"), [this] { m_canvas->toggleFailed(); });
  act(tr("Delete"), tr("Delete what is selected (Del)"), [this] { m_canvas->removeSelected(); });
  m_bar->addSeparator();
  act(tr("Lay out"), tr("Place everything anew"), [this] { m_canvas->layOut(); });
  act(
      tr("Generate…"), tr("Start from a fat tree, torus, dragonfly and others"), [this] { openGenerators(); },
      false);
  m_showTraffic = m_bar->addAction(tr("Traffic"));
  m_showTraffic->setCheckable(true);
  m_showTraffic->setToolTip(tr("Route the plan's bytes over the links: the warmer, the longer it is busy"));
  m_showTraffic->setChecked(QSettings().value(QStringLiteral("views/network/traffic"), true).toBool());
  connect(m_showTraffic, &QAction::toggled, this, [this](bool on) {
    QSettings().setValue(QStringLiteral("views/network/traffic"), on);
    routeTraffic();
  });
  act(
      tr("Export…"), tr("Save the network as SVG, PDF or PNG, or copy it"), [this] { exportFigure(); },
      false);
  act(
      tr("Fit"), tr("Show everything (0)"), [this] { m_canvas->fit(); }, false);
}

void NetworkEditor::buildStrip() {
  const auto row = [this] {
    auto* w = new QWidget;
    auto* l = new QHBoxLayout(w);
    l->setContentsMargins(10, 4, 10, 4);
    m_strip->addWidget(w);
    return l;
  };
  const auto labelled = [](QHBoxLayout* to, const QString& name, QWidget* field) {
    auto* label = new QLabel(name);
    label->setBuddy(field);
    to->addWidget(label);
    to->addWidget(field);
  };
  m_selectionLabel = new QLabel;
  row()->addWidget(m_selectionLabel);

  auto* node = row();
  m_name = figureField(tr("Name"), {});
  m_name->setMaximumWidth(200);
  m_speed = figureField(tr("Speed, share of nominal"), tr("1"));
  m_memory = figureField(tr("Memory of this device"), tr("as the cluster's"));
  labelled(node, tr("Name"), m_name);
  labelled(node, tr("Speed"), m_speed);
  labelled(node, tr("Memory"), m_memory);
  node->addStretch(1);
  connect(m_name, &QLineEdit::editingFinished, this, [this] {
    const auto name = m_name->text().trimmed().toStdString();
    if (!m_filling && !name.empty() && m_name->isModified())
      setNodeFigure(tr("Rename to %1").arg(m_name->text()), [name](NetworkNode& n) { n.name = name; });
  });
  connect(m_speed, &QLineEdit::editingFinished, this, [this] {
    if (m_filling || !m_speed->isModified()) return;
    bool ok = false;
    const double v = m_speed->text().toDouble(&ok);
    const bool good = ok && v > 0 && v <= 1;
    mark(m_speed, good, tr("A share of the nominal speed, above 0 and at most 1"));
    if (good)
      setNodeFigure(tr("Set speed to %1").arg(m_speed->text()), [v](NetworkNode& n) {
        if (n.kind == NodeKind::Device) n.speed = v;
      });
  });
  connect(m_memory, &QLineEdit::editingFinished, this, [this] {
    if (m_filling || !m_memory->isModified()) return;
    const auto v = m_memory->text().trimmed().isEmpty() ? std::optional(Bytes(0))
                                                        : text::readMemory(m_memory->text().toStdString());
    mark(m_memory, v.has_value(), tr("For example 80 GiB; empty for the cluster's device"));
    if (v)
      setNodeFigure(tr("Set memory to %1").arg(m_memory->text()), [v](NetworkNode& n) {
        if (n.kind == NodeKind::Device) n.memory = *v;
      });
  });

  auto* link = row();
  m_bandwidth = figureField(tr("Bandwidth of one link, one way"), tr("50 GB/s"));
  m_latency = figureField(tr("Latency"), tr("2 µs"));
  m_count = new QSpinBox;
  m_count->setRange(1, 65536);
  m_count->setAccessibleName(tr("Parallel links"));
  m_count->setKeyboardTracking(false);
  labelled(link, tr("Bandwidth"), m_bandwidth);
  labelled(link, tr("Latency"), m_latency);
  labelled(link, tr("Links"), m_count);
  link->addStretch(1);
  connect(m_bandwidth, &QLineEdit::editingFinished, this, [this] {
    if (m_filling || !m_bandwidth->isModified()) return;
    const auto v = text::readBandwidth(m_bandwidth->text().toStdString());
    const bool good = v && v->value.value() > 0;
    mark(m_bandwidth, good, tr("A positive bandwidth, for example 50 GB/s or 400 Gb/s"));
    if (good)
      m_canvas->setLinkDefaults(v->value, Seconds(2e-6)),
          setLinkFigure(tr("Set a link to %1").arg(m_bandwidth->text()),
                        [v](NetworkLink& l) { l.bandwidth = v->value, l.origin = Origin::Typed; });
  });
  connect(m_latency, &QLineEdit::editingFinished, this, [this] {
    if (m_filling || !m_latency->isModified()) return;
    const auto v = text::readTime(m_latency->text().toStdString());
    mark(m_latency, v.has_value(), tr("A time, for example 2 µs"));
    if (v)
      setLinkFigure(tr("Set latency to %1").arg(m_latency->text()), [v](NetworkLink& l) { l.latency = *v; });
  });
  connect(m_count, &QSpinBox::valueChanged, this, [this](int v) {
    if (!m_filling)
      setLinkFigure(tr("Set %n parallel link(s)", nullptr, v), [v](NetworkLink& l) { l.count = v; });
  });
}

void NetworkEditor::setNodeFigure(const QString& verb, const std::function<void(NetworkNode&)>& set) {
  applyEdit(verb, {},
            [nodes = graph::withContents(m_canvas->graph(), m_canvas->selectedNodes()),
             single = m_canvas->selectedNodes(), set](NetworkGraph& g) {
              // A name goes to the one node that is selected, figures to the devices inside a host as well.
              NetworkNode probe;
              set(probe);
              for (int n : probe.name.empty() ? nodes : single) set(g.nodes[static_cast<std::size_t>(n)]);
            });
}

void NetworkEditor::setLinkFigure(const QString& verb, const std::function<void(NetworkLink&)>& set) {
  applyEdit(verb, {}, [links = m_canvas->selectedLinks(), set](NetworkGraph& g) {
    for (int l : links) set(g.links[static_cast<std::size_t>(l)]);
  });
}

void NetworkEditor::applyEdit(const QString& verb, const QString& field,
                              const NetworkCanvas::GraphEdit& edit) {
  if (!services().document || !isDrawn()) return;
  services().document->edit(field, verb,
                            [edit](Scenario& s) { edit(std::get<GraphSource>(s.cluster.network).graph); });
}

void NetworkEditor::drawLevels() {
  if (!services().document || services().document->isEmpty() || isDrawn()) return;
  services().document->edit({}, tr("Draw the network"), [](Scenario& s) {
    GraphSource drawn;
    drawn.graph = graph::fromLevels(std::get<LevelsSource>(s.cluster.network));
    s.cluster.network = std::move(drawn);
  });
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

void NetworkEditor::refresh() {
  const ScenarioDocument* document = services().document;
  const Scenario* scenario =
      document && !document->isEmpty() ? &document->scenario() : context().scenario.get();
  m_canvas->setTheme(theme());
  m_dendrogram->setTheme(theme());
  const bool drawn = isDrawn();
  NetworkGraph network;
  if (scenario) {
    if (const auto* g = std::get_if<GraphSource>(&scenario->cluster.network))
      network = g->graph;
    else
      network = graph::fromLevels(std::get<LevelsSource>(scenario->cluster.network));
  }
  m_banner->setVisible(scenario && !drawn);
  for (QAction* a : m_editActions) a->setEnabled(drawn);

  // Stages are painted on where the plan belongs to this network.
  std::vector<int> stage;
  const Plan* plan = context().shownPlan();
  if (plan && context().problem && context().current) {
    std::vector<int> nodeOf;
    for (std::size_t i = 0; i < network.nodes.size(); ++i)
      if (network.nodes[i].kind == NodeKind::Device && !network.nodes[i].failed)
        nodeOf.push_back(static_cast<int>(i));
    stage.assign(network.nodes.size(), -1);
    const Placement placement(*plan);
    for (int s = 0; s < plan->stageCount(); ++s)
      for (int r = 0; r < placement.replicas(); ++r)
        for (int k = 0; k < placement.ranks(s); ++k) {
          const int source = context().problem->cluster->identity(placement.device(s, r, k)).source;
          if (static_cast<std::size_t>(source) < nodeOf.size())
            stage[static_cast<std::size_t>(nodeOf[static_cast<std::size_t>(source)])] = s;
        }
  }
  m_canvas->setGraph(network, std::move(stage), drawn);
  m_table->setGraph(network);
  m_outline->resizeColumnsToContents();
  showDerived();
  m_loss->setContext(contextPtr());
  routeTraffic();
}

void NetworkEditor::showDerived() {
  m_problems->clear();
  for (const auto& p : m_canvas->problems()) {
    QString s = QString::fromStdString(p.diagnostic.message);
    if (!p.diagnostic.remedy.empty()) s += QStringLiteral("; ") + QString::fromStdString(p.diagnostic.remedy);
    if (p.repair) s += tr(" — press Enter: %1").arg(QString::fromStdString(p.repairVerb));
    auto* item = new QListWidgetItem(s, m_problems);
    item->setData(Qt::UserRole, p.node);
    item->setData(Qt::UserRole + 1, p.link);
  }
  if (m_canvas->problems().empty())
    (new QListWidgetItem(tr("No problems"), m_problems))->setFlags(Qt::NoItemFlags);

  m_dendrogram->setEditable(isDrawn());
  const ScenarioDocument* document = services().document;
  if (!isDrawn())
    return m_dendrogram->setAbstraction(std::nullopt,
                                        tr("The levels are typed. Draw the network to derive them from it."));
  const auto& cluster = document->scenario().cluster;
  auto levels = abstractLevels(std::get<GraphSource>(cluster.network), cluster.device);
  QString why;
  for (const auto& d : levels.diagnostics)
    if (d.severity == Severity::Error) why += QString::fromStdString(d.message) + QLatin1Char('\n');
  m_dendrogram->setAbstraction(std::move(levels.value), why);
}

void NetworkEditor::showSelection() {
  m_filling = true;
  const auto nodes = m_canvas->selectedNodes(), links = m_canvas->selectedLinks();
  const bool drawn = isDrawn();
  if (!nodes.empty() && drawn) {
    const NetworkNode& n = m_canvas->graph().nodes[static_cast<std::size_t>(nodes.front())];
    m_name->setEnabled(nodes.size() == 1);
    m_name->setText(nodes.size() == 1 ? QString::fromStdString(n.name) : tr("%1 nodes").arg(nodes.size()));
    m_speed->setText(QString::fromStdString(text::exact(n.speed)));
    m_memory->setText(n.memory.value() > 0 ? QString::fromStdString(text::memory(n.memory)) : QString());
    m_strip->setCurrentIndex(1);
  } else if (!links.empty() && drawn) {
    const NetworkLink& l = m_canvas->graph().links[static_cast<std::size_t>(links.front())];
    m_bandwidth->setText(QString::fromStdString(text::bandwidth(l.bandwidth)));
    m_latency->setText(QString::fromStdString(text::time(l.latency)));
    m_count->setValue(l.count);
    m_strip->setCurrentIndex(2);
  } else {
    const auto& g = m_canvas->graph();
    m_selectionLabel->setText(
        g.nodes.empty()
            ? tr("Nothing drawn")
            : tr("%1 devices, %2 nodes, %3 links")
                  .arg(QString::fromStdString(text::count(g.deviceCount())),
                       QString::fromStdString(text::count(static_cast<long long>(g.nodes.size()))),
                       QString::fromStdString(text::count(static_cast<long long>(g.links.size())))));
    if (!m_trafficText.isEmpty())
      m_selectionLabel->setText(m_selectionLabel->text() + QStringLiteral(" · ") + m_trafficText);
    m_strip->setCurrentIndex(0);
  }
  m_filling = false;
}

}  // namespace nest
