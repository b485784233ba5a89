#pragma once

#include <QBuffer>
#include <QByteArray>
#include <QPainter>
#include <QPdfWriter>
#include <QSizeF>

#include "formats/scenario/embedded_scenario.h"

namespace nest {

/// A PDF that is painted page by page, in pixels at 96 dpi whatever its resolution.
class PdfPages {
public:
  /// `page`: of every page, px at 96 dpi. `inside`: attached, if it has a text.
  PdfPages(const QString& title, const QSizeF& page, const EmbeddedScenario& inside = {});

  QPainter& painter() { return m_painter; }
  void nextPage() { m_writer.newPage(); }
  void attach(const QString& name, const std::string& text);  ///< a further scenario; at once
  QByteArray finish();                                        ///< nothing can be painted after it

private:
  QByteArray m_bytes;
  QBuffer m_buffer;
  QPdfWriter m_writer;
  QPainter m_painter;
};

}  // namespace nest
