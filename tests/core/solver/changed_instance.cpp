#include "changed_instance.h"

#include <algorithm>

namespace nest::test {
namespace {

void rebuild(Problem& p, const HierarchyInput& in) {
  p.cluster = std::make_shared<const Hierarchy>(*Hierarchy::build(in));
}

ChangedInstance start(std::uint64_t seed, InstanceFeatures features = {}) {
  features.mostPlans = std::min(features.mostPlans, 4000LL);
  Problem p = randomInstance(seed, features);
  return {p, p};
}

template <class Change>
ChangedInstance changedCluster(std::uint64_t seed, const Change& change) {
  ChangedInstance c = start(seed);
  HierarchyInput in = inputOf(*c.before.cluster);
  Dice dice(seed ^ 0xabcdef);
  change(in, dice);
  rebuild(c.after, in);
  return c;
}

/// Layer x as two, with the half figures of `halve`; the tensors it produces leave the second half.
LayerGraph splitGraph(const LayerGraph& g, int x) {
  LayerGraph out = g;
  Layer second = g.layers[x];
  out.layers[x].classId = g.classCount;
  second.classId = g.classCount + 1;
  out.layers.insert(out.layers.begin() + x + 1, second);
  out.classCount += 2;
  for (Tensor& t : out.tensors) {
    if (t.producer.value >= x) ++t.producer.value;
    for (LayerIndex& c : t.consumers)
      if (c.value > x) ++c.value;
  }
  out.tensors.push_back({LayerIndex(x), {LayerIndex(x + 1)}});
  return out;
}

LayerCost part(const LayerCost& whole, double share, bool collectives) {
  LayerCost c = whole;
  c.forward *= share;
  c.backward *= share;
  c.denseParameters *= share;
  c.expertParameters *= share;
  for (RecomputeCost& r : c.recompute) {
    r.stash *= share;
    r.extraBackward *= share;
  }
  if (!collectives) c.collectives.clear();
  return c;
}

}  // namespace

HierarchyInput inputOf(const Hierarchy& h) {
  HierarchyInput in;
  in.device = h.device();
  for (int l = 0; l < h.levelCount(); ++l) in.levels.push_back(h.level(l));
  for (int i = 0; i + 1 < h.deviceCount(); ++i)
    in.gaps.push_back(static_cast<std::uint8_t>(h.levelBetween(i, i + 1)));
  for (int i = 0; i < h.deviceCount() && !h.hasUniformDevices(); ++i)
    in.factors.push_back(h.factor(DeviceIndex(i)));
  return in;
}

ChangedInstance moreBandwidth(std::uint64_t seed) {
  return changedCluster(seed, [](HierarchyInput& in, Dice& dice) {
    in.levels[dice.between(0, static_cast<int>(in.levels.size()) - 1)].bandwidth *= dice.between(1.1, 5.0);
  });
}

ChangedInstance lessLatency(std::uint64_t seed) {
  return changedCluster(seed, [](HierarchyInput& in, Dice& dice) {
    in.levels[dice.between(0, static_cast<int>(in.levels.size()) - 1)].latency *= dice.unit();
  });
}

ChangedInstance moreMemory(std::uint64_t seed) {
  return changedCluster(seed, [](HierarchyInput& in, Dice& dice) {
    const double more = dice.between(1.01, 2.0);
    in.device.memory.value *= more;
    for (DeviceFactor& f : in.factors) f.memory *= more;
  });
}

/// Every device by the same factor, so that the canonical order stays: compute seconds shrink instead. With
/// overlap, or under the paper's bound, a faster backward pass can uncover more of the gradient exchange than
/// it saves.
ChangedInstance fasterDevices(std::uint64_t seed) {
  InstanceFeatures features;
  features.overlap = features.nestObjective = false;
  ChangedInstance c = start(seed, features);
  Profile profile = *c.before.profile;
  const double factor = Dice(seed ^ 0x5eed).between(0.3, 0.95);
  for (int x = 0; x < c.before.graph->classCount; ++x)
    for (int s = 0; s < static_cast<int>(profile.strategies().size()); ++s)
      for (int b = 0; b < static_cast<int>(profile.microbatches().size()); ++b) {
        if (!profile.cost(x, s, b)) continue;
        LayerCost cost = *profile.cost(x, s, b);
        cost.forward *= factor;
        cost.backward *= factor;
        for (RecomputeCost& r : cost.recompute) r.extraBackward *= factor;
        profile.setCost(x, s, b, cost);
      }
  c.after.profile = std::make_shared<const Profile>(profile);
  return c;
}

ChangedInstance largerSearch(std::uint64_t seed) {
  InstanceFeatures features;
  features.mostPlans = 800;
  ChangedInstance c = start(seed, features);
  SearchOptions& s = c.after.search;
  Dice dice(seed ^ 0x1a46e);
  switch (dice.between(0, 4)) {
    case 0:
      s.zeroStages = {0, 1, 2, 3};
      break;
    case 1:
      s.recompute = {true, true, true};
      break;
    case 2:
      s.padLastMicrobatch = true;
      break;
    case 3:
      s.strategyPerStage = c.before.graph->layerCount() <= 4;
      break;
    default:
      s.chunksPerStage = {1, 2, 3};
      break;
  }
  if (c.before.search.strategyPerStage) s.strategyPerStage = true;
  return c;
}

ChangedInstance hostsInOtherOrder(std::uint64_t seed) {
  ChangedInstance c = start(seed);
  HierarchyInput in = inputOf(*c.before.cluster);
  std::reverse(in.gaps.begin(), in.gaps.end());
  std::reverse(in.factors.begin(), in.factors.end());
  rebuild(c.after, in);
  return c;
}

ChangedInstance pipelineObjective(std::uint64_t seed) {
  ChangedInstance c = start(seed);
  c.before.search.objective = Objective::Nest;
  c.after.search.objective = Objective::Pipeline;
  return c;
}

ChangedInstance splitLayer(std::uint64_t seed) {
  InstanceFeatures features;
  features.interleave = features.constraints = features.tied = false;
  features.mostLayers = 5;
  features.mostPlans = 1500;
  ChangedInstance c = start(seed, features);
  Dice dice(seed ^ 0x5b117);
  const LayerGraph& g = *c.before.graph;
  const int x = dice.between(0, g.layerCount() - 1);
  const double share = dice.between(0.1, 0.9);
  c.after.graph = std::make_shared<const LayerGraph>(splitGraph(g, x));

  const Profile& old = *c.before.profile;
  Profile out(old.strategies(), old.microbatches(), g.classCount + 2, static_cast<int>(g.tensors.size()) + 1);
  for (int s = 0; s < static_cast<int>(old.strategies().size()); ++s)
    for (int b = 0; b < static_cast<int>(old.microbatches().size()); ++b) {
      for (int k = 0; k < g.classCount; ++k)
        if (const LayerCost* cost = old.cost(k, s, b)) out.setCost(k, s, b, *cost);
      if (const LayerCost* cost = old.cost(g.layers[x].classId, s, b)) {
        out.setCost(g.classCount, s, b, part(*cost, share, true));
        out.setCost(g.classCount + 1, s, b, part(*cost, 1 - share, false));
      }
      for (int t = 0; t < static_cast<int>(g.tensors.size()); ++t)
        out.setTensorBytes(t, s, b, old.tensorBytes(t, s, b));
      out.setTensorBytes(static_cast<int>(g.tensors.size()), s, b, Bytes(1e6));
    }
  c.after.profile = std::make_shared<const Profile>(out);
  return c;
}

}  // namespace nest::test
