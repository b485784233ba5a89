#pragma once

#include "evaluation/evaluation.h"

namespace nest::test {

/// Problems small enough to cost by hand: hosts of `host` devices, 100 bytes/s and 1 s of latency inside, 10
/// bytes/s and 2 s between. Layers each take 1 s forward and 2 s backward, have 10 dense parameters and keep
/// 6 bytes; 20 bytes pass between neighbours.
inline HierarchyInput hosts(int host, int count) {
  HierarchyInput in;
  in.device.memory.value = Bytes(1e6);
  in.levels = {{"host", BytesPerSecond(100), Seconds(1)}, {"rack", BytesPerSecond(10), Seconds(2)}};
  in.fanouts = {host, count};
  return in;
}

inline LayerCost plainLayer() {
  LayerCost c;
  c.forward = Seconds(1);
  c.backward = Seconds(2);
  c.denseParameters = 10;
  for (auto& r : c.recompute) r.stash = Bytes(6);
  return c;
}

/// `strategies`: every one costs the same until changed.
inline Problem handProblem(const HierarchyInput& cluster, int layers,
                           std::vector<Strategy> strategies = {Strategy{}}) {
  Problem p;
  p.cluster = std::make_shared<const Hierarchy>(*Hierarchy::build(cluster));
  std::vector<Layer> all;
  for (int x = 0; x < layers; ++x) all.push_back({"layer " + std::to_string(x), LayerKind::Block, x});
  p.graph = std::make_shared<const LayerGraph>(LayerGraph::chain(all));
  Profile profile(std::move(strategies), {1}, layers, layers - 1);
  for (int s = 0; s < static_cast<int>(profile.strategies().size()); ++s) {
    for (int x = 0; x < layers; ++x) profile.setCost(x, s, 0, plainLayer());
    for (int t = 0; t + 1 < layers; ++t) profile.setTensorBytes(t, s, 0, Bytes(20));
  }
  p.profile = std::make_shared<const Profile>(profile);
  p.job.globalBatch = 8;
  p.job.microbatches = {1};
  p.assumptions.reserve = Bytes(0);
  return p;
}

/// The problem with its profile changed.
template <class Change>
Problem withProfile(Problem p, const Change& change) {
  Profile profile = *p.profile;
  change(profile);
  p.profile = std::make_shared<const Profile>(profile);
  return p;
}

/// Cuts a chain: {{0, 1}, {2}} = two stages of one chunk; more parts than `stages` make chunks.
inline Plan chainPlan(std::vector<std::vector<int>> parts, int stages, Strategy strategy = {}, int inner = 1,
                      int outer = 1) {
  Plan plan;
  plan.dataInner = inner;
  plan.dataOuter = outer;
  plan.stages.resize(stages);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    auto& chunk = plan.stages[k % static_cast<std::size_t>(stages)].chunks.emplace_back();
    for (const int x : parts[k]) chunk.push_back(LayerIndex(x));
  }
  for (StagePlan& s : plan.stages) s.strategy = strategy;
  plan.blockStride = plan.pipelineWidth();
  plan.schedule = usualSchedule(plan.chunksPerStage());
  return plan;
}

}  // namespace nest::test
