// Links and their labels. Labels come last, over boxes and lines, each where it covers neither a box nor
// another label; where there is no such place only what is pointed at, selected or busiest keeps its label.
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <map>

#include "editors/network/network_canvas.h"
#include "figures/ink.h"
#include "units/text.h"

namespace nest {
namespace {

using Role = Theme::Role;

constexpr double kLabelled = 0.5;           ///< scale from which links are labelled unasked
constexpr std::size_t kMostLabelled = 200;  ///< links in sight
constexpr std::size_t kMostSmooth = 200;    ///< links in sight that are drawn one by one, smooth

/// Thicker with bandwidth.
double penWidth(const NetworkLink& l) {
  const double gbps = std::max(1.0, l.bandwidth.value() * l.count / 1e9);
  return std::clamp(0.8 + std::log10(gbps) * 0.9, 1.0, 5.0);
}

QPointF along(const QPolygonF& path, double share) {
  double whole = 0;
  for (int k = 0; k + 1 < path.size(); ++k) whole += QLineF(path[k], path[k + 1]).length();
  double left = whole * share;
  for (int k = 0; k + 1 < path.size(); ++k) {
    const QLineF part(path[k], path[k + 1]);
    if (left <= part.length()) return part.length() > 0 ? part.pointAt(left / part.length()) : part.p1();
    left -= part.length();
  }
  return path.isEmpty() ? QPointF() : path.last();
}

/// The part of a segment inside a box; a null line if there is none. Strokers take their time over lines that
/// leave the screen by far.
QLineF clipped(const QLineF& l, const QRectF& r) {
  double from = 0, to = 1;
  const double d[2] = {l.dx(), l.dy()};
  const double low[2] = {r.left() - l.x1(), r.top() - l.y1()},
               high[2] = {r.right() - l.x1(), r.bottom() - l.y1()};
  for (int k = 0; k < 2; ++k) {
    if (d[k] == 0) {
      if (low[k] > 0 || high[k] < 0) return {};
      continue;
    }
    const double a = low[k] / d[k], b = high[k] / d[k];
    from = std::max(from, std::min(a, b)), to = std::min(to, std::max(a, b));
  }
  return from < to ? QLineF(l.pointAt(from), l.pointAt(to)) : QLineF();
}

QRectF around(const QRectF& visible) {
  return visible.adjusted(-visible.width() / 8, -visible.height() / 8, visible.width() / 8,
                          visible.height() / 8);
}

}  // namespace

QColor NetworkCanvas::colourOf(int link, double scale, double& width) const {
  const NetworkLink& l = m_graph.links[at(link)];
  const bool marked = m_links.contains(link) || link == m_hoverLink;
  // From afar the boxes matter; a thousand uplinks at full width would be all one sees.
  width = penWidth(l) * (marked ? 1.6 : std::clamp(scale * 1.6, 0.3, 1.0));
  if (l.failed) return m_theme->color(Role::Error);
  if (m_loads.empty())
    return m_theme->color(marked ? Role::Accent : scale < kLabelled ? Role::Border : Role::MutedText);
  const int load = m_loadOf[at(link)];
  // By time: a wide link may carry more bytes than the one that holds everything up.
  const double heat = load >= 0 && m_most.value() > 0 ? m_loads[at(load)].time() / m_most : 0;
  if (heat > 0) width = std::max(width, 1.2 + 4.5 * heat);
  if (marked) return m_theme->color(Role::Accent);
  return heat > 0 ? m_theme->magnitude(0.12 + 0.88 * heat) : m_theme->color(Role::Border);
}

void NetworkCanvas::paintLink(QPainter& p, int link, const QRectF& visible, double scale) const {
  double width = 1;
  const QColor colour = colourOf(link, scale, width);
  QPen pen(colour, width, m_graph.links[at(link)].failed ? Qt::DashLine : Qt::SolidLine, Qt::RoundCap,
           Qt::RoundJoin);
  pen.setCosmetic(true);
  p.setPen(pen);
  p.setBrush(Qt::NoBrush);
  const QPolygonF& path = m_paths[at(link)];
  const QRectF near = around(visible);
  if (near.contains(path.boundingRect())) return p.drawPolyline(path);
  for (int k = 0; k + 1 < path.size(); ++k)
    if (const QLineF part = clipped({path[k], path[k + 1]}, near); !part.isNull()) p.drawLine(part);
}

void NetworkCanvas::paintLinks(QPainter& p, const QRectF& visible, double scale, bool trunks) const {
  std::vector<int> seen;
  for (int l : m_shownLinks)
    if (isTrunk(l) == trunks && m_paths[at(l)].boundingRect().adjusted(-1, -1, 1, 1).intersects(visible))
      seen.push_back(l);
  if (seen.size() <= kMostSmooth) {
    for (int l : seen) paintLink(p, l, visible, scale);
    return;
  }
  // Thousands: hairlines, one call for each colour, then what is marked, failed or busy over them.
  std::map<QRgb, QList<QLineF>> byColour;
  std::vector<int> over;
  const QRectF near = around(visible);
  for (int l : seen) {
    double width = 1;
    const QColor colour = colourOf(l, scale, width);
    const bool busy = !m_loads.empty() && m_loadOf[at(l)] >= 0 && m_loadOf[at(l)] == m_busiest;
    if (m_links.contains(l) || l == m_hoverLink || m_graph.links[at(l)].failed || busy) over.push_back(l);
    const QPolygonF& path = m_paths[at(l)];
    for (int k = 0; k + 1 < path.size(); ++k)
      if (const QLineF part = clipped({path[k], path[k + 1]}, near); !part.isNull())
        byColour[colour.rgba()] << part;
  }
  p.save();
  p.setRenderHint(QPainter::Antialiasing, false);
  for (const auto& [colour, lines] : byColour) {
    p.setPen(QPen(QColor::fromRgba(colour), 0));
    p.drawLines(lines);
  }
  p.restore();
  if (over.size() > kMostSmooth) over.resize(kMostSmooth);
  for (int l : over) paintLink(p, l, visible, scale);
}

QString NetworkCanvas::labelOf(int link) const {
  if (const int load = m_loads.empty() ? -1 : m_loadOf[at(link)]; load >= 0)
    return QString::fromStdString(text::memory(m_loads[at(load)].forward + m_loads[at(load)].backward)) +
           QStringLiteral(" · ") + QString::fromStdString(text::time(m_loads[at(load)].time()));
  const NetworkLink& l = m_graph.links[at(link)];
  return (l.count > 1 ? QString::number(l.count) + QStringLiteral(" × ") : QString()) +
         QString::fromStdString(text::bandwidth(l.bandwidth));
}

void NetworkCanvas::paintLinkLabels(QPainter& p, const QRectF& visible, double scale) const {
  std::vector<int> asked, unasked;
  std::size_t seen = 0;
  for (int l : m_shownLinks) {
    if (!m_paths[at(l)].boundingRect().adjusted(-1, -1, 1, 1).intersects(visible)) continue;
    ++seen;
    const bool busiest = !m_loads.empty() && m_loadOf[at(l)] >= 0 && m_loadOf[at(l)] == m_busiest;
    const bool marked = (m_links.contains(l) && m_links.size() < 40) || l == m_hoverLink;
    if (busiest || marked)
      asked.push_back(l);
    else if (scale >= kLabelled)
      unasked.push_back(l);
  }
  if (seen > kMostLabelled) unasked.clear();
  std::vector<QRectF> taken;  // pixels from here on
  const QTransform pixels = QTransform::fromScale(scale, scale);
  for (int n : m_shown)
    if ((m_graph.nodes[at(n)].kind != NodeKind::Device || m_graph.nodes[at(n)].host.empty()) &&
        !asked.empty() + !unasked.empty() > 0 && box(n).intersects(visible))
      taken.push_back(pixels.mapRect(box(n)));
  p.save();
  p.scale(1 / scale, 1 / scale);
  p.setFont(Theme::font(11));
  const QFontMetricsF metrics = p.fontMetrics();
  const auto place = [&](int link, bool must) {
    const QString s = labelOf(link);
    QRectF r = metrics.boundingRect(s).adjusted(-4, -1, 4, 1);
    bool free = false;
    for (double share : {0.5, 0.62, 0.38, 0.75, 0.25, 0.88, 0.12}) {
      r.moveCenter(pixels.map(along(m_paths[at(link)], share)));
      free = pixels.mapRect(visible).contains(r) &&
             std::none_of(taken.begin(), taken.end(), [&](const QRectF& t) { return t.intersects(r); });
      if (free) break;
    }
    if (!free && !must) return;
    if (!free) r.moveCenter(pixels.map(along(m_paths[at(link)], 0.5)));
    taken.push_back(r);
    p.setPen(must ? QPen(m_theme->color(Role::Border), 1) : QPen(Qt::NoPen));
    p.setBrush(m_theme->color(Role::Canvas));
    p.drawRoundedRect(r, 3, 3);
    p.setPen(m_theme->color(Role::Text));
    p.drawText(r, Qt::AlignCenter, s);
  };
  for (int l : asked) place(l, true);
  for (int l : unasked) place(l, false);
  p.restore();
}

void NetworkCanvas::paintStageLegend(QPainter& p, const QRectF& row, const Theme& theme) const {
  FigureStyle style;
  style.theme = &theme;
  Ink ink(p, style);
  p.save();
  paintRankKey(ink, row.adjusted(8, 1, -8, -1), plan(), m_shownBy, m_stageCount, m_idle,
               [](int) { return false; });
  p.restore();
}

void NetworkCanvas::paintLegend(QPainter& p, const QRectF& area, const Theme& theme) const {
  const bool loads = !m_loads.empty() && m_most.value() > 0;
  if (m_stageCount > 0)
    paintStageLegend(p, QRectF(area.left(), area.bottom() - kLegendRow, area.width(), kLegendRow), theme);
  if (!loads) return;
  const QRectF row(area.left(), area.bottom() - (m_stageCount > 0 ? 2 : 1) * kLegendRow, area.width(),
                   kLegendRow);
  p.save();
  p.setFont(Theme::font(11));
  double x = row.left() + 8;
  const auto write = [&](const QString& s) {
    const double w = p.fontMetrics().horizontalAdvance(s);
    p.setPen(theme.color(Role::Text));
    p.drawText(QRectF(x, row.top(), row.right() - x, row.height()), Qt::AlignLeft | Qt::AlignVCenter,
               p.fontMetrics().elidedText(s, Qt::ElideRight, static_cast<int>(row.right() - x)));
    x += w + 8;
  };
  write(tr("Link busy time per step: 0"));
  constexpr int kSteps = 24;
  for (int k = 0; k < kSteps; ++k)
    p.fillRect(QRectF(x + k * 4, row.center().y() - 4, 4.5, 8),
               theme.magnitude(0.12 + 0.88 * k / (kSteps - 1)));
  x += kSteps * 4 + 8;
  write(QString::fromStdString(text::time(m_most)));
  if (!m_byLevel.isEmpty()) write(QStringLiteral("   ") + tr("Levels carry %1").arg(m_byLevel));
  p.restore();
}

}  // namespace nest
