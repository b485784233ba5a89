// The canvas: the network, and over it what belongs to the hand that edits it.
#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <utility>

#include "editors/network/network_canvas.h"
#include "figures/paint/figure_painter.h"

namespace nest {
namespace {

using Role = Theme::Role;

constexpr double kMinimapWidth = 170, kMinimapHeight = 110;

QString uplinkText() {
  return NetworkCanvas::tr("＋ uplink");
}

}  // namespace

void NetworkCanvas::paintBadges(QPainter& p) const {
  p.setFont(Theme::font(11, true));
  const auto offered = uplinkButtons();
  for (std::size_t number = 0; number < m_scene.problems().size(); ++number) {
    const graph::Problem& problem = m_scene.problems()[number];
    if (problem.node < 0 && problem.link < 0) continue;
    if (std::any_of(offered.begin(), offered.end(), [&](const auto& o) { return o.first == number; }))
      continue;
    const QPointF where = problem.node >= 0 ? m_scene.box(m_scene.shownAs(problem.node)).topRight()
                                            : m_scene.middleOf(problem.link);
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

std::vector<std::pair<std::size_t, QRectF>> NetworkCanvas::uplinkButtons() const {
  constexpr double kRise = 26, kHeight = 18;  ///< pixels
  constexpr std::size_t kMostButtons = 32;
  std::vector<std::pair<std::size_t, QRectF>> out;
  if (!m_editable) return out;
  const double width = QFontMetricsF(Theme::font(11)).horizontalAdvance(uplinkText()) + 14;
  for (std::size_t i = 0; i < m_scene.problems().size() && out.size() < kMostButtons; ++i) {
    const graph::Problem& problem = m_scene.problems()[i];
    if (problem.node < 0 || !problem.repair || problem.diagnostic.code != "unreachable" ||
        problem.diagnostic.severity != Severity::Error)
      continue;
    const QRectF box = m_scene.box(m_scene.shownAs(problem.node));
    const QPointF top = toWidget({box.center().x(), box.top()});
    const QRectF button(top.x() - width / 2, top.y() - kRise - kHeight, width, kHeight);
    if (!QRectF(rect()).contains(button)) continue;
    if (std::none_of(out.begin(), out.end(), [&](const auto& o) { return o.second.intersects(button); }))
      out.emplace_back(i, button);
  }
  return out;
}

QRectF NetworkCanvas::uplinkButton(int node) const {
  for (const auto& [number, button] : uplinkButtons())
    if (m_scene.problems()[number].node == node) return button;
  return {};
}

/// What is not joined yet says so where its link would begin.
void NetworkCanvas::paintUplinks(QPainter& p) const {
  p.setFont(Theme::font(11));
  for (const auto& [number, button] : uplinkButtons()) {
    const QRectF box = m_scene.box(m_scene.shownAs(m_scene.problems()[number].node));
    p.setPen(QPen(m_theme->color(Role::Accent), 1.5, Qt::DashLine));
    p.drawLine(toWidget({box.center().x(), box.top()}), QPointF(button.center().x(), button.bottom()));
    p.setPen(QPen(m_theme->color(Role::Accent), 1));
    p.setBrush(m_theme->color(Role::Canvas));
    p.drawRoundedRect(button, button.height() / 2, button.height() / 2);
    p.setPen(m_theme->color(Role::Accent));
    p.drawText(button, Qt::AlignCenter, uplinkText());
  }
}

/// What a click would place, under the hand.
void NetworkCanvas::paintStencil(QPainter& p) const {
  if (!m_editable || m_tool == Tool::Select || m_tool == Tool::Connect || !underMouse()) return;
  QRectF box({0, 0}, sizeOf(m_tool) * m_scale);
  box.moveCenter(toWidget({snapped(m_currentScene.x()), snapped(m_currentScene.y())}));
  p.setPen(QPen(m_theme->color(Role::Accent), 1.5, Qt::DashLine));
  p.setBrush(Qt::NoBrush);
  p.drawRoundedRect(box, 4, 4);
  if (m_stamped < 1) return;
  p.setFont(Theme::font(13, true));
  p.setPen(m_theme->color(Role::Accent));
  p.drawText(QRectF(box.right() + 6, box.top() - 4, 90, 20), Qt::AlignLeft | Qt::AlignVCenter,
             QStringLiteral("×%1").arg(m_stamped));
}

QRectF NetworkCanvas::minimapArea() const {
  const QRectF all = m_scene.bounds().adjusted(-40, -40, 40, 40);
  const bool everythingVisible =
      QRectF(toScene(QPointF(0, 0)), toScene(QPointF(width(), height()))).contains(m_scene.bounds());
  if (everythingVisible || m_scene.graph().nodes.empty()) return {};
  const double k = std::min(kMinimapWidth / all.width(), kMinimapHeight / all.height());
  const QSizeF size(std::max(40.0, all.width() * k), std::max(24.0, all.height() * k));
  return {QPointF(width() - size.width() - 12, height() - size.height() - kKeyHeight - 8), size};
}

void NetworkCanvas::paintMinimap(QPainter& p) const {
  const QRectF area = minimapArea();
  if (area.isEmpty()) return;
  const QRectF all = m_scene.bounds().adjusted(-40, -40, 40, 40);
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
  for (int n : m_scene.shown()) {
    const NetworkNode& node = m_scene.node(n);
    if (node.kind == NodeKind::Device && !node.host.empty()) continue;
    (node.kind == NodeKind::Switch ? switches : others) << m_scene.box(n);
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

void NetworkCanvas::paintNetwork(QPainter& p) {
  p.save();
  p.translate(m_offset);
  p.scale(m_scale, m_scale);
  NetworkPainter(p, m_scene, m_marks, seen(), m_scale, *m_theme).paint();
  p.restore();
}

/// A pan moves the pictures and paints what came into sight, where that falls on whole pixels.
bool NetworkCanvas::shift(Layers& layers) {
  constexpr double kAround = 24;  ///< pixels that lines and outlines take beside their places
  const double ratio = devicePixelRatio();
  const QPointF by = (m_offset - std::exchange(layers.offset, m_offset)) * ratio;
  const QPoint pixels = by.toPoint();
  if ((by - pixels).manhattanLength() > 1e-6) return false;
  NetworkMarks marks = m_marks;
  marks.hoverNode = marks.hoverLink = -1;
  marks.litHovered.assign(marks.litHovered.size(), 0);
  for (QPixmap* layer : {&layers.ground, &layers.top}) {
    const bool ground = layer == &layers.ground;
    if (std::abs(pixels.x()) >= layer->width() || std::abs(pixels.y()) >= layer->height()) return false;
    QRegion uncovered;
    layer->scroll(pixels.x(), pixels.y(), layer->rect(), &uncovered);
    QPainter painter(layer);
    for (const QRect& part : uncovered) {
      const QRectF on(QPointF(part.topLeft()) / ratio, QSizeF(part.size()) / ratio);
      painter.save();
      painter.setClipRect(on);
      painter.setCompositionMode(QPainter::CompositionMode_Source);
      painter.fillRect(on, ground ? m_theme->color(Role::Canvas) : QColor(Qt::transparent));
      painter.setCompositionMode(QPainter::CompositionMode_SourceOver);
      painter.translate(m_offset);
      painter.scale(m_scale, m_scale);
      const QRectF near = on.adjusted(-kAround, -kAround, kAround, kAround);
      NetworkPainter network(painter, m_scene, marks, {toScene(near.topLeft()), toScene(near.bottomRight())},
                             m_scale, *m_theme);
      ground ? network.paintGroundOf(layers.detail) : network.paintTopOf(layers.detail);
      painter.restore();
    }
  }
  return true;
}

/// What the mouse is on is painted between and over two pictures of all else.
void NetworkCanvas::paintLayers(QPainter& p) {
  const bool dims = !m_marks.litHovered.empty();
  Layers& layers = m_layers[dims];
  const auto on = [&](QPainter& painter, const NetworkMarks& marks, auto paint) {
    painter.save();
    painter.translate(m_offset);
    painter.scale(m_scale, m_scale);
    NetworkPainter network(painter, m_scene, marks, seen(), m_scale, *m_theme);
    paint(network);
    painter.restore();
  };
  const QSize pixels = size() * devicePixelRatio();
  const bool grows = layers.scale != m_scale && m_settle.isActive();
  const bool moved = layers.offset != m_offset && layers.ground.size() == pixels;
  if (!grows && (layers.scale != m_scale || (moved && !shift(layers)))) layers = {};
  if (layers.ground.size() != pixels) {
    layers.scale = m_scale, layers.offset = m_offset;
    NetworkMarks marks = m_marks;
    marks.hoverNode = marks.hoverLink = -1;
    marks.litHovered.assign(marks.litHovered.size(), 0);
    for (QPixmap* layer : {&layers.ground, &layers.top}) {
      *layer = QPixmap(pixels);
      layer->setDevicePixelRatio(devicePixelRatio());
      layer->fill(layer == &layers.ground ? m_theme->color(Role::Canvas) : QColor(Qt::transparent));
      QPainter painter(layer);
      on(painter, marks, [&](NetworkPainter& n) {
        if (layer == &layers.top) return n.paintTop();
        layers.detail = n.detail();
        n.paintGround();
      });
    }
    ++m_wholePaints;
  }
  const auto draw = [&](const QPixmap& layer) {
    p.save();
    p.setRenderHint(QPainter::SmoothPixmapTransform);
    p.translate(m_offset);
    p.scale(m_scale / layers.scale, m_scale / layers.scale);
    p.drawPixmap(-layers.offset, layer);
    p.restore();
  };
  layers.scale == m_scale ? p.drawPixmap(0, 0, layers.ground) : draw(layers.ground);
  on(p, m_marks, [](NetworkPainter& n) { n.paintLit(); });
  layers.scale == m_scale ? p.drawPixmap(0, 0, layers.top) : draw(layers.top);
  on(p, m_marks, [](NetworkPainter& n) { n.paintPointedAt(); });
}

void NetworkCanvas::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.fillRect(rect(), m_theme->color(Role::Canvas));
  if (m_scene.graph().nodes.empty()) {
    p.setRenderHint(QPainter::Antialiasing);
    return m_editable ? paintStencil(p) : paintEmpty(p);  // the editor says how to begin
  }
  m_scene.shown().size() > kThousands ? paintLayers(p) : paintNetwork(p);
  p.save();
  p.setRenderHint(QPainter::Antialiasing);
  p.translate(m_offset);
  p.scale(m_scale, m_scale);
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
    p.drawLine(m_scene.centre(m_connectFrom), m_currentScene);
  }
  p.restore();
  p.setRenderHint(QPainter::Antialiasing);
  paintBadges(p);
  paintUplinks(p);
  paintStencil(p);
  if (m_gesture == Gesture::RubberBand) {
    QColor c = m_theme->color(Role::Accent);
    p.setPen(c);
    c.setAlpha(40);
    p.setBrush(c);
    p.drawRect(QRectF(m_pressWidget, m_lastWidget).normalized());
  }
  if (const double rows = networkKeyHeight(m_scene); rows > 0) {
    const QRectF line(0, height() - rows, width(), rows);
    QColor back = m_theme->color(Role::Canvas);
    back.setAlphaF(0.86F);
    p.fillRect(line, back);
    paintNetworkKey(p, line, m_scene, *m_theme);
  }
  paintMinimap(p);
  if (hasFocus()) {
    p.setPen(QPen(m_theme->color(Role::Accent), 1));
    p.setBrush(Qt::NoBrush);
    p.drawRect(rect().adjusted(0, 0, -1, -1));
  }
}

}  // namespace nest
