#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cost/group_shape.h"
#include "cost/stage_cost.h"
#include "model/profile.h"
#include "problem/job.h"

/// Every exchange that a stage takes part in, listed once (STATEMENT.md §4). The evaluation sums the list,
/// the explanation names its entries and the traffic draws them.
namespace nest {

/// Kinds of groups that the ranks of one stage form (STATEMENT.md §3). The first three are those of
/// GroupKind.
enum class RankGroup {
  Tensor,
  Context,
  Expert,
  DenseShards,   ///< that share one copy of the dense gradients and optimizer state
  ExpertShards,  ///< the same of one expert
  Copies,        ///< that hold the same shard; one rank each where shards span all replicas
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
  Recompute,       ///< in the backward pass, because recompute repeats it
  WeightGradient,  ///< in the backward pass, with the weight gradients
  StepEnd,         ///< once, behind the last microbatch
};

/// What a message carries.
enum class Payload : std::uint8_t {
  Layer,           ///< what a layer exchanges inside itself
  Gradients,       ///< of all parameters of a rank
  GradientShards,  ///< gradients of one shard, between its copies
  Weights,
};
/// "RS(G)", "AR(G/S)", "AG(W)"; empty for a layer.
const char* symbolOf(Payload);

/// One collective of a group. `bytes` as in Collective.
struct Message {
  CollectiveKind kind = CollectiveKind::AllReduce;
  Payload payload = Payload::Layer;
  MessagePhase phase = MessagePhase::Forward;
  Bytes bytes;
  double times = 1;  ///< a microbatch; a step in phase StepEnd
  int chunk = 0;     ///< of the stage
};

/// All that the groups of one kind exchange. The group that takes longest counts, with all its messages.
struct GroupMessages {
  Exchange exchange = Exchange::Tensor;
  RankGroup group = RankGroup::Tensor;
  double ranks = 1;      ///< of a group
  bool experts = false;  ///< gradients and weights are those of experts
  std::vector<Message> messages;
};

/// Whether a layer's collective takes place under a recompute policy.
bool runsUnder(Recompute, Phase);
/// The messages of one layer, appended to the lists of its groups: `groups` begins with one for each
/// GroupKind.
void addLayerMessages(const LayerCost&, Recompute, int chunk, std::span<GroupMessages> groups);
/// One list for each GroupKind, empty, with room for the messages of so many layers.
std::vector<GroupMessages> layerGroups(const Strategy&, std::size_t layers = 0);
/// What data parallelism exchanges, STATEMENT.md (4.11), appended. `copies`: ranks that hold the same shard.
void addGradientMessages(const ModelState&, double copies, int zero, const OptimizerRegime&,
                         const Assumptions&, std::vector<GroupMessages>&);

/// What the messages of one chunk take with each microbatch.
struct MessageTime {
  Seconds forward, backward, recompute, weightGradient;

  Seconds total() const { return forward + backward + recompute + weightGradient; }
};
/// What all messages take in one group.
struct MessageTimes {
  MessageTime first;                ///< of the stage's first chunk; most stages have no more
  std::vector<MessageTime> others;  ///< of the further ones
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

/// What the ranks of one stage send to their partners in another: a pipeline boundary with each microbatch,
/// or the gradients of tied parameters at the end of the step.
struct PairMessages {
  Exchange exchange = Exchange::Pipeline;
  int from = 0, to = 0;            ///< stages
  int fromChunk = 0, toChunk = 0;  ///< of these stages
  Bytes bytes;                     ///< that one rank of `from` sends
  Bytes back;                      ///< that one rank of `to` sends back
};

}  // namespace nest
