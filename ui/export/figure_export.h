#pragma once

#include <QByteArray>
#include <QImage>
#include <QSizeF>
#include <QString>
#include <QStringList>
#include <vector>

#include "document/plan_context.h"
#include "figures/figure.h"

namespace nest {

class View;

enum class ExportFormat { Svg, Pdf, Png };
QString suffixOf(ExportFormat);  ///< "svg"

struct ExportOptions {
  QSizeF size;  ///< layout size in pixels at 96 dpi; empty: the figure's preferred size
  Theme::Kind theme = Theme::Kind::Print;
  int pixelWidth = 2400;  ///< PNG only; the layout is scaled to it
};

/// A figure as a file's content, standing alone: title, legend, units. Vector formats carry text as outlines
/// (SVG) or with its font (PDF).
QByteArray renderFigure(const Figure&, const PlanContext&, ExportFormat, const ExportOptions& = {});
QImage imageOf(const Figure&, const PlanContext&, const ExportOptions& = {});
/// Onto the clipboard, as pixels for a chat and as vectors for a slide program.
void copyAsImage(const Figure&, const PlanContext&, const ExportOptions& = {});
/// As on screen, without title and legend tricks, for galleries.
QImage thumbnailOf(const Figure&, const PlanContext&, const QSize&, Theme::Kind);

struct ExportReport {
  QStringList written;   ///< paths
  QStringList problems;  ///< sentences; empty if everything was written
  QStringList leftOut;   ///< figures with nothing to show, each with the reason
  bool ok() const { return problems.isEmpty(); }
};

struct ExportChoice {
  QString view;           ///< of this view, or mode of a view, alone; empty: of all
  ExportOptions options;  ///< of each figure
};

/// Writes every figure of every view that has something to show as SVG, PNG and PDF, each once, with
/// plan.json and summary.txt, into `dir`, which is made if it is absent. Baselines are run and the devices
/// are varied for it. When nothing fits the figures show the nearest miss.
ExportReport exportAll(const QString& dir, const PlanContext&, const ExportChoice& = {});
/// The same of views as they stand.
ExportReport exportViews(const QString& dir, const PlanContext&, const std::vector<View*>& views,
                         const ExportOptions& = {});

/// One page about a plan: the headline, every stage, and what was searched.
QString summaryText(const PlanContext&);

}  // namespace nest
