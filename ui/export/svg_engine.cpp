#include "export/svg_engine.h"

#include <QBuffer>
#include <QImage>
#include <QPixmap>
#include <cmath>

#include "export/svg_fonts.h"

namespace nest {
namespace {

/// Two decimals, no trailing zeros: a hundredth of a pixel is below what any printer shows.
QByteArray num(double v) {
  QByteArray out = QByteArray::number(std::round(v * 100) / 100, 'f', 2);
  while (out.endsWith('0')) out.chop(1);
  if (out.endsWith('.')) out.chop(1);
  return out == "-0" ? QByteArray("0") : out;
}

QByteArray point(const QPointF& p) {
  return num(p.x()) + ' ' + num(p.y());
}

QByteArray dataOf(const QPainterPath& path) {
  QByteArray out;
  for (int i = 0; i < path.elementCount(); ++i) {
    const auto e = path.elementAt(i);
    switch (e.type) {
      case QPainterPath::MoveToElement:
        out += 'M' + point(e);
        break;
      case QPainterPath::LineToElement:
        out += 'L' + point(e);
        break;
      case QPainterPath::CurveToElement:
        out += 'C' + point(e) + ' ' + point(path.elementAt(i + 1)) + ' ' + point(path.elementAt(i + 2));
        i += 2;
        break;
      case QPainterPath::CurveToDataElement:
        break;
    }
  }
  return out;
}

QByteArray escaped(const QColor& c) {
  return c.name(QColor::HexRgb).toLatin1();
}

bool isUpright(const QTransform& t) {
  return t.type() <= QTransform::TxScale && t.m11() > 0 && t.m22() > 0;
}

}  // namespace

SvgEngine::SvgEngine(SvgFonts* fonts)
    : QPaintEngine(PaintEngineFeatures(QPaintEngine::AllFeatures) & ~QPaintEngine::PatternBrush &
                   ~QPaintEngine::PerspectiveTransform & ~QPaintEngine::ConicalGradientFill &
                   ~QPaintEngine::PorterDuff & ~QPaintEngine::BlendModes),
      m_fonts(fonts) {}

bool SvgEngine::begin(QPaintDevice*) {
  setActive(true);
  return true;
}

bool SvgEngine::end() {
  flush();
  closeClip();
  setActive(false);
  return true;
}

void SvgEngine::updateState(const QPaintEngineState& s) {
  const DirtyFlags dirty = s.state();
  if (dirty & DirtyPen) m_pen = s.pen();
  if (dirty & DirtyBrush) m_brush = s.brush();
  if (dirty & DirtyTransform) m_transform = s.transform();
  if (dirty & DirtyOpacity) m_opacity = s.opacity();
  if (dirty & DirtyClipEnabled) m_clipEnabled = s.isClipEnabled();
  if (!(dirty & (DirtyClipPath | DirtyClipRegion))) return;
  QPainterPath path;
  if (dirty & DirtyClipPath)
    path = s.clipPath();
  else
    path.addRegion(s.clipRegion());
  path = m_transform.map(path);
  switch (s.clipOperation()) {
    case Qt::NoClip:
      m_clipped = false;
      break;
    case Qt::ReplaceClip:
      m_clip = path, m_clipped = true;
      break;
    case Qt::IntersectClip:
      m_clip = m_clipped ? m_clip.intersected(path) : path, m_clipped = true;
      break;
  }
  m_clipIsRectangle =
      m_clip.elementCount() <= 5 && m_clip.contains(m_clip.boundingRect().adjusted(0.01, 0.01, -0.01, -0.01));
}

double SvgEngine::strokeScale() const {
  return m_pen.isCosmetic() ? 1 : std::sqrt(std::abs(m_transform.determinant()));
}

QByteArray SvgEngine::styleOf(bool filled, bool stroked, Qt::FillRule rule) const {
  QByteArray out;
  const auto alpha = [&](const char* name, const QColor& c) {
    const double a = c.alphaF() * m_opacity;
    if (a < 0.999) out += QByteArray(" ") + name + "=\"" + num(a) + '"';
  };
  if (filled) {
    out += " fill=\"" + escaped(m_brush.color()) + '"';
    alpha("fill-opacity", m_brush.color());
    if (rule == Qt::OddEvenFill) out += " fill-rule=\"evenodd\"";
  } else {
    out += " fill=\"none\"";
  }
  if (!stroked) return out;
  const double width =
      std::max(m_pen.widthF(), m_pen.isCosmetic() && m_pen.widthF() == 0 ? 1.0 : 0.0) * strokeScale();
  out += " stroke=\"" + escaped(m_pen.color()) + "\" stroke-width=\"" + num(width) + '"';
  alpha("stroke-opacity", m_pen.color());
  if (m_pen.capStyle() == Qt::RoundCap) out += " stroke-linecap=\"round\"";
  if (m_pen.capStyle() == Qt::SquareCap) out += " stroke-linecap=\"square\"";
  if (m_pen.joinStyle() == Qt::RoundJoin) out += " stroke-linejoin=\"round\"";
  if (m_pen.style() != Qt::SolidLine) {
    QByteArray dashes;
    for (double d : m_pen.dashPattern()) dashes += (dashes.isEmpty() ? "" : " ") + num(d * width);
    if (!dashes.isEmpty()) out += " stroke-dasharray=\"" + dashes + '"';
  }
  return out;
}

bool SvgEngine::openClip(const QRectF& bounds) {
  QByteArray wanted;
  const QRectF limits = m_clip.boundingRect();
  if (m_clipped && m_clipEnabled && !limits.intersects(bounds)) return false;
  // Some programs ignore clips: what a rectangle would not cut anyway goes without.
  if (m_clipped && m_clipEnabled && !(m_clipIsRectangle && limits.contains(bounds))) {
    const QByteArray data = dataOf(m_clip);
    auto known = m_clips.find(data);
    if (known == m_clips.end()) {
      known = m_clips.insert(data, "c" + QByteArray::number(m_clips.size()));
      m_definitions += "<clipPath id=\"" + *known + "\"><path d=\"" +
                       (data.isEmpty() ? QByteArray("M0 0") : data) + "\"/></clipPath>\n";
    }
    wanted = *known;
  }
  if (wanted == m_openClip) return true;
  flush();
  closeClip();
  if (!wanted.isEmpty()) m_body += "<g clip-path=\"url(#" + wanted + ")\">\n";
  m_openClip = wanted;
  return true;
}

void SvgEngine::closeClip() {
  if (!m_openClip.isEmpty()) m_body += "</g>\n";
  m_openClip.clear();
}

void SvgEngine::flush() {
  if (!m_data.isEmpty()) m_body += "<path" + m_style + " d=\"" + m_data + "\"/>\n";
  m_data.clear();
  m_style.clear();
}

void SvgEngine::shape(const QByteArray& data, const QRectF& bounds, bool filled, bool stroked,
                      Qt::FillRule rule, bool mayJoin) {
  if (data.isEmpty() || (!filled && !stroked)) return;
  const double grown = stroked ? std::max(1.0, m_pen.widthF()) * strokeScale() / 2 : 0.005;
  if (!openClip(bounds.adjusted(-grown, -grown, grown, grown))) return;
  const QByteArray style = styleOf(filled, stroked, rule);
  // Shapes with both fill and stroke hide one another's edges, translucent ones darken where they overlap:
  // not joined.
  const bool join = mayJoin && !(filled && stroked) && !style.contains("opacity");
  if (!join || style != m_style) flush();
  m_style = style;
  m_data += data;
  if (!join) flush();
}

void SvgEngine::drawPath(const QPainterPath& path) {
  const bool filled = m_brush.style() != Qt::NoBrush, stroked = m_pen.style() != Qt::NoPen;
  const QPainterPath mapped = m_transform.map(path);
  shape(dataOf(mapped), mapped.boundingRect(), filled, stroked, path.fillRule(), !filled);
}

void SvgEngine::drawPolygon(const QPointF* points, int count, PolygonDrawMode mode) {
  if (count < 2) return;
  QPolygonF mapped;
  for (int i = 0; i < count; ++i) mapped << m_transform.map(points[i]);
  QByteArray data = "M" + point(mapped[0]);
  for (int i = 1; i < count; ++i) data += 'L' + point(mapped[i]);
  const bool open = mode == PolylineMode;
  if (!open) data += 'Z';
  shape(data, mapped.boundingRect(), !open && m_brush.style() != Qt::NoBrush, m_pen.style() != Qt::NoPen,
        mode == OddEvenMode ? Qt::OddEvenFill : Qt::WindingFill, open);
}

void SvgEngine::drawRects(const QRectF* rects, int count) {
  const bool filled = m_brush.style() != Qt::NoBrush, stroked = m_pen.style() != Qt::NoPen;
  for (int i = 0; i < count; ++i) {
    if (!isUpright(m_transform)) {
      QPainterPath path;
      path.addRect(rects[i]);
      drawPath(path);
      continue;
    }
    const QRectF r = m_transform.mapRect(rects[i]).normalized();
    shape(
        'M' + point(r.topLeft()) + 'h' + num(r.width()) + 'v' + num(r.height()) + 'h' + num(-r.width()) + 'z',
        r, filled, stroked, Qt::WindingFill, true);
  }
}

void SvgEngine::drawLines(const QLineF* lines, int count) {
  if (m_pen.style() == Qt::NoPen) return;
  for (int i = 0; i < count; ++i) {
    const QLineF l = m_transform.map(lines[i]);
    shape('M' + point(l.p1()) + 'L' + point(l.p2()), QRectF(l.p1(), l.p2()).normalized(), false, true,
          Qt::WindingFill, true);
  }
}

void SvgEngine::drawEllipse(const QRectF& r) {
  QPainterPath path;
  path.addEllipse(r);
  drawPath(path);
}

void SvgEngine::drawTextItem(const QPointF& at, const QTextItem& item) {
  if (item.text().trimmed().isEmpty()) return;
  if (!openClip(m_transform.mapRect(
          QRectF(at.x(), at.y() - item.ascent(), item.width(), item.ascent() + item.descent()))))
    return;
  flush();
  const QByteArray text = m_fonts ? asText(at, item) : QByteArray();
  m_body += text.isEmpty() ? asOutline(at, item) : text;
}

QByteArray SvgEngine::inkOf() const {
  QByteArray out = " fill=\"" + escaped(m_pen.color()) + '"';
  const double alpha = m_pen.color().alphaF() * m_opacity;
  if (alpha < 0.999) out += " fill-opacity=\"" + num(alpha) + '"';
  return out;
}

/// Readers that take another font than the one inside keep its widths.
QByteArray SvgEngine::asText(const QPointF& at, const QTextItem& item) {
  if (item.renderFlags() & QTextItem::RightToLeft) return {};
  const QByteArray font = m_fonts->attributesFor(item.font(), item.text());
  if (font.isEmpty()) return {};
  const QPointF p = m_transform.map(at);
  QByteArray out = "<text";
  if (m_transform.type() <= QTransform::TxTranslate)
    out += " x=\"" + num(p.x()) + "\" y=\"" + num(p.y()) + '"';
  else
    out += " transform=\"matrix(" + QByteArray::number(m_transform.m11(), 'g', 6) + ' ' +
           QByteArray::number(m_transform.m12(), 'g', 6) + ' ' +
           QByteArray::number(m_transform.m21(), 'g', 6) + ' ' +
           QByteArray::number(m_transform.m22(), 'g', 6) + ' ' + num(p.x()) + ' ' + num(p.y()) + ")\"";
  return out + font + " textLength=\"" + num(item.width()) + "\" xml:space=\"preserve\"" + inkOf() + '>' +
         item.text().toHtmlEscaped().toUtf8() + "</text>\n";
}

QByteArray SvgEngine::asOutline(const QPointF& at, const QTextItem& item) {
  const QTransform turned(m_transform.m11(), m_transform.m12(), m_transform.m21(), m_transform.m22(), 0, 0);
  const QString key = item.font().key() + u'|' + QString::number(turned.m11(), 'g', 6) + u'|' +
                      QString::number(turned.m12(), 'g', 6) + u'|' + item.text();
  auto known = m_words.find(key);
  if (known == m_words.end()) {
    QPainterPath path;
    path.addText(0, 0, item.font(), item.text());
    known = m_words.insert(key, "t" + QByteArray::number(m_words.size()));
    m_definitions += "<path id=\"" + *known + "\" d=\"" + dataOf(turned.map(path)) + "\"/>\n";
  }
  const QPointF p = m_transform.map(at);
  return "<use xlink:href=\"#" + *known + "\" x=\"" + num(p.x()) + "\" y=\"" + num(p.y()) + '"' + inkOf() +
         "/>\n";
}

void SvgEngine::drawPixmap(const QRectF& r, const QPixmap& pixmap, const QRectF& source) {
  drawImage(r, pixmap.toImage(), source, Qt::AutoColor);
}

void SvgEngine::drawImage(const QRectF& r, const QImage& image, const QRectF& source,
                          Qt::ImageConversionFlags) {
  if (!openClip(m_transform.mapRect(r))) return;
  flush();
  QByteArray png;
  QBuffer buffer(&png);
  buffer.open(QIODevice::WriteOnly);
  const QRect part = source.toAlignedRect();
  (part == image.rect() ? image : image.copy(part)).save(&buffer, "PNG");
  const QRectF to = m_transform.mapRect(r);
  m_body += "<image x=\"" + num(to.x()) + "\" y=\"" + num(to.y()) + "\" width=\"" + num(to.width()) +
            "\" height=\"" + num(to.height()) +
            "\" preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" "
            "xlink:href=\"data:image/png;base64," +
            png.toBase64() + "\"/>\n";
}

}  // namespace nest
