#include "editors/network/network_canvas.h"

#include <QLineEdit>

#include <algorithm>
#include <cmath>
#include <utility>

#include "accessible/screen_reader.h"

namespace nest {
namespace {

constexpr int kCanvasSettleMs = 150;

constexpr double kLeastScale = 0.004, kMostCanvasScale = 6;
constexpr double kTiniest = 1e-6;            ///< in a canvas of no size
constexpr double kReach = 5;                 ///< pixels from which a link is hit
constexpr double kNameMargin = 8;            ///< pixels beside a name
constexpr std::size_t kMostMeasured = 4000;  ///< nodes whose names are measured to fit them

}  // namespace

NetworkCanvas::NetworkCanvas(QWidget* parent) : QWidget(parent), m_theme(&Theme::of(Theme::Kind::Light)) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setMinimumSize(240, 180);
  m_settle.setSingleShot(true);
  m_settle.setInterval(kCanvasSettleMs);
  connect(&m_settle, &QTimer::timeout, this, &NetworkCanvas::refresh);
  makeGraphic(*this, [this] { return selectedText(); });
  setAccessibleName(tr("Network canvas"));
  setAccessibleDescription(
      tr("Arrow keys walk from node to node, Ctrl+arrows move what is selected, Delete removes it"));
}

void NetworkCanvas::setGraph(const NetworkGraph& graph, std::vector<Seat> seats, bool editable,
                             PlanContextPtr of) {
  const bool edited = m_editable && editable && !m_scene.isEmpty();
  QSet<QString> kept;
  for (int n : std::as_const(m_marks.nodes)) kept.insert(QString::fromStdString(m_scene.node(n).id));
  const bool sameLinks = graph.links.size() == m_scene.graph().links.size();
  const bool moved = m_scene.setGraph(graph, std::move(seats), std::move(of));
  if (!moved) endGesture();
  m_dragged.clear();
  m_marks.litHovered.clear(), m_marks.litChosen.clear();
  m_editable = editable;
  m_marks.nodes.clear();
  for (std::size_t i = 0; i < m_scene.graph().nodes.size() && !kept.isEmpty(); ++i)
    if (kept.contains(QString::fromStdString(m_scene.graph().nodes[i].id)))
      m_marks.nodes.insert(static_cast<int>(i));
  if (!sameLinks) m_marks.links.clear();
  m_marks.hoverNode = m_marks.hoverLink = -1;
  if (!moved) forgetPartOfFolded();
  if (m_viewBefore && !m_userMoved && edited &&
      std::none_of(m_scene.graph().nodes.begin(), m_scene.graph().nodes.end(),
                   [&](const NetworkNode& n) { return n.id == m_viewBefore->made; })) {
    m_scale = m_viewBefore->scale, m_offset = m_viewBefore->offset, m_userMoved = m_viewBefore->userMoved;
    m_viewBefore.reset();
  }
  const QRectF area = fittedArea();
  const QRectF shown(toScene(area.topLeft()), toScene(area.bottomRight()));
  if (!m_userMoved && !(edited && shown.contains(m_scene.bounds()))) fit();
  refresh();
  Q_EMIT selectionChanged();
}

/// A selection lasts if it is one of whole drawn things: nothing unseen may be edited.
void NetworkCanvas::forgetPartOfFolded() {
  std::vector<char> open(m_scene.graph().nodes.size(), 0);
  for (std::size_t i = 0; i < open.size(); ++i)
    if (const int n = static_cast<int>(i); !m_marks.nodes.contains(n)) open[at(m_scene.shownAs(n))] = 1;
  for (int n : std::as_const(m_marks.nodes))
    if (at(n) < open.size() && open[at(m_scene.shownAs(n))]) return m_marks.nodes.clear();
}

/// What was marked stood for others before.
void NetworkCanvas::refolded() {
  m_marks.hoverNode = m_marks.hoverLink = -1;
  m_marks.litHovered.clear(), m_marks.litChosen.clear();
  forgetPartOfFolded();
  fit();
  m_marks.links.clear();
  Q_EMIT selectionChanged();
  Q_EMIT foldingChanged();
}

void NetworkCanvas::setFolding(Folding when) {
  if (when == m_scene.folding()) return;
  m_scene.setFolding(when);
  refolded();
}

void NetworkCanvas::setUnfolded(std::set<std::string> ids) {
  if (ids == m_scene.unfolded()) return;
  m_scene.setUnfolded(std::move(ids));
  refolded();
}

void NetworkCanvas::unfold(int node) {
  const int first = m_scene.siblingOf(node);
  if (!m_scene.isFolded() || first < 0) return;
  auto ids = m_scene.unfolded();
  ids.insert(m_scene.node(first).id);
  setUnfolded(std::move(ids));
}

