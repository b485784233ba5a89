#pragma once

#include <QBrush>
#include <QByteArray>
#include <QHash>
#include <QPaintEngine>
#include <QPainterPath>
#include <QPen>
#include <QTransform>

namespace nest {

class SvgFonts;

/// The paint engine of SvgDevice.
class SvgEngine : public QPaintEngine {
public:
  /// `fonts`: where text adds its characters and stays text; null: it is drawn as outlines.
  explicit SvgEngine(SvgFonts* fonts);

  bool begin(QPaintDevice*) override;
  bool end() override;
  Type type() const override { return QPaintEngine::User; }
  void updateState(const QPaintEngineState&) override;
  void drawPath(const QPainterPath&) override;
  void drawPolygon(const QPointF*, int count, PolygonDrawMode) override;
  void drawRects(const QRectF*, int count) override;
  void drawLines(const QLineF*, int count) override;
  void drawEllipse(const QRectF&) override;
  void drawTextItem(const QPointF&, const QTextItem&) override;
  void drawPixmap(const QRectF&, const QPixmap&, const QRectF& source) override;
  void drawImage(const QRectF&, const QImage&, const QRectF& source, Qt::ImageConversionFlags) override;

  const QByteArray& definitions() const { return m_definitions; }
  const QByteArray& body() const { return m_body; }

private:
  QByteArray styleOf(bool filled, bool stroked, Qt::FillRule) const;
  void shape(const QByteArray& data, const QRectF& bounds, bool filled, bool stroked, Qt::FillRule,
             bool mayJoin);
  void flush();
  /// Brings the clip in force for something with these bounds; false: nothing of it would be seen.
  bool openClip(const QRectF& bounds);
  void closeClip();
  double strokeScale() const;
  QByteArray inkOf() const;                                ///< of text
  QByteArray asText(const QPointF& at, const QTextItem&);  ///< empty: it must be drawn
  QByteArray asOutline(const QPointF& at, const QTextItem&);

  SvgFonts* m_fonts;
  QPen m_pen;
  QBrush m_brush;
  QTransform m_transform;
  double m_opacity = 1;
  bool m_clipEnabled = false, m_clipped = false, m_clipIsRectangle = false;
  QPainterPath m_clip;  ///< in page coordinates

  QByteArray m_body, m_definitions;
  QByteArray m_style, m_data;             ///< path being collected
  QByteArray m_openClip;                  ///< id of the open group's clip
  QHash<QByteArray, QByteArray> m_clips;  ///< path data → id
  QHash<QString, QByteArray> m_words;     ///< font, scale and text → id
};

}  // namespace nest
