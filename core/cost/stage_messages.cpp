#include "cost/stage_messages.h"

#include "cost/collective.h"
#include "cost/gradient_messages.h"

namespace nest {
namespace {

MessagePhase phaseOf(Phase phase) {
  switch (phase) {
    case Phase::Forward:
      return MessagePhase::Forward;
    case Phase::Backward:
      return MessagePhase::Backward;
    case Phase::RecomputeSelective:
    case Phase::RecomputeFull:
      break;
  }
  return MessagePhase::Recompute;
}

/// Appends the messages of dense parameters, or of those of experts. Gradients are those of the trained ones;
/// weights are gathered all for a pass, at the end of a step those that it has changed.
void addGradientsOf(double parameters, double trained, double shards, double copies,
                    const GradientMessages& messages, const OptimizerRegime& r, bool experts,
                    std::vector<GroupMessages>& out) {
  if (!(parameters > 0)) return;
  const Bytes gradients(trained * r.gradientBytes), weights(parameters * r.weightBytes),
      changed(trained * r.weightBytes);
  GroupMessages whole{
      Exchange::Data, experts ? RankGroup::ExpertShards : RankGroup::DenseShards, shards, experts, {}};
  whole.messages.reserve(3);  // no ZeRO stage sends more kinds
  const auto add = [&](CollectiveKind kind, Payload payload, MessagePhase phase, Bytes bytes, int times) {
    if (times > 0 && bytes > Bytes(0))
      whole.messages.push_back({kind, payload, phase, bytes, double(times), 0});
  };
  const auto scatter = [&](MessagePhase phase, int times) {
    add(CollectiveKind::ReduceScatter, Payload::Gradients, phase, gradients, times);
  };
  const auto gather = [&](MessagePhase phase, int times) {
    add(CollectiveKind::AllGather, Payload::Weights, phase,
        phase == MessagePhase::StepEnd ? changed : weights, times);
  };
  gather(MessagePhase::Forward, messages.weightsBeforeForward);
  gather(MessagePhase::Backward, messages.perMicrobatch.weights - messages.weightsBeforeForward);
  scatter(MessagePhase::WeightGradient, messages.perMicrobatch.gradients);
  scatter(MessagePhase::StepEnd, messages.perStep.gradients);
  gather(MessagePhase::StepEnd, messages.perStep.weights);
  out.push_back(std::move(whole));
  if (copies > 1 && trained > 0)
    out.push_back({Exchange::Data,
                   RankGroup::Copies,
                   copies,
                   experts,
                   {{CollectiveKind::AllReduce, Payload::GradientShards, MessagePhase::StepEnd,
                     Bytes(gradients.value() / shards), 1, 0}}});
}

}  // namespace

const char* symbolOf(Payload payload) {
  switch (payload) {
    case Payload::Gradients:
      return "RS(G)";
    case Payload::GradientShards:
      return "AR(G/S)";
    case Payload::Weights:
      return "AG(W)";
    case Payload::Layer:
      break;
  }
  return "";
}

bool runsUnder(Recompute policy, Phase phase) {
  if (phase == Phase::RecomputeSelective) return policy == Recompute::Selective;
  if (phase == Phase::RecomputeFull) return policy == Recompute::Full;
  return true;
}

std::vector<GroupMessages> layerGroups(const Strategy& s, std::size_t layers) {
  // The usual numbers of groups, with gradients, and of messages of a layer.
  constexpr std::size_t kGroups = 7, kMessages = 4;
  std::vector<GroupMessages> groups;
  groups.reserve(kGroups);
  for (const auto& [kind, ranks] :
       {std::pair(GroupKind::Tensor, s.tensor), std::pair(GroupKind::Context, s.context),
        std::pair(GroupKind::Expert, s.expert)})
    groups.push_back({exchangeOf(kind), rankGroupOf(kind), double(ranks), false, {}});
  for (GroupMessages& g : groups)
    if (g.ranks > 1) g.messages.reserve(kMessages * layers);
  return groups;
}

void addLayerMessages(const LayerCost& cost, Recompute policy, int chunk, std::span<GroupMessages> groups) {
  for (const Collective& c : cost.collectives)
    if (GroupMessages& group = groups[static_cast<std::size_t>(c.group)];
        group.ranks > 1 && runsUnder(policy, c.phase))
      group.messages.push_back({c.kind, Payload::Layer, phaseOf(c.phase), c.bytes, c.times, chunk});
}

void addGradientMessages(const ModelState& state, double copies, int zero, const OptimizerRegime& r,
                         const Assumptions& a, std::vector<GroupMessages>& out) {
  const auto messages = GradientMessages::of(zero, a.zeroAllReduces);
  addGradientsOf(state.dense, state.dense - state.frozenDense, state.denseShards, copies, messages, r, false,
                 out);
  addGradientsOf(state.expert, state.expert - state.frozenExpert, state.expertShards, copies, messages, r,
                 true, out);
}

MessageTimes timesOf(const Hierarchy& cluster, const GroupMessages& group, int chunks,
                     const GroupShape& shape, const PeerCounts& peers) {
  MessageTimes times;
  if (chunks > 1) times.others.resize(static_cast<std::size_t>(chunks) - 1);
  for (const Message& m : group.messages) {
    const Seconds time = m.times * collectiveTime(cluster, m.kind, m.bytes, shape, peers);
    MessageTime& chunk = times.chunk(m.chunk);
    switch (m.phase) {
      case MessagePhase::Forward:
        chunk.forward += time;
        break;
      case MessagePhase::Backward:
        chunk.backward += time;
        break;
      case MessagePhase::Recompute:
        chunk.recompute += time;
        break;
      case MessagePhase::WeightGradient:
        chunk.weightGradient += time;
        break;
      case MessagePhase::StepEnd:
        times.stepEnd += time;
        break;
    }
  }
  return times;
}

}  // namespace nest
