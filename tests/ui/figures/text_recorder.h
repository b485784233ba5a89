#pragma once

#include <QPaintEngine>
#include <QRectF>
#include <QString>
#include <QTransform>
#include <vector>

#include "export/page_device.h"

namespace nest::test {

/// A paint device that only notes where text was drawn, in page coordinates.
class TextRecorder : public PageDevice {
public:
  struct Word {
    QString text;
    QRectF box;  ///< ink height without the font's leading
  };

  explicit TextRecorder(const QSize& size) : PageDevice(size) {}
  QPaintEngine* paintEngine() const override { return &m_engine; }
  const std::vector<Word>& words() const { return m_engine.words; }

private:
  class Engine : public QPaintEngine {
  public:
    Engine() : QPaintEngine(QPaintEngine::AllFeatures) {}
    bool begin(QPaintDevice*) override { return setActive(true), true; }
    bool end() override { return setActive(false), true; }
    Type type() const override { return User; }
    void updateState(const QPaintEngineState& s) override {
      if (s.state() & DirtyTransform) m_transform = s.transform();
    }
    void drawPath(const QPainterPath&) override {}
    void drawPolygon(const QPointF*, int, PolygonDrawMode) override {}
    void drawRects(const QRectF*, int) override {}
    void drawLines(const QLineF*, int) override {}
    void drawPixmap(const QRectF&, const QPixmap&, const QRectF&) override {}
    void drawImage(const QRectF&, const QImage&, const QRectF&, Qt::ImageConversionFlags) override {}
    void drawTextItem(const QPointF& p, const QTextItem& t) override {
      const double size = t.font().pixelSize();
      words.push_back(
          {t.text(), m_transform.mapRect(QRectF(p.x(), p.y() - 0.74 * size, t.width(), 0.74 * size))});
    }
    std::vector<Word> words;

  private:
    QTransform m_transform;
  };

  mutable Engine m_engine;
};

}  // namespace nest::test
