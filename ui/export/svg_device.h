#pragma once

#include <QByteArray>
#include <QString>
#include <memory>

#include "export/page_device.h"

namespace nest {

class SvgEngine;

/// Paint device that writes SVG as other programs need it: text as outlines (no font is asked for by name),
/// clips as clip paths, every coordinate final. Neighbours of one style become one path, repeated words one
/// definition, so files stay small. Units are pixels at 96 dpi.
class SvgDevice : public PageDevice {
public:
  /// `title` and `description` are for screen readers.
  SvgDevice(const QSizeF& size, const QString& title, const QString& description);
  ~SvgDevice() override;

  QPaintEngine* paintEngine() const override;
  /// The document; call after the painter has ended.
  QByteArray svg() const;

private:
  QString m_title, m_description;
  std::unique_ptr<SvgEngine> m_engine;
};

}  // namespace nest
