#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "schedule/pipeline_schedule.h"
#include "solver/common.h"
#include "solver/space/layer_sums.h"

/// Totals over the layers of a stage, from differences of LayerSums. A stage has one part, or several with
/// chunks.
namespace nest::solver {

struct Part {
  int from = 0, to = 0;  ///< cuts
};
using Parts = std::span<const Part>;
using Policies = PerRecompute<bool>;

/// Parameters on one device.
struct StageSize {
  double dense = 0, expert = 0;  ///< that are trained
  /// Parameters gathered at once under ZeRO-3: the largest layer gathered by itself, and what stays gathered
  /// for the whole step. 0 if not requested.
  double alone = 0, whole = 0;
  double frozenDense = 0, frozenExpert = 0;  ///< parameters that are not trained, in addition to the others

  double gathered() const { return alone + whole; }
  /// Adds the second copy of the shared parameters.
  void addCopy(const Problem& problem, const LayerSums& sums) {
    const auto& tied = *problem.profile->tied;
    const double copy = tied.parameters[sums.strategyIndex()];
    dense += copy * (1 - tied.frozen);
    frozenDense += copy * tied.frozen;
    if (sums.tiedGathersAlone)
      alone = std::max(alone, sums.layerParameters[tied.second.at()] + copy);
    else
      whole += copy;
  }
};

inline double between(const std::vector<double>& sums, const Part& p) {
  return sums[p.to] - sums[p.from];
}
inline double between(const std::vector<double>& sums, Parts parts) {
  double all = 0;
  for (const Part& p : parts) all += between(sums, p);
  return all;
}

inline double gatheredAlways(const LayerSums& sums, const Part& p) {
  return sums.outsideBlocks.empty() ? 0 : between(sums.outsideBlocks, p);
}
inline double frozenOf(const std::vector<double>& sums, const Part& p) {
  return sums.empty() ? 0 : between(sums, p);
}
// Each function also exists for one part: most stages have only one, for which it is a difference without a
// loop.
inline StageSize sizeOf(const LayerSums& sums, const Part& p, bool gathers) {
  return {between(sums.dense, p),
          between(sums.expert, p),
          gathers ? sums.largestLayer(p.from, p.to) : 0,
          gathers ? gatheredAlways(sums, p) : 0,
          frozenOf(sums.frozenDense, p),
          frozenOf(sums.frozenExpert, p)};
}
inline StageSize sizeOf(const LayerSums& sums, Parts parts, bool gathers) {
  StageSize s;
  for (const Part& p : parts) {
    s.dense += between(sums.dense, p);
    s.expert += between(sums.expert, p);
    s.frozenDense += frozenOf(sums.frozenDense, p);
    s.frozenExpert += frozenOf(sums.frozenExpert, p);
    if (!gathers) continue;
    s.alone = std::max(s.alone, sums.largestLayer(p.from, p.to));
    s.whole += gatheredAlways(sums, p);
  }
  return s;
}

/// Whether all its layers have the policy.
inline bool hasPolicy(const LayerSums& sums, const Part& p, int policy) {
  const auto& missing = sums.missing[policy];
  return missing[p.to] == missing[p.from];
}
inline bool hasPolicy(const LayerSums& sums, Parts parts, int policy) {
  return std::all_of(parts.begin(), parts.end(), [&](const Part& p) { return hasPolicy(sums, p, policy); });
}

/// The number of stashes that a stage stores at its peak: of all its parts (`whole`), or of the largest part.
struct InFlight {
  double count = 1;
  bool whole = false;
};
inline InFlight inFlightOf(const PipelineSchedule& schedule, int stage, int stages, int microbatches,
                           int chunks) {
  return {schedule.stashesInFlight(stage, stages, microbatches, chunks), schedule.stashesWholeStages()};
}

/// Stashes and workspace, in bytes.
inline double activationBytes(const LayerSums& sums, const Part& p, int policy, InFlight inFlight) {
  return inFlight.count * between(sums.stash[policy], p) + sums.workspace[policy](p.from, p.to);
}
/// The sum over all parts, or the largest part. Bytes.
inline double stashBytes(const LayerSums& sums, Parts parts, int policy, bool whole) {
  double stash = 0;
  for (const Part& p : parts) {
    const double own = between(sums.stash[policy], p);
    stash = whole ? stash + own : std::max(stash, own);
  }
  return stash;
}
inline double workspaceBytes(const LayerSums& sums, Parts parts, int policy) {
  double workspace = 0;
  for (const Part& p : parts) workspace = std::max(workspace, sums.workspace[policy](p.from, p.to));
  return workspace;
}
inline double activationBytes(const LayerSums& sums, Parts parts, int policy, InFlight inFlight) {
  return inFlight.count * stashBytes(sums, parts, policy, inFlight.whole) +
         workspaceBytes(sums, parts, policy);
}

/// Bytes per parameter on a device and in its host's memory, and the optimizer step's seconds per parameter,
/// for one sharding.
struct ParameterRates {
  double memory = 0, hostMemory = 0, step = 0;
  double frozenMemory = 0;  ///< bytes for a parameter that is not trained
  static ParameterRates of(const Problem&, int zero, int shards);
};
inline double stateBytes(const StageSize& s, const ParameterRates& dense, const ParameterRates& expert) {
  return s.dense * dense.memory + s.expert * expert.memory + s.frozenDense * dense.frozenMemory +
         s.frozenExpert * expert.frozenMemory;
}

}  // namespace nest::solver
