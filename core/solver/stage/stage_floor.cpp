// Per parameter, from GroupShapes::cheapest: latency left out, and all hidden that can be.
#include "solver/stage/stage_floor.h"

#include "solver/stage/messages.h"

namespace nest::planner {

ParameterRates ParameterRates::of(const Problem& problem, int zero, int shards) {
  const OptimizerRegime& r = problem.job.optimizer;
  const double bandwidth = problem.cluster->device().memoryBandwidth.value.value();
  ParameterRates p;
  p.memory = r.weightBytes / (zero >= 3 ? shards : 1) + r.gradientBytes / (zero >= 2 ? shards : 1) +
             r.optimizerBytes / (zero >= 1 ? shards : 1);
  if (bandwidth > 0)
    p.step = (r.gradientBytes + r.weightBytes + 2 * r.optimizerBytes) / bandwidth / (zero >= 1 ? shards : 1);
  return p;
}

GradientFloor GradientFloor::of(const GroupShapes& shapes, const Strategy& s, int dataDegree) {
  GradientFloor f;
  f.denseShards = dataDegree * s.context;
  f.expertShards = f.denseShards / s.expert;
  f.dense = shapes.cheapest(f.denseShards, s.tensor);
  f.expert = shapes.cheapest(f.expertShards, s.tensor);
  return f;
}

StageFloor::StageFloor(const Problem& problem, const LayerSums& sums, const GradientFloor& gradients,
                       int zero)
    : m_sums(&sums),
      m_zero(zero),
      m_dense(ParameterRates::of(problem, zero, gradients.denseShards)),
      m_expert(ParameterRates::of(problem, zero, gradients.expertShards)),
      m_reserve(problem.assumptions.reserve.value()),
      m_gathered(zero == 3 ? problem.job.optimizer.weightBytes : 0) {
  const OptimizerRegime& regime = problem.job.optimizer;
  const auto messages = GradientMessages::of(zero);
  const double perMicrobatch = (1 - problem.assumptions.overlap[static_cast<std::size_t>(Exchange::Data)]) *
                               messages.perMicrobatch(regime);
  const double perBatch = (1 - problem.assumptions.syncOverlap) * messages.perBatch(regime);
  m_dataDense = perMicrobatch * gradients.dense.nestedPerByte;
  m_dataExpert = perMicrobatch * gradients.expert.nestedPerByte;
  m_tailDense = perBatch * gradients.dense.nestedPerByte + m_dense.step;
  m_tailExpert = perBatch * gradients.expert.nestedPerByte + m_expert.step;
}

}  // namespace nest::planner
