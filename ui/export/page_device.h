#pragma once

#include <QPaintDevice>
#include <QSizeF>
#include <cmath>

namespace nest {

/// A page that is measured in pixels at 96 dpi.
class PageDevice : public QPaintDevice {
public:
  const QSizeF& size() const { return m_size; }

protected:
  explicit PageDevice(const QSizeF& size) : m_size(size) {}

  int metric(PaintDeviceMetric m) const override {
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

private:
  QSizeF m_size;
};

}  // namespace nest
