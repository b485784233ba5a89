#pragma once

#include <QByteArray>
#include <QList>
#include <QSizeF>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "export/svg_fonts.h"
#include "figures/paint/interactive_figure.h"
#include "formats/results/report_page.h"
#include "views/report_sources.h"

namespace nest {

/// A figure of a report, at the size at which it stands there.
struct ReportFigure {
  QString id, title;
  QString finding;  ///< what it says of itself, as a heading; empty: it is painted above the drawing
  std::unique_ptr<InteractiveFigure> figure;
  QSizeF size;  ///< px, with the row of what it says
  PlanContextPtr context;
  bool hasTips = true;  ///< in a page, of its items
  std::optional<TextTable> table = {};

  QRectF area() const;  ///< where it is painted, on a page of shownSize()
  QSizeF shownSize() const { return {size.width(), size.height() + area().top()}; }
};

/// The figures of a plan that have something to show, then the study and the plans compared.
struct ReportFigures {
  std::vector<ReportFigure> figures;
  std::vector<std::string> leftOut;  ///< "Compare: …", why there is nothing to show, a line each
};
ReportFigures reportFigures(const PlanContextPtr&, const ReportSources&);
/// The figures of a plan alone.
std::vector<ReportFigure> planReportFigures(const PlanContextPtr&);
/// From one plan's time to the other's; then the stages and the memory of both.
std::vector<ReportFigure> differenceFigures(const PlanContextPtr& first, const PlanContextPtr& second);

void paintReportFigure(QPainter&, const ReportFigure&, Theme::Kind);

/// Figures as elements of one page that is read in the light or in the dark: each colour is a variable where
/// the themes differ, and over each figure lies one shape for each item of a stage, with its tip and
/// data-stage.
class PageFigures {
public:
  using Drawing = std::function<void(QPainter&, Theme::Kind)>;
  QByteArray svgOf(const QSizeF&, const QString& title, const QString& description, const Drawing&);
  QByteArray svgOf(const ReportFigure&);
  PageFigure pageFigure(const ReportFigure&);
  /// The variables and the fonts of all figures so far, as CSS.
  QByteArray style();

private:
  QByteArray inBothThemes(const QByteArray& light, const QByteArray& dark);

  QList<std::pair<QByteArray, QByteArray>> m_colours;  ///< "#rrggbb" in the light, in the dark
  SvgFonts m_fonts;
  int m_count = 0;  ///< figures
};

}  // namespace nest
