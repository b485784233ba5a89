// The edits of the canvas: each a pure function of the graph with a verb, for the document to apply.
#include <QClipboard>
#include <QCursor>
#include <QGuiApplication>
#include <QLineF>
#include <algorithm>
#include <cmath>

#include "editors/network/network_canvas.h"
#include "editors/network/network_clipboard.h"
#include "figures/paint/phrases.h"

namespace nest {

namespace {

constexpr double kCopyAspect = 1.6;   ///< of a block of copies: width by height, as of a laid out one
constexpr int kLeastCopiesInRow = 8;  ///< of hosts and devices

/// From one copy to the next.
double pitchOf(double extent) {
  return std::ceil((extent + 2 * graph::kGap) / NetworkCanvas::kGrid) * NetworkCanvas::kGrid;
}

/// How many stand in a row, so that hundreds make a block and no line.
int columnsOfCopies(int total, const QSizeF& one, bool joins) {
  const double square = std::sqrt(total * kCopyAspect * pitchOf(one.height()) / pitchOf(one.width()));
  const int columns = static_cast<int>(std::ceil(square - 1e-9));
  return std::max(joins ? 2 : kLeastCopiesInRow, columns);
}

}  // namespace

QSizeF NetworkCanvas::sizeOf(Tool tool) const {
  using namespace graph;
  if (tool == Tool::AddHost)
    return {4 * kDeviceWidth + 3 * kGap + 2 * kHostPadding,
            2 * kDeviceHeight + kGap + 2 * kHostPadding + kHostHeader};
  return tool == Tool::AddSwitch ? QSizeF(2 * kDeviceWidth, kDeviceHeight)
                                 : QSizeF(kDeviceWidth, kDeviceHeight);
}

/// Beside what is there already: aligned with the nearest box, or the nearest free place of the grid.
QPointF NetworkCanvas::freePlace(const QPointF& wanted, const QSizeF& size) const {
  const QPointF start(snapped(wanted.x()), snapped(wanted.y()));
  const auto boxAt = [&](const QPointF& at) {
    QRectF box({0, 0}, size);
    box.moveCenter(at);
    return box.adjusted(-graph::kGap, -graph::kGap, graph::kGap, graph::kGap);
  };
  const auto isFree = [&](const QPointF& at) {
    const QRectF box = boxAt(at);
    const std::vector<int> near = m_scene.nodesIn(box);
    return std::none_of(near.begin(), near.end(), [&](int n) { return m_scene.box(n).intersects(box); });
  };
  if (isFree(start)) return start;
  std::vector<QPointF> sides;
  for (int n : m_scene.nodesIn(boxAt(start))) {
    const QRectF b = m_scene.box(n);
    if (m_scene.node(n).kind == NodeKind::Device && !m_scene.node(n).host.empty())
      continue;  // its host is there
    const double dx = std::ceil((b.width() + size.width()) / 2 + graph::kGap);
    const double dy = std::ceil((b.height() + size.height()) / 2 + graph::kGap);
    const QPointF c = b.center();
    sides.insert(sides.end(),
                 {{c.x() + dx, c.y()}, {c.x() - dx, c.y()}, {c.x(), c.y() + dy}, {c.x(), c.y() - dy}});
  }
  std::stable_sort(sides.begin(), sides.end(), [&](const QPointF& a, const QPointF& b) {
    return QLineF(a, wanted).length() < QLineF(b, wanted).length();
  });
  for (const QPointF& side : sides)
    if (isFree(side)) return side;
  constexpr int kMostRings = 200;
  for (int ring = 1; ring <= kMostRings; ++ring)
    for (int k = -ring; k <= ring; ++k)
      for (const QPointF& off : {QPointF(ring, k), QPointF(-ring, k), QPointF(k, ring), QPointF(k, -ring)})
        if (isFree(start + off * kGrid)) return start + off * kGrid;
  return start;
}

void NetworkCanvas::addAt(const QPointF& scene) {
  m_userMoved = true;  // what one draws stays under the hand
  const Tool tool = m_tool;
  const QSizeF size = sizeOf(tool);
  const int copies = stamped() - 1;
  const int columns = columnsOfCopies(copies + 1, size, tool == Tool::AddSwitch);
  const auto repeat = [copies, columns, size](NetworkGraph& g, int node) {
    if (copies > 0)
      graph::duplicate(g, {node}, copies, pitchOf(size.width()), pitchOf(size.height()), columns);
  };
  if (tool == Tool::AddHost) {
    const QPointF at = freePlace(scene, size);
    const QString verb = copies > 0 ? tr("Add %1 hosts with 8 devices each").arg(countText(copies + 1))
                                    : tr("Add a host with 8 devices");
    editAndSelect(verb, [at, repeat](NetworkGraph& g) {
      const int host = graph::addNode(g, NodeKind::Host, at.x(), at.y(), "host0");
      const std::string id = g.nodes[host].id;
      for (int k = 0; k < 8; ++k) {
        const double x = at.x() + (k % 4 - 1.5) * (graph::kDeviceWidth + graph::kGap);
        const double y = at.y() + (k / 4 - 0.5) * (graph::kDeviceHeight + graph::kGap);
        const int d = graph::addNode(g, NodeKind::Device, x, y, id + ":" + std::to_string(k));
        g.nodes[d].host = id;
      }
      repeat(g, host);
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
    const QPointF at =
        host.empty() ? freePlace(scene, size) : QPointF(snapped(scene.x()), snapped(scene.y()));
    const bool device = kind == NodeKind::Device;
    const QString verb =
        copies > 0 ? (device ? tr("Add %1 devices") : tr("Add %1 switches")).arg(countText(copies + 1))
        : device   ? tr("Add a device")
                   : tr("Add a switch");
    editAndSelect(verb, [at, kind, host, device, repeat](NetworkGraph& g) {
      const int n = graph::addNode(g, kind, at.x(), at.y(), device ? "device 0" : "switch 0");
      g.nodes[n].host = host;
      repeat(g, n);
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
  if (QRectF(toScene(QPointF(0, 0)), toScene(QPointF(width(), height()))).contains(there)) return;
  const ViewBefore view{m_scale, m_offset, m_userMoved, m_scene.node(made.front()).id};
  fit();
  m_viewBefore = view;
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
  // Still selected while it goes: undo brings it back selected.
  Q_EMIT edited(verb, {}, [nodes, links](NetworkGraph& g) { graph::remove(g, nodes, links); });
  m_marks.nodes.clear(), m_marks.links.clear();
}

void NetworkCanvas::duplicateSelected(int copies) {
  if (!m_editable || m_marks.nodes.isEmpty() || copies < 1) return;
  QRectF all;
  for (int n : std::as_const(m_marks.nodes)) all |= m_scene.box(m_scene.shownAs(n));
  const auto isInside = [&](int n) {  // a device of a host that is copied
    const NetworkNode& node = m_scene.node(n);
    return !node.host.empty() && std::any_of(m_marks.nodes.begin(), m_marks.nodes.end(),
                                             [&](int host) { return m_scene.node(host).id == node.host; });
  };
  const double step = pitchOf(all.width()), row = pitchOf(all.height() + graph::kGap);
  const bool joins = std::any_of(m_marks.nodes.begin(), m_marks.nodes.end(),
                                 [&](int n) { return m_scene.node(n).kind == NodeKind::Switch; });
  const int columns = columnsOfCopies(copies + 1, all.size(), joins);
  // What stands in the way of the copies is not covered by them: then they begin below everything.
  QPointF away(0, 0);
  for (int c = 1; c <= copies && away.isNull(); ++c) {
    const QRectF one = all.translated(step * (c % columns), row * (c / columns));
    for (int n : m_scene.nodesIn(one))
      if (!m_marks.nodes.contains(n) && m_scene.box(n).intersects(one) && !isInside(n))
        away = QPointF(0, m_scene.bounds().bottom() + 3 * graph::kGap - all.top());
  }
  away.setY(snapped(away.y()));
  editAndSelect(copies == 1 ? tr("Duplicate %1").arg(selectedName())
                            : tr("Make ×%1 of %2").arg(copies + 1).arg(selectedName()),
                [nodes = selectedNodes(), copies, step, row, columns, away](NetworkGraph& g) {
                  const std::vector<int> made = graph::duplicate(g, nodes, copies, step, row, columns);
                  if (away.isNull()) return;
                  // A block of its own: the places of the originals in it are free.
                  for (std::size_t k = 0, each = made.size() / static_cast<std::size_t>(copies);
                       k < made.size(); ++k) {
                    const int was = static_cast<int>(k / each) + 1, is = was - 1;
                    NetworkNode& n = g.nodes[static_cast<std::size_t>(made[k])];
                    n.x += step * (is % columns - was % columns);
                    n.y += row * (is / columns - was / columns) + away.y();
                  }
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
