#include "run/checkpoint.h"

#include <algorithm>
#include <set>

#include "evaluation/plan_check.h"
#include "plan/stage_work.h"
#include "units/at.h"

namespace nest {
namespace {

/// Trained parameters of a stage, each once: a group of its devices that together hold all shards.
double uniqueParameters(const ModelState& s, double devicesPerCopy) {
  return (s.dense - s.frozenDense) * devicesPerCopy / s.denseShards +
         (s.expert - s.frozenExpert) * devicesPerCopy / s.expertShards;
}

}  // namespace

CheckpointSize checkpointSizeOf(const Problem& problem, const Plan& plan, const Evaluation& e) {
  CheckpointSize size;
  const int microbatch = checkPlan(problem, plan).microbatch;
  if (microbatch < 0) return size;
  const OptimizerRegime& regime = problem.job.optimizer;
  const double perParameter = regime.weightBytes + regime.optimizerBytes;
  const Hierarchy& cluster = *problem.cluster;
  const std::vector<StageWork> works = stageWorks(problem, plan, microbatch);
  const Placement placement(plan);
  std::vector<double> written(static_cast<std::size_t>(cluster.groupCount(0))), read = written;
  std::set<int> switches;
  for (int i = 0; i < plan.stageCount(); ++i) {
    const StageEvaluation& stage = e.stages[at(i)];
    if (stage.devices <= 0) continue;
    ModelState state = modelStateOf(plan, i, works[at(i)]);
    // Another stage writes them.
    state.dense -= works[at(i)].tied;
    if (problem.profile->tied) state.frozenDense -= works[at(i)].tied * problem.profile->tied->frozen;
    const double copy = double(plan.shardDegree()) * plan.stages[at(i)].strategy.width();
    const double all = uniqueParameters(state, copy) * perParameter;
    const double own = all / stage.devices;
    const Bytes held =
        stage.memory[MemoryPart::Weights] + stage.memory[MemoryPart::Optimizer] + stage.hostMemory;
    size.all += Bytes(all);
    size.ofDevice = std::max(size.ofDevice, Bytes(own));
    size.readByAll += held * stage.devices;
    for (int r = 0; r < placement.replicas(); ++r)
      for (int k = 0; k < placement.ranks(i); ++k) {
        const int device = placement.device(i, r, k).value;
        const auto host = at(cluster.groupOf(0, device));
        written[host] += own;
        read[host] += held.value();
        if (cluster.levelCount() > 1) switches.insert(cluster.groupOf(1, device));
      }
  }
  for (std::size_t h = 0; h < read.size(); ++h) {
    size.ofHost = std::max(size.ofHost, Bytes(written[h]));
    size.readByHost = std::max(size.readByHost, Bytes(read[h]));
    size.hosts += read[h] > 0;
  }
  size.switches = static_cast<int>(switches.size());
  return size;
}

}  // namespace nest
