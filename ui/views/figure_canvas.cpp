#include "views/figure_canvas.h"

#include <QAccessible>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QTransform>
#include <algorithm>
#include <cmath>

#include "accessible/screen_reader.h"
#include "document/playback.h"
#include "figures/plan/exchange_text.h"
#include "figures/plan/instant_text.h"
#include "theme/appearance.h"
#include "theme/plain_text.h"
#include "theme/tips.h"

namespace nest {
FigureCanvas::FigureCanvas(InteractiveFigure& figure, Selection& selection, QWidget* parent)
    : QWidget(parent), m_figure(figure), m_selection(selection), m_theme(&Theme::of(Theme::Kind::Light)) {
  makeGraphic(*this, [this] { return currentText(); });
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setAccessibleName(figure.title());
  connect(&selection, &Selection::hoveredChanged, this, qOverload<>(&QWidget::update));
  if (figure.showsPlayhead()) {
    connect(&selection, &Selection::playheadChanged, this, qOverload<>(&QWidget::update));
    connect(&selection, &Selection::exchangeChanged, this, qOverload<>(&QWidget::update));
    for (const Player* player : {static_cast<const Player*>(&selection.playback()),
                                 static_cast<const Player*>(&selection.exchangePlayer())})
      connect(player, &Player::rested, this, [this] {
        tellWhat();
        QAccessibleValueChangeEvent changed(this, currentText());
        QAccessible::updateAccessibility(&changed);
      });
  }
  connect(&selection, &Selection::selectedChanged, this, [this] {
    update();
    tellWhat();
  });
}

void FigureCanvas::show(const PlanContext& context, const Theme& theme) {
  m_context = context;
  m_theme = &theme;
  update();
}

void FigureCanvas::setSentence(const QString& sentence) {
  m_sentence = sentence;
  tellWhat();
}

void FigureCanvas::tellWhat() {
  const QString chosen = currentText();
  setAccessibleDescription(chosen.isEmpty() ? m_sentence : chosen);
}

QString FigureCanvas::currentText() const {
  if (m_selection.selected()) return m_figure.describe(*m_selection.selected(), m_context);
  if (const auto& now = m_selection.exchange(); now && m_figure.showsPlayhead())
    return instantText(*now, m_context);
  const auto& head = m_selection.playhead();
  return head && m_figure.showsPlayhead() ? instantText(*head, m_context) : QString();
}

double FigureCanvas::enlargementOf(const QSizeF& size) {
  constexpr QSizeF kUsual(1600, 1000);
  constexpr double kSmall = 500 / 1600.0, kAtUsual = 15 / 11.0;
  const double part = std::min(size.width() / kUsual.width(), size.height() / kUsual.height());
  if (part >= 1) return part * kAtUsual;
  return 1 + (kAtUsual - 1) * std::max(0.0, part - kSmall) / (1 - kSmall);
}

double FigureCanvas::enlargement() const {
  return enlargementOf(size()) * windowScale();
}

QRectF FigureCanvas::placeOf(const SelectionItem& item) const {
  const auto hit = m_figure.locate(item, area(), m_context);
  return hit ? QTransform::fromScale(enlargement(), enlargement()).mapRect(hit->area) : QRectF();
}

void FigureCanvas::fit() {
  m_figure.fit();
  update();
}

void FigureCanvas::zoomBy(double factor) {
  if (!m_figure.canZoom()) return;
  QPointF about = area().center();
  if (m_selection.selected())
    if (const auto hit = m_figure.locate(*m_selection.selected(), area(), m_context);
        hit && area().contains(hit->area.center()))
      about = hit->area.center();
  m_figure.zoomAt(about, factor, area(), m_context);
  update();
}

void FigureCanvas::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  FigureStyle style;
  style.theme = m_theme;
  style.hovered = m_selection.hovered();
  style.selected = m_selection.selected();
  style.playhead = m_selection.playhead();
  style.exchange = m_selection.exchange();
  painter.save();
  painter.scale(enlargement(), enlargement());
  m_figure.paint(painter, area(), m_context, style);
  painter.restore();
  if (!hasFocus()) return;
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setPen(QPen(m_theme->color(Theme::Role::Accent), 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void FigureCanvas::hover(const QPointF& position) {
  const auto hit = m_figure.hit(at(position), area(), m_context);
  m_hovering = hit.has_value();
  m_selection.setHovered(hit ? std::optional(hit->item) : std::nullopt);
}

void FigureCanvas::mouseMoveEvent(QMouseEvent* e) {
  if (m_pressed && m_figure.canZoom() && !m_panning)
    m_panning = (e->position() - *m_pressed).manhattanLength() > 5;
  if (!m_panning) return hover(e->position());
  m_figure.panBy(at(e->position() - m_last), area(), m_context);
  m_last = e->position();
  setCursor(Qt::ClosedHandCursor);
  update();
}

void FigureCanvas::mousePressEvent(QMouseEvent* e) {
  if (e->button() != Qt::LeftButton) return;
  m_pressed = m_last = e->position();
  m_panning = false;
}

void FigureCanvas::mouseReleaseEvent(QMouseEvent* e) {
  if (e->button() != Qt::LeftButton || !m_pressed) return;
  const bool click = !m_panning;
  m_pressed.reset();
  m_panning = false;
  unsetCursor();
  if (!click) return;
  m_selection.setSelected(m_figure.chosenAt(at(e->position()), area(), m_context));
}

void FigureCanvas::mouseDoubleClickEvent(QMouseEvent* e) {
  if (e->button() != Qt::LeftButton) return;
  if (!m_figure.canZoom()) {
    if (const auto hit = m_figure.hit(at(e->position()), area(), m_context)) Q_EMIT itemActivated(hit->item);
    return;
  }
  m_figure.zoomAt(at(e->position()), e->modifiers() & Qt::ShiftModifier ? 0.5 : 2, area(), m_context);
  update();
}

void FigureCanvas::leaveEvent(QEvent*) {
  if (std::exchange(m_hovering, false)) m_selection.setHovered(std::nullopt);
}

void FigureCanvas::wheelEvent(QWheelEvent* e) {
  if (!m_figure.canZoom()) return e->ignore();
  if (e->modifiers() & Qt::ShiftModifier || std::abs(e->angleDelta().x()) > std::abs(e->angleDelta().y())) {
    const double by = e->angleDelta().x() != 0 ? e->angleDelta().x() : e->angleDelta().y();
    m_figure.panBy({by, 0}, area(), m_context);
  } else {
    m_figure.zoomAt(at(e->position()), std::pow(1.0015, e->angleDelta().y()), area(), m_context);
  }
  hover(e->position());
  update();
  e->accept();
}

bool FigureCanvas::walk(QKeyEvent* e) {
  using Step = InteractiveFigure::Step;
  std::optional<Step> step;
  switch (e->key()) {
    case Qt::Key_Left:
      step = Step::Left;
      break;
    case Qt::Key_Right:
      step = Step::Right;
      break;
    case Qt::Key_Up:
      step = Step::Up;
      break;
    case Qt::Key_Down:
      step = Step::Down;
      break;
    case Qt::Key_Home:
      step = Step::First;
      break;
    case Qt::Key_End:
      step = Step::Last;
      break;
    default:
      return false;
  }
  const auto item = m_figure.step(m_selection.selected(), *step, m_context);
  if (!item) return false;
  m_selection.setSelected(item);
  // What is walked to must be seen.
  if (m_figure.canZoom())
    if (const auto hit = m_figure.locate(*item, area(), m_context);
        hit && !area().contains(hit->area.center()))
      m_figure.panBy(area().center() - hit->area.center(), area(), m_context);
  tell();
  return true;
}

/// Tooltip and screen reader, for what the keyboard has reached.
void FigureCanvas::tell() {
  if (!m_selection.selected()) return;
  QAccessibleValueChangeEvent changed(this, currentText());
  QAccessible::updateAccessibility(&changed);
  const auto hit = m_figure.locate(*m_selection.selected(), area(), m_context);
  if (!hit) return;
  const QPointF middle =
      hit->area.intersected(area()).isEmpty() ? area().center() : hit->area.intersected(area()).center();
  showTip(mapToGlobal((middle * enlargement()).toPoint()), richTip(hit->tip), this);
}

void FigureCanvas::keyPressEvent(QKeyEvent* e) {
  const bool zoomable = m_figure.canZoom();
  if (zoomable && e->modifiers() & Qt::ShiftModifier) {
    const double by = 60;
    QPointF pan;
    if (e->key() == Qt::Key_Left) pan = {by, 0};
    if (e->key() == Qt::Key_Right) pan = {-by, 0};
    if (e->key() == Qt::Key_Up) pan = {0, by};
    if (e->key() == Qt::Key_Down) pan = {0, -by};
    if (!pan.isNull()) {
      m_figure.panBy(pan, area(), m_context);
      return update();
    }
  }
  if (zoomable && (e->key() == Qt::Key_Plus || e->key() == Qt::Key_Equal)) return zoomIn();
  if (zoomable && e->key() == Qt::Key_Minus) return zoomOut();
  if (zoomable && e->key() == Qt::Key_0) return fit();
  if (e->key() == Qt::Key_Escape && m_selection.selected()) {
    m_selection.setSelected(std::nullopt);
    QToolTip::hideText();  // of what the keyboard had reached
    // Under a mouse at rest the item would stay picked out as if nothing had happened.
    return m_selection.setHovered(std::nullopt);
  }
  if ((e->key() == Qt::Key_Return || e->key() == Qt::Key_Enter) && m_selection.selected())
    return Q_EMIT itemActivated(*m_selection.selected());
  if (walk(e)) return update();
  QWidget::keyPressEvent(e);
}

void FigureCanvas::focusInEvent(QFocusEvent* e) {
  QWidget::focusInEvent(e);
  update();
  if (e->reason() == Qt::TabFocusReason || e->reason() == Qt::BacktabFocusReason) tell();
}

void FigureCanvas::focusOutEvent(QFocusEvent* e) {
  QWidget::focusOutEvent(e);
  update();
}

void FigureCanvas::contextMenuEvent(QContextMenuEvent* e) {
  // The menu is about what it is opened on.
  if (e->reason() == QContextMenuEvent::Mouse)
    if (const auto hit = m_figure.hit(at(e->pos()), area(), m_context)) m_selection.setSelected(hit->item);
  Q_EMIT menuRequested(e->globalPos());
}

bool FigureCanvas::event(QEvent* e) {
  if (e->type() != QEvent::ToolTip) return QWidget::event(e);
  const auto* help = static_cast<QHelpEvent*>(e);
  const auto hit = m_figure.hit(at(help->pos()), area(), m_context);
  if (hit)
    showTip(help->globalPos(), richTip(hit->tip), this,
            QTransform::fromScale(enlargement(), enlargement())
                .mapRect(hit->area)
                .toAlignedRect()
                .adjusted(-1, -1, 1, 1));
  else
    QToolTip::hideText();
  return true;
}

}  // namespace nest
