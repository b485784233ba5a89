#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "schedule/pipeline_schedule.h"
#include "solver/common.h"
#include "solver/space/layer_sums.h"

/// What the layers of a stage add up to, from differences of LayerSums. A stage holds one part, with chunks
/// several.
namespace nest::solver {

struct Part {
  int from = 0, to = 0;  ///< cuts
};
using Parts = std::span<const Part>;
using Policies = PerRecompute<bool>;

/// Parameters on one device.
struct StageSize {
  double dense = 0, expert = 0;
  /// Of what ZeRO-3 gathers at once, the largest layer by itself and what stays whole for the step; 0 if not
  /// asked for.
  double alone = 0, whole = 0;

  double gathered() const { return alone + whole; }
  /// A second copy of the shared parameters.
  void addCopy(const Problem& problem, const LayerSums& sums) {
    const auto& tied = *problem.profile->tied;
    const double copy = tied.parameters[sums.strategyIndex()];
    dense += copy;
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
// Each for one part too: most stages have no more, and there it is a difference without loops.
inline StageSize sizeOf(const LayerSums& sums, const Part& p, bool gathers) {
  return {between(sums.dense, p), between(sums.expert, p), gathers ? sums.largestLayer(p.from, p.to) : 0,
          gathers ? gatheredAlways(sums, p) : 0};
}
inline StageSize sizeOf(const LayerSums& sums, Parts parts, bool gathers) {
  StageSize s;
  for (const Part& p : parts) {
    s.dense += between(sums.dense, p);
    s.expert += between(sums.expert, p);
    if (!gathers) continue;
    s.alone = std::max(s.alone, sums.largestLayer(p.from, p.to));
    s.whole += gatheredAlways(sums, p);
  }
  return s;
}

/// All its layers can be recomputed so.
inline bool hasPolicy(const LayerSums& sums, const Part& p, int policy) {
  const auto& missing = sums.missing[policy];
  return missing[p.to] == missing[p.from];
}
inline bool hasPolicy(const LayerSums& sums, Parts parts, int policy) {
  return std::all_of(parts.begin(), parts.end(), [&](const Part& p) { return hasPolicy(sums, p, policy); });
}

/// Stashes that a stage holds at its peak: so many, of all its parts or of the largest.
struct InFlight {
  double count = 1;
  bool whole = false;
};
inline InFlight inFlightOf(const PipelineSchedule& schedule, int stage, int stages, int microbatches,
                           int chunks) {
  return {schedule.stashesInFlight(stage, stages, microbatches, chunks), schedule.stashesWholeStages()};
}

/// Stashes and workspace, bytes.
inline double activationBytes(const LayerSums& sums, const Part& p, int policy, InFlight inFlight) {
  return inFlight.count * between(sums.stash[policy], p) + sums.workspace[policy](p.from, p.to);
}
/// Of all parts, or of the largest.
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

/// Bytes a device holds per parameter, and the step's seconds per parameter, for one sharding.
struct ParameterRates {
  double memory = 0, step = 0;
  static ParameterRates of(const Problem&, int zero, int shards);
};

}  // namespace nest::solver
