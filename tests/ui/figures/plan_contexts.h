#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "document/plan_context.h"
#include "evaluation/evaluation.h"

/// Plan contexts built by hand for the tests of figures, views and export: a chain of layers on a regular
/// cluster, a plan with even cuts, judged by evaluate().
namespace nest::test {

struct ContextShape {
  std::vector<int> fanouts = {8, 4, 4};
  int stages = 4;
  int tensor = 8;
  int inner = 1;
  int blocks = 30;  ///< transformer blocks between embedding and head
  int microbatches = 32;
  double memoryGiB = 80;
  int zero = 1;
  double parametersPerBlock = 5.4e9;
  Recompute recompute = Recompute::Selective;
};

inline LayerCost blockCost(double parameters, int tensor, bool exchanges) {
  LayerCost c;
  const double p = parameters / tensor;
  c.forward = Seconds(p * 4096 * 2 / 4.0e14);
  c.backward = c.forward * 2.0;
  c.denseParameters = p;
  const double stash = 0.9e9 / tensor;
  c.recompute[0] = {true, Bytes(stash), Seconds(0), Bytes(0)};
  c.recompute[1] = {true, Bytes(stash * 0.5), c.forward * 0.12, Bytes(stash * 0.5)};
  c.recompute[2] = {true, Bytes(stash * 0.06), c.forward, Bytes(stash)};
  if (exchanges && tensor > 1) {
    c.collectives.push_back({CollectiveKind::AllReduce, GroupKind::Tensor, Phase::Forward, Bytes(8.0e7), 2});
    c.collectives.push_back({CollectiveKind::AllReduce, GroupKind::Tensor, Phase::Backward, Bytes(8.0e7), 2});
  }
  return c;
}

inline std::shared_ptr<Problem> problemOf(const ContextShape& shape) {
  HierarchyInput in;
  in.device.id = "h100-sxm";
  in.device.name = "H100 SXM";
  in.device.peak = FlopsPerSecond(989e12);
  in.device.memory = Bytes(shape.memoryGiB * 1024.0 * 1024 * 1024);
  in.device.memoryBandwidth = BytesPerSecond(3.35e12);
  in.fanouts = shape.fanouts;
  const char* names[] = {"host", "rack", "pod", "hall", "site"};
  const double bandwidths[] = {450e9, 50e9, 25e9, 12.5e9, 6.25e9};
  const double latencies[] = {2e-6, 3e-6, 5e-6, 10e-6, 20e-6};
  for (std::size_t l = 0; l < shape.fanouts.size(); ++l)
    in.levels.push_back({names[l], BytesPerSecond(bandwidths[l]), Seconds(latencies[l]), 1, Origin::Typed});
  auto problem = std::make_shared<Problem>();
  problem->cluster = std::make_shared<Hierarchy>(std::move(*Hierarchy::build(in)));

  std::vector<Layer> layers{{"embedding", LayerKind::Embedding, 0}};
  for (int i = 0; i < shape.blocks; ++i)
    layers.push_back({"block " + std::to_string(i), LayerKind::Block, 1});
  layers.push_back({"head", LayerKind::Head, 2});
  auto graph = std::make_shared<LayerGraph>(LayerGraph::chain(layers));
  const Strategy strategy{shape.tensor, shape.tensor > 1, 1, 1};
  auto profile = std::make_shared<Profile>(std::vector<Strategy>{strategy}, std::vector<int>{1}, 3,
                                           static_cast<int>(graph->tensors.size()));
  profile->setCost(0, 0, 0, blockCost(shape.parametersPerBlock * 0.12, shape.tensor, false));
  profile->setCost(1, 0, 0, blockCost(shape.parametersPerBlock, shape.tensor, true));
  profile->setCost(2, 0, 0, blockCost(shape.parametersPerBlock * 0.35, shape.tensor, false));
  for (std::size_t t = 0; t < graph->tensors.size(); ++t)
    profile->setTensorBytes(static_cast<int>(t), 0, 0, Bytes(6.7e7 / shape.tensor));
  profile->provenance = "made up for a test";
  problem->graph = graph;
  problem->profile = profile;
  problem->job.trainingTokens = 1e12;
  RunOptions& run = problem->run;
  run.deviceFailures = 0.002, run.detection = Seconds(60), run.replacement = Seconds(600);
  run.start = Seconds(300), run.storeWrite = BytesPerSecond(1e12);
  return problem;
}

inline Plan planOf(const ContextShape& shape, const Problem& problem) {
  Plan plan;
  const int devices = problem.cluster->deviceCount(), layers = problem.graph->layerCount();
  plan.dataInner = shape.inner;
  const int width = shape.stages * shape.tensor * shape.inner;
  plan.dataOuter = std::max(1, devices / width);
  plan.blockStride = width;
  plan.zero = shape.zero;
  for (int i = 0; i < shape.stages; ++i) {
    StagePlan s;
    s.strategy = problem.profile->strategies().front();
    s.recompute = shape.recompute;
    s.chunks.emplace_back();
    for (int x = i * layers / shape.stages; x < (i + 1) * layers / shape.stages; ++x)
      s.chunks[0].emplace_back(x);
    plan.stages.push_back(std::move(s));
  }
  return plan;
}

inline PlanContext contextOf(const ContextShape& shape) {
  PlanContext c;
  auto problem = problemOf(shape);
  const Plan plan = planOf(shape, *problem);
  problem->job.globalBatch = shape.microbatches * plan.dataDegree();
  problem->job.microbatches = {1};
  auto scenario = std::make_shared<Scenario>();
  scenario->name = "GPT-3 175B on " + std::to_string(problem->cluster->deviceCount()) + " H100";
  c.scenario = scenario;
  c.problem = problem;
  auto outcome = std::make_shared<Outcome>();
  RankedPlan ranked{plan, evaluate(*problem, plan), {}};
  ranked.simulated = ranked.evaluation.batchTime;
  if (ranked.evaluation.feasible()) {
    outcome->status = OutcomeStatus::Optimal;
    outcome->plans = {ranked};
    c.plan = std::make_shared<RankedPlan>(ranked);
  } else {
    outcome->status = OutcomeStatus::Infeasible;
    NearestMiss miss{
        plan, ranked.evaluation, ranked.evaluation.fullestStage(), {}, {"141 GiB devices", "ZeRO 3"}};
    for (const auto& s : ranked.evaluation.stages)
      miss.shortfall = std::max(miss.shortfall, -s.memory.headroom());
    outcome->nearestMiss = miss;
  }
  c.outcome = outcome;
  return c;
}

}  // namespace nest::test
