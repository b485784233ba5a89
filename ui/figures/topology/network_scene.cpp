#include "figures/topology/network_scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "figures/paint/phrases.h"

namespace nest {
namespace {

constexpr std::size_t kHuge = 2000;           ///< nodes from which siblings fold by themselves
constexpr std::size_t kMostGaps = 12;         ///< tried for one path
constexpr std::size_t kMostDetours = 600000;  ///< boxes times links up to which paths lead around boxes

constexpr std::array kArcRises = {0.3, 0.2, 0.12};

double distanceToSegment(const QPointF& p, const QPointF& a, const QPointF& b) {
  const QPointF d = b - a;
  const double length = QPointF::dotProduct(d, d);
  const double t = length > 0 ? std::clamp(QPointF::dotProduct(p - a, d) / length, 0.0, 1.0) : 0;
  const QPointF q = p - (a + d * t);
  return std::hypot(q.x(), q.y());
}

/// As QRectF::intersects(), of boxes that are known to have a width and a height: thousands are asked a
/// frame.
bool meet(const QRectF& a, const QRectF& b) {
  return a.left() < b.right() && b.left() < a.right() && a.top() < b.bottom() && b.top() < a.bottom();
}

bool crosses(const QRectF& r, QPointF a, QPointF b) {
  // Liang and Barsky: the part of the segment inside the box, if any.
  double from = 0, to = 1;
  const double d[2] = {b.x() - a.x(), b.y() - a.y()};
  const double low[2] = {r.left() - a.x(), r.top() - a.y()},
               high[2] = {r.right() - a.x(), r.bottom() - a.y()};
  for (int k = 0; k < 2; ++k) {
    if (d[k] == 0) {
      if (low[k] > 0 || high[k] < 0) return false;
      continue;
    }
    const double t1 = low[k] / d[k], t2 = high[k] / d[k];
    from = std::max(from, std::min(t1, t2)), to = std::min(to, std::max(t1, t2));
    if (from > to) return false;
  }
  return true;
}

constexpr int kSmooth = 24, kCoarse = 8;  ///< parts of a curve; where there are thousands

/// A cubic Bézier curve as a line of short parts.
QPolygonF curve(QPointF from, QPointF first, QPointF second, QPointF to, int parts = kSmooth) {
  QPolygonF out;
  for (int k = 0; k <= parts; ++k) {
    const double t = double(k) / parts, u = 1 - t;
    out << u * u * u * from + 3 * u * u * t * first + 3 * u * t * t * second + t * t * t * to;
  }
  return out;
}

/// From one place to another in its row, so high by what lies between; below zero: upwards.
QPolygonF arcOf(QPointF from, QPointF to, double rise, int parts = kSmooth) {
  const QPointF by(0, rise * std::abs(to.x() - from.x()) * 4 / 3);
  return curve(from, from + by, to + by, to, parts);
}

}  // namespace

bool NetworkScene::setGraph(const NetworkGraph& graph, std::vector<Seat> seats, PlanContextPtr of) {
  const bool onlyMoved = graph::differOnlyInPlace(m_graph, graph) && !graph.nodes.empty();
  const std::vector<int> before = placedKinds();
  m_graph = graph;
  m_seats = std::move(seats);
  m_plan = std::move(of);
  findStates();
  if (graph::needsLayout(m_graph)) graph::layOut(m_graph);
  if (!onlyMoved) {
    m_contents = graph::hostContents(m_graph);
    m_problems = graph::problemsOf(m_graph);
    m_impliedHosts = graph::impliedHosts(m_graph);
  }
  const bool refolds = !onlyMoved || (folds() && placedKinds() != before);
  if (refolds) fold();
  place();
  // Loads belong to the network that they were routed on.
  m_loads.clear();
  m_busiest = -1;
  matchLoads();
  return !refolds;
}

QString NetworkScene::nameOf(int node) const {
  return phrase(m_graph.nodes[at(node)].name);
}

bool NetworkScene::folds() const {
  return m_folding == Folding::Everything ||
         (m_folding == Folding::Automatic && m_graph.nodes.size() > kHuge);
}

/// A number per node for the folding: what would be false to draw once. Devices of different stages, and idle
/// ones, stay apart; empty where nothing is placed.
std::vector<int> NetworkScene::placedKinds() const {
  std::vector<int> out(
      m_unplanned.empty() ? std::min(m_seats.size(), m_graph.nodes.size()) : m_unplanned.size(), 0);
  constexpr int kFirst = 1 - Seat::kCutOff;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (m_graph.nodes[i].kind != NodeKind::Device) continue;
    if (i < m_seats.size()) out[i] = m_seats[i].stage + kFirst;
    if (!m_unplanned.empty() && m_unplanned[i]) out[i] = -1 - static_cast<int>(m_unplanned[i]->state);
  }
  return out;
}

