#pragma once

#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <memory>
#include <vector>

#include "document/plan_context.h"
#include "figures/plan/seat_map.h"
#include "figures/topology/folding.h"

namespace nest {

/// Groups of a hierarchy by what stands in them: groups of one class look alike, down to the stage on each
/// device.
class TopologyClasses {
public:
  explicit TopologyClasses(const PlanContext&);

  const Hierarchy& cluster() const { return *m_problem->cluster; }
  const SeatMap& seats() const { return m_seats; }
  int classOf(int level, int group) const { return m_classes[level][group]; }
  /// Level-(level−1) groups inside a group, [first, last).
  std::pair<int, int> childrenOf(int level, int group) const;
  bool shows(const PlanContext& c) const {
    return c.problem == m_problem && c.plan == m_plan && c.outcome == m_outcome;
  }
  int idleDevices() const { return m_idle; }

private:
  std::shared_ptr<const Problem> m_problem;
  std::shared_ptr<const RankedPlan> m_plan;
  std::shared_ptr<const Outcome> m_outcome;
  SeatMap m_seats;
  int m_idle = 0;
  std::vector<std::vector<int>> m_classes;  ///< [level][group]
};

/// Nested boxes: every level is a grid of equal cells of the level inside. Alike siblings fold into one with
/// a count, from the outermost level inwards, as far as `Folding` asks or until a device is large enough to
/// read.
class TopologyLayout {
public:
  struct Box {
    int level = 0, group = 0;
    int count = 1;  ///< how many siblings it stands for
    QRectF rect;    ///< in units of a device's height
  };

  TopologyLayout(std::shared_ptr<const TopologyClasses>, const QSizeF& area, Folding);

  const TopologyClasses& classes() const { return *m_classes; }
  const QSizeF& area() const { return m_area; }
  Folding folding() const { return m_folding; }
  QSizeF size() const { return m_size[m_levels - 1]; }
  double fitScale() const { return m_scale; }  ///< pixels per unit when everything is visible
  bool folds() const { return m_foldFrom < m_levels; }

  Box root() const;
  /// Children of a box of level ≥ 1.
  std::vector<Box> childrenOf(const Box&) const;
  double header(int level) const { return m_header[level]; }
  /// Positions of a host's devices; `index` counts inside the host.
  QRectF deviceRect(const Box& host, int index) const;
  int deviceAt(const Box& host, const QPointF&) const;  ///< index inside the host, −1 between devices
  /// Innermost box of at least `level` at a point; nullopt outside.
  bool boxAt(const QPointF&, int level, Box& found) const;
  /// The box that stands for a group, and the group of it that is drawn.
  Box boxOf(int level, int group) const;
  /// The device that is drawn in place of `device`, and its rectangle.
  QRectF rectOfDevice(int device, int* shown = nullptr) const;

  static constexpr double kDeviceWidth = 1.3;

private:
  void arrange();
  void measure(const std::vector<int>& columns);
  int mostChildren(int level) const;
  int runOfChildren(int level) const;
  bool foldsChildren(int level) const { return level >= m_foldFrom; }

  std::shared_ptr<const TopologyClasses> m_classes;
  QSizeF m_area;
  Folding m_folding;
  int m_levels, m_foldFrom;
  double m_scale = 1;
  double m_headerLimit = 100, m_headerLeast = 0;  ///< units
  std::vector<int> m_columns;                     ///< per level: columns of its children
  std::vector<int> m_most;                        ///< per level: most children in a group
  std::vector<QSizeF> m_size;
  std::vector<double> m_pad, m_header;
};

}  // namespace nest
