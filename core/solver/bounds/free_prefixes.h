#pragma once

#include <vector>

#include "solver/bounds/search_bounds.h"

namespace nest::planner {

/// Lower bounds on pipelines whose stages choose their strategies, for one (b, d, z) of a chain, from whole
/// stages in front of a cut on exactly so many units: unlike FreeBounds' sums over layers they know that
/// layers are not divisible, what does not fit, and the transfers between neighbours.
///
/// For λ ≥ 0 let Q_λ(k, x, u) be the least Σ load_i·(w_sum + λ·a_i) plus the first stage's sync and step over
/// pipelines of the layers before x on u units with k more stages behind (they say how many microbatches are
/// in flight), M(k, x, u) the least possible largest load. As Σ a_i·load_i ≤ u·max,
///   T ≥ w_sum·sum + (w_max − λ·u)·max(max, M) + Q_λ   while λ·u ≤ w_max.
class FreePrefixes {
public:
  struct Limits {
    int units = 0;        ///< of the widest pipeline that will be asked about
    double load = 0;      ///< no stage of interest has a larger one
    double capacity = 0;  ///< of the roomiest device, bytes
  };
  FreePrefixes(const Problem&, const LayerOrder&, const GroupShapes&, const std::vector<LayerSums*>&,
               int dataDegree, int zero, int microbatchCount, ObjectiveWeights, const Limits&);

  /// The layers before `cut` on exactly `units` units behind which `behind` stages with loads of at most
  /// `max`, `sum` in all, stand: a bound on the whole time.
  double time(int behind, int cut, int units, double max, double sum) const;
  double leastMax(int behind, int cut, int units) const;  ///< M
  /// No stage of a plan of `units` units under the limit has a larger load.
  double mostLoad(int units, double limit) const;

private:
  static constexpr int kRates = 8;        ///< values of λ
  static constexpr int kMostBehind = 12;  ///< more stages behind count as so many
  struct Relaxed {                        ///< what stages of one strategy cost at least
    const LayerSums* sums = nullptr;
    ParameterRates dense, expert;
    GradientFloor floor;
    double dataDense = 0, dataExpert = 0;  ///< seconds per parameter in each microbatch
    std::vector<double> sent, received;    ///< per cut, seconds of the transfer behind and in front
  };
  Relaxed relaxed(const LayerSums&, const GroupShapes&, const std::vector<double>& leastBytes, int narrow);
  bool fits(const Relaxed&, int policy, int inFlight, int from, int to) const;
  double load(const Relaxed&, int inFlight, int from, int to) const;  ///< infinite: nothing fits
  void fill(int behind, const std::vector<Relaxed>&);
  void addStage(const Relaxed&, int behind, int from, int to, double load);
  std::size_t row(int behind, int cut, int units) const {
    const auto cuts = static_cast<std::size_t>(m_order.cutCount());
    return (static_cast<std::size_t>(behind) * cuts + static_cast<std::size_t>(cut)) *
               static_cast<std::size_t>(m_limits.units + 1) +
           static_cast<std::size_t>(units);
  }

  const Problem& m_problem;
  const LayerOrder& m_order;
  int m_dataDegree, m_zero, m_microbatchCount;
  ObjectiveWeights m_weights;
  Limits m_limits;
  double m_certain;            ///< what rounding leaves of a sum, at least
  std::vector<float> m_rate;   ///< λ, ascending
  std::vector<float> m_most;   ///< M
  std::vector<float> m_least;  ///< Q: kRates per row
};

}  // namespace nest::planner