void NetworkCanvas::foldAgain(int node) {
  const int first = m_scene.siblingOf(node);
  if (first < 0) return;
  auto ids = m_scene.unfolded();
  ids.erase(m_scene.node(first).id);
  setUnfolded(std::move(ids));
}

void NetworkCanvas::forget() {
  m_marks.running.clear();
  m_userMoved = false;
  m_viewBefore.reset();
  m_scene.setTyped({});
  setGraph({}, {}, false);
}

void NetworkCanvas::endGesture() {
  m_gesture = Gesture::None;
  m_connectFrom = -1;
  m_guides.clear();
  if (auto* edit = std::exchange(m_lineEdit, nullptr)) edit->hide(), edit->deleteLater();
}

void NetworkCanvas::setLoads(std::vector<LinkLoad> loads, int busiest, const QString& byLevel) {
  m_scene.setLoads(std::move(loads), busiest, byLevel);
  refresh();
}

void NetworkCanvas::refresh() {
  m_layers = {};
  update();
}

void NetworkCanvas::setTheme(const Theme& theme) {
  m_theme = &theme;
  refresh();
}

void NetworkCanvas::setColouredBy(Together by) {
  if (m_scene.colouredBy() == by) return;
  m_scene.setColouredBy(by);
  refresh();
}

void NetworkCanvas::setTool(Tool tool) {
  m_tool = tool;
  m_stamped = 0;
  update();
  setCursor(tool == Tool::Select ? Qt::ArrowCursor : Qt::CrossCursor);
  Q_EMIT toolChanged();
}

void NetworkCanvas::select(std::vector<int> nodes, std::vector<int> links) {
  m_marks.nodes.clear();
  for (int n : nodes)
    for (int one : m_scene.behind(m_scene.shownAs(n))) m_marks.nodes.insert(one);
  m_marks.links = QSet<int>(links.begin(), links.end());
  refresh();
  Q_EMIT selectionChanged();
}

NetworkCanvas::Chosen NetworkCanvas::chosen() const {
  Chosen out;
  const NetworkGraph& g = m_scene.graph();
  for (int n : selectedNodes()) out.nodes.push_back(g.nodes[at(n)].id);
  for (int l : selectedLinks())
    out.links.emplace_back(g.nodes[at(g.links[at(l)].from)].id, g.nodes[at(g.links[at(l)].to)].id);
  return out;
}

void NetworkCanvas::select(const Chosen& wanted) {
  const NetworkGraph& g = m_scene.graph();
  const std::set<std::string> ids(wanted.nodes.begin(), wanted.nodes.end());
  const std::set<std::pair<std::string, std::string>> ends(wanted.links.begin(), wanted.links.end());
  std::vector<int> nodes, links;
  for (std::size_t i = 0; i < g.nodes.size() && !ids.empty(); ++i)
    if (ids.contains(g.nodes[i].id)) nodes.push_back(static_cast<int>(i));
  for (std::size_t i = 0; i < g.links.size() && !ends.empty(); ++i)
    if (ends.contains({g.nodes[at(g.links[i].from)].id, g.nodes[at(g.links[i].to)].id}))
      links.push_back(m_scene.linkShownAs(static_cast<int>(i)));
  select(std::move(nodes), std::move(links));
}

void NetworkCanvas::setTyped(std::set<double> inBits) {
  if (inBits == m_scene.typedInBits()) return;
  m_scene.setTyped(std::move(inBits));
  refresh();
  Q_EMIT selectionChanged();  // its figures are shown in other units
}

void NetworkCanvas::jumpTo(int node, int link) {
  auto ids = m_scene.unfolded();
  const auto unfoldFor = [&](int n) {
    if (!m_scene.isShown(n)) m_scene.unfoldFor(n, ids);
  };
  if (node >= 0) unfoldFor(node);
  if (link >= 0) unfoldFor(m_scene.link(link).from), unfoldFor(m_scene.link(link).to);
  setUnfolded(std::move(ids));
  if (link >= 0) link = m_scene.linkShownAs(link);
  select(node >= 0 ? std::vector<int>{node} : std::vector<int>{},
         link >= 0 ? std::vector<int>{link} : std::vector<int>{});
  if (node < 0 && link < 0) return;
  m_scale = std::max(m_scale, 0.8);
  m_offset =
      QPointF(width(), height()) / 2 - (node >= 0 ? m_scene.centre(node) : m_scene.middleOf(link)) * m_scale;
  m_placedFor = size();
  m_userMoved = true;
  refresh();
}

QRectF NetworkCanvas::fittedArea() const {
  return QRectF(rect()).adjusted(0, 0, 0, -kKeyHeight);
}

