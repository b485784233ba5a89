#include "export/svg_device.h"

#include "export/svg_engine.h"

namespace nest {

SvgDevice::SvgDevice(const QSizeF& size, const QString& title, const QString& description, SvgFonts* fonts)
    : PageDevice(size),
      m_title(title),
      m_description(description),
      m_engine(std::make_unique<SvgEngine>(fonts)) {}

SvgDevice::~SvgDevice() = default;

QPaintEngine* SvgDevice::paintEngine() const {
  return m_engine.get();
}

QByteArray SvgDevice::svg(const QByteArray& style) const {
  const QByteArray w = QByteArray::number(size().width()), h = QByteArray::number(size().height());
  QByteArray out =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
      "xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
      "role=\"img\" width=\"" +
      w + "\" height=\"" + h + "\" viewBox=\"0 0 " + w + ' ' + h + "\">\n";
  out += "<title>" + m_title.toHtmlEscaped().toUtf8() + "</title>\n";
  if (!m_description.isEmpty()) out += "<desc>" + m_description.toHtmlEscaped().toUtf8() + "</desc>\n";
  if (!style.isEmpty()) out += "<style>\n" + style + "</style>\n";
  if (!m_engine->definitions().isEmpty()) out += "<defs>\n" + m_engine->definitions() + "</defs>\n";
  return out + m_engine->body() + "</svg>\n";
}

}  // namespace nest
