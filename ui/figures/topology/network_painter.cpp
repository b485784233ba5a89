#include "figures/topology/network_painter.h"

#include <QPaintEngine>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "figures/paint/figure_painter.h"
#include "figures/paint/phrases.h"
#include "figures/paint/rect_index.h"
#include "figures/topology/topology_key.h"
#include "units/text.h"

namespace nest {
namespace {

using Role = Theme::Role;

constexpr double kLegible = 0.55;  ///< m_scale from which boxes carry their text in scene units
constexpr std::size_t kMostFarLabels = 400;
constexpr double kHostPerLabel = 3;        ///< height of a host to that of its name, at least
constexpr std::size_t kMostWritten = 900;  ///< boxes in sight that carry their text
constexpr std::size_t kMostRound = 300;    ///< boxes in sight that have round corners and an outline
constexpr double kHatched = 7;             ///< pixels of height from which a box is hatched
constexpr double kLeastNumber = 7;         ///< pixels of the smallest stage number

/// The pixels that boxes without edge fill where nothing is smoothed. On paper there are none: each is hit.
class Pixels {
public:
  explicit Pixels(const QPainter& p)
      : m_transform(p.deviceTransform()),
        m_known(p.paintEngine()->type() == QPaintEngine::Raster &&
                m_transform.type() <= QTransform::TxScale) {}
  bool hit(const QRectF& box) const {
    if (!m_known) return true;
    const QRectF on = m_transform.mapRect(box);
    return hit(on.left(), on.right()) && hit(on.top(), on.bottom());
  }

private:
  static bool hit(double from, double to) {
    constexpr double kRounding = 1.0 / 32;
    return std::floor(to + 0.5 + kRounding) > std::floor(from + 0.5 - kRounding);
  }
  QTransform m_transform;
  bool m_known;
};

}  // namespace

NetworkPainter::NetworkPainter(QPainter& p, const NetworkScene& scene, const NetworkMarks& marks,
                               const QRectF& visible, double scale, const Theme& theme)
    : m_p(p), m_scene(scene), m_marks(marks), m_visible(visible), m_scale(scale), m_theme(theme) {}

QFont NetworkPainter::nameFont(double size, bool bold) const {
  return Theme::font(std::min(size, size * m_enlarged / m_scale), bold);
}

bool NetworkPainter::stepsBack(int node) const {
  if (m_scene.node(node).kind != NodeKind::Device) return false;
  if (!m_marks.litHovered.empty()) return m_marks.litHovered[at(node)] == 0;
  if (m_marks.running.empty()) return false;
  const auto& placed = m_scene.placedOn(node);
  return !placed || at(placed->stage) >= m_marks.running.size() ||
         m_marks.running[at(placed->stage)] == NetworkMarks::kWaits;
}

/// Lines as in the figures, in the units of the scene: they keep their distance on screen.
void NetworkPainter::paintHatch(const QRectF& r, const RankKind& kind, const QColor& fill) {
  const int pattern = m_theme.stageHatch(kind.colour());
  if (pattern == 0 || r.height() * m_scale < kHatched) return;
  std::vector<QLineF> lines;
  FigurePainter::hatchLines(r, pattern, 6 / m_scale, lines);
  QPen pen(mixed(fill, m_theme.textOn(fill), 0.35), 1, Qt::SolidLine, Qt::FlatCap);
  pen.setCosmetic(true);
  m_p.setPen(pen);
  m_p.drawLines(lines.data(), static_cast<int>(lines.size()));
}

/// Over a host that plans leave out, or single devices of one: the lines of its state.
void NetworkPainter::paintState(int node) {
  const StateOfHost* state = m_scene.unplanned(node);
  const bool isDrawnByHost = m_scene.node(node).kind == NodeKind::Device && state && state->devices.empty() &&
                             m_scene.isInDrawnHost(node);
  if (!state || isDrawnByHost) return;
  const QRectF r = box(node).adjusted(1 / m_scale, 1 / m_scale, -1 / m_scale, -1 / m_scale);
  if (r.height() * m_scale < kHatched) return;
  std::vector<QLineF> lines;
  const StateLook look = lookOf(state->state);
  FigurePainter::hatchLines(r, look.hatch, look.spacing / m_scale, lines);
  QPen pen(m_theme.color(look.ink), 1, Qt::SolidLine, Qt::FlatCap);
  pen.setCosmetic(true);
  m_p.setPen(pen);
  m_p.drawLines(lines.data(), static_cast<int>(lines.size()));
}

void NetworkPainter::paintCross(const QRectF& r) {
  const double arm = std::min({r.width() / 2, r.height() / 2, 9 / m_scale});
  QPen pen(m_theme.color(Role::Error), 1.6);
  pen.setCosmetic(true);
  m_p.setPen(pen);
  const QRectF cross(r.center().x() - arm, r.center().y() - arm, 2 * arm, 2 * arm);
  m_p.drawLine(cross.topLeft(), cross.bottomRight());
  m_p.drawLine(cross.bottomLeft(), cross.topRight());
}

QColor NetworkPainter::fillOf(int node) const {
  const NetworkNode& n = m_scene.node(node);
  if (n.failed) return m_theme.color(Role::Canvas);
  if (n.kind != NodeKind::Device) return m_theme.color(Role::Panel);
  if (m_scene.isCutOff(node) || m_scene.unplanned(node)) return m_theme.color(Role::Canvas);
  const auto& placed = m_scene.placedOn(node);
  QColor c = placed ? m_theme.stage(placed->colour()) : m_theme.color(Role::Idle);
  if (stepsBack(node)) c.setAlphaF(0.25F);
  return c;
}

void NetworkPainter::paintStack(int node) {
  // The edges of two more boxes behind say that there are several before the number is read.
  const QRectF r = box(node);
  QPen pen(m_theme.color(Role::Border), 1);
  pen.setCosmetic(true);
  m_p.setPen(pen);
  m_p.setBrush(m_theme.color(Role::Panel));
  const double step = std::min(5.0, 4 / m_scale);
  const double radius = m_scene.node(node).kind == NodeKind::Switch ? r.height() / 2 : 4;
  for (int k : {2, 1}) m_p.drawRoundedRect(r.translated(k * step, k * step), radius, radius);
}

void NetworkPainter::paintDeviceText(int node, const QColor& fill) {
  const NetworkNode& n = m_scene.node(node);
  const auto& placed = m_scene.placedOn(node);
  const QString name = m_scene.nameOf(node);
  // Inside a host the slot number says enough.
  const int colon = static_cast<int>(name.lastIndexOf(QLatin1Char(':')));
  QString text = !n.host.empty() && colon > 0 ? name.mid(colon + 1) : name;
  if (placed) text = placed->number(m_scene.shownBy());
  m_p.setFont(nameFont(12, placed.has_value()));
  if (placed && m_theme.stageHatch(placed->colour()) != 0) {
    // The number stands on a plain spot, or the hatch would run through it.
    const double w = m_p.fontMetrics().horizontalAdvance(text) + 4, h = m_p.fontMetrics().height() - 2;
    m_p.fillRect(QRectF(box(node).center().x() - w / 2, box(node).center().y() - h / 2, w, h), fill);
  }
  m_p.setPen(n.failed || stepsBack(node) ? m_theme.color(n.failed ? Role::Error : Role::MutedText)
                                         : m_theme.textOn(fill));
  const QRectF r = box(node).adjusted(2, 0, -2, 0);
  constexpr int kSurelyFits = 4;
  m_p.drawText(r, Qt::AlignCenter,
               text.size() <= kSurelyFits
                   ? text
                   : m_p.fontMetrics().elidedText(text, Qt::ElideRight, static_cast<int>(r.width())));
}

void NetworkPainter::paintNode(int node) {
  const NetworkNode& n = m_scene.node(node);
  const QRectF r = box(node);
  const bool chosen = !m_marks.litChosen.empty() && m_marks.litChosen[at(node)];
  const bool selected = m_marks.nodes.contains(node) || chosen, hovered = node == m_marks.hoverNode;
  if (m_scene.alike(node) > 1) paintStack(node);
  const QColor fill = fillOf(node);
  QPen pen(m_theme.color(selected || hovered      ? Role::Accent
                         : n.failed               ? Role::Error
                         : m_scene.isCutOff(node) ? Role::MutedText
                                                  : Role::Border),
           selected  ? 2.5
           : hovered ? 2
                     : 1,
           n.failed || m_scene.isCutOff(node) || m_scene.unplanned(node) ? Qt::DashLine : Qt::SolidLine);
  pen.setCosmetic(true);
  m_p.setPen(pen);
  m_p.setBrush(fill);
  const double radius = n.kind == NodeKind::Switch ? r.height() / 2 : 4;
  m_p.drawRoundedRect(r, radius, radius);
  const auto& placed = m_scene.placedOn(node);
  if (n.kind == NodeKind::Device && placed && !n.failed)
    paintHatch(r.adjusted(1 / m_scale, 1 / m_scale, -1 / m_scale, -1 / m_scale), *placed, fill);
  paintState(node);
  // Beside a name that can be read, else all over.
  const bool named = n.kind != NodeKind::Device && m_scale >= kLegible;
  if (n.failed && (n.kind != NodeKind::Host || m_scene.contentsOf(node).empty()))
    paintCross(named ? QRectF(r.left() + 5, r.top(), 12, r.height()) : r);
  if (m_scale < kLegible) return;
  const QString times =
      m_scene.alike(node) > 1 ? QStringLiteral("×%1").arg(countText(m_scene.alike(node))) : QString();
  if (n.kind == NodeKind::Device) {
    if (!n.failed && !m_scene.unplanned(node))
      paintDeviceText(node, placed ? m_theme.stage(placed->colour()) : fill);
    m_p.setFont(nameFont(9, true));
    m_p.setPen(m_theme.color(Role::Accent));
    m_p.drawText(QRectF(r.left() - r.width(), r.bottom() + 4, 3 * r.width(), graph::kHostPadding),
                 Qt::AlignHCenter | Qt::AlignTop, times);
    return;
  }
  m_p.setFont(nameFont(12, true));
  const bool header = n.kind == NodeKind::Host && !m_scene.contentsOf(node).empty();
  const double side = header ? graph::kHostPadding : 6;
  QRectF text = r.adjusted(side, header ? 4 : 0, -side, 0);
  const QFontMetricsF metrics(m_p.font());
  const double gap = times.isEmpty() ? 0 : 4, beside = times.isEmpty() ? 0 : metrics.horizontalAdvance(times);
  const StateOfHost* state = n.failed ? nullptr : m_scene.unplanned(node);
  QString whole = m_scene.nameOf(node);
  if (state) whole += QStringLiteral(" · ") + phrase(std::string(nameOf(state->state)));
  // A state is read before a name.
  if (state && metrics.horizontalAdvance(whole) > text.width() - gap - beside)
    whole = phrase(std::string(nameOf(state->state)));
  const QString name = metrics.elidedText(whole, Qt::ElideMiddle, std::max(0.0, text.width() - gap - beside));
  // In the middle of its box the name stands there with its number, which beside the box would lie on the
  // next.
  const double spare = text.width() - gap - beside - metrics.horizontalAdvance(name);
  if (!header && spare > 0) text.adjust(spare / 2, 0, -spare / 2, 0);
  const int align = header ? Qt::AlignTop : Qt::AlignVCenter;
  if (state) {
    // On a plain spot, or the lines of the state would run through it.
    const QRectF spot(text.left() - 2, header ? text.top() : text.center().y() - metrics.height() / 2,
                      metrics.horizontalAdvance(name) + 4, metrics.height());
    m_p.fillRect(spot, fill);
  }
  m_p.setPen(m_theme.color(n.failed ? Role::Error : Role::Text));
  m_p.drawText(text, align | Qt::AlignLeft, name);
  m_p.setPen(m_theme.color(Role::Accent));
  m_p.drawText(text, align | Qt::AlignRight, times);
}

/// Hundreds of boxes of a few pixels: one call for each colour, hosts below devices.
void NetworkPainter::paintSmallNodes(const std::vector<int>& nodes) {
  std::map<std::pair<bool, QRgb>, QList<QRectF>> byColour;
  std::map<std::pair<RankKind, QRgb>, std::vector<int>> hatched;
  std::vector<int> marked, failed;
  const Pixels pixels(m_p);
  for (int n : nodes) {
    const NetworkNode& node = m_scene.node(n);
    const bool device = node.kind == NodeKind::Device;
    if (m_marks.nodes.contains(n) || n == m_marks.hoverNode ||
        (!m_marks.litChosen.empty() && m_marks.litChosen[at(n)]) || m_scene.alike(n) > 1)
      marked.push_back(n);
    else if (!device || pixels.hit(box(n)))
      byColour[{device, fillOf(n).rgba()}] << box(n);
    if (node.failed && (device || node.kind == NodeKind::Switch)) failed.push_back(n);
    if (device && !node.failed && box(n).height() * m_scale >= kHatched)
      if (const auto& placed = m_scene.placedOn(n); placed && m_theme.stageHatch(placed->colour()) != 0)
        hatched[{*placed, fillOf(n).rgba()}].push_back(n);
  }
  const bool smooth = m_p.testRenderHint(QPainter::Antialiasing);
  m_p.setRenderHint(QPainter::Antialiasing, false);
  QPen edge(m_theme.color(Role::Border), 0);
  const auto paintPlain = [&](bool devices) {
    for (const auto& [key, boxes] : byColour) {
      if (key.first != devices) continue;
      m_p.setPen(devices ? QPen(Qt::NoPen) : edge);
      m_p.setBrush(QColor::fromRgba(key.second));
      m_p.drawRects(boxes.data(), static_cast<int>(boxes.size()));
    }
  };
  paintPlain(false);
  // A marked host stands around its devices, not over them.
  const auto around = std::stable_partition(marked.begin(), marked.end(),
                                            [&](int n) { return m_scene.node(n).kind == NodeKind::Host; });
  std::for_each(marked.begin(), around, [&](int n) { paintNode(n); });
  m_p.setRenderHint(QPainter::Antialiasing, false);
  paintPlain(true);
  for (const auto& [key, devices] : hatched)
    for (const int n : devices) paintHatch(box(n), key.first, QColor::fromRgba(key.second));
  for (const int n : nodes)
    if (m_scene.unplanned(n)) paintState(n);
  for (const int n : failed) paintCross(box(n));
  paintRunNumbers(nodes);
  m_p.setRenderHint(QPainter::Antialiasing, smooth && marked.size() < kMostRound);
  std::for_each(around, marked.end(), [&](int n) { paintNode(n); });
  m_p.setRenderHint(QPainter::Antialiasing, smooth);
}

/// The number of a stage over neighbours of one host that all belong to it, where one box has no room for it.
void NetworkPainter::paintRunNumbers(const std::vector<int>& nodes) {
  struct Run {
    RankKind kind;
    std::string host;
    QRectF box;
  };
  std::vector<Run> runs;  // neighbours in a row, then rows of the same width
  const auto merge = [&](const Run& next, bool inRow) {
    if (!runs.empty() && !next.host.empty() && runs.back().kind == next.kind &&
        runs.back().host == next.host) {
      const QRectF& last = runs.back().box;
      const bool fits = inRow ? std::abs(last.top() - next.box.top()) < 1
                              : last.left() == next.box.left() && last.right() == next.box.right();
      if (fits) return void(runs.back().box |= next.box);
    }
    runs.push_back(next);
  };
  for (const int n : nodes)
    if (m_scene.node(n).kind == NodeKind::Device && !m_scene.node(n).failed && m_scene.placedOn(n) &&
        !stepsBack(n))
      merge({*m_scene.placedOn(n), m_scene.node(n).host, box(n)}, true);
  for (const Run& row : std::exchange(runs, {})) merge(row, false);
  m_p.save();
  m_p.scale(1 / m_scale, 1 / m_scale);
  for (const Run& run : runs) {
    const QRectF on(run.box.left() * m_scale, run.box.top() * m_scale, run.box.width() * m_scale,
                    run.box.height() * m_scale);
    const double size = std::clamp(on.height() * 0.6, 0.0, 13.0);
    if (size < kLeastNumber) continue;
    const QString number = run.kind.number(m_scene.shownBy());
    m_p.setFont(Theme::font(size, true));
    const QFontMetricsF metrics(m_p.font());
    const double w = metrics.horizontalAdvance(number);
    if (w + 2 > on.width()) continue;
    const QColor fill = m_theme.stage(run.kind.colour());
    m_p.fillRect(QRectF(on.center().x() - w / 2 - 2, on.center().y() - size * 0.55, w + 4, size * 1.1), fill);
    m_p.setPen(m_theme.textOn(fill));
    m_p.drawText(on, Qt::AlignCenter, number);
  }
  m_p.restore();
}

/// Names in pixels, those of switches with the most below first, each only where it covers no other.
void NetworkPainter::paintFarLabels() {
  std::vector<int> named;
  std::size_t hosts = 0;
  for (int n : nodesInSight())
    if (m_scene.node(n).kind != NodeKind::Device) {
      named.push_back(n);
      hosts += m_scene.node(n).kind == NodeKind::Host;
    }
  const bool namesHosts = hosts <= kMostFarLabels;  // all of them or none
  // Upper nodes come later in most networks, and are fewer.
  std::stable_sort(named.begin(), named.end(), [&](int a, int b) {
    const bool hostA = m_scene.node(a).kind == NodeKind::Host, hostB = m_scene.node(b).kind == NodeKind::Host;
    return hostA != hostB ? !hostA : box(a).top() < box(b).top();
  });
  if (named.size() > 4 * kMostFarLabels) named.resize(4 * kMostFarLabels);
  m_p.save();
  m_p.setFont(Theme::font(11, true));
  const QFontMetricsF metrics = m_p.fontMetrics();
  const QTransform pixels = QTransform::fromScale(m_scale, m_scale);
  RectIndex<QRectF> taken(pixels.mapRect(m_visible));
  RectIndex<int> switches(pixels.mapRect(m_visible));
  for (int n : named)
    if (isSwitch(n)) switches.add(n, pixels.mapRect(box(n)));
  for (int n : named) {
    if (m_farNames.size() >= kMostFarLabels) break;
    const NetworkNode& node = m_scene.node(n);
    QString s = m_scene.nameOf(n);
    if (m_scene.alike(n) > 1) s += QStringLiteral(" ×%1").arg(m_scene.alike(n));
    QRectF r = metrics.boundingRect(s).adjusted(-4, -1, 4, 1);
    const QRectF on = pixels.mapRect(box(n));
    const bool host = node.kind == NodeKind::Host;
    if (host && (!namesHosts || r.width() > on.width() || kHostPerLabel * r.height() > on.height())) continue;
    // On its box; a name that is wider, which would hide its neighbours, above or below.
    const auto isFree = [&] {
      return !taken.any(r, [&](const QRectF& t) {
        return t.intersects(r);
      }) && (host || !switches.any(r, [&](int m) { return m != n && pixels.mapRect(box(m)).intersects(r); }));
    };
    r.moveCenter(on.center());
    if (host) r.moveTop(on.top() + 1);
    bool free = isFree();
    if (!free && !host && r.width() > on.width()) {
      r.moveBottom(on.top() - 1);
      free = isFree();
      if (!free) r.moveTop(on.bottom() + 1), free = isFree();
    }
    if (!free) continue;
    // Inside a host the frame says the name, and parts have theirs where their box has room.
    if (m_scene.impliedHosts().hostOf[at(n)] >= 0 && r.width() > on.width()) continue;
    taken.add(r, r);
    m_farNames.push_back(r);
    m_p.save();
    m_p.scale(1 / m_scale, 1 / m_scale);
    QColor back = m_theme.color(host ? Role::Panel : Role::Canvas);
    back.setAlphaF(0.86F);
    m_p.setPen(Qt::NoPen);
    m_p.setBrush(back);
    m_p.drawRoundedRect(r, 4, 4);
    m_p.setPen(m_theme.color(node.failed ? Role::Error : Role::Text));
    m_p.drawText(r, Qt::AlignCenter, s);
    m_p.restore();
  }
  m_p.restore();
}

const std::vector<int>& NetworkPainter::nodesInSight() const {
  if (!m_nodes) m_nodes = m_scene.nodesIn(m_visible);
  return *m_nodes;
}

const std::vector<int>& NetworkPainter::linksInSight() const {
  if (!m_links) m_links = m_scene.linksIn(m_visible);
  return *m_links;
}

bool NetworkPainter::isCrowded() const {
  if (m_detail) return m_detail->crowded;
  return nodesInSight().size() > (m_scale < kLegible ? kMostRound : kMostWritten);
}

void NetworkPainter::paintBoxes(const std::vector<int>& nodes, bool crowded) {
  if (crowded) return paintSmallNodes(nodes);
  for (int n : nodes)
    if (!isSwitch(n)) paintNode(n);
  if (m_scale < kLegible) paintRunNumbers(nodes);
}

void NetworkPainter::paintGround() {
  m_p.setRenderHint(QPainter::Antialiasing);
  paintImpliedHosts();
  paintLinks(false);
  paintBoxes(nodesInSight(), isCrowded());
}

void NetworkPainter::paintTop() {
  m_p.setRenderHint(QPainter::Antialiasing);
  paintLinks(true);
  for (int n : nodesInSight())
    if (isSwitch(n)) paintNode(n);
  paintImpliedHostNames();
  if (m_scale < kLegible || isCrowded()) paintFarLabels();
  paintLinkLabels();
}

NetworkPainter::Detail NetworkPainter::detail() const {
  std::size_t trunks = 0;
  for (const int l : linksInSight()) trunks += isTrunk(l);
  return {isCrowded(), areHairlines(linksInSight().size() - trunks, false), areHairlines(trunks, true)};
}

void NetworkPainter::paintGroundOf(const Detail& whole) {
  m_detail = whole;
  paintGround();
}

void NetworkPainter::paintTopOf(const Detail& whole) {
  m_detail = whole;
  m_p.setRenderHint(QPainter::Antialiasing);
  paintLinks(true);
  for (int n : nodesInSight())
    if (isSwitch(n)) paintNode(n);
  paintImpliedHostNames();
}

void NetworkPainter::paintLit() {
  if (m_marks.litHovered.empty()) return;
  std::vector<int> lit;
  for (int n : nodesInSight())
    if (m_marks.litHovered[at(n)]) lit.push_back(n);
  m_p.setRenderHint(QPainter::Antialiasing);
  paintBoxes(lit, isCrowded());
}

void NetworkPainter::paintPointedAt() {
  m_p.setRenderHint(QPainter::Antialiasing);
  if (const int n = m_marks.hoverNode; n >= 0) {
    QPen pen(m_theme.color(Role::Accent), 2);
    pen.setCosmetic(true);
    m_p.setPen(pen);
    m_p.setBrush(Qt::NoBrush);
    const double radius = isSwitch(n) ? box(n).height() / 2 : 4;
    m_p.drawRoundedRect(box(n), radius, radius);
  }
  if (m_marks.hoverLink >= 0) {
    paintLink(m_marks.hoverLink);
    paintLinkLabels();
  }
}

void NetworkPainter::paint() {
  paintGround();
  paintTop();
}

}  // namespace nest
