// How the canvas looks. Level of detail by size on screen: where hundreds are in sight a device is a filled
// box without outline, below legibility it has no text; names of switches and hosts keep their size on screen
// and go where they would lie on each other.
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "editors/network/network_canvas.h"
#include "editors/network/network_selection.h"
#include "figures/ink.h"
#include "figures/phrases.h"
#include "units/text.h"

namespace nest {
namespace {

using Role = Theme::Role;

constexpr double kLegible = 0.55;  ///< scale from which boxes carry their text in scene units
constexpr std::size_t kMostFarLabels = 400;
constexpr double kHostPerLabel = 3;        ///< height of a host to that of its name, at least
constexpr std::size_t kMostWritten = 900;  ///< boxes in sight that carry their text
constexpr std::size_t kMostRound = 300;    ///< boxes in sight that have round corners and an outline
constexpr double kMinimapWidth = 170, kMinimapHeight = 110;
constexpr double kHatched = 7;      ///< pixels of height from which a box is hatched
constexpr double kLeastNumber = 7;  ///< pixels of the smallest stage number
constexpr int kMostSlices = 6;      ///< colours that a folded device shows side by side

}  // namespace

bool NetworkCanvas::stepsBack(int node) const {
  if (m_graph.nodes[at(node)].kind != NodeKind::Device) return false;
  if (!m_litHovered.empty()) return m_litHovered[at(node)] == 0;
  if (m_running.empty()) return false;
  const auto& kinds = m_kinds[at(node)];
  return std::none_of(kinds.begin(), kinds.end(), [&](const RankKind& k) {
    return at(k.stage) < m_running.size() && m_running[at(k.stage)] != kWaits;
  });
}

bool NetworkCanvas::isCutOff(int node) const {
  return at(node) < m_seats.size() && m_seats[at(node)].stage == NetworkSelection::kCutOff &&
         !m_graph.nodes[at(node)].failed;
}

bool NetworkCanvas::isTrunk(int link) const {
  const NetworkLink& l = m_graph.links[at(link)];
  return m_graph.nodes[at(l.from)].kind == NodeKind::Switch &&
         m_graph.nodes[at(l.to)].kind == NodeKind::Switch;
}

/// Lines as in the figures, in the units of the scene: they keep their distance on screen.
void NetworkCanvas::paintHatch(QPainter& p, const QRectF& r, const RankKind& kind, const QColor& fill,
                               double scale) const {
  const int pattern = m_theme->stageHatch(kind.colour());
  if (pattern == 0 || r.height() * scale < kHatched) return;
  std::vector<QLineF> lines;
  Ink::hatchLines(r, pattern, 6 / scale, lines);
  QPen pen(mixed(fill, m_theme->textOn(fill), 0.35), 1, Qt::SolidLine, Qt::FlatCap);
  pen.setCosmetic(true);
  p.setPen(pen);
  p.drawLines(lines.data(), static_cast<int>(lines.size()));
}

void NetworkCanvas::paintCross(QPainter& p, const QRectF& r, double scale) const {
  const double arm = std::min({r.width() / 2, r.height() / 2, 9 / scale});
  QPen pen(m_theme->color(Role::Error), 1.6);
  pen.setCosmetic(true);
  p.setPen(pen);
  const QRectF cross(r.center().x() - arm, r.center().y() - arm, 2 * arm, 2 * arm);
  p.drawLine(cross.topLeft(), cross.bottomRight());
  p.drawLine(cross.bottomLeft(), cross.topRight());
}

QColor NetworkCanvas::fillOf(int node) const {
  const NetworkNode& n = m_graph.nodes[at(node)];
  if (n.failed) return m_theme->color(Role::Canvas);
  if (n.kind != NodeKind::Device) return m_theme->color(Role::Panel);
  if (isCutOff(node)) return m_theme->color(Role::Canvas);
  const auto& kinds = m_kinds[at(node)];
  QColor c = kinds.empty() ? m_theme->color(Role::Idle) : m_theme->stage(kinds.front().colour());
  if (stepsBack(node)) c.setAlphaF(0.25F);
  return c;
}

void NetworkCanvas::paintStack(QPainter& p, int node, double scale) const {
  // The edges of two more boxes behind say that there are several before the number is read.
  const QRectF r = box(node);
  QPen pen(m_theme->color(Role::Border), 1);
  pen.setCosmetic(true);
  p.setPen(pen);
  p.setBrush(m_theme->color(Role::Panel));
  const double step = std::min(5.0, 4 / scale);
  const double radius = m_graph.nodes[at(node)].kind == NodeKind::Switch ? r.height() / 2 : 4;
  for (int k : {2, 1}) p.drawRoundedRect(r.translated(k * step, k * step), radius, radius);
}

void NetworkCanvas::paintDeviceText(QPainter& p, int node, const QColor& fill) const {
  const NetworkNode& n = m_graph.nodes[at(node)];
  const auto& kinds = m_kinds[at(node)];
  const QString name = nameOf(node);
  // Inside a host the slot number says enough.
  const int colon = static_cast<int>(name.lastIndexOf(QLatin1Char(':')));
  QString text = !n.host.empty() && colon > 0 ? name.mid(colon + 1) : name;
  if (!kinds.empty()) {
    const auto [least, most] = std::minmax_element(kinds.begin(), kinds.end(), [this](auto& a, auto& b) {
      return m_shownBy == Together::Stage ? a.stage < b.stage : a.group < b.group;
    });
    text = least->number(m_shownBy);
    if (const QString last = most->number(m_shownBy); last != text) text += QStringLiteral("…") + last;
  }
  p.setFont(Theme::font(12, !kinds.empty()));
  if (kinds.size() == 1 && m_theme->stageHatch(kinds.front().colour()) != 0) {
    // The number stands on a plain spot, or the hatch would run through it.
    const double w = p.fontMetrics().horizontalAdvance(text) + 4, h = p.fontMetrics().height() - 2;
    p.fillRect(QRectF(box(node).center().x() - w / 2, box(node).center().y() - h / 2, w, h), fill);
  }
  p.setPen(n.failed || stepsBack(node) ? m_theme->color(n.failed ? Role::Error : Role::MutedText)
                                       : m_theme->textOn(fill));
  const QRectF r = box(node).adjusted(2, 0, -2, 0);
  constexpr int kSurelyFits = 4;
  p.drawText(r, Qt::AlignCenter,
             text.size() <= kSurelyFits
                 ? text
                 : p.fontMetrics().elidedText(text, Qt::ElideRight, static_cast<int>(r.width())));
}

void NetworkCanvas::paintNode(QPainter& p, int node, double scale) const {
  const NetworkNode& n = m_graph.nodes[at(node)];
  const QRectF r = box(node);
  const bool chosen = !m_litChosen.empty() && m_litChosen[at(node)];
  const bool selected = m_nodes.contains(node) || chosen, hovered = node == m_hoverNode;
  if (alike(node) > 1) paintStack(p, node, scale);
  const QColor fill = fillOf(node);
  QPen pen(m_theme->color(selected || hovered ? Role::Accent
                          : n.failed          ? Role::Error
                          : isCutOff(node)    ? Role::MutedText
                                              : Role::Border),
           selected  ? 2.5
           : hovered ? 2
                     : 1,
           n.failed || isCutOff(node) ? Qt::DashLine : Qt::SolidLine);
  pen.setCosmetic(true);
  p.setPen(pen);
  p.setBrush(fill);
  const double radius = n.kind == NodeKind::Switch ? r.height() / 2 : 4;
  p.drawRoundedRect(r, radius, radius);
  const auto& kinds = m_kinds[at(node)];
  if (n.kind == NodeKind::Device && kinds.size() > 1 && !n.failed) {
    const auto slices = static_cast<int>(std::min<std::size_t>(kinds.size(), kMostSlices));
    for (int k = 0; k < slices; ++k) {
      QColor c = m_theme->stage(kinds[at(k)].colour());
      if (stepsBack(node)) c.setAlphaF(0.25F);
      p.fillRect(QRectF(r.left() + r.width() * k / slices, r.top(), r.width() / slices, r.height()), c);
    }
  }
  if (n.kind == NodeKind::Device && kinds.size() == 1 && !n.failed)
    paintHatch(p, r.adjusted(1 / scale, 1 / scale, -1 / scale, -1 / scale), kinds.front(), fill, scale);
  // Beside a name that can be read, else all over.
  const bool named = n.kind != NodeKind::Device && scale >= kLegible;
  if (n.failed && (n.kind != NodeKind::Host || m_contents[at(node)].empty()))
    paintCross(p, named ? QRectF(r.left() + 5, r.top(), 12, r.height()) : r, scale);
  if (scale < kLegible) return;
  if (n.failed && n.kind == NodeKind::Device) return;
  if (n.kind == NodeKind::Device)
    return paintDeviceText(p, node, kinds.empty() ? fill : m_theme->stage(kinds.front().colour()));
  p.setFont(Theme::font(12, true));
  p.setPen(m_theme->color(n.failed ? Role::Error : Role::Text));
  const bool header = n.kind == NodeKind::Host && !m_contents[at(node)].empty();
  const double side = header ? graph::kHostPadding : 6;
  const QRectF text = r.adjusted(side, header ? 4 : 0, -side, 0);
  const int align = header ? Qt::AlignLeft | Qt::AlignTop : Qt::AlignCenter;
  const QString times = alike(node) > 1 ? QStringLiteral("×%1").arg(alike(node)) : QString();
  const int room =
      static_cast<int>(text.width()) - (header ? p.fontMetrics().horizontalAdvance(times) + 4 : 0);
  p.drawText(text, align, p.fontMetrics().elidedText(nameOf(node), Qt::ElideRight, room));
  if (times.isEmpty()) return;
  p.setPen(m_theme->color(Role::Accent));
  if (header)
    p.drawText(text, Qt::AlignRight | Qt::AlignTop, times);
  else
    p.drawText(QRectF(r.right() + 14, r.top(), 80, r.height()), Qt::AlignLeft | Qt::AlignVCenter, times);
}

/// Hundreds of boxes of a few pixels: one call for each colour, hosts below devices.
void NetworkCanvas::paintSmallNodes(QPainter& p, const std::vector<int>& nodes, double scale) const {
  std::map<std::pair<bool, QRgb>, QList<QRectF>> byColour;
  std::map<std::pair<RankKind, QRgb>, std::vector<int>> hatched;
  std::vector<int> marked, failed;
  for (int n : nodes) {
    const NetworkNode& node = m_graph.nodes[at(n)];
    const bool device = node.kind == NodeKind::Device;
    if (m_nodes.contains(n) || n == m_hoverNode || (!m_litChosen.empty() && m_litChosen[at(n)]) ||
        alike(n) > 1 || m_kinds[at(n)].size() > 1)
      marked.push_back(n);
    else
      byColour[{device, fillOf(n).rgba()}] << box(n);
    if (node.failed && (device || node.kind == NodeKind::Switch)) failed.push_back(n);
    if (device && !node.failed && m_kinds[at(n)].size() == 1)
      if (const RankKind kind = m_kinds[at(n)].front(); m_theme->stageHatch(kind.colour()) != 0)
        hatched[{kind, fillOf(n).rgba()}].push_back(n);
  }
  const bool smooth = p.testRenderHint(QPainter::Antialiasing);
  p.setRenderHint(QPainter::Antialiasing, false);
  QPen edge(m_theme->color(Role::Border), 0);
  for (const auto& [key, boxes] : byColour) {
    p.setPen(key.first ? QPen(Qt::NoPen) : edge);
    p.setBrush(QColor::fromRgba(key.second));
    p.drawRects(boxes.data(), static_cast<int>(boxes.size()));
  }
  for (const auto& [key, devices] : hatched)
    for (const int n : devices) paintHatch(p, box(n), key.first, QColor::fromRgba(key.second), scale);
  for (const int n : failed) paintCross(p, box(n), scale);
  paintRunNumbers(p, nodes, scale);
  p.setRenderHint(QPainter::Antialiasing, smooth && marked.size() < kMostRound);
  for (int n : marked) paintNode(p, n, scale);
  p.setRenderHint(QPainter::Antialiasing, smooth);
}

/// The number of a stage over neighbours of one host that all belong to it, where one box has no room for it.
void NetworkCanvas::paintRunNumbers(QPainter& p, const std::vector<int>& nodes, double scale) const {
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
    if (m_graph.nodes[at(n)].kind == NodeKind::Device && !m_graph.nodes[at(n)].failed &&
        m_kinds[at(n)].size() == 1 && !stepsBack(n))
      merge({m_kinds[at(n)].front(), m_graph.nodes[at(n)].host, box(n)}, true);
  for (const Run& row : std::exchange(runs, {})) merge(row, false);
  p.save();
  p.scale(1 / scale, 1 / scale);
  for (const Run& run : runs) {
    const QRectF on(run.box.left() * scale, run.box.top() * scale, run.box.width() * scale,
                    run.box.height() * scale);
    const double size = std::clamp(on.height() * 0.6, 0.0, 13.0);
    if (size < kLeastNumber) continue;
    const QString number = run.kind.number(m_shownBy);
    p.setFont(Theme::font(size, true));
    const QFontMetricsF metrics(p.font());
    const double w = metrics.horizontalAdvance(number);
    if (w + 2 > on.width()) continue;
    const QColor fill = m_theme->stage(run.kind.colour());
    p.fillRect(QRectF(on.center().x() - w / 2 - 2, on.center().y() - size * 0.55, w + 4, size * 1.1), fill);
    p.setPen(m_theme->textOn(fill));
    p.drawText(on, Qt::AlignCenter, number);
  }
  p.restore();
}

/// A frame around what belongs to a host that is no node, with its name where there is room for it.
void NetworkCanvas::paintImpliedHosts(QPainter& p, const QRectF& visible, double scale) const {
  for (std::size_t h = 0; h < m_impliedHosts.names.size(); ++h) {
    QRectF frame;
    for (int n : m_impliedHosts.members[h]) frame |= box(n);
    if (frame.isEmpty()) continue;
    frame.adjust(-graph::kHostPadding, -graph::kHostPadding - graph::kHostHeader, graph::kHostPadding,
                 graph::kHostPadding);
    if (!frame.intersects(visible)) continue;
    QPen pen(m_theme->color(Role::Border), 1, Qt::DotLine);
    pen.setCosmetic(true);
    p.setPen(pen);
    p.setBrush(Qt::NoBrush);
    p.drawRoundedRect(frame, 4, 4);
    p.setFont(Theme::font(12, true));
    p.setPen(m_theme->color(Role::Text));
    const QString name = phrase(m_impliedHosts.names[h]);
    const QRectF head(frame.left() * scale + 4, frame.top() * scale + 1, frame.width() * scale - 8,
                      p.fontMetrics().height());
    if (p.fontMetrics().horizontalAdvance(name) > head.width()) continue;
    p.save();
    p.scale(1 / scale, 1 / scale);
    p.drawText(head, Qt::AlignLeft | Qt::AlignTop, name);
    p.restore();
  }
}

/// Names in pixels, those of switches with the most below first, each only where it covers no other.
void NetworkCanvas::paintFarLabels(QPainter& p, const QRectF& visible, double scale) const {
  std::vector<int> named;
  std::size_t hosts = 0;
  for (int n : m_shown)
    if (m_graph.nodes[at(n)].kind != NodeKind::Device && box(n).intersects(visible)) {
      named.push_back(n);
      hosts += m_graph.nodes[at(n)].kind == NodeKind::Host;
    }
  const bool namesHosts = hosts <= kMostFarLabels;  // all of them or none
  // Upper nodes come later in most networks, and are fewer.
  std::stable_sort(named.begin(), named.end(), [&](int a, int b) {
    const bool hostA = m_graph.nodes[at(a)].kind == NodeKind::Host,
               hostB = m_graph.nodes[at(b)].kind == NodeKind::Host;
    return hostA != hostB ? !hostA : box(a).top() < box(b).top();
  });
  if (named.size() > 4 * kMostFarLabels) named.resize(4 * kMostFarLabels);
  p.save();
  p.setFont(Theme::font(11, true));
  const QFontMetricsF metrics = p.fontMetrics();
  std::vector<QRectF> taken;
  for (int n : named) {
    if (taken.size() >= kMostFarLabels) break;
    const NetworkNode& node = m_graph.nodes[at(n)];
    QString s = nameOf(n);
    if (alike(n) > 1) s += QStringLiteral(" ×%1").arg(alike(n));
    QRectF r = metrics.boundingRect(s).adjusted(-4, -1, 4, 1);
    const QRectF on = QTransform::fromScale(scale, scale).mapRect(box(n));
    const bool host = node.kind == NodeKind::Host;
    if (host && (!namesHosts || r.width() > on.width() || kHostPerLabel * r.height() > on.height())) continue;
    r.moveCenter(on.center());
    if (host) r.moveTop(on.top() + 1);
    if (std::any_of(taken.begin(), taken.end(), [&](const QRectF& t) { return t.intersects(r); })) continue;
    // Inside a host the frame says the name, and parts have theirs where their box has room.
    if (m_impliedHosts.hostOf[at(n)] >= 0 && r.width() > on.width()) continue;
    taken.push_back(r);
    p.save();
    p.scale(1 / scale, 1 / scale);
    QColor back = m_theme->color(host ? Role::Panel : Role::Canvas);
    back.setAlphaF(0.86F);
    p.setPen(Qt::NoPen);
    p.setBrush(back);
    p.drawRoundedRect(r, 4, 4);
    p.setPen(m_theme->color(node.failed ? Role::Error : Role::Text));
    p.drawText(r, Qt::AlignCenter, s);
    p.restore();
  }
  p.restore();
}

void NetworkCanvas::paintScene(QPainter& p, const QRectF& visible, double scale) const {
  std::vector<int> round, flat;
  std::size_t seen = 0;
  for (int n : m_shown) seen += box(n).intersects(visible);
  const bool crowded = seen > (scale < kLegible ? kMostRound : kMostWritten);
  for (int n : m_shown)
    if (box(n).intersects(visible)) (crowded ? flat : round).push_back(n);
  p.setRenderHint(QPainter::Antialiasing);
  paintImpliedHosts(p, visible, scale);
  paintLinks(p, visible, scale, false);
  const auto isSwitch = [&](int n) { return m_graph.nodes[at(n)].kind == NodeKind::Switch; };
  const auto switches =
      std::stable_partition(round.begin(), round.end(), [&](int n) { return !isSwitch(n); });
  paintSmallNodes(p, flat, scale);
  std::for_each(round.begin(), switches, [&](int n) { paintNode(p, n, scale); });
  if (scale < kLegible) paintRunNumbers(p, round, scale);
  paintLinks(p, visible, scale, true);
  std::for_each(switches, round.end(), [&](int n) { paintNode(p, n, scale); });
  for (int n : flat)
    if (isSwitch(n)) paintNode(p, n, scale);
  paintLinkLabels(p, visible, scale);
  if (crowded || scale < kLegible) paintFarLabels(p, visible, scale);
}

void NetworkCanvas::paintBadges(QPainter& p) const {
  p.setFont(Theme::font(11, true));
  for (const graph::Problem& problem : m_problems) {
    if (problem.node < 0 && problem.link < 0) continue;
    const QPointF where =
        problem.node >= 0 ? box(m_folding.shownAs[at(problem.node)]).topRight() : middleOf(problem.link);
    const QPointF spot = toWidget(where);
    if (!QRectF(rect()).adjusted(-10, -10, 10, 10).contains(spot)) continue;
    const bool bad = problem.diagnostic.severity == Severity::Error;
    const QColor fill = m_theme->color(bad ? Role::Error : Role::Warning);
    p.setPen(Qt::NoPen);
    p.setBrush(fill);
    p.drawEllipse(spot, 8, 8);
    p.setPen(m_theme->textOn(fill));
    p.drawText(QRectF(spot.x() - 8, spot.y() - 8, 16, 16), Qt::AlignCenter, QStringLiteral("!"));
  }
}

QRectF NetworkCanvas::minimapArea() const {
  const QRectF all = sceneBounds().adjusted(-40, -40, 40, 40);
  const bool everythingVisible =
      QRectF(toScene(QPointF(0, 0)), toScene(QPointF(width(), height()))).contains(sceneBounds());
  if (everythingVisible || m_graph.nodes.empty()) return {};
  const double k = std::min(kMinimapWidth / all.width(), kMinimapHeight / all.height());
  const QSizeF size(std::max(40.0, all.width() * k), std::max(24.0, all.height() * k));
  return {QPointF(width() - size.width() - 12, height() - size.height() - kLegendHeight - 8), size};
}

void NetworkCanvas::paintMinimap(QPainter& p) const {
  const QRectF area = minimapArea();
  if (area.isEmpty()) return;
  const QRectF all = sceneBounds().adjusted(-40, -40, 40, 40);
  p.save();
  p.setRenderHint(QPainter::Antialiasing, false);
  p.setPen(m_theme->color(Role::Border));
  p.setBrush(m_theme->color(Role::Panel));
  p.drawRect(area);
  p.setClipRect(area);
  p.translate(area.topLeft());
  p.scale(area.width() / all.width(), area.height() / all.height());
  p.translate(-all.topLeft());
  QList<QRectF> switches, others;
  for (int n : m_shown) {
    const NetworkNode& node = m_graph.nodes[at(n)];
    if (node.kind == NodeKind::Device && !node.host.empty()) continue;
    (node.kind == NodeKind::Switch ? switches : others) << box(n);
  }
  p.setPen(Qt::NoPen);
  for (const auto& [boxes, role] : {std::pair(&others, Role::MutedText), std::pair(&switches, Role::Text)}) {
    p.setBrush(m_theme->color(role));
    p.drawRects(boxes->data(), static_cast<int>(boxes->size()));
  }
  QPen pen(m_theme->color(Role::Accent), 1.5);
  pen.setCosmetic(true);
  p.setPen(pen);
  p.setBrush(Qt::NoBrush);
  p.drawRect(QRectF(toScene(QPointF(0, 0)), toScene(QPointF(width(), height()))));
  p.restore();
}

void NetworkCanvas::paintEmpty(QPainter& p) const {
  p.setPen(m_theme->color(Role::MutedText));
  p.setFont(Theme::font(13));
  p.drawText(rect().adjusted(24, 24, -24, -24), Qt::AlignCenter | Qt::TextWordWrap,
             tr("No network yet. Open a scenario, or draw one."));
}

void NetworkCanvas::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.fillRect(rect(), m_theme->color(Role::Canvas));
  if (m_graph.nodes.empty()) return m_editable ? void() : paintEmpty(p);  // the editor says how to begin
  p.save();
  p.translate(m_offset);
  p.scale(m_scale, m_scale);
  paintScene(p, QRectF(toScene(QPointF(0, 0)), toScene(QPointF(width(), height()))), m_scale);
  if (!m_guides.empty()) {
    QPen pen(m_theme->color(Role::Accent), 1);
    pen.setCosmetic(true);
    p.setPen(pen);
    for (const QLineF& line : m_guides) p.drawLine(line);
  }
  if (m_gesture == Gesture::Connect && m_connectFrom >= 0) {
    QPen pen(m_theme->color(Role::Accent), 2, Qt::DashLine);
    pen.setCosmetic(true);
    p.setPen(pen);
    p.drawLine(centre(m_connectFrom), m_currentScene);
  }
  p.restore();
  p.setRenderHint(QPainter::Antialiasing);
  paintBadges(p);
  if (m_gesture == Gesture::RubberBand) {
    QColor c = m_theme->color(Role::Accent);
    p.setPen(c);
    c.setAlpha(40);
    p.setBrush(c);
    p.drawRect(QRectF(m_pressWidget, m_lastWidget).normalized());
  }
  if (!m_loads.empty() || m_stageCount > 0) {
    const double rows = (m_loads.empty() || m_stageCount == 0 ? 1 : 2) * kLegendRow;
    const QRectF line(0, height() - rows, width(), rows);
    QColor back = m_theme->color(Role::Canvas);
    back.setAlphaF(0.86F);
    p.fillRect(line, back);
    paintLegend(p, line, *m_theme);
  }
  paintMinimap(p);
  if (hasFocus()) {
    p.setPen(QPen(m_theme->color(Role::Accent), 1));
    p.setBrush(Qt::NoBrush);
    p.drawRect(rect().adjusted(0, 0, -1, -1));
  }
}

}  // namespace nest
