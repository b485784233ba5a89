#pragma once

#include <optional>
#include <vector>

#include "support/artifact_cost_model.h"

/// The artifact's ZeRO entries with the ring model of shared/reference/nest/README.md (`ref_ring`).
namespace nest::artifact {

/// How the artifact shards a stage that does not fit on its a devices even as the last one.
struct Shards {
  int degree = 1;  ///< z: the stage takes a·z devices
  int type = 0;    ///< 2: gradients and optimizer; 3: parameters too; 0: not sharded
};

/// nullopt: the stage fits on no offer of the artifact.
std::optional<Shards> shardsOf(const Instance&, const Width&, int first, int last);
/// Most stages from this one to the end that its memory allows; the devices of the instance if it does not
/// matter.
long long mostStages(const Instance&, const Width&, int first, int last, const Shards&);
/// What sharding adds to the load of every microbatch.
double shardingTime(const Instance&, const Width&, int first, int last, const Shards&);

struct ShardedPlan {
  double time = 0;
  int tensor = 1, d = 1;
  std::vector<int> starts;  ///< first node of each stage, then nodeCount
};

/// Batch time of a plan whose sharded stages take more devices than others.
double shardedBatchTime(const Instance&, const Width&, int d, const std::vector<int>& starts,
                        const std::vector<Shards>& shards);
/// Best plan of an instance in ZeRO mode, by enumeration of all cuts (small instances). nullopt: nothing
/// fits.
std::optional<ShardedPlan> bestShardedPlan(const Instance&);

}  // namespace nest::artifact
