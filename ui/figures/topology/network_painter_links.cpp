// Links and their labels. Labels come last, over boxes and lines, each where it covers neither a box nor
// another label; where there is no such place only what is pointed at, selected or busiest keeps its label.
// Of many that say the same one says it for its neighbours.
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <map>

#include "figures/paint/figure_painter.h"
#include "figures/topology/network_painter.h"
#include "figures/topology/topology_key.h"
#include "units/text.h"

namespace nest {
namespace {

using Role = Theme::Role;

constexpr double kLabelled = 0.5;           ///< m_scale from which links are labelled unasked
constexpr std::size_t kMostLabelled = 200;  ///< links in sight
constexpr std::size_t kFew = 24;            ///< that many labels do not crowd a drawing
constexpr double kSaysAlready = 150;        ///< pixels between labels that say the same
constexpr int kMostBeside = 8;              ///< half heights of a label from the line that it is of
constexpr double kShared = 3;               ///< pixels to another link from where a label says one's own
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

QColor NetworkPainter::colourOf(int link, double& width) const {
  const NetworkLink& l = m_scene.link(link);
  const bool marked = m_marks.links.contains(link) || link == m_marks.hoverLink;
  // From afar the boxes matter; a thousand uplinks at full width would be all one sees.
  width = penWidth(l) * (marked ? 1.6 : std::clamp(m_scale * 1.6, 0.3, 1.0));
  if (l.failed) return m_theme.color(Role::Error);
  if (!m_scene.hasLoads())
    return m_theme.color(marked ? Role::Accent : m_scale < kLabelled ? Role::Border : Role::MutedText);
  const LinkLoad* load = m_scene.loadOf(link);
  // By time: a wide link may carry more bytes than the one that holds everything up.
  const double heat = load && m_scene.mostBusy().value() > 0 ? load->time() / m_scene.mostBusy() : 0;
  if (heat > 0) width = std::max(width, 1.2 + 4.5 * heat);
  if (marked) return m_theme.color(Role::Accent);
  return heat > 0 ? m_theme.magnitude(0.12 + 0.88 * heat) : m_theme.color(Role::Border);
}

void NetworkPainter::paintLink(int link) {
  double width = 1;
  const QColor colour = colourOf(link, width);
  QPen pen(colour, width, m_scene.link(link).failed ? Qt::DashLine : Qt::SolidLine, Qt::RoundCap,
           Qt::RoundJoin);
  pen.setCosmetic(true);
  m_p.setPen(pen);
  m_p.setBrush(Qt::NoBrush);
  const QPolygonF& path = m_scene.path(link);
  const QRectF near = around(m_visible);
  if (near.contains(path.boundingRect())) return m_p.drawPolyline(path);
  for (int k = 0; k + 1 < path.size(); ++k)
    if (const QLineF part = clipped({path[k], path[k + 1]}, near); !part.isNull()) m_p.drawLine(part);
}

bool NetworkPainter::areHairlines(std::size_t links, bool trunks) const {
  if (m_detail) return trunks ? m_detail->hairTrunks : m_detail->hairlines;
  return links > kMostSmooth;
}

void NetworkPainter::paintLinks(bool trunks) {
  std::vector<int> seen;
  for (int l : linksInSight())
    if (isTrunk(l) == trunks) seen.push_back(l);
  if (!areHairlines(seen.size(), trunks)) {
    // Where links share a lane, the busier one is in sight.
    const auto busy = [&](int l) { return m_scene.loadOf(l) ? m_scene.loadOf(l)->time() : Seconds(0); };
    if (m_scene.hasLoads())
      std::stable_sort(seen.begin(), seen.end(), [&](int a, int b) { return busy(a) < busy(b); });
    for (int l : seen) paintLink(l);
    return;
  }
  // Thousands: hairlines, one call for each colour, then what is marked, failed or busy over them.
  std::map<QRgb, QList<QLineF>> byColour;
  std::vector<int> over;
  const QRectF near = around(m_visible);
  for (int l : seen) {
    double width = 1;
    const QColor colour = colourOf(l, width);
    const bool busy = m_scene.isBusiest(l);
    if (m_marks.links.contains(l) || l == m_marks.hoverLink || m_scene.link(l).failed || busy)
      over.push_back(l);
    const QPolygonF& path = m_scene.path(l);
    for (int k = 0; k + 1 < path.size(); ++k)
      if (const QLineF part = clipped({path[k], path[k + 1]}, near); !part.isNull())
        byColour[colour.rgba()] << part;
  }
  m_p.save();
  m_p.setRenderHint(QPainter::Antialiasing, false);
  for (const auto& [colour, lines] : byColour) {
    m_p.setPen(QPen(QColor::fromRgba(colour), 0));
    m_p.drawLines(lines);
  }
  m_p.restore();
  if (over.size() > kMostSmooth) over.resize(kMostSmooth);
  for (int l : over) paintLink(l);
}

QString NetworkPainter::labelOf(int link) const {
  // Who looks at one link asks what it is; who looks at all of them, what they carry.
  const bool asked = m_marks.links.contains(link) || link == m_marks.hoverLink;
  const LinkLoad* load = m_scene.loadOf(link);
  if (load && !(load->time() > Seconds(0))) load = nullptr;
  const QString is = asked || !load ? m_scene.figuresOf(link) : QString();
  if (load) {
    // The way that takes longer: the sum of both over its time would be a rate that no link has.
    const Bytes bytes = load->forwardTime() < load->backwardTime() ? load->backward : load->forward;
    return (is.isEmpty() ? is : is + QStringLiteral(" · ")) + QString::fromStdString(text::memory(bytes)) +
           QStringLiteral(" · ") + QString::fromStdString(text::time(load->time()));
  }
  return is;
}

/// Whether another link has its line there as well: what is said of one would be read as the sum of both.
bool NetworkPainter::isShared(const QPointF& spot, int link) const {
  const std::vector<int>& links = linksInSight();
  return std::any_of(links.begin(), links.end(), [&](int other) {
    return other != link && m_scene.distanceTo(other, spot) < kShared / m_scale;
  });
}

/// Shares of a link's line, the best first: from the middle of what it has for itself, then the others.
std::vector<double> NetworkPainter::labelSpots(int link) const {
  std::vector<double> spots = {0.5, 0.62, 0.38, 0.75, 0.25, 0.88, 0.12};
  const auto shared = std::stable_partition(spots.begin(), spots.end(), [&](double share) {
    return !isShared(along(m_scene.path(link), share), link);
  });
  if (shared == spots.begin()) return spots;
  const auto [first, last] = std::minmax_element(spots.begin(), shared);
  const double middle = (*first + *last) / 2;
  std::stable_sort(spots.begin(), shared,
                   [&](double a, double b) { return std::abs(a - middle) < std::abs(b - middle) - 1e-9; });
  return spots;
}

void NetworkPainter::paintLinkLabels() {
  std::vector<int> asked, unasked;
  for (int l : linksInSight()) {
    const bool busiest = m_scene.isBusiest(l);
    const bool marked = (m_marks.links.contains(l) && m_marks.links.size() < 40) || l == m_marks.hoverLink;
    if (busiest || marked)
      asked.push_back(l);
    else if (const LinkLoad* load = m_scene.loadOf(l);
             m_scale >= kLabelled && (!load || load->time() > Seconds(0)))
      unasked.push_back(l);
  }
  if (linksInSight().size() > kMostLabelled) unasked.clear();
  std::vector<QRectF> taken = m_farNames;  // pixels from here on
  std::vector<std::pair<QString, QPointF>> said;
  const QTransform pixels = QTransform::fromScale(m_scale, m_scale);
  if (asked.empty() && unasked.empty()) return;
  for (int n : nodesInSight()) {  // the box of a drawn host stands for its devices
    const NetworkNode& node = m_scene.node(n);
    if (node.kind != NodeKind::Device || node.host.empty() || m_scene.impliedHosts().hostOf[at(n)] >= 0)
      taken.push_back(pixels.mapRect(box(n)));
  }
  for (const auto& [name, area] : impliedHostNames()) taken.push_back(area);
  m_p.save();
  m_p.scale(1 / m_scale, 1 / m_scale);
  m_p.setFont(Theme::font(11));
  const QFontMetricsF metrics = m_p.fontMetrics();
  const auto place = [&](int link, bool must) {
    const QString s = labelOf(link);
    const QPointF middle = pixels.map(along(m_scene.path(link), 0.5));
    if (!must && unasked.size() > kFew && std::any_of(said.begin(), said.end(), [&](const auto& other) {
          return other.first == s && QLineF(other.second, middle).length() < kSaysAlready;
        }))
      return;
    QRectF r = metrics.boundingRect(s).adjusted(-4, -1, 4, 1);
    const QRectF seen = pixels.mapRect(m_visible);
    const auto moveTo = [&](const QPointF& spot) {
      r.moveCenter(spot);
      if (!must || !seen.contains(spot)) return;
      r.moveLeft(std::max(seen.left(), std::min(r.left(), seen.right() - r.width())));
      r.moveTop(std::max(seen.top(), std::min(r.top(), seen.bottom() - r.height())));
    };
    const auto isFreeAt = [&](const QPointF& spot) {
      moveTo(spot);
      return seen.contains(r) &&
             std::none_of(taken.begin(), taken.end(), [&](const QRectF& t) { return t.intersects(r); });
    };
    const std::vector<double> spots = labelSpots(link);
    bool free = std::any_of(spots.begin(), spots.end(), [&](double share) {
      return isFreeAt(pixels.map(along(m_scene.path(link), share)));
    });
    if (!free && !must) return;
    // A short link between two boxes has its label beside it rather than on them.
    const double step = r.height() / 2;
    for (int k = 1; !free && k <= kMostBeside; ++k)
      free = isFreeAt(middle - QPointF(0, k * step)) || isFreeAt(middle + QPointF(0, k * step));
    if (!free) moveTo(middle);
    taken.push_back(r);
    said.emplace_back(s, r.center());
    m_p.setPen(must ? QPen(m_theme.color(Role::Border), 1) : QPen(Qt::NoPen));
    m_p.setBrush(m_theme.color(Role::Canvas));
    m_p.drawRoundedRect(r, 3, 3);
    m_p.setPen(m_theme.color(Role::Text));
    m_p.drawText(r, Qt::AlignCenter, s);
  };
  for (int l : asked) place(l, true);
  for (int l : unasked) place(l, false);
  m_p.restore();
}

namespace {

/// Of stages and states.
bool hasLastRow(const NetworkScene& scene) {
  if (scene.stageCount() > 0) return true;
  for (int s = 0; s < kHostStateCount; ++s)
    if (scene.unplannedHosts(static_cast<HostState>(s)) > 0) return true;
  return false;
}

}  // namespace

double networkKeyHeight(const NetworkScene& scene) {
  return ((scene.hasLoads() ? 1 : 0) + (hasLastRow(scene) ? 1 : 0)) * kNetworkKeyRow;
}

void paintNetworkKey(QPainter& p, const QRectF& area, const NetworkScene& scene, const Theme& theme) {
  const bool stages = scene.stageCount() > 0;
  const QRectF last(area.left(), area.bottom() - kNetworkKeyRow, area.width(), kNetworkKeyRow);
  FigureStyle style;
  style.theme = &theme;
  FigurePainter ink(p, style);
  p.save();
  QRectF key = last.adjusted(8, 1, -8, -1);
  key.setLeft(key.left() + paintStateKey(ink, key, [&](HostState s) { return scene.unplannedHosts(s); }));
  if (stages)
    paintRankKey(ink, key, scene.plan(), scene.shownBy(), scene.stageCount(), scene.idleDevices(),
                 [](int) { return false; });
  p.restore();
  if (!(scene.mostBusy().value() > 0)) return;
  const QRectF row = hasLastRow(scene) ? last.translated(0, -kNetworkKeyRow) : last;
  p.save();
  p.setFont(Theme::font(11));
  double x = row.left() + 8;
  const auto write = [&](const QString& s) {
    constexpr int kWord = 12;  // what is cut to less says nothing
    const QString shown = p.fontMetrics().elidedText(s, Qt::ElideRight, static_cast<int>(row.right() - x));
    if (shown != s && shown.size() < kWord) return;
    p.setPen(theme.color(Role::Text));
    p.drawText(QRectF(x, row.top(), row.right() - x, row.height()), Qt::AlignLeft | Qt::AlignVCenter, shown);
    x += p.fontMetrics().horizontalAdvance(s) + 8;
  };
  write(NetworkScene::tr("Link busy time per step, one way: 0"));
  constexpr int kSteps = 24;
  for (int k = 0; k < kSteps; ++k)
    p.fillRect(QRectF(x + k * 4, row.center().y() - 4, 4.5, 8),
               theme.magnitude(0.12 + 0.88 * k / (kSteps - 1)));
  x += kSteps * 4 + 8;
  write(QString::fromStdString(text::time(scene.mostBusy())));
  if (!scene.byLevel().isEmpty())
    write(QStringLiteral("   ") + NetworkScene::tr("Levels carry %1").arg(scene.byLevel()));
  p.restore();
}

}  // namespace nest