/// By the names of hosts, as the scenario has them.
void NetworkScene::findStates() {
  m_unplanned.clear();
  m_unplannedHosts = {};
  const ClusterSource* cluster = m_plan && m_plan->scenario ? &m_plan->scenario->cluster : nullptr;
  if (!cluster || cluster->states.empty()) return;
  std::map<std::string, std::vector<const StateOfHost*>, std::less<>> of;
  for (const StateOfHost& s : cluster->states)
    if (!isPlannedOn(s.state, cluster->plannedOn)) of[s.host].push_back(&s);
  if (of.empty()) return;
  m_unplanned.assign(m_graph.nodes.size(), nullptr);
  std::map<std::string, std::string, std::less<>> nameOf;  // of hosts, by id
  std::map<std::string, int, std::less<>> slotsOf;
  for (std::size_t i = 0; i < m_graph.nodes.size(); ++i) {
    const NetworkNode& n = m_graph.nodes[i];
    if (n.kind != NodeKind::Host) continue;
    const std::string& name = nameOf[n.id] = n.name.empty() ? n.id : n.name;
    if (const auto states = of.find(name); states != of.end())
      for (const StateOfHost* s : states->second)
        if (s->devices.empty()) m_unplanned[i] = s, ++m_unplannedHosts[s->state];
  }
  for (std::size_t i = 0; i < m_graph.nodes.size(); ++i) {
    const NetworkNode& n = m_graph.nodes[i];
    if (n.kind != NodeKind::Device || n.host.empty()) continue;
    const auto host = nameOf.find(n.host);
    const int slot = slotsOf[n.host]++;
    const auto states = of.find(host == nameOf.end() ? n.host : host->second);
    if (states == of.end()) continue;
    for (const StateOfHost* s : states->second)
      if (s->devices.empty() || std::binary_search(s->devices.begin(), s->devices.end(), slot))
        m_unplanned[i] = s;
    // Hosts that are no nodes count with their first device.
    if (host == nameOf.end() && slot == 0 && m_unplanned[i] && m_unplanned[i]->devices.empty())
      ++m_unplannedHosts[m_unplanned[i]->state];
  }
}

void NetworkScene::fold() {
  m_folded = folds() ? graph::foldAlike(m_graph, m_unfolded, placedKinds()) : graph::noFolding(m_graph);
  m_isFolded = folds() && m_folded.hidesAny();
}

void NetworkScene::unfoldFor(int node, std::set<std::string>& ids) const {
  graph::unfoldFor(m_graph, node, ids, placedKinds());
}

void NetworkScene::refold() {
  fold();
  place();
  matchLoads();
}

void NetworkScene::place() {
  m_boxes.assign(m_graph.nodes.size(), {});
  m_shown.clear();
  if (m_isFolded) {
    const auto drawing = graph::drawFolded(m_graph, m_folded);
    const auto contents = graph::hostContents(drawing.graph);
    for (std::size_t k = 0; k < drawing.nodes.size(); ++k) {
      const graph::Box b = graph::boxOf(drawing.graph, static_cast<int>(k), contents);
      m_boxes[at(drawing.nodes[k])] = QRectF(b.x, b.y, b.width, b.height);
      m_shown.push_back(drawing.nodes[k]);
    }
  } else {
    for (int i = 0; i < static_cast<int>(m_graph.nodes.size()); ++i) placeBox(i), m_shown.push_back(i);
  }
  std::stable_partition(m_shown.begin(), m_shown.end(),
                        [&](int n) { return m_graph.nodes[at(n)].kind == NodeKind::Host; });
  m_bounds = {};
  for (int n : m_shown) m_bounds |= box(n);
  if (m_bounds.isEmpty()) m_bounds = QRectF(-200, -150, 400, 300);

  findPlaced();
  routeLinks();
}

/// What is painted on each drawn device.
void NetworkScene::findPlaced() {
  m_shownBy = nest::shownBy(plan(), m_colouredBy);
  m_stageCount = m_idle = 0;
  m_placed.assign(m_graph.nodes.size(), {});
  for (std::size_t i = 0; i < m_seats.size() && i < m_graph.nodes.size(); ++i) {
    const int stage = m_seats[i].stage;
    m_stageCount = std::max(m_stageCount, stage + 1);
    m_idle += stage == -1 && !unplanned(static_cast<int>(i)) && m_graph.nodes[i].kind == NodeKind::Device &&
              !m_graph.nodes[i].failed;
    if (stage >= 0 && isShown(static_cast<int>(i))) m_placed[i] = kindOf(m_seats[i], plan(), m_shownBy);
  }
}

