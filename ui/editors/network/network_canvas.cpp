#include "editors/network/network_canvas.h"

#include <QLineEdit>

#include <algorithm>
#include <cmath>
#include <utility>

#include "accessible/screen_reader.h"

namespace nest {
namespace {

constexpr double kLeastScale = 0.004, kMostScale = 6;
constexpr double kNameMargin = 8;            ///< pixels beside a name
constexpr std::size_t kMostMeasured = 4000;  ///< nodes whose names are measured to fit them

}  // namespace

NetworkCanvas::NetworkCanvas(QWidget* parent) : QWidget(parent), m_theme(&Theme::of(Theme::Kind::Light)) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setMinimumSize(240, 180);
  makeGraphic(*this);
  setAccessibleName(tr("Network canvas"));
  setAccessibleDescription(
      tr("Arrow keys walk from node to node, Ctrl+arrows move what is selected, Delete removes it"));
}

void NetworkCanvas::setGraph(const NetworkGraph& graph, std::vector<Seat> seats, bool editable,
                             PlanContextPtr of) {
  const bool moved = graph::differOnlyInPlace(m_graph, graph) && !graph.nodes.empty();
  const bool edited = m_editable && editable && !m_graph.nodes.empty();
  QSet<QString> kept;
  for (int n : std::as_const(m_nodes)) kept.insert(QString::fromStdString(m_graph.nodes[at(n)].id));
  const bool sameLinks = graph.links.size() == m_graph.links.size();
  if (!moved) endGesture();
  m_graph = graph;
  m_dragged.clear();
  m_litHovered.clear(), m_litChosen.clear();
  m_seats = std::move(seats);
  m_plan = std::move(of);
  m_editable = editable;
  m_nodes.clear();
  for (std::size_t i = 0; i < m_graph.nodes.size() && !kept.isEmpty(); ++i)
    if (kept.contains(QString::fromStdString(m_graph.nodes[i].id))) m_nodes.insert(static_cast<int>(i));
  if (!sameLinks) m_links.clear();
  m_hoverNode = m_hoverLink = -1;
  rebuild(moved);
  const QRectF area = fittedArea();
  const QRectF seen(toScene(area.topLeft()), toScene(area.bottomRight()));
  if (!m_userMoved && !(edited && seen.contains(m_bounds))) fit();
  update();
  Q_EMIT selectionChanged();
}

void NetworkCanvas::forget() {
  m_running.clear();
  m_userMoved = false;
  setGraph({}, {}, false);
}

void NetworkCanvas::endGesture() {
  m_gesture = Gesture::None;
  m_connectFrom = -1;
  m_guides.clear();
  if (auto* edit = std::exchange(m_lineEdit, nullptr)) edit->hide(), edit->deleteLater();
}

void NetworkCanvas::setLoads(std::vector<LinkLoad> loads, int busiest, const QString& byLevel) {
  m_byLevel = byLevel;
  m_loads = std::move(loads);
  m_busiest = busiest;
  matchLoads();
  update();
}

void NetworkCanvas::paintFigure(QPainter& p, const QRectF& visible, double scale, const Theme& theme) {
  const Theme* shown = std::exchange(m_theme, &theme);
  const auto nodes = std::exchange(m_nodes, {}), links = std::exchange(m_links, {});
  const int node = std::exchange(m_hoverNode, -1), link = std::exchange(m_hoverLink, -1);
  const auto lit = std::exchange(m_litHovered, {}), chosen = std::exchange(m_litChosen, {});
  const auto running = std::exchange(m_running, {});
  paintScene(p, visible, scale);
  m_litHovered = lit, m_litChosen = chosen, m_running = running;
  m_theme = shown, m_nodes = nodes, m_links = links, m_hoverNode = node, m_hoverLink = link;
}

void NetworkCanvas::setTheme(const Theme& theme) {
  m_theme = &theme;
  update();
}

void NetworkCanvas::setColouredBy(Together by) {
  if (m_colouredBy == by) return;
  m_colouredBy = by;
  findKinds();
  update();
}

void NetworkCanvas::setTool(Tool tool) {
  m_tool = tool;
  setCursor(tool == Tool::Select ? Qt::ArrowCursor : Qt::CrossCursor);
  Q_EMIT toolChanged();
}

