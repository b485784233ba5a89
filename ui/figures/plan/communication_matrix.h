#pragma once

#include <QImage>
#include <memory>
#include <vector>

#include "figures/paint/magnitude_scale.h"
#include "figures/plan/communication_figure.h"
#include "figures/plan/traffic_table.h"

namespace nest {

/// What the heatmap shows of one plan under one choice of options: the buckets, their cells, and the words
/// for both.
struct CommunicationFigure::Matrix {
  PlanContext context;  ///< keeps what is shown alive
  Options options;
  std::unique_ptr<Traffic> traffic;
  /// Neighbours that hold one stage, by device.
  struct Run {
    int begin, end, stage;
  };
  std::vector<Run> runs;
  TrafficMatrix cells;
  LongestTimes longest;                 ///< between the same buckets, of all traffic
  int rangeBegin = 0, rangeEnd = 0;     ///< devices that are visible
  int firstBucket = 0, lastBucket = 0;  ///< of them, [first, last): what is drawn
  int groups = -1;                      ///< level of the groups compared
  bool grouped = false;                 ///< buckets are the groups of that level
  int level = Options::kEveryLevel;
  MagnitudeScale scale;
  const Theme* theme = nullptr;
  QImage image;

  bool sends(std::size_t cell) const { return cells.level[cell] >= 0; }
  bool showsTime() const { return options.value == Value::Duration; }
  QString what() const;                                     ///< "All traffic", "TP over rack"
  int visible() const { return lastBucket - firstBucket; }  ///< rows and columns drawn
  int binSize() const {
    return grouped ? 1
                   : cells.starts[static_cast<std::size_t>(firstBucket) + 1] -
                         cells.starts[static_cast<std::size_t>(firstBucket)];
  }
  QString bucket() const;  ///< what a row is: "host", "device", "64 devices (2 × leaf)"
  QString nameOf(int bucket) const;
  /// Where a device stands among the buckets: 1.5 is the middle of the second.
  double positionOf(int device) const;
  int bucketOf(int device) const;
  QString sentence() const;
  void fill();
  void findRuns();
  const QImage& imageFor(const Theme&);
};

/// Of cells that show the level that they cross.
QColor levelColor(int level, int levels, const Theme&);

}  // namespace nest
