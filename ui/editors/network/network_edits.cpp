// The edits of the canvas: each a pure function of the graph with a verb, for the document to apply.
#include <QClipboard>
#include <QCursor>
#include <QGuiApplication>
#include <algorithm>
#include <cmath>

#include "editors/network/network_canvas.h"
#include "editors/network/network_clipboard.h"
#include "figures/paint/phrases.h"

namespace nest {

void NetworkCanvas::addAt(const QPointF& scene) {
  const QPointF at(snapped(scene.x()), snapped(scene.y()));
  m_userMoved = true;  // what one draws stays under the hand
  const Tool tool = m_tool;
  if (tool == Tool::AddHost) {
    editAndSelect(tr("Add a host with 8 devices"), [at](NetworkGraph& g) {
      const int host = graph::addNode(g, NodeKind::Host, at.x(), at.y(), "host1");
      const std::string id = g.nodes[host].id;
      for (int k = 0; k < 8; ++k) {
        const double x = at.x() + (k % 4 - 1.5) * (graph::kDeviceWidth + graph::kGap);
        const double y = at.y() + (k / 4 - 0.5) * (graph::kDeviceHeight + graph::kGap);
        const int d = graph::addNode(g, NodeKind::Device, x, y, id + ":" + std::to_string(k));
        g.nodes[d].host = id;
      }
    });
  } else {
    const NodeKind kind = tool == Tool::AddDevice ? NodeKind::Device : NodeKind::Switch;
    // A device dropped on a host goes into it.
    const int under = m_scene.nodeAt(scene);
    std::string host;
    if (kind == NodeKind::Device && under >= 0) {
      const NetworkNode& n = m_scene.graph().nodes[under];
      host = n.kind == NodeKind::Host ? n.id : n.host;
    }
    editAndSelect(kind == NodeKind::Device ? tr("Add a device") : tr("Add a switch"),
                  [at, kind, host](NetworkGraph& g) {
                    const int n = graph::addNode(g, kind, at.x(), at.y());
                    g.nodes[n].host = host;
                  });
  }
}

void NetworkCanvas::editAndSelect(const QString& verb, const GraphEdit& edit) {
  const std::size_t before = m_scene.graph().nodes.size();
  Q_EMIT edited(verb, {}, edit);
  std::vector<int> made;
  QRectF there;
  for (std::size_t i = before; i < m_scene.graph().nodes.size(); ++i) {
    const NetworkNode& n = m_scene.graph().nodes[i];
    there |= m_scene.box(m_scene.shownAs(static_cast<int>(i)));
    const bool comesWithHost = std::any_of(made.begin(), made.end(), [&](int host) {
      return !n.host.empty() && m_scene.node(host).id == n.host;
    });
    if (!comesWithHost) made.push_back(static_cast<int>(i));
  }
  if (made.empty()) return;
  select(made, {});
  Q_EMIT selectedByHand();
  if (!QRectF(toScene(QPointF(0, 0)), toScene(QPointF(width(), height()))).contains(there)) fit();
}

/// "host3", "12 nodes", "the link host3 – leaf 0", "4 links".
QString NetworkCanvas::selectedName() const {
  if (m_marks.nodes.size() == 1) return m_scene.nameOf(*m_marks.nodes.begin());
  if (!m_marks.nodes.isEmpty()) return plural(m_marks.nodes.size(), QStringLiteral("node"));
  const auto links = selectedLinks();
  if (links.size() != 1) return plural(static_cast<long long>(links.size()), QStringLiteral("link"));
  const NetworkLink& l = m_scene.link(links.front());
  return tr("the link %1 – %2").arg(m_scene.nameOf(l.from), m_scene.nameOf(l.to));
}

void NetworkCanvas::removeSelected() {
  if (!m_editable || (m_marks.nodes.isEmpty() && m_marks.links.isEmpty())) return;
  const QString verb = tr("Delete %1").arg(selectedName());
  const auto nodes = selectedNodes(), links = selectedLinks();
  m_marks.nodes.clear(), m_marks.links.clear();
  Q_EMIT edited(verb, {}, [nodes, links](NetworkGraph& g) { graph::remove(g, nodes, links); });
}

void NetworkCanvas::duplicateSelected(int copies) {
  if (!m_editable || m_marks.nodes.isEmpty() || copies < 1) return;
  QRectF all;
  for (int n : std::as_const(m_marks.nodes)) all |= m_scene.box(m_scene.shownAs(n));
  const double step = std::ceil((all.width() + 2 * graph::kGap) / kGrid) * kGrid;
  const double row = std::ceil((all.height() + 3 * graph::kGap) / kGrid) * kGrid;
  editAndSelect(copies == 1 ? tr("Duplicate %1").arg(selectedName())
                            : tr("Make ×%1 of %2").arg(copies + 1).arg(selectedName()),
                [nodes = selectedNodes(), copies, step, row](NetworkGraph& g) {
                  graph::duplicate(g, nodes, copies, step, row);
                });
}

void NetworkCanvas::copySelected() const {
  if (m_marks.nodes.isEmpty()) return;
  QGuiApplication::clipboard()->setText(networkToClipboard(graph::extract(m_scene.graph(), selectedNodes())));
}

void NetworkCanvas::paste() {
  if (!m_editable) return;
  const auto piece = networkFromClipboard(QGuiApplication::clipboard()->text());
  if (!piece) return;
  const QPointF at = rect().contains(mapFromGlobal(QCursor::pos())) ? toScene(mapFromGlobal(QCursor::pos()))
                                                                    : toScene(QPointF(width(), height()) / 2);
  editAndSelect(
      tr("Paste %1").arg(plural(static_cast<long long>(piece->nodes.size()), QStringLiteral("node"))),
      [piece = *piece, x = snapped(at.x()), y = snapped(at.y())](NetworkGraph& g) {
        graph::paste(g, piece, x, y);
      });
}

void NetworkCanvas::groupSelected() {
  if (m_editable && !m_marks.nodes.isEmpty())
    Q_EMIT edited(tr("Group into a host"), {},
                  [nodes = selectedNodes()](NetworkGraph& g) { graph::groupIntoHost(g, nodes); });
}

void NetworkCanvas::alignSelected(graph::Alignment how) {
  if (m_editable && m_marks.nodes.size() > 1)
    Q_EMIT edited(tr("Align %1").arg(selectedName()), {},
                  [nodes = selectedNodes(), how](NetworkGraph& g) { graph::align(g, nodes, how); });
}

bool NetworkCanvas::isSelectionFailed() const {
  return m_marks.nodes.isEmpty() ? m_scene.link(*m_marks.links.begin()).failed
                                 : m_scene.node(selectedNodes().front()).failed;
}

void NetworkCanvas::toggleFailed() {
  if (!m_editable || (m_marks.nodes.isEmpty() && m_marks.links.isEmpty())) return;
  const bool failing = !isSelectionFailed();
  const QString what = selectedName();
  Q_EMIT edited(failing ? tr("Fail %1").arg(what) : tr("Restore %1").arg(what), {},
                [nodes = graph::withContents(m_scene.graph(), selectedNodes()), links = selectedLinks(),
                 failing](NetworkGraph& g) {
                  for (int n : nodes) g.nodes[n].failed = failing;
                  for (int l : links) g.links[l].failed = failing;
                });
}

void NetworkCanvas::layOut() {
  if (!m_editable) return;
  m_userMoved = false;
  Q_EMIT edited(tr("Lay out the network"), {}, [](NetworkGraph& g) { graph::layOut(g); });
}

}  // namespace nest