void NetworkCanvas::select(std::vector<int> nodes, std::vector<int> links) {
  m_nodes.clear();
  for (int n : nodes)
    for (int one : behind(m_folding.shownAs[at(n)])) m_nodes.insert(one);
  m_links = QSet<int>(links.begin(), links.end());
  update();
  Q_EMIT selectionChanged();
}

void NetworkCanvas::jumpTo(int node, int link) {
  auto ids = m_unfolded;
  const auto unfoldFor = [&](int n) {
    if (m_folding.hides(n)) graph::unfoldFor(m_graph, n, ids);
  };
  if (node >= 0) unfoldFor(node);
  if (link >= 0) unfoldFor(m_graph.links[at(link)].from), unfoldFor(m_graph.links[at(link)].to);
  setUnfolded(std::move(ids));
  if (link >= 0) link = m_folding.linkShownAs[at(link)];
  select(node >= 0 ? std::vector<int>{node} : std::vector<int>{},
         link >= 0 ? std::vector<int>{link} : std::vector<int>{});
  if (node < 0 && link < 0) return;
  m_scale = std::max(m_scale, 0.8);
  m_offset = QPointF(width(), height()) / 2 - (node >= 0 ? centre(node) : middleOf(link)) * m_scale;
  m_userMoved = true;
  update();
}

QRectF NetworkCanvas::fittedArea() const {
  return QRectF(rect()).adjusted(0, 0, 0, -kLegendHeight);
}

/// Names of switches keep their size on screen: pixels by which they stick out.
QMarginsF NetworkCanvas::roomForNames(const QRectF& scene, double scale) const {
  QMarginsF room;
  if (m_shown.size() > kMostMeasured) return room;
  const QFontMetricsF metrics(Theme::font(11, true));
  for (int n : m_shown) {
    if (m_graph.nodes[at(n)].kind != NodeKind::Switch || !scene.contains(centre(n))) continue;
    const double half = metrics.horizontalAdvance(nameOf(n)) / 2 + kNameMargin;
    room.setLeft(std::max(room.left(), half - (centre(n).x() - scene.left()) * scale));
    room.setRight(std::max(room.right(), half - (scene.right() - centre(n).x()) * scale));
  }
  return room;
}

void NetworkCanvas::show(const QRectF& scene, double mostScale) {
  QRectF area = fittedArea();
  const auto scaled = [&] {
    return std::clamp(std::min(area.width() / scene.width(), area.height() / scene.height()), kLeastScale,
                      mostScale);
  };
  const QRectF free = area.marginsRemoved(roomForNames(scene, scaled()));
  if (free.width() > area.width() / 2) area = free;
  m_scale = scaled();
  m_offset = area.center() - scene.center() * m_scale;
}

void NetworkCanvas::fit() {
  show(sceneBounds().adjusted(-30, -30, 30, 30), 1.4);
  m_userMoved = false;
  update();
}

void NetworkCanvas::fitSelection() {
  QRectF all;
  for (int n : std::as_const(m_nodes)) all |= box(m_folding.shownAs[at(n)]);
  if (all.isEmpty()) return fit();
  show(all.adjusted(-30, -30, 30, 30), 2.0);
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

std::vector<int> NetworkCanvas::selectedNodes() const {
  std::vector<int> out(m_nodes.begin(), m_nodes.end());
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<int> NetworkCanvas::selectedLinks() const {
  std::vector<int> out;
  for (int l : m_links)
    for (int one : linksBehind(l)) out.push_back(one);
  std::sort(out.begin(), out.end());
  return out;
}

void NetworkCanvas::setLit(std::vector<int> hovered, std::vector<int> chosen) {
  const auto mark = [&](std::vector<char>& marks, const std::vector<int>& nodes) {
    marks.assign(nodes.empty() ? 0 : m_graph.nodes.size(), 0);
    for (int n : nodes) marks[at(m_folding.shownAs[at(n)])] = 1;
  };
  mark(m_litHovered, hovered);
  mark(m_litChosen, chosen);
  update();
}

void NetworkCanvas::setRunning(std::vector<int> taskOfStage) {
  m_running = std::move(taskOfStage);
  update();
}

}  // namespace nest
