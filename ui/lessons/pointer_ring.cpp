#include "lessons/pointer_ring.h"

#include <QPainter>
#include <utility>

namespace nest {
namespace {

constexpr int kFollowMs = 150, kRoomAround = 6;

}  // namespace

PointerRing::PointerRing(QWidget* window) : QWidget(window) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setAttribute(Qt::WA_NoSystemBackground);
  setFocusPolicy(Qt::NoFocus);
  hide();
  m_follow.setInterval(kFollowMs);
  connect(&m_follow, &QTimer::timeout, this, &PointerRing::follow);
  m_end.setSingleShot(true);
  connect(&m_end, &QTimer::timeout, this, &PointerRing::release);
}

void PointerRing::pointTo(Place place, int forMs) {
  m_place = std::move(place);
  m_end.stop();
  if (forMs > 0) m_end.start(forMs);
  m_follow.start();
  follow();
}

void PointerRing::release() {
  m_place = nullptr;
  m_follow.stop();
  m_end.stop();
  hide();
}

void PointerRing::follow() {
  const QRect at = m_place ? m_place() : QRect();
  if (at.isEmpty()) return hide();
  const QRect ring =
      at.adjusted(-kRoomAround, -kRoomAround, kRoomAround, kRoomAround).intersected(parentWidget()->rect());
  if (geometry() != ring) setGeometry(ring);
  if (!isVisible()) {
    raise();
    show();
  }
}

void PointerRing::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.setRenderHint(QPainter::Antialiasing);
  QPen pen(palette().color(QPalette::Highlight), 3);
  p.setPen(pen);
  p.drawRoundedRect(QRectF(rect()).adjusted(2, 2, -2, -2), 7, 7);
}

}  // namespace nest
