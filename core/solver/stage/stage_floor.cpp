// Costs per parameter, from GroupShapes::cheapest, without latency and with the most overlap.
#include "solver/stage/stage_floor.h"

#include <algorithm>

#include "cost/stage_cost.h"
#include "solver/stage/messages.h"
#include "solver/watch.h"

namespace nest::solver {

ParameterRates ParameterRates::of(const Problem& problem, int zero, int shards) {
  const OptimizerRegime& r = problem.job.optimizer;
  const StateBytes held = StateBytes::of(r, problem.assumptions, zero);
  const StepRate step = StepRate::of(r, problem.assumptions, problem.cluster->device(), zero);
  ParameterRates p;
  p.memory = held.onDevice(shards);
  p.frozenMemory = held.weights.onDevice(shards);
  p.hostMemory = held.host.onDevice(shards);
  p.step = step.perParameter().value() / (step.sharded ? shards : 1);
  return p;
}

// The copies of one shard are a whole shard group, h·c·t positions, apart.
GradientFloor GradientFloor::of(const GroupShapes& shapes, const Strategy& s, int dataDegree,
                                const std::vector<int>& shardDegrees) {
  GradientFloor f;
  for (const int h : shardDegrees) {
    const int copies = dataDegree / h;
    const double perCopy =
        copies > 1 ? shapes.cheapestPerByte(
                         copies, static_cast<int>(std::min<long long>(1LL * h * s.width(), 1 << 30)))
                   : 0;
    const auto kind = [&](int shards, int spacing) {
      return Kind{shards, shapes.cheapestPerByte(shards, spacing), perCopy / shards};
    };
    // If no h fits the strategy, no stage has it.
    if (s.fitsExperts(h) || (f.choices.empty() && h == shardDegrees.back()))
      f.choices.push_back({kind(h * s.context, s.tensor),
                           kind(std::max(1, s.expertShards(h)), s.foldedExperts ? s.expert : s.tensor)});
  }
  return f;
}

GradientFloor GradientFloor::of(const GroupShapes& shapes, const Strategy& s,
                                const std::vector<Sharding>& several, Watch& watch) {
  GradientFloor all = of(shapes, s, several.front().dataDegree, several.front().shardDegrees);
  if (several.size() == 1) return all;
  Choice least = all.choices.front();
  const auto lower = [](Kind& a, const Kind& b) {
    a.shards = std::max(a.shards, b.shards);
    a.shardPerByte = std::min(a.shardPerByte, b.shardPerByte);
    a.copiesPerByte = std::min(a.copiesPerByte, b.copiesPerByte);
  };
  for (const Sharding& d : several) {
    if (watch.shouldStopAfter(100 * d.shardDegrees.size())) break;
    for (const Choice& choice : of(shapes, s, d.dataDegree, d.shardDegrees).choices) {
      lower(least.dense, choice.dense);
      lower(least.expert, choice.expert);
    }
  }
  all.choices = {least};
  return all;
}

StageFloor::StageFloor(const Problem& problem, const LayerSums& sums, const GradientFloor& gradients,
                       int zero)
    : m_sums(&sums),
      m_zero(zero),
      m_dense(ParameterRates::of(problem, zero, gradients.choices.front().dense.shards)),
      m_expert(ParameterRates::of(problem, zero, gradients.choices.front().expert.shards)),
      m_reserve(problem.assumptions.reserve.value()),
      m_gathered(StateBytes::of(problem.job.optimizer, problem.assumptions, zero).gathered) {
  const OptimizerRegime& regime = problem.job.optimizer;
  const auto messages = GradientMessages::of(zero, problem.assumptions.zeroAllReduces);
  const double shownData = 1 - problem.assumptions.overlap[Exchange::Data];
  const double perMicrobatch = shownData * messages.perMicrobatch.bytesPerParameter(regime),
               gathered = shownData * messages.perMicrobatch.weights * regime.weightBytes;
  const double shown = 1 - syncOverlap(problem.assumptions, zero),
               perBatch = shown * messages.perStep.bytesPerParameter(regime);
  const auto least = [&](GradientFloor::Kind GradientFloor::Choice::*kind, double& data, double& gather,
                         double& tail) {
    data = gather = tail = std::numeric_limits<double>::infinity();
    for (const auto& choice : gradients.choices) {
      const auto& k = choice.*kind;
      data = std::min(data, perMicrobatch * k.shardPerByte);
      gather = std::min(gather, gathered * k.shardPerByte);
      tail = std::min(tail, perBatch * k.shardPerByte + shown * 2 * regime.gradientBytes * k.copiesPerByte +
                                ParameterRates::of(problem, zero, k.shards).step);
      if (zero == 0) break;  // nothing is sharded
    }
  };
  least(&GradientFloor::Choice::dense, m_dataDense, m_gatherDense, m_tailDense);
  least(&GradientFloor::Choice::expert, m_dataExpert, m_gatherExpert, m_tailExpert);
}

}  // namespace nest::solver
