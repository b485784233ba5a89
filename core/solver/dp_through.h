#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "solver/control.h"
#include "solver/dp_probe.h"

namespace nest {

/// For each cell of a DP table the best whole plan of its configuration that passes through it: every way to
/// cut the layers before the cell, joined with every way to go on from there. With the strategies of the
/// stages as the plan has them, and any recompute policies that fit, so other strategies may do better. All
/// values are exact, also where DpCell::time is a bound.
/// Cost: that of the table again, and per cell the pairs of labels from both sides.
class DpThrough {
public:
  struct Cell {
    double time = 0;  ///< seconds for a step; infinite: no plan through here fits
    /// If no plan fits, how far the closest one is from fitting: what its fullest stage lacks, bytes, and
    /// which one that is. Infinite and −1: too few layers are left on one side, or a rule forbids it.
    double shortfall = 0;
    int shortStage = -1;
    bool fits() const { return time < std::numeric_limits<double>::infinity(); }
  };

  /// nullptr if `control` ended it.
  static std::unique_ptr<DpThrough> of(std::shared_ptr<const DpProbe>, const Control&);
  ~DpThrough();

  const std::shared_ptr<const DpProbe>& probe() const { return m_probe; }
  double best() const { return m_best; }  ///< seconds of the configuration's best plan; infinite: none fits
  const Cell& cell(int stage, int cut) const;
  double ratio(int stage, int cut) const { return cell(stage, cut).time / m_best; }  ///< ≥ 1
  /// Seconds of the best plan in which the stage begins at `cut` and ends before `to`; infinite: none fits.
  double time(int stage, int cut, int to) const;

private:
  struct Prefixes;
  DpThrough(std::shared_ptr<const DpProbe>, std::unique_ptr<Prefixes>);

  std::shared_ptr<const DpProbe> m_probe;
  std::unique_ptr<Prefixes> m_prefixes;
  std::vector<Cell> m_cells;
  double m_best;
};

}  // namespace nest