void NetworkScene::placeBox(int node) {
  const graph::Box b = graph::boxOf(m_graph, node, m_contents);
  m_boxes[at(node)] = QRectF(b.x, b.y, b.width, b.height);
}

void NetworkScene::routeLinks() {
  m_obstacles.clear();
  for (int n : m_shown)
    if (const NetworkNode& node = m_graph.nodes[at(n)]; node.kind != NodeKind::Device || node.host.empty())
      m_obstacles.push_back({box(n), n, -1});
  for (std::size_t h = 0; h < m_impliedHosts.names.size(); ++h)
    if (const QRectF frame = impliedHostFrame(h); !frame.isNull())
      m_obstacles.push_back({frame, -1, static_cast<int>(h)});
  m_standsFor.assign(m_graph.links.size(), 0);
  m_paths.assign(m_graph.links.size(), {});
  m_pathBoxes.assign(m_graph.links.size(), {});
  m_shownLinks.clear();
  for (int shown : m_folded.linkShownAs) ++m_standsFor[at(shown)];
  for (std::size_t l = 0; l < m_graph.links.size(); ++l) {
    const NetworkLink& link = m_graph.links[l];
    const bool joins = m_folded.shownAs[at(link.from)] != m_folded.shownAs[at(link.to)];
    if (m_standsFor[l] > 0 && joins && isDrawnLink(link)) m_shownLinks.push_back(static_cast<int>(l));
  }
  for (int l : m_shownLinks) setPath(l, routeOf(m_graph.links[at(l)]));
  growBounds();
}

void NetworkScene::setPath(int link, QPolygonF path) {
  m_pathBoxes[at(link)] = path.boundingRect().adjusted(-1, -1, 1, 1);
  m_paths[at(link)] = std::move(path);
}

/// Arcs rise above the boxes.
void NetworkScene::growBounds() {
  for (int l : m_shownLinks) m_bounds |= m_pathBoxes[at(l)];
}

QRectF NetworkScene::impliedHostFrame(std::size_t host) const {
  QRectF frame;
  for (int n : m_impliedHosts.members[host]) frame |= box(n);
  return frame.isEmpty() ? frame
                         : frame.adjusted(-graph::kHostPadding, -graph::kHostPadding - graph::kHostHeader,
                                          graph::kHostPadding, graph::kHostPadding);
}

bool NetworkScene::isBlocked(const QPolygonF& path, const NetworkLink& l) const {
  const int a = m_folded.shownAs[at(l.from)], b = m_folded.shownAs[at(l.to)];
  const std::vector<int>& hostOf = m_impliedHosts.hostOf;
  const QRectF around = path.boundingRect().adjusted(-1, -1, 1, 1);
  return std::any_of(m_obstacles.begin(), m_obstacles.end(), [&](const Obstacle& o) {
    if (o.node >= 0 ? o.node == a || o.node == b
                    : o.impliedHost == hostOf[at(a)] || o.impliedHost == hostOf[at(b)])
      return false;
    if (!meet(o.box, around)) return false;
    for (int k = 0; k + 1 < path.size(); ++k)
      if (crosses(o.box, path[k], path[k + 1])) return true;
    return false;
  });
}

/// Where a path may come down past what stands between two boxes: nearest to the lower one first.
std::vector<double> NetworkScene::gapsBeside(const QRectF& lower, const QRectF& upper) const {
  std::vector<double> out = {lower.left() - graph::kGap, lower.right() + graph::kGap};
  for (const Obstacle& o : m_obstacles) {
    if (o.box.top() >= lower.top() || o.box.bottom() <= upper.bottom()) continue;
    out.push_back(o.box.left() - graph::kGap), out.push_back(o.box.right() + graph::kGap);
  }
  const double to = lower.center().x(), from = upper.center().x();
  const auto way = [&](double x) { return std::abs(x - to) + std::abs(x - from); };
  std::sort(out.begin(), out.end(),
            [&](double a, double b) { return std::pair(way(a), a) < std::pair(way(b), b); });
  out.erase(std::unique(out.begin(), out.end()), out.end());
  if (out.size() > kMostGaps) out.resize(kMostGaps);
  return out;
}

