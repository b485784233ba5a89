#pragma once

#include <QHash>
#include <QPainter>
#include <QPixmap>
#include <vector>

#include "slides/slide_renderer.h"

namespace nest {

/// The way from one slide to the next: what both show moves from where it was to where it is, all else fades.
class SlideMorph {
public:
  struct Piece {
    QRectF from, to;  ///< of the page
    QRectF at(double t) const {
      const auto mix = [t](double a, double b) { return a + (b - a) * t; };
      return {mix(from.x(), to.x()), mix(from.y(), to.y()), mix(from.width(), to.width()),
              mix(from.height(), to.height())};
    }
  };

  /// What both show: devices where both have them, else stages and terms. Empty: nothing keeps its identity.
  static std::vector<Piece> shared(const SlideRenderer& before, const SlideRenderer& after) {
    QHash<QString, QRectF> was;
    for (const auto& p : before.places()) was.insert(p.key, p.area);
    std::vector<Piece> devices, others;
    for (const auto& p : after.places()) {
      const auto found = was.constFind(p.key);
      if (found == was.constEnd()) continue;
      auto& pieces = p.key.startsWith(QLatin1String("device ")) ? devices : others;
      // Folded boxes stand for many.
      if (pieces.empty() || pieces.back().from != *found || pieces.back().to != p.area)
        pieces.push_back({*found, p.area});
    }
    return devices.empty() ? others : devices;
  }

  /// Pictures of both slides, as large as they are shown. `ground`: what stands behind a piece.
  SlideMorph(QPixmap before, QPixmap after, std::vector<Piece> pieces, const QColor& ground)
      : m_before(std::move(before)), m_after(std::move(after)), m_pieces(std::move(pieces)) {
    m_groundBefore = without(m_before, &Piece::from, ground);
    m_groundAfter = without(m_after, &Piece::to, ground);
  }

  /// Over the page, in its coordinates; `t` goes from 0 to 1.
  void paint(QPainter& p, double t) const {
    const QRectF page(QPointF(), kSlide);
    p.save();
    p.setRenderHint(QPainter::SmoothPixmapTransform);
    p.drawPixmap(page, m_groundBefore, m_groundBefore.rect());
    p.setOpacity(t);
    p.drawPixmap(page, m_groundAfter, m_groundAfter.rect());
    for (const Piece& piece : m_pieces) {
      p.setOpacity(1);
      p.drawPixmap(piece.at(t), m_before, inPixels(piece.from, m_before));
      p.setOpacity(t);
      p.drawPixmap(piece.at(t), m_after, inPixels(piece.to, m_after));
    }
    p.restore();
  }

private:
  static QRectF inPixels(const QRectF& r, const QPixmap& of) {
    const double by = of.width() / kSlide.width();
    return {r.topLeft() * by, r.size() * by};
  }
  QPixmap without(const QPixmap& of, QRectF Piece::*where, const QColor& ground) const {
    QPixmap out = of;
    QPainter p(&out);
    for (const Piece& piece : m_pieces) p.fillRect(inPixels(piece.*where, of), ground);
    return out;
  }

  QPixmap m_before, m_after, m_groundBefore, m_groundAfter;
  std::vector<Piece> m_pieces;
};

}  // namespace nest
