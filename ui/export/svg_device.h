#pragma once

#include <QByteArray>
#include <QString>
#include <memory>

#include "export/page_device.h"

namespace nest {

class SvgEngine;
class SvgFonts;

/// Paint device that writes SVG as other programs need it: text as outlines, or as text with its font inside;
/// clips as clip paths, every coordinate final. Neighbours of one style become one path, repeated outlines of
/// a word one definition, so files stay small. Units are pixels at 96 dpi.
class SvgDevice : public PageDevice {
public:
  /// `title` and `description` are for screen readers. `fonts`: text stays text, and its characters are added
  /// there; null: it becomes outlines, and no font is asked for by name.
  SvgDevice(const QSizeF& size, const QString& title, const QString& description, SvgFonts* fonts = nullptr);
  ~SvgDevice() override;

  QPaintEngine* paintEngine() const override;
  /// The document; call after the painter has ended. `style`: CSS of this document, such as its fonts.
  QByteArray svg(const QByteArray& style = {}) const;

private:
  QString m_title, m_description;
  std::unique_ptr<SvgEngine> m_engine;
};

}  // namespace nest