/// Names of switches keep their size on screen: pixels by which they stick out.
QMarginsF NetworkCanvas::roomForNames(const QRectF& scene, double scale) const {
  QMarginsF room;
  if (m_scene.shown().size() > kMostMeasured) return room;
  const QFontMetricsF metrics(Theme::font(11, true));
  for (int n : m_scene.shown()) {
    if (m_scene.node(n).kind != NodeKind::Switch || !scene.contains(m_scene.centre(n))) continue;
    const double half = metrics.horizontalAdvance(m_scene.nameOf(n)) / 2 + kNameMargin;
    room.setLeft(std::max(room.left(), half - (m_scene.centre(n).x() - scene.left()) * scale));
    room.setRight(std::max(room.right(), half - (scene.right() - m_scene.centre(n).x()) * scale));
  }
  return room;
}

void NetworkCanvas::show(const QRectF& scene, double mostScale) {
  QRectF area = fittedArea();
  const auto scaled = [&] {
    const double fitting = std::min(area.width() / scene.width(), area.height() / scene.height());
    return std::clamp(fitting, kTiniest, mostScale);
  };
  const QRectF free = area.marginsRemoved(roomForNames(scene, scaled()));
  if (free.width() > area.width() / 2) area = free;
  m_scale = scaled();
  m_offset = area.center() - scene.center() * m_scale;
  m_placedFor = size();
}

void NetworkCanvas::fit() {
  show(m_scene.bounds().adjusted(-30, -30, 30, 30), 1.4);
  m_userMoved = false;
  refresh();
}

void NetworkCanvas::fitSelection() {
  QRectF all;
  for (int n : std::as_const(m_marks.nodes)) all |= m_scene.box(m_scene.shownAs(n));
  if (all.isEmpty()) return fit();
  show(all.adjusted(-30, -30, 30, 30), 2.0);
  m_userMoved = true;
  refresh();
}

void NetworkCanvas::zoomBy(double factor, const QPointF& at) {
  const QPointF fixed = toScene(at);
  m_scale = std::clamp(m_scale * factor, std::min(kLeastScale, m_scale), kMostCanvasScale);
  m_offset = at - fixed * m_scale;
  m_userMoved = true;
  settleLater();
}

int NetworkCanvas::linkAt(const QPointF& scene) const {
  return m_scene.linkAt(scene, kReach / m_scale);
}

void NetworkCanvas::panBy(const QPointF& pixels) {
  m_offset += pixels;
  m_userMoved = true;
  settleLater();
}

/// What is painted of thousands moves and grows along; it is painted again when the hand rests.
void NetworkCanvas::settleLater() {
  if (m_scene.shown().size() <= kThousands) return refresh();
  m_settle.start();
  update();
}

QString NetworkCanvas::selectedText() const {
  if (!hasSelection()) return {};
  const auto nodes = selectedNodes();
  return nodes.size() == 1 ? m_scene.sentenceOf(nodes.front()) : selectedName();
}

std::map<std::string, double> NetworkCanvas::viewport() const {
  if (!m_userMoved) return {};
  const QPointF middle = toScene(fittedArea().center());
  return {{"drawing zoom", m_scale}, {"drawing x", middle.x()}, {"drawing y", middle.y()}};
}

void NetworkCanvas::setViewport(const std::map<std::string, double>& wanted) {
  const auto zoom = wanted.find("drawing zoom"), x = wanted.find("drawing x"), y = wanted.find("drawing y");
  if (zoom == wanted.end() || x == wanted.end() || y == wanted.end()) return;
  m_scale = std::clamp(zoom->second, kTiniest, kMostCanvasScale);
  m_offset = fittedArea().center() - QPointF(x->second, y->second) * m_scale;
  m_placedFor = size();
  m_userMoved = true;
  refresh();
}

std::vector<int> NetworkCanvas::selectedNodes() const {
  std::vector<int> out(m_marks.nodes.begin(), m_marks.nodes.end());
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<int> NetworkCanvas::selectedLinks() const {
  std::vector<int> out;
  for (int l : m_marks.links)
    for (int one : m_scene.linksBehind(l)) out.push_back(one);
  std::sort(out.begin(), out.end());
  return out;
}

void NetworkCanvas::setLit(std::vector<int> hovered, std::vector<int> chosen) {
  const auto mark = [&](std::vector<char>& marks, const std::vector<int>& nodes) {
    marks.assign(nodes.empty() ? 0 : m_scene.graph().nodes.size(), 0);
    for (int n : nodes) marks[at(m_scene.shownAs(n))] = 1;
  };
  const auto before = m_marks.litChosen;
  mark(m_marks.litHovered, hovered);
  mark(m_marks.litChosen, chosen);
  m_marks.litChosen == before ? update() : refresh();
}

void NetworkCanvas::setRunning(std::vector<int> taskOfStage) {
  m_marks.running = std::move(taskOfStage);
  refresh();
}

}  // namespace nest
