// Hosts that are no nodes: a frame around what belongs to one, and its name.
#include <QFontMetricsF>
#include <QPainter>

#include "figures/paint/phrases.h"
#include "figures/topology/network_painter.h"

namespace nest {
namespace {

using Role = Theme::Role;

QFont impliedHostFont() {
  return Theme::font(12, true);
}

}  // namespace

/// In pixels, with their places: those that their frame has room for.
std::vector<std::pair<QString, QRectF>> NetworkPainter::impliedHostNames() const {
  const QFontMetricsF metrics(impliedHostFont());
  std::vector<std::pair<QString, QRectF>> out;
  for (std::size_t h = 0; h < m_scene.impliedHosts().names.size(); ++h) {
    const QRectF frame = m_scene.impliedHostFrame(h);
    if (!frame.intersects(m_visible)) continue;
    const QString name = phrase(m_scene.impliedHosts().names[h]);
    const QRectF place(frame.left() * m_scale + 2, frame.top() * m_scale + 1,
                       metrics.horizontalAdvance(name) + 4, metrics.height());
    if (place.right() + 2 <= frame.right() * m_scale) out.emplace_back(name, place);
  }
  return out;
}

void NetworkPainter::paintImpliedHosts() {
  for (std::size_t h = 0; h < m_scene.impliedHosts().names.size(); ++h) {
    const QRectF frame = m_scene.impliedHostFrame(h);
    if (!frame.intersects(m_visible)) continue;
    QPen pen(m_theme.color(Role::Border), 1, Qt::DotLine);
    pen.setCosmetic(true);
    m_p.setPen(pen);
    m_p.setBrush(Qt::NoBrush);
    m_p.drawRoundedRect(frame, 4, 4);
  }
}

void NetworkPainter::paintImpliedHostNames() {
  m_p.save();
  m_p.scale(1 / m_scale, 1 / m_scale);
  m_p.setFont(impliedHostFont());
  for (const auto& [name, place] : impliedHostNames()) {
    m_p.fillRect(place, m_theme.color(Role::Canvas));  // lines to the devices pass below
    m_p.setPen(m_theme.color(Role::Text));
    m_p.drawText(place, Qt::AlignCenter, name);
  }
  m_p.restore();
}

}  // namespace nest
