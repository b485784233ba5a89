#include "export/svg_device.h"

#include <cmath>

#include "export/svg_engine.h"

namespace nest {

SvgDevice::SvgDevice(const QSizeF& size, const QString& title, const QString& description)
    : m_size(size), m_title(title), m_description(description), m_engine(std::make_unique<SvgEngine>()) {}

SvgDevice::~SvgDevice() = default;

QPaintEngine* SvgDevice::paintEngine() const {
  return m_engine.get();
}

int SvgDevice::metric(PaintDeviceMetric m) const {
  switch (m) {
    case PdmWidth:
      return static_cast<int>(std::ceil(m_size.width()));
    case PdmHeight:
      return static_cast<int>(std::ceil(m_size.height()));
    case PdmWidthMM:
      return static_cast<int>(std::lround(m_size.width() * 25.4 / 96));
    case PdmHeightMM:
      return static_cast<int>(std::lround(m_size.height() * 25.4 / 96));
    case PdmNumColors:
      return 1 << 24;
    case PdmDepth:
      return 32;
    case PdmDpiX:
    case PdmDpiY:
    case PdmPhysicalDpiX:
    case PdmPhysicalDpiY:
      return 96;
    case PdmDevicePixelRatio:
      return 1;
    case PdmDevicePixelRatioScaled:
      return static_cast<int>(devicePixelRatioFScale());
    default:
      return 0;
  }
}

QByteArray SvgDevice::svg() const {
  const QByteArray w = QByteArray::number(m_size.width()), h = QByteArray::number(m_size.height());
  QByteArray out =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
      "xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
      "role=\"img\" width=\"" +
      w + "\" height=\"" + h + "\" viewBox=\"0 0 " + w + ' ' + h + "\">\n";
  out += "<title>" + m_title.toHtmlEscaped().toUtf8() + "</title>\n";
  if (!m_description.isEmpty()) out += "<desc>" + m_description.toHtmlEscaped().toUtf8() + "</desc>\n";
  if (!m_engine->definitions().isEmpty()) out += "<defs>\n" + m_engine->definitions() + "</defs>\n";
  return out + m_engine->body() + "</svg>\n";
}

}  // namespace nest
