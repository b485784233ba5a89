#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cost/group_shape.h"
#include "cost/stage_cost.h"
#include "model/profile.h"
#include "problem/job.h"

/// Every exchange that a stage takes part in, listed once (STATEMENT.md §4). The evaluation sums the list,
/// the explanation names its entries, and the traffic draws them.
namespace nest {

/// The kinds of groups that the ranks of one stage form (STATEMENT.md §3). The first three are those of
/// GroupKind.
enum class RankGroup {
  Tensor,
  Context,
  Expert,
  DenseShards,   ///< ranks that share one copy of the dense gradients and optimizer state
  ExpertShards,  ///< the same for one expert
  Copies,        ///< ranks that hold the same shard; one rank if shards span all replicas
};
constexpr RankGroup rankGroupOf(GroupKind kind) {
  return static_cast<RankGroup>(kind);
}
constexpr Exchange exchangeOf(GroupKind kind) {
  return static_cast<Exchange>(kind);
}

/// When a stage sends a message.
enum class MessagePhase : std::uint8_t {
  Forward,
  Backward,
  Recompute,       ///< in the backward pass, repeated by recompute
  WeightGradient,  ///< in the backward pass, with the weight gradients
  StepEnd,         ///< once, after the last microbatch
};

/// What a message carries.
enum class Payload : std::uint8_t {
  Layer,           ///< an exchange inside a layer
  Gradients,       ///< gradients of all parameters of a rank
  GradientShards,  ///< gradients of one shard, between its copies
  Weights,
};
/// "RS(G)", "AR(G/S)", "AG(W)"; empty for a layer.
const char* symbolOf(Payload);

/// One collective of a group. `bytes` is defined as in Collective.
struct Message {
  CollectiveKind kind = CollectiveKind::AllReduce;
  Payload payload = Payload::Layer;
  MessagePhase phase = MessagePhase::Forward;
  Bytes bytes;
  double times = 1;  ///< per microbatch; per step in phase StepEnd
  int chunk = 0;     ///< index within the stage
};

/// All messages of the groups of one kind. The group that takes longest for all of them counts.
struct GroupMessages {
  Exchange exchange = Exchange::Tensor;
  RankGroup group = RankGroup::Tensor;
  double ranks = 1;      ///< of a group
  bool experts = false;  ///< whether gradients and weights are those of experts
  std::vector<Message> messages;
};

/// Whether a layer's collective takes place under a recompute policy.
bool runsUnder(Recompute, Phase);
/// Appends the messages of one layer to the lists of its groups; `groups` begins with one list for each
/// GroupKind.
void addLayerMessages(const LayerCost&, Recompute, int chunk, std::span<GroupMessages> groups);
/// One empty list for each GroupKind, with capacity for the messages of `layers` layers.
std::vector<GroupMessages> layerGroups(const Strategy&, std::size_t layers = 0);
/// Appends the messages of data parallelism, STATEMENT.md (4.11). `copies`: number of ranks with the same
/// shard.
void addGradientMessages(const ModelState&, double copies, int zero, const OptimizerRegime&,
                         const Assumptions&, std::vector<GroupMessages>&);

/// The time of the messages of one chunk with each microbatch.
struct MessageTime {
  Seconds forward, backward, recompute, weightGradient;

  Seconds total() const { return forward + backward + recompute + weightGradient; }
};
/// The time of all messages in one group.
struct MessageTimes {
  MessageTime first;                ///< of the stage's first chunk; most stages have no other
  std::vector<MessageTime> others;  ///< of the other chunks
  Seconds stepEnd;

  MessageTime& chunk(int q) { return q == 0 ? first : others[static_cast<std::size_t>(q) - 1]; }
  const MessageTime& chunk(int q) const { return q == 0 ? first : others[static_cast<std::size_t>(q) - 1]; }
  Seconds perMicrobatch() const {
    Seconds sum = first.total();
    for (const MessageTime& t : others) sum += t.total();
    return sum;
  }
};
MessageTimes timesOf(const Hierarchy&, const GroupMessages&, int chunks, const GroupShape&,
                     const PeerCounts&);

/// What the ranks of one stage send to their partners in another: over a pipeline boundary with each
/// microbatch, or the gradients of tied parameters at the end of the step.
struct PairMessages {
  Exchange exchange = Exchange::Pipeline;
  int from = 0, to = 0;            ///< stages
  int fromChunk = 0, toChunk = 0;  ///< index of the chunk within its stage
  Bytes bytes;                     ///< sent by one rank of `from`
  Bytes back;                      ///< sent back by one rank of `to`
};

}  // namespace nest
