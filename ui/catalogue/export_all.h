#pragma once

#include <QDir>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

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
  QString path;           ///< of the scenario's file, next to which files that it names are found
  ExportOptions options;  ///< of each figure
};

struct ExportFile {
  QString name;
  std::function<QByteArray()> content;  ///< on any thread
};

/// What is exported of views as they stand, one file after the other. To be asked on their thread, while they
/// are there.
class FigureQueue {
public:
  FigureQueue(const PlanContext&, const std::vector<View*>&, const ExportOptions& = {});
  int count() const { return static_cast<int>(m_pages.size() + m_texts.size()); }
  std::optional<ExportFile> next();  ///< paints it; nullopt: that was all
  const QStringList& leftOut() const { return m_leftOut; }

private:
  struct Page {
    const Figure* figure;
    PlanContextPtr context;  ///< that was shown at first, whatever comes meanwhile
    ExportFormat format;
  };
  ExportOptions m_options;
  std::vector<Page> m_pages;
  std::vector<std::pair<QString, QByteArray>> m_texts;
  QStringList m_leftOut;
  std::size_t m_next = 0;
};

/// Where files are written to; it is made if it is absent.
class ExportFolder {
public:
  explicit ExportFolder(const QString& path);
  void write(const ExportFile&);
  ExportReport report;

private:
  QDir m_dir;
};

/// Writes every figure of every view that has something to show as SVG, PNG and PDF, each once, with
/// plan.json and summary.txt, into `dir`, which is made if it is absent. Baselines are run and the devices
/// are varied for it. When nothing fits the figures show the nearest miss.
ExportReport exportAll(const QString& dir, const PlanContext&, const ExportChoice& = {});
/// The same of views as they stand.
ExportReport exportViews(const QString& dir, const PlanContext&, const std::vector<View*>& views,
                         const ExportOptions& = {});

}  // namespace nest
