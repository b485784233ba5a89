#include "export/paint_tape.h"

#include <QImage>
#include <QPaintEngine>
#include <QPainter>
#include <QPainterPath>
#include <QPixmap>
#include <QTextItem>
#include <utility>

namespace nest {
namespace {

/// Everything is passed on as it comes: what a device cannot do, its own painter replaces when it is played.
class TapeEngine : public QPaintEngine {
public:
  explicit TapeEngine(std::vector<PaintTape::Step>& steps)
      : QPaintEngine(QPaintEngine::AllFeatures), m_steps(steps) {}

  bool begin(QPaintDevice*) override { return true; }
  bool end() override { return true; }
  Type type() const override { return QPaintEngine::User; }

  void updateState(const QPaintEngineState& s) override {
    const DirtyFlags dirty = s.state();
    if (dirty & DirtyTransform) m_steps.push_back([t = s.transform()](QPainter& p) { p.setTransform(t); });
    if (dirty & DirtyPen) m_steps.push_back([pen = s.pen()](QPainter& p) { p.setPen(pen); });
    if (dirty & DirtyBrush) m_steps.push_back([brush = s.brush()](QPainter& p) { p.setBrush(brush); });
    if (dirty & DirtyBrushOrigin)
      m_steps.push_back([at = s.brushOrigin()](QPainter& p) { p.setBrushOrigin(at); });
    if (dirty & DirtyOpacity) m_steps.push_back([o = s.opacity()](QPainter& p) { p.setOpacity(o); });
    if (dirty & DirtyCompositionMode)
      m_steps.push_back([mode = s.compositionMode()](QPainter& p) { p.setCompositionMode(mode); });
    if (dirty & DirtyHints)
      m_steps.push_back([hints = s.renderHints()](QPainter& p) {
        for (const auto hint :
             {QPainter::Antialiasing, QPainter::TextAntialiasing, QPainter::SmoothPixmapTransform})
          p.setRenderHint(hint, hints.testFlag(hint));
      });
    if (dirty & DirtyClipPath)
      m_steps.push_back([path = s.clipPath(), how = s.clipOperation()](QPainter& p) { clip(p, path, how); });
    if (dirty & DirtyClipRegion)
      m_steps.push_back(
          [region = s.clipRegion(), how = s.clipOperation()](QPainter& p) { clip(p, region, how); });
    if (dirty & (DirtyClipPath | DirtyClipRegion)) m_hasClip = s.clipOperation() != Qt::NoClip;
    // A painter that has no clip calls it enabled.
    if (dirty & DirtyClipEnabled)
      m_steps.push_back([on = s.isClipEnabled() && m_hasClip](QPainter& p) { p.setClipping(on); });
  }

  void drawPath(const QPainterPath& path) override {
    m_steps.push_back([path](QPainter& p) { p.drawPath(path); });
  }
  void drawPolygon(const QPointF* points, int count, PolygonDrawMode mode) override {
    m_steps.push_back([all = std::vector(points, points + count), mode](QPainter& p) {
      const int n = static_cast<int>(all.size());
      if (mode == PolylineMode)
        p.drawPolyline(all.data(), n);
      else if (mode == ConvexMode)
        p.drawConvexPolygon(all.data(), n);
      else
        p.drawPolygon(all.data(), n, mode == OddEvenMode ? Qt::OddEvenFill : Qt::WindingFill);
    });
  }
  void drawRects(const QRectF* rects, int count) override {
    m_steps.push_back([all = std::vector(rects, rects + count)](QPainter& p) {
      p.drawRects(all.data(), static_cast<int>(all.size()));
    });
  }
  void drawLines(const QLineF* lines, int count) override {
    m_steps.push_back([all = std::vector(lines, lines + count)](QPainter& p) {
      p.drawLines(all.data(), static_cast<int>(all.size()));
    });
  }
  void drawPoints(const QPointF* points, int count) override {
    m_steps.push_back([all = std::vector(points, points + count)](QPainter& p) {
      p.drawPoints(all.data(), static_cast<int>(all.size()));
    });
  }
  void drawEllipse(const QRectF& r) override {
    m_steps.push_back([r](QPainter& p) { p.drawEllipse(r); });
  }
  void drawTextItem(const QPointF& at, const QTextItem& item) override {
    m_steps.push_back([at, font = item.font(), text = item.text()](QPainter& p) {
      p.setFont(font);
      p.drawText(at, text);
    });
  }
  void drawPixmap(const QRectF& to, const QPixmap& pixmap, const QRectF& source) override {
    drawImage(to, pixmap.toImage(), source, Qt::AutoColor);
  }
  void drawImage(const QRectF& to, const QImage& image, const QRectF& source,
                 Qt::ImageConversionFlags flags) override {
    m_steps.push_back([=](QPainter& p) { p.drawImage(to, image, source, flags); });
  }

private:
  static void clip(QPainter& p, const QPainterPath& path, Qt::ClipOperation how) {
    how == Qt::NoClip ? p.setClipping(false) : p.setClipPath(path, how);
  }
  static void clip(QPainter& p, const QRegion& region, Qt::ClipOperation how) {
    how == Qt::NoClip ? p.setClipping(false) : p.setClipRegion(region, how);
  }

  std::vector<PaintTape::Step>& m_steps;
  bool m_hasClip = false;
};

}  // namespace

PaintTape::PaintTape(const QSizeF& size)
    : PageDevice(size),
      m_steps(std::make_unique<std::vector<Step>>()),
      m_engine(std::make_unique<TapeEngine>(*m_steps)) {}

PaintTape::~PaintTape() = default;

PaintTape::PaintTape(PaintTape&& other) noexcept
    : PageDevice(other.size()), m_steps(std::move(other.m_steps)), m_engine(std::move(other.m_engine)) {}

QPaintEngine* PaintTape::paintEngine() const {
  return m_engine.get();
}

void PaintTape::play(QPainter& painter) const {
  painter.resetTransform();
  for (const Step& step : *m_steps) step(painter);
}

}  // namespace nest
