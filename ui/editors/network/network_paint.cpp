#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "editors/network/network_canvas.h"
#include "figures/phrases.h"
#include "units/text.h"

// How the canvas looks. Level of detail by size on screen: below a few pixels a device is a filled box
// without outline, below legibility it has no text; a host keeps its name and device count longest.

namespace nest {
namespace {

constexpr double kLegible = 0.55;  ///< scale from which a device carries its text
constexpr double kHostText = 0.16;
constexpr double kMinimapWidth = 170, kMinimapHeight = 110;

/// Thicker and darker with bandwidth: one step per factor of two and a half.
double penWidth(const NetworkLink& l) {
  const double gbps = std::max(1.0, l.bandwidth.value() * l.count / 1e9);
  return std::clamp(0.8 + std::log10(gbps) * 0.9, 1.0, 5.0);
}

QString linkText(const NetworkLink& l) {
  QString s = l.count > 1 ? QString::number(l.count) + QStringLiteral(" × ") : QString();
  return s + QString::fromStdString(text::bandwidth(l.bandwidth));
}

}  // namespace

bool NetworkCanvas::isDrawnLink(const NetworkLink& l) const {
  const auto inside = [&](int device, int host) {
    const auto& c = m_contents[static_cast<std::size_t>(host)];
    return std::binary_search(c.begin(), c.end(), device);
  };
  return !inside(l.from, l.to) && !inside(l.to, l.from);
}

void NetworkCanvas::paintLink(QPainter& p, int link, double scale, bool label) const {
  const NetworkLink& l = m_graph.links[static_cast<std::size_t>(link)];
  const QPointF a = centre(l.from), b = centre(l.to);
  const bool marked = m_links.contains(link) || link == m_hoverLink;
  QColor colour = m_theme->color(marked             ? Theme::Role::Accent
                                 : scale < kLegible ? Theme::Role::Border
                                                    : Theme::Role::MutedText);
  const int load = m_loads.empty() ? -1 : m_loadOf[static_cast<std::size_t>(link)];
  double heat = 0;
  if (!m_loads.empty() && !l.failed) {
    // By time: a wide link may carry more bytes than the one that holds everything up.
    const double most = m_busiest >= 0 ? m_loads[static_cast<std::size_t>(m_busiest)].time().value() : 0;
    heat = load >= 0 && most > 0 ? m_loads[static_cast<std::size_t>(load)].time().value() / most : 0;
    if (!marked)
      colour = heat > 0 ? m_theme->magnitude(0.12 + 0.88 * heat) : m_theme->color(Theme::Role::Border);
  }
  if (l.failed) colour = m_theme->color(Theme::Role::Error);
  // From afar the boxes matter; a thousand uplinks at full width would be all one sees.
  const double far = std::clamp(scale * 1.6, 0.3, 1.0);
  const double loaded = heat > 0 ? 1.2 + 4.5 * heat : 0;
  QPen pen(colour, std::max(loaded, penWidth(l) * (marked ? 1.6 : far)),
           l.failed ? Qt::DashLine : Qt::SolidLine);
  pen.setCosmetic(true);
  p.setPen(pen);
  p.drawLine(a, b);
  const bool busiest = load >= 0 && load == m_busiest;
  if (!label && !busiest) return;
  const QPointF mid = (a + b) / 2;
  p.save();
  p.translate(mid);
  p.scale(1 / scale, 1 / scale);
  p.setFont(Theme::font(11));
  QString s = linkText(l);
  if (load >= 0) {
    const LinkLoad& carried = m_loads[static_cast<std::size_t>(load)];
    s = QString::fromStdString(text::memory(carried.forward + carried.backward)) + QStringLiteral(" · ") +
        QString::fromStdString(text::time(carried.time()));
  }
  QRectF r = p.fontMetrics().boundingRect(s);
  r.moveCenter(QPointF(0, 0));
  r.adjust(-4, -1, 4, 1);
  p.setPen(Qt::NoPen);
  p.setBrush(m_theme->color(Theme::Role::Canvas));
  p.drawRoundedRect(r, 3, 3);
  p.setPen(m_theme->color(Theme::Role::Text));
  p.drawText(r, Qt::AlignCenter, s);
  p.restore();
}

void NetworkCanvas::paintNode(QPainter& p, int node, double scale) const {
  const NetworkNode& n = m_graph.nodes[static_cast<std::size_t>(node)];
  const QRectF r = box(node);
  const bool selected = m_nodes.contains(node), hovered = node == m_hoverNode;
  const int stage =
      static_cast<std::size_t>(node) < m_stage.size() ? m_stage[static_cast<std::size_t>(node)] : -1;
  QColor fill = m_theme->color(Theme::Role::Panel);
  if (n.kind == NodeKind::Device)
    fill = stage >= 0 ? m_theme->stage(stage) : m_theme->color(Theme::Role::Idle);
  if (n.failed) fill = m_theme->color(Theme::Role::Canvas);
  const bool outlined = selected || hovered || r.width() * scale > 6;
  QPen pen(outlined ? m_theme->color(selected || hovered ? Theme::Role::Accent
                                     : n.failed          ? Theme::Role::Error
                                                         : Theme::Role::Border)
                    : Qt::transparent,
           selected  ? 2.5
           : hovered ? 2
                     : 1,
           n.failed ? Qt::DashLine : Qt::SolidLine);
  pen.setCosmetic(true);
  p.setPen(pen);
  p.setBrush(fill);
  const double radius = n.kind == NodeKind::Switch ? r.height() / 2 : 4;
  if (outlined)
    p.drawRoundedRect(r, radius, radius);
  else
    p.fillRect(r, fill);

  const auto write = [&](const QRectF& where, const QString& s, double pixels, bool bold, QColor colour,
                         int align) {
    p.setFont(Theme::font(pixels, bold));
    p.setPen(colour);
    p.drawText(where, align, p.fontMetrics().elidedText(s, Qt::ElideRight, static_cast<int>(where.width())));
  };
  const QString name = QString::fromStdString(n.name);
  const QColor text = m_theme->color(n.failed ? Theme::Role::Error : Theme::Role::Text);
  if (n.kind == NodeKind::Host) {
    const auto devices = m_contents[static_cast<std::size_t>(node)].size();
    if (scale >= kLegible || devices == 0) {
      write(r.adjusted(graph::kHostPadding, 4, -graph::kHostPadding, 0), name, 12, true, text,
            Qt::AlignLeft | Qt::AlignTop);
    } else if (scale >= kHostText) {
      write(QRectF(r.left(), r.top(), r.width(), graph::kHostHeader + graph::kHostPadding), name, 24, true,
            text, Qt::AlignCenter);
    }
  } else if (scale >= kLegible) {
    if (n.kind == NodeKind::Switch) {
      write(r.adjusted(6, 0, -6, 0), name, 12, true, text, Qt::AlignCenter);
    } else {
      // Inside a host the slot number says enough.
      const int colon = static_cast<int>(name.lastIndexOf(QLatin1Char(':')));
      const QString brief = !n.host.empty() && colon > 0 ? name.mid(colon + 1) : name;
      write(r.adjusted(2, 0, -2, 0), stage >= 0 ? stageNumber(stage) : brief, 12, stage >= 0,
            n.failed ? text : m_theme->textOn(fill), Qt::AlignCenter);
    }
  } else if (n.kind == NodeKind::Switch && scale >= kHostText) {
    write(r.adjusted(2, 0, -2, 0), name, 20, true, text, Qt::AlignCenter);
  }
}

void NetworkCanvas::paintScene(QPainter& p, const QRectF& visible, double scale) const {
  p.setRenderHint(QPainter::Antialiasing, m_graph.nodes.size() < 20000);
  const bool fewLinks = m_graph.links.size() < 400;
  for (std::size_t l = 0; l < m_graph.links.size(); ++l) {
    const NetworkLink& link = m_graph.links[l];
    if (!isDrawnLink(link)) continue;
    const QRectF span = QRectF(centre(link.from), centre(link.to)).normalized().adjusted(-1, -1, 1, 1);
    if (!span.intersects(visible)) continue;
    const bool longEnough = std::hypot(span.width(), span.height()) * scale > 110;
    const bool marked = m_links.contains(static_cast<int>(l)) || static_cast<int>(l) == m_hoverLink;
    paintLink(p, static_cast<int>(l), scale, marked || (scale >= 0.8 && longEnough && fewLinks));
  }
  // Hosts under devices.
  for (const bool hosts : {true, false})
    for (std::size_t i = 0; i < m_graph.nodes.size(); ++i) {
      if ((m_graph.nodes[i].kind == NodeKind::Host) != hosts || !m_boxes[i].intersects(visible)) continue;
      paintNode(p, static_cast<int>(i), scale);
    }
}

QRectF NetworkCanvas::sceneBounds() const {
  QRectF all;
  for (const QRectF& r : m_boxes) all |= r;
  return all.isEmpty() ? QRectF(-200, -150, 400, 300) : all;
}

void NetworkCanvas::paintBadges(QPainter& p) const {
  p.setFont(Theme::font(11, true));
  for (const graph::Problem& problem : m_problems) {
    QPointF at;
    if (problem.node >= 0) {
      at = toWidget(box(problem.node).topRight());
    } else if (problem.link >= 0) {
      const NetworkLink& l = m_graph.links[static_cast<std::size_t>(problem.link)];
      at = toWidget((centre(l.from) + centre(l.to)) / 2);
    } else {
      continue;
    }
    const bool bad = problem.diagnostic.severity == Severity::Error;
    const QColor fill = m_theme->color(bad ? Theme::Role::Error : Theme::Role::Warning);
    p.setPen(Qt::NoPen);
    p.setBrush(fill);
    p.drawEllipse(at, 8, 8);
    p.setPen(m_theme->textOn(fill));
    p.drawText(QRectF(at.x() - 8, at.y() - 8, 16, 16), Qt::AlignCenter, QStringLiteral("!"));
  }
}

QRectF NetworkCanvas::minimapArea() const {
  const QRectF all = sceneBounds().adjusted(-40, -40, 40, 40);
  const bool everythingVisible =
      QRectF(toScene(QPointF(0, 0)), toScene(QPointF(width(), height()))).contains(sceneBounds());
  if (everythingVisible || m_graph.nodes.empty()) return {};
  const double k = std::min(kMinimapWidth / all.width(), kMinimapHeight / all.height());
  const QSizeF size(std::max(40.0, all.width() * k), std::max(24.0, all.height() * k));
  return {QPointF(width() - size.width() - 12, height() - size.height() - 12), size};
}

void NetworkCanvas::paintMinimap(QPainter& p) const {
  const QRectF area = minimapArea();
  if (area.isEmpty()) return;
  const QRectF all = sceneBounds().adjusted(-40, -40, 40, 40);
  p.save();
  p.setPen(m_theme->color(Theme::Role::Border));
  p.setBrush(m_theme->color(Theme::Role::Panel));
  p.drawRect(area);
  p.setClipRect(area);
  p.translate(area.topLeft());
  const double k = area.width() / all.width();
  p.scale(k, area.height() / all.height());
  p.translate(-all.topLeft());
  for (std::size_t i = 0; i < m_graph.nodes.size(); ++i) {
    const NodeKind kind = m_graph.nodes[i].kind;
    const bool free = kind == NodeKind::Device && m_graph.nodes[i].host.empty();
    if (kind == NodeKind::Device && !free) continue;
    p.fillRect(m_boxes[i],
               m_theme->color(kind == NodeKind::Switch ? Theme::Role::Text : Theme::Role::MutedText));
  }
  QPen pen(m_theme->color(Theme::Role::Accent), 1.5);
  pen.setCosmetic(true);
  p.setPen(pen);
  p.setBrush(Qt::NoBrush);
  p.drawRect(QRectF(toScene(QPointF(0, 0)), toScene(QPointF(width(), height()))));
  p.restore();
}

void NetworkCanvas::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.fillRect(rect(), m_theme->color(Theme::Role::Canvas));
  if (m_graph.nodes.empty()) {
    p.setPen(m_theme->color(Theme::Role::MutedText));
    p.setFont(Theme::font(14));
    p.drawText(rect().adjusted(24, 24, -24, -24), Qt::AlignCenter | Qt::TextWordWrap,
               m_editable ? tr("Nothing is drawn yet. Choose a shape in the bar above and click here, or "
                               "start from a generator.")
                          : tr("No network yet. Open a scenario, or draw one."));
    return;
  }
  p.save();
  p.translate(m_offset);
  p.scale(m_scale, m_scale);
  paintScene(p, QRectF(toScene(QPointF(0, 0)), toScene(QPointF(width(), height()))), m_scale);
  if (m_gesture == Gesture::Connect && m_connectFrom >= 0) {
    QPen pen(m_theme->color(Theme::Role::Accent), 2, Qt::DashLine);
    pen.setCosmetic(true);
    p.setPen(pen);
    p.drawLine(centre(m_connectFrom), m_currentScene);
  }
  p.restore();
  p.setRenderHint(QPainter::Antialiasing);
  paintBadges(p);
  if (m_gesture == Gesture::RubberBand) {
    QColor c = m_theme->color(Theme::Role::Accent);
    p.setPen(c);
    c.setAlpha(40);
    p.setBrush(c);
    p.drawRect(QRectF(m_pressWidget, m_lastWidget).normalized());
  }
  paintMinimap(p);
  if (hasFocus()) {
    p.setPen(QPen(m_theme->color(Theme::Role::Accent), 1));
    p.setBrush(Qt::NoBrush);
    p.drawRect(rect().adjusted(0, 0, -1, -1));
  }
}

}  // namespace nest
