#pragma once

#include <array>
#include <vector>

#include "cost/stage_messages.h"
#include "plan/plan.h"
#include "problem/problem.h"

namespace nest {

/// The layers of one chunk of a stage under the stage's strategy, summed; on one device at full speed, per
/// microbatch.
struct ChunkWork {
  double forward = 0, backward = 0, recompute = 0;  ///< compute seconds
  double weightGradient = 0;                        ///< of backward
  double stash = 0;                                 ///< bytes
};

/// A stage before it is placed: what its layers amount to. Layers without costs are left out (see PlanCheck).
struct StageWork {
  int strategy = -1;  ///< index in the profile; −1: not on offer
  std::vector<ChunkWork> chunks;
  double dense = 0, expert = 0;  ///< parameters, a tied copy included
  double tied = 0;               ///< of `dense`: copied from another stage
  double largestLayer = 0;       ///< parameters of the largest layer that ZeRO-3 gathers by itself
  double outsideBlocks = 0;      ///< parameters that it gathers for the whole step (STATEMENT.md (10.10))
  double workspace = 0;          ///< bytes, largest layer's
  double largestStash = 0;       ///< bytes, largest chunk's
  double wholeStash = 0;         ///< bytes, of all chunks
  /// All that its ranks exchange in groups, one list a kind of group; the first three are those of GroupKind.
  std::vector<GroupMessages> groups;
};

/// Parameters of a stage and the ranks that share them.
ModelState modelStateOf(const Plan&, int stage, const StageWork&);

/// `microbatch`: index in the profile, ≥ 0. Entries of the plan that name no layer are left out.
std::vector<StageWork> stageWorks(const Problem&, const Plan&, int microbatch);

/// The stage that holds each layer, −1 if none does; the last one if several do. `parts` likewise for chunk·s
/// + stage.
std::vector<int> stageOfLayers(const Problem&, const Plan&);
std::vector<int> partOfLayers(const Problem&, const Plan&);

/// What stages send to each other: across each boundary between two stages every tensor produced at or before
/// it and read after it, once, under the sender's strategy; then tied parameters. Stages whose chunks are not
/// equally many send nothing across boundaries.
std::vector<PairMessages> pairMessages(const Problem&, const Plan&, const std::vector<StageWork>&,
                                       int microbatch);

}  // namespace nest
