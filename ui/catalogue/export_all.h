#pragma once

#include "export/figure_export.h"

namespace nest {

class View;

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

}  // namespace nest