/// Between boxes in one row with others between: switches by an arc where there is room for one;
/// else over what is between.
QPolygonF NetworkScene::besideOf(const NetworkLink& l, const QRectF& a, const QRectF& b) const {
  for (const double rise : kArcRises) {
    if (!isTrunk(l)) break;
    for (const double side : {-1.0, 1.0})
      if (const QPolygonF arc = arcOf(a.center(), b.center(), side * rise); !isBlocked(arc, l)) return arc;
  }
  for (const double y :
       {std::min(a.top(), b.top()) - graph::kGap, std::max(a.bottom(), b.bottom()) + graph::kGap}) {
    const QPolygonF over({a.center(), {a.center().x(), y}, {b.center().x(), y}, b.center()});
    if (!isBlocked(over, l)) return over;
  }
  return {};
}

/// Straight where nothing stands between; otherwise down the gap beside the column, as the layout leaves one.
QPolygonF NetworkScene::routeOf(const NetworkLink& l) const {
  QRectF upper = box(m_folded.shownAs[at(l.from)]), lower = box(m_folded.shownAs[at(l.to)]);
  const QPolygonF straight({upper.center(), lower.center()});
  const bool inOneRow = upper.bottom() > lower.top() && lower.bottom() > upper.top();
  if (m_shown.size() * m_shownLinks.size() > kMostDetours) {
    // Too many to see what is in the way: between switches of a row others are, unless they are neighbours.
    const bool past = std::abs(upper.center().x() - lower.center().x()) > 2 * upper.width();
    if (!inOneRow || !past || !isTrunk(l)) return straight;
    const double rise = upper.center().y() < m_bounds.center().y() ? kArcRises.front() : -kArcRises.front();
    return arcOf(upper.center(), lower.center(), rise, kCoarse);
  }
  if (isInDrawnHost(l.from) || isInDrawnHost(l.to) || !isBlocked(straight, l)) return straight;
  if (inOneRow) {
    const QPolygonF beside = besideOf(l, upper, lower);
    return beside.isEmpty() ? straight : beside;
  }
  if (upper.center().y() > lower.center().y()) std::swap(upper, lower);
  if (upper.bottom() + 2 * graph::kGap > lower.top()) return straight;
  if (isTrunk(l)) {
    const double half = (lower.center().y() - upper.center().y()) / 2;
    const QPolygonF bent = curve(upper.center(), upper.center() + QPointF(0, half),
                                 lower.center() - QPointF(0, half), lower.center());
    if (!isBlocked(bent, l)) return bent;
  }
  const double above = lower.top() - graph::kGap, below = upper.bottom() + 2 * graph::kGap;
  for (double x : gapsBeside(lower, upper)) {
    const QPolygonF around({{upper.center().x(), upper.bottom()},
                            {upper.center().x(), below},
                            {x, below},
                            {x, above},
                            {lower.center().x(), above},
                            {lower.center().x(), lower.top()}});
    if (!isBlocked(around, l)) return around;
  }
  return straight;
}

QPointF NetworkScene::middleOf(int link) const {
  const QPolygonF& path = m_paths[at(m_folded.linkShownAs[at(link)])];
  if (path.size() < 2) return {};
  const qsizetype k = (path.size() - 1) / 2;
  return (path[k] + path[k + 1]) / 2;
}

std::vector<int> NetworkScene::behind(int node) const {
  if (!m_isFolded) return {node};
  std::vector<int> out;
  for (std::size_t i = 0; i < m_folded.shownAs.size(); ++i)
    if (m_folded.shownAs[i] == node) out.push_back(static_cast<int>(i));
  return out;
}

std::vector<int> NetworkScene::linksBehind(int link) const {
  if (!m_isFolded) return {link};
  std::vector<int> out;
  for (std::size_t l = 0; l < m_folded.linkShownAs.size(); ++l)
    if (m_folded.linkShownAs[l] == link) out.push_back(static_cast<int>(l));
  return out;
}

void NetworkScene::setFolding(Folding when) {
  m_folding = when;
  refold();
}

Folding NetworkScene::otherFolding() const {
  const bool huge = m_graph.nodes.size() > kHuge;
  return m_isFolded == huge ? (huge ? Folding::Nothing : Folding::Everything) : Folding::Automatic;
}

void NetworkScene::setUnfolded(std::set<std::string> ids) {
  m_unfolded = std::move(ids);
  refold();
}

void NetworkScene::setColouredBy(Together by) {
  m_colouredBy = by;
  findPlaced();
}

bool NetworkScene::isCutOff(int node) const {
  return at(node) < m_seats.size() && m_seats[at(node)].stage == Seat::kCutOff &&
         !m_graph.nodes[at(node)].failed && !unplanned(node);
}

