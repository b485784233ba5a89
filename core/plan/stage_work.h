#pragma once

#include <array>
#include <vector>

#include "cost/stage_messages.h"
#include "plan/plan.h"
#include "problem/problem.h"

namespace nest {

/// Sums over the layers of one chunk of a stage under the stage's strategy, for one device at full speed and
/// one microbatch.
struct ChunkWork {
  double forward = 0, backward = 0, recompute = 0;  ///< compute seconds
  double weightGradient = 0;                        ///< part of backward
  double stash = 0;                                 ///< bytes
};

/// A stage before it is placed: sums over its layers. Layers without costs are left out (see PlanCheck).
struct StageWork {
  int strategy = -1;  ///< index in the profile; −1 if it is not in there
  std::vector<ChunkWork> chunks;
  double dense = 0, expert = 0;              ///< parameters, including a tied copy
  double frozenDense = 0, frozenExpert = 0;  ///< parts of them that are not trained
  double tied = 0;                           ///< part of `dense` that is copied from another stage
  double largestLayer = 0;   ///< parameters of the largest layer that ZeRO-3 gathers by itself
  double outsideBlocks = 0;  ///< parameters that ZeRO-3 gathers for the whole step (STATEMENT.md (10.10))
  double workspace = 0;      ///< bytes, of the largest layer
  double largestStash = 0;   ///< bytes, of the largest chunk
  double wholeStash = 0;     ///< bytes, of all chunks
  /// All group exchanges of its ranks, one list per kind of group; the first three are those of GroupKind.
  std::vector<GroupMessages> groups;
};

/// The parameters of a stage and the number of ranks that share them.
ModelState modelStateOf(const Plan&, int stage, const StageWork&);

/// `microbatch`: index in the profile, ≥ 0. Entries of the plan that are no layers are skipped.
std::vector<StageWork> stageWorks(const Problem&, const Plan&, int microbatch);

/// The stage that holds each layer; −1 if none does, the last one if several do. partOfLayers() returns the
/// part, chunk·s + stage, in the same way.
std::vector<int> stageOfLayers(const Problem&, const Plan&);
std::vector<int> partOfLayers(const Problem&, const Plan&);

/// The messages between stages: across each boundary, every tensor produced at or before it and read after
/// it, once, under the sender's strategy; then tied parameters. Nothing is sent across boundaries if the
/// stages differ in their number of chunks.
std::vector<PairMessages> pairMessages(const Problem&, const Plan&, const std::vector<StageWork>&,
                                       int microbatch);

}  // namespace nest
