#include "editors/network/network_canvas.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "figures/phrases.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr double kLeastScale = 0.004, kMostScale = 6;

double distanceToSegment(const QPointF& p, const QPointF& a, const QPointF& b) {
  const QPointF d = b - a;
  const double length = QPointF::dotProduct(d, d);
  const double t = length > 0 ? std::clamp(QPointF::dotProduct(p - a, d) / length, 0.0, 1.0) : 0;
  const QPointF q = p - (a + d * t);
  return std::hypot(q.x(), q.y());
}

}  // namespace

NetworkCanvas::NetworkCanvas(QWidget* parent) : QWidget(parent), m_theme(&Theme::of(Theme::Kind::Light)) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setMinimumSize(240, 180);
  setAccessibleName(tr("Network canvas"));
  setAccessibleDescription(
      tr("Arrow keys walk from node to node, Ctrl+arrows move what is selected, Delete removes it"));
}

void NetworkCanvas::setGraph(const NetworkGraph& graph, std::vector<int> stageOfNode, bool editable) {
  QSet<QString> kept;
  for (int n : std::as_const(m_nodes))
    kept.insert(QString::fromStdString(m_graph.nodes[static_cast<std::size_t>(n)].id));
  const bool sameLinks = graph.links.size() == m_graph.links.size();
  const bool wasEmpty = m_graph.nodes.empty();
  m_graph = graph;
  m_stage = std::move(stageOfNode);
  m_editable = editable;
  m_nodes.clear();
  for (std::size_t i = 0; i < m_graph.nodes.size() && !kept.isEmpty(); ++i)
    if (kept.contains(QString::fromStdString(m_graph.nodes[i].id))) m_nodes.insert(static_cast<int>(i));
  if (!sameLinks) m_links.clear();
  m_hoverNode = m_hoverLink = -1;
  rebuild();
  if (wasEmpty || !m_userMoved) fit();
  update();
  Q_EMIT selectionChanged();
}

void NetworkCanvas::rebuild() {
  if (graph::needsLayout(m_graph)) graph::layOut(m_graph);
  m_contents = graph::hostContents(m_graph);
  m_boxes.resize(m_graph.nodes.size());
  for (std::size_t i = 0; i < m_boxes.size(); ++i) {
    const graph::Box b = graph::boxOf(m_graph, static_cast<int>(i), m_contents);
    m_boxes[i] = QRectF(b.x, b.y, b.width, b.height);
  }
  m_problems = graph::problemsOf(m_graph);
  // Loads belong to the network that they were routed on.
  m_loads.clear();
  m_busiest = -1;
  matchLoads();
}

void NetworkCanvas::setLoads(std::vector<LinkLoad> loads, int busiest) {
  m_loads = std::move(loads);
  m_busiest = busiest;
  matchLoads();
  update();
}

void NetworkCanvas::matchLoads() {
  m_loadOf.assign(m_graph.links.size(), -1);
  if (m_loads.empty()) return;
  std::map<std::pair<int, int>, int> byPair;
  for (std::size_t i = 0; i < m_loads.size(); ++i)
    byPair[std::minmax(m_loads[i].a, m_loads[i].b)] = static_cast<int>(i);
  for (std::size_t l = 0; l < m_graph.links.size(); ++l)
    if (const auto it = byPair.find(std::minmax(m_graph.links[l].from, m_graph.links[l].to));
        it != byPair.end())
      m_loadOf[l] = it->second;
}

void NetworkCanvas::paintFigure(QPainter& p, const QRectF& visible, double scale, const Theme& theme) {
  const Theme* shown = std::exchange(m_theme, &theme);
  const auto nodes = std::exchange(m_nodes, {}), links = std::exchange(m_links, {});
  const int node = std::exchange(m_hoverNode, -1), link = std::exchange(m_hoverLink, -1);
  paintScene(p, visible, scale);
  m_theme = shown, m_nodes = nodes, m_links = links, m_hoverNode = node, m_hoverLink = link;
}

void NetworkCanvas::setTheme(const Theme& theme) {
  m_theme = &theme;
  update();
}

void NetworkCanvas::setTool(Tool tool) {
  m_tool = tool;
  setCursor(tool == Tool::Select ? Qt::ArrowCursor : Qt::CrossCursor);
  Q_EMIT toolChanged();
}

void NetworkCanvas::select(std::vector<int> nodes, std::vector<int> links) {
  m_nodes = QSet<int>(nodes.begin(), nodes.end());
  m_links = QSet<int>(links.begin(), links.end());
  update();
  Q_EMIT selectionChanged();
}

void NetworkCanvas::jumpTo(int node, int link) {
  select(node >= 0 ? std::vector<int>{node} : std::vector<int>{},
         link >= 0 ? std::vector<int>{link} : std::vector<int>{});
  QPointF at;
  if (node >= 0) {
    at = centre(node);
  } else if (link >= 0) {
    const NetworkLink& l = m_graph.links[static_cast<std::size_t>(link)];
    at = (centre(l.from) + centre(l.to)) / 2;
  } else {
    return;
  }
  m_scale = std::max(m_scale, 0.8);
  m_offset = QPointF(width(), height()) / 2 - at * m_scale;
  m_userMoved = true;
  update();
}

