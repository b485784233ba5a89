#pragma once

#include <QByteArray>
#include <QImage>
#include <QSizeF>
#include <QString>
#include <QStringList>
#include <vector>

#include "document/plan_context.h"
#include "export/paint_tape.h"
#include "figures/paint/figure.h"
#include "formats/scenario/embedded_scenario.h"

namespace nest {

enum class ExportFormat { Svg, Pdf, Png };
QString suffixOf(ExportFormat);  ///< "svg"

struct ExportOptions {
  QSizeF size;  ///< layout size in pixels at 96 dpi; empty: paperSizeOf()
  Theme::Kind theme = Theme::Kind::Print;
  int pixelWidth = 2400;    ///< PNG only; the layout is scaled to it
  bool isOutlined = false;  ///< SVG only: text as outlines, for programs that ignore the fonts inside
  bool hasFooter = false;   ///< below the figure: scenario, date, program and hash of the scenario
};

/// As high as the figure prefers, and of one width for all figures: side by side their type has one size.
QSizeF paperSizeOf(const Figure&, const PlanContext&);

/// A figure as a file's content, standing alone: title, legend, units. Vector formats carry text with
/// those characters of its font that it needs. Each holds the scenario, and opens as it.
QByteArray renderFigure(const Figure&, const PlanContext&, ExportFormat, const ExportOptions& = {});

/// What a file holds, but for the picture.
struct FigurePage {
  ExportFormat format;
  QSizeF size;  ///< pixels at 96 dpi
  double scale;
  QString footer;  ///< empty: none
  Theme::Kind theme;
  QString title, description;
  EmbeddedScenario inside;  ///< so that the file can be opened again; without text: none
  bool isOutlined = false;
};

/// The same in two steps: a figure is painted on the thread of its view, its file's content is made on any.
struct PaintedFigure {
  FigurePage page;
  PaintTape tape;
  QByteArray content() const;
};
PaintedFigure paintedFigure(const Figure&, const PlanContext&, ExportFormat, const ExportOptions& = {});

QImage imageOf(const Figure&, const PlanContext&, const ExportOptions& = {});
/// Onto the clipboard, as pixels for a chat and as vectors for a slide program.
void copyAsImage(const Figure&, const PlanContext&, const ExportOptions& = {});
/// As on screen, without title and legend tricks, for galleries.
QImage thumbnailOf(const Figure&, const PlanContext&, const QSize&, Theme::Kind);

/// One page about a plan: the headline, every stage, and what was searched.
QString summaryText(const PlanContext&);

}  // namespace nest
