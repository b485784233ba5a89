#pragma once

#include <compare>
#include <limits>
#include <vector>

#include "solver/stage/stage_parts.h"

namespace nest::solver {
class Watch;

/// A d, and every h that it allows, the largest first.
struct Sharding {
  int dataDegree = 1;
  std::vector<int> shardDegrees;
  friend auto operator<=>(const Sharding&, const Sharding&) = default;
};

/// A lower bound on the gradient exchange of any plan of one (b, σ, d), whatever its shard groups.
struct GradientFloor {
  /// Costs under one h.
  struct Kind {
    int shards = 1;
    double shardPerByte = 0;   ///< reduce-scatter or all-gather in the cheapest shard group, seconds
    double copiesPerByte = 0;  ///< the same for a shard between its copies, per byte of all shards
  };
  struct Choice {
    Kind dense, expert;
  };
  std::vector<Choice> choices;  ///< the most shards first
  /// `shardDegrees`: every h, the largest first.
  static GradientFloor of(const GroupShapes&, const Strategy&, int dataDegree,
                          const std::vector<int>& shardDegrees);
  /// The same for any of several d. With more than one, only choices that no other one dominates. There can
  /// be thousands of d; if the watch has stopped, only some are covered.
  static GradientFloor of(const GroupShapes&, const Strategy&, const std::vector<Sharding>&, Watch&);
};

/// The relaxed stage of one (b, σ, d, z): lower bounds on its costs at any place, in the cheapest groups,
/// with the largest overlap, on a device with `capacity`. All bounds are made of it. Its costs grow with the
/// layers of a stage: if some layers do not fit, more do not.
class StageFloor {
public:
  StageFloor(const Problem&, const LayerSums&, const GradientFloor&, int zero);

  const LayerSums& sums() const { return *m_sums; }

  template <class P>
  StageSize size(const P& parts) const {
    return sizeOf(*m_sums, parts, m_gathered > 0);
  }
  /// Bytes of model state, gathered weights and reserve.
  double fixedMemory(const StageSize& s) const {
    return stateBytes(s) + m_reserve + s.gathered() * m_gathered;
  }
  /// Seconds of compute and exchanges inside the stage under the fastest policy that fits; infinite if none
  /// does, or if none takes at most `most`. `any`: use the first policy that fits.
  template <class P>
  double work(const Policies& policies, InFlight inFlight, const P& parts, double capacity,
              double most = std::numeric_limits<double>::infinity(), bool any = false) const {
    return work(policies, -1.0, inFlight, parts, capacity, most, any);
  }
  /// The same with a known fixed memory; negative if it is not known.
  template <class P>
  double work(const Policies& policies, double fixed, InFlight inFlight, const P& parts, double capacity,
              double most = std::numeric_limits<double>::infinity(), bool any = false) const {
    double least = std::numeric_limits<double>::infinity();
    for (int r = 0; r < kRecomputeCount; ++r) {
      if (!policies[r]) continue;
      const double own = between(m_sums->least[r], parts);
      if (own >= least || own > most || !hasPolicy(*m_sums, parts, r)) continue;
      if (fixed < 0) fixed = fixedMemory(size(parts));
      if (fixed + activationBytes(*m_sums, parts, r, inFlight) > capacity * kRoundUp) continue;
      least = own;
      if (any) break;
    }
    return least;
  }
  /// Whether a stage fits under one policy and computes for at most `most` seconds.
  bool fits(int policy, InFlight inFlight, const Part& part, double capacity, double most) const {
    return between(m_sums->least[policy], part) <= most && hasPolicy(*m_sums, part, policy) &&
           fixedMemory(size(part)) + activationBytes(*m_sums, part, policy, inFlight) <= capacity * kRoundUp;
  }
  /// Seconds of gradient exchange with each microbatch (ZeRO 2 and 3).
  double data(const StageSize& s) const {
    return s.dense * m_dataDense + s.expert * m_dataExpert + s.frozenDense * m_gatherDense +
           s.frozenExpert * m_gatherExpert;
  }
  /// Seconds of sync and step that a first stage of this size exposes.
  double tail(const StageSize& s) const { return s.dense * m_tailDense + s.expert * m_tailExpert; }
  /// The same per parameter.
  double tailPerDense() const { return m_tailDense; }
  double tailPerExpert() const { return m_tailExpert; }
  /// A first stage exposes at least this × its least load (LayerSums::leastAny) of sync and step.
  double tailPerLoad() const {
    return m_tailDense * m_sums->leastDensePerLoad + m_tailExpert * m_sums->leastExpertPerLoad;
  }
  /// Bytes of model state.
  double stateBytes(const StageSize& s) const { return solver::stateBytes(s, m_dense, m_expert); }

private:
  const LayerSums* m_sums;
  int m_zero;
  ParameterRates m_dense, m_expert;
  double m_reserve, m_gathered;
  double m_dataDense = 0, m_dataExpert = 0, m_tailDense = 0, m_tailExpert = 0;  ///< seconds per parameter
  double m_gatherDense = 0, m_gatherExpert = 0;  ///< seconds per parameter that is not trained
};

}  // namespace nest::solver
