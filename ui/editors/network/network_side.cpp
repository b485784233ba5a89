#include "editors/network/network_side.h"

#include <QHeaderView>
#include <QTableView>
#include <QTimer>

#include "editors/network/dendrogram_pane.h"
#include "editors/network/kind_table_model.h"
#include "editors/network/node_table_model.h"
#include "panes/issue_model.h"
#include "panes/issue_view.h"

namespace nest {
namespace {
enum Tab { Levels, Kinds, Nodes, Problems, TabCount };
constexpr std::size_t kLarge = 4000;  ///< nodes
constexpr int kPause = 250;           ///< ms
}  // namespace

NetworkSide::NetworkSide(NetworkCanvas* canvas, QWidget* parent)
    : QTabWidget(parent),
      m_canvas(canvas),
      m_levels(new DendrogramPane),
      m_kindModel(new KindTableModel(this)),
      m_nodeModel(new NodeTableModel(this)),
      m_kinds(table(tr("Kinds of devices, hosts, switches and links"))),
      m_nodes(table(tr("Network as a table"))),
      m_problemModel(new IssueModel(this)),
      m_problems(new IssueView),
      m_pause(new QTimer(this)),
      m_stale(TabCount, 1) {
  setAccessibleName(tr("Parts of the network"));
  setDocumentMode(true);
  m_kinds->setModel(m_kindModel);
  m_nodes->setModel(m_nodeModel);
  m_problems->setAccessibleName(tr("Problems of the network"));
  m_problems->setModel(m_problemModel);
  m_problems->setWordWrap(true);
  for (int column : {IssueModel::Remedy, IssueModel::Where}) m_problems->setColumnHidden(column, true);
  m_problems->horizontalHeader()->setSectionResizeMode(IssueModel::Message, QHeaderView::Stretch);
  m_problems->horizontalHeader()->setSectionResizeMode(IssueModel::Repair, QHeaderView::ResizeToContents);
  addTab(m_levels, tr("Levels"));
  addTab(m_kinds, tr("Kinds"));
  addTab(m_nodes, tr("Table"));
  addTab(m_problems, tr("Problems"));
  m_pause->setSingleShot(true);
  m_pause->setInterval(kPause);
  connect(m_pause, &QTimer::timeout, this, &NetworkSide::refreshLevels);
  connect(this, &QTabWidget::currentChanged, this, &NetworkSide::refreshCurrent);
  connect(m_kindModel, &KindTableModel::edited, this, &NetworkSide::edited);
  connect(m_kindModel, &KindTableModel::bandwidthTyped, m_canvas, &NetworkCanvas::rememberUnit);
  connect(m_kinds->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& row) {
            if (!row.isValid()) return;
            const graph::Kind& k = m_kindModel->kind(row.row());
            k.of == graph::Kind::Of::Link ? m_canvas->select({}, k.members) : m_canvas->select(k.members, {});
          });
  connect(m_nodes->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& row) {
            if (row.isValid() && !m_following) m_canvas->jumpTo(row.row(), -1);
          });
  connect(m_problems->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& row) {
            if (row.isValid())
              m_canvas->jumpTo(row.data(IssueModel::kNodeRole).toInt(),
                               row.data(IssueModel::kLinkRole).toInt());
          });
  connect(m_problems, &IssueView::repairRequested, this, [this](const QModelIndex& row) {
    const graph::Problem* known = m_problemModel->repairOf(row);
    if (!known) return;
    const graph::Problem problem = *known;  // the model forgets it while it is repaired
    Q_EMIT edited(QString::fromStdString(problem.repairVerb), {}, problem.repair);
  });
  connect(m_levels, &DendrogramPane::cutsMoved, this, &NetworkSide::cutsMoved);
  connect(m_levels, &DendrogramPane::cutsReset, this, &NetworkSide::cutsReset);
}

QTableView* NetworkSide::table(const QString& name) {
  auto* view = new QTableView;
  view->setSelectionBehavior(QAbstractItemView::SelectRows);
  view->setSelectionMode(QAbstractItemView::SingleSelection);
  view->setTabKeyNavigation(false);
  view->verticalHeader()->hide();
  view->horizontalHeader()->setStretchLastSection(true);
  view->horizontalHeader()->setResizeContentsPrecision(50);  // thousands of rows
  view->setAccessibleName(name);
  return view;
}

void NetworkSide::show(const GraphSource* source, const DeviceSpec& device, const Theme& theme) {
  m_levels->setTheme(theme);
  const bool same = source && m_source && m_device == device && m_source->cuts == source->cuts &&
                    graph::differOnlyInPlace(m_source->graph, source->graph);
  if (same) return;
  m_source = source ? std::optional(*source) : std::nullopt;
  m_device = device;
  std::fill(m_stale.begin(), m_stale.end(), 1);
  const auto problems = m_canvas->scene().problems().size();
  setTabText(Problems, problems == 0 ? tr("Problems") : tr("Problems (%1)").arg(problems));
  refreshCurrent();
}

void NetworkSide::refreshCurrent() {
  if (currentIndex() < 0 || !std::exchange(m_stale[currentIndex()], 0)) return;
  switch (currentIndex()) {
    case Levels:
      // Tenths of a second for tens of thousands of devices: in the next pause, not in the hand's way.
      return m_source && m_source->graph.nodes.size() > kLarge ? m_pause->start() : refreshLevels();
    case Kinds:
      m_kindModel->setGraph(m_canvas->graph(), m_source.has_value(), m_canvas->scene().typedInBits());
      return m_kinds->resizeColumnsToContents();
    case Nodes:
      m_nodeModel->setGraph(m_canvas->graph());
      m_nodes->resizeColumnsToContents();
      return followSelection();
    default:
      return refreshProblems();
  }
}

void NetworkSide::refreshLevels() {
  m_levels->setEditable(m_source.has_value());
  if (!m_source)
    return m_levels->setAbstraction(
        std::nullopt, tr("The levels are entered directly. Draw the network to derive them from it."));
  if (m_source->graph.nodes.empty())
    return m_levels->setAbstraction(std::nullopt, tr("The levels appear here as you draw."));
  auto levels = abstractLevels(*m_source, m_device);
  QString why;
  for (const auto& d : levels.diagnostics)
    if (d.severity == Severity::Error) why += QString::fromStdString(d.message) + QLatin1Char('\n');
  m_levels->setAbstraction(std::move(levels.value), why);
}

void NetworkSide::refreshProblems() {
  m_problemModel->setNetwork(m_source ? &m_source->graph : nullptr);
}

void NetworkSide::followSelection() {
  const auto nodes = m_canvas->selectedNodes();
  if (currentIndex() != Nodes || nodes.empty() || nodes.front() >= m_nodeModel->rowCount()) return;
  if (m_nodes->currentIndex().row() == nodes.front()) return;
  m_following = true;
  m_nodes->setCurrentIndex(m_nodeModel->index(nodes.front(), 0));
  m_following = false;
}

}  // namespace nest