void NetworkCanvas::fit() {
  const QRectF all = sceneBounds().adjusted(-30, -30, 30, 30);
  m_scale = std::clamp(std::min(width() / all.width(), height() / all.height()), kLeastScale, 1.4);
  m_offset = QPointF(width(), height()) / 2 - all.center() * m_scale;
  m_userMoved = false;
  update();
}

void NetworkCanvas::fitSelection() {
  QRectF all;
  for (int n : std::as_const(m_nodes)) all |= box(n);
  if (all.isEmpty()) return fit();
  all.adjust(-30, -30, 30, 30);
  m_scale = std::clamp(std::min(width() / all.width(), height() / all.height()), kLeastScale, 2.0);
  m_offset = QPointF(width(), height()) / 2 - all.center() * m_scale;
  m_userMoved = true;
  update();
}

void NetworkCanvas::zoomBy(double factor, const QPointF& at) {
  const QPointF fixed = toScene(at);
  m_scale = std::clamp(m_scale * factor, kLeastScale, kMostScale);
  m_offset = at - fixed * m_scale;
  m_userMoved = true;
  update();
}

int NetworkCanvas::nodeAt(const QPointF& scene) const {
  int host = -1;
  for (int i = static_cast<int>(m_boxes.size()) - 1; i >= 0; --i) {
    if (!box(i).contains(scene)) continue;
    if (m_graph.nodes[static_cast<std::size_t>(i)].kind != NodeKind::Host) return i;
    host = i;
  }
  return host;
}

int NetworkCanvas::linkAt(const QPointF& scene) const {
  const double reach = 5 / m_scale;
  int best = -1;
  double nearest = reach;
  for (std::size_t l = 0; l < m_graph.links.size(); ++l) {
    if (!isDrawnLink(m_graph.links[l])) continue;
    const double d = distanceToSegment(scene, centre(m_graph.links[l].from), centre(m_graph.links[l].to));
    if (d < nearest) nearest = d, best = static_cast<int>(l);
  }
  return best;
}

std::vector<int> NetworkCanvas::movable() const {
  return selectedNodes();
}

QString NetworkCanvas::tipOf(int node, int link) const {
  QString tip;
  if (node >= 0) {
    const NetworkNode& n = m_graph.nodes[static_cast<std::size_t>(node)];
    tip = QStringLiteral("<b>%1</b>").arg(QString::fromStdString(n.name).toHtmlEscaped());
    if (n.kind == NodeKind::Host)
      tip += tr("<br>host, %n device(s)", nullptr,
                static_cast<int>(m_contents[static_cast<std::size_t>(node)].size()));
    if (n.kind == NodeKind::Device && n.speed != 1)
      tip += tr("<br>speed %1 of nominal").arg(QString::fromStdString(text::percent(n.speed)));
    if (n.kind == NodeKind::Device && n.memory.value() > 0)
      tip += tr("<br>memory %1").arg(QString::fromStdString(text::memory(n.memory)));
    if (static_cast<std::size_t>(node) < m_stage.size() && m_stage[static_cast<std::size_t>(node)] >= 0)
      tip += tr("<br>stage %1").arg(stageNumber(m_stage[static_cast<std::size_t>(node)]));
    if (n.failed) tip += tr("<br>failed: it is left out of every plan");
  } else if (link >= 0) {
    const NetworkLink& l = m_graph.links[static_cast<std::size_t>(link)];
    tip =
        tr("<b>%1 – %2</b><br>%3 × %4 one way, %5")
            .arg(QString::fromStdString(m_graph.nodes[static_cast<std::size_t>(l.from)].name).toHtmlEscaped(),
                 QString::fromStdString(m_graph.nodes[static_cast<std::size_t>(l.to)].name).toHtmlEscaped())
            .arg(l.count)
            .arg(QString::fromStdString(text::bandwidth(l.bandwidth)),
                 QString::fromStdString(text::time(l.latency)));
    if (l.failed) tip += tr("<br>failed");
    if (!m_loads.empty() && m_loadOf[static_cast<std::size_t>(link)] >= 0) {
      const LinkLoad& carried = m_loads[static_cast<std::size_t>(m_loadOf[static_cast<std::size_t>(link)])];
      tip += tr("<br>carries %1 a batch in %2")
                 .arg(QString::fromStdString(text::memory(carried.forward + carried.backward)),
                      QString::fromStdString(text::time(carried.time())));
      if (m_loadOf[static_cast<std::size_t>(link)] == m_busiest) tip += tr("<br><b>the most loaded link</b>");
    }
  }
  for (const auto& p : m_problems)
    if ((node >= 0 && p.node == node) || (link >= 0 && p.link == link))
      tip +=
          QStringLiteral("<br><b>%1</b>").arg(QString::fromStdString(p.diagnostic.message).toHtmlEscaped());
  return tip;
}

}  // namespace nest