void NetworkScene::setLoads(std::vector<LinkLoad> loads, int busiest, const QString& byLevel) {
  m_byLevel = byLevel;
  m_loads = std::move(loads);
  m_busiest = busiest;
  matchLoads();
}

const LinkLoad* NetworkScene::loadOf(int link) const {
  const int load = m_loads.empty() ? -1 : m_loadOf[at(link)];
  return load < 0 ? nullptr : &m_loads[at(load)];
}

bool NetworkScene::isBusiest(int link) const {
  return loadOf(link) && m_loadOf[at(link)] == m_busiest;
}

void NetworkScene::matchLoads() {
  m_loadOf.assign(m_graph.links.size(), -1);
  m_most = Seconds(0);
  if (m_loads.empty()) return;
  std::map<std::pair<int, int>, int> byPair;
  for (std::size_t i = 0; i < m_loads.size(); ++i)
    byPair[std::minmax(m_loads[i].a, m_loads[i].b)] = static_cast<int>(i);
  for (std::size_t l = 0; l < m_graph.links.size(); ++l) {
    const auto it = byPair.find(std::minmax(m_graph.links[l].from, m_graph.links[l].to));
    if (it == byPair.end()) continue;
    // What is drawn once shows the busiest of what it stands for.
    int& shown = m_loadOf[at(m_folded.linkShownAs[l])];
    if (shown < 0 || m_loads[at(shown)].time() < m_loads[at(it->second)].time()) shown = it->second;
  }
  for (int l : m_shownLinks)
    if (const int load = m_loadOf[at(l)]; load >= 0) m_most = std::max(m_most, m_loads[at(load)].time());
}

void NetworkScene::moveTo(const std::vector<int>& nodes, const std::vector<QPointF>& places) {
  std::vector<char> moved(m_graph.nodes.size(), 0);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    NetworkNode& n = m_graph.nodes[at(nodes[k])];
    n.x = places[k].x(), n.y = places[k].y();
    moved[at(nodes[k])] = 1;
  }
  for (std::size_t h = 0; h < m_contents.size(); ++h)
    if (std::any_of(m_contents[h].begin(), m_contents[h].end(), [&](int d) { return moved[at(d)]; }))
      moved[h] = 1;
  m_bounds = {};
  for (int n : m_shown) {
    if (moved[at(n)]) placeBox(n);
    m_bounds |= box(n);
  }
  for (int l : m_shownLinks)
    if (const NetworkLink& link = m_graph.links[at(l)]; moved[at(link.from)] || moved[at(link.to)])
      setPath(l, QPolygonF({centre(link.from), centre(link.to)}));
  growBounds();
}

std::vector<int> NetworkScene::nodesIn(const QRectF& area) const {
  std::vector<int> out;
  for (int n : m_shown)
    if (meet(box(n), area)) out.push_back(n);
  return out;
}

std::vector<int> NetworkScene::linksIn(const QRectF& area) const {
  std::vector<int> out;
  for (int l : m_shownLinks)
    if (meet(m_pathBoxes[at(l)], area)) out.push_back(l);
  return out;
}

int NetworkScene::nodeAt(const QPointF& scene) const {
  for (auto it = m_shown.rbegin(); it != m_shown.rend(); ++it)  // hosts stand first
    if (box(*it).contains(scene)) return *it;
  return -1;
}

int NetworkScene::linkAt(const QPointF& scene, double reach) const {
  int best = -1;
  double nearest = reach;
  for (int l : m_shownLinks)
    if (const double d = distanceTo(l, scene); d < nearest) nearest = d, best = l;
  return best;
}

double NetworkScene::distanceTo(int link, const QPointF& scene) const {
  const QPolygonF& path = m_paths[at(link)];
  double nearest = std::numeric_limits<double>::infinity();
  for (int k = 0; k + 1 < path.size(); ++k)
    nearest = std::min(nearest, distanceToSegment(scene, path[k], path[k + 1]));
  return nearest;
}

bool NetworkScene::isTrunk(const NetworkLink& l) const {
  return m_graph.nodes[at(l.from)].kind == NodeKind::Switch &&
         m_graph.nodes[at(l.to)].kind == NodeKind::Switch;
}

bool NetworkScene::isInDrawnHost(int node) const {
  return !m_graph.nodes[at(node)].host.empty() && m_impliedHosts.hostOf[at(node)] < 0;
}

bool NetworkScene::isDrawnLink(const NetworkLink& l) const {
  const auto inside = [&](int device, int host) {
    const auto& c = m_contents[at(host)];
    return std::binary_search(c.begin(), c.end(), device);
  };
  return !inside(l.from, l.to) && !inside(l.to, l.from);
}

}  // namespace nest
