#include "plan/metrics.h"

#include <algorithm>

#include "units/amount.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr double kComputeBoundShare = 0.75;

std::size_t at(Binding b) {
  return static_cast<std::size_t>(b);
}

Binding bindingOfExchange(int kind) {
  switch (static_cast<Exchange>(kind)) {
    case Exchange::Tensor:
      return Binding::Tensor;
    case Exchange::Context:
      return Binding::Context;
    case Exchange::Expert:
      return Binding::Expert;
    case Exchange::Pipeline:
      return Binding::Pipeline;
    case Exchange::Data:
      break;
  }
  return Binding::Data;
}

Binding largestOther(const std::array<Seconds, kBindingCount>& shares, Seconds whole) {
  if (!(whole.value() > 0) || shares[at(Binding::Compute)] / whole >= kComputeBoundShare)
    return Binding::Compute;
  std::size_t best = at(Binding::Tensor);
  for (std::size_t i = best; i < kBindingCount; ++i)
    if (shares[i] > shares[best]) best = i;
  return shares[best].value() > 0 ? static_cast<Binding>(best) : Binding::Compute;
}

FlopsPerSecond peakOf(const Problem& p) {
  const DeviceSpec& device = p.cluster->device();
  return p.job.format == NumberFormat::Fp8 && device.peakFp8 ? device.peakFp8->value : device.peak.value;
}

const char* formatName(NumberFormat f) {
  switch (f) {
    case NumberFormat::Bf16:
      return "bf16";
    case NumberFormat::Fp16:
      return "fp16";
    case NumberFormat::Fp8:
      return "fp8";
    case NumberFormat::Fp32:
      break;
  }
  return "fp32";
}

void addUtilisation(PlanMetrics& m, const Problem& p, const TransformerArchitecture& architecture) {
  const double able = peakOf(p).value() * m.devicesUsed * m.batchTime.value();
  if (!(able > 0)) return;
  m.mfu = modelFlops(architecture, p.job.sequenceLength, p.job.globalBatch).value() / able;
  m.mfuConvention = std::string(
                        "model FLOPs (forward and backward matrix work, attention counted in full, nothing "
                        "recomputed) ÷ ") +
                    formatName(p.job.format) + " dense peak of the devices in use";
}

}  // namespace

const char* nameOf(Binding b) {
  switch (b) {
    case Binding::Compute:
      return "compute";
    case Binding::Tensor:
      return "tensor exchange";
    case Binding::Context:
      return "context exchange";
    case Binding::Expert:
      return "expert exchange";
    case Binding::Pipeline:
      return "pipeline exchange";
    case Binding::Data:
      return "data exchange";
    case Binding::Memory:
      return "memory";
    case Binding::Bubble:
      return "bubble";
    case Binding::Step:
      break;
  }
  return "optimizer step";
}

std::array<Seconds, kBindingCount> stageShares(const StageEvaluation& s, Seconds slowestLoad) {
  std::array<Seconds, kBindingCount> out{};
  out[at(Binding::Compute)] = s.forward + s.backward;
  out[at(Binding::Memory)] = s.recompute;
  Seconds exchanged;
  for (const Seconds e : s.exchange) exchanged += e;
  // What is hidden leaves each exchange in proportion: the evaluation keeps only their sum.
  const double left = exchanged.value() > 0 ? std::max(0.0, 1 - s.hidden / exchanged) : 0;
  for (int k = 0; k < kExchangeCount; ++k)
    out[at(bindingOfExchange(k))] += s.exchange[static_cast<std::size_t>(k)] * left;
  out[at(Binding::Bubble)] = std::max(Seconds(0), slowestLoad - s.load);
  return out;
}

Binding bindingOf(const StageEvaluation& s) {
  return largestOther(stageShares(s, s.load), s.load);
}

PlanMetrics metricsOf(const Problem& p, const TransformerArchitecture* architecture, const Plan& plan,
                      const Evaluation& e, Seconds simulated) {
  PlanMetrics m;
  m.batchTime = e.batchTime;
  m.simulated = simulated;
  m.devicesUsed = plan.devicesUsed();
  m.deviceCount = p.cluster->deviceCount();
  if (e.batchTime.value() > 0) {
    m.samplesPerSecond = p.job.globalBatch / e.batchTime.value();
    m.tokensPerSecond = m.samplesPerSecond * p.job.sequenceLength;
    if (architecture) addUtilisation(m, p, *architecture);
  }
  if (p.job.trainingTokens && m.tokensPerSecond > 0) {
    m.trainingTime = Seconds(*p.job.trainingTokens / m.tokensPerSecond);
    m.deviceHours = m.trainingTime->value() / 3600 * m.devicesUsed;
  }
  m.fullestStage = e.fullestStage();
  if (m.fullestStage >= 0) {
    const MemoryUse& memory = e.stages[static_cast<std::size_t>(m.fullestStage)].memory;
    m.peakMemory = memory.total();
    m.capacity = memory.capacity;
  }
  const int slowest = e.slowestStage();
  if (slowest < 0) return m;

  m.shares = stageShares(e.stages[static_cast<std::size_t>(slowest)], e.maxLoad);
  for (Seconds& s : m.shares) s *= e.microbatchCount;
  const auto last = std::max_element(e.stages.begin(), e.stages.end(),
                                     [](const StageEvaluation& a, const StageEvaluation& b) {
                                       return a.exposed + a.step < b.exposed + b.step;
                                     });
  m.shares[at(Binding::Data)] += last->exposed;
  m.shares[at(Binding::Step)] += last->step;
  Seconds named;
  for (const Seconds s : m.shares) named += s;
  m.shares[at(Binding::Bubble)] += std::max(Seconds(0), m.batchTime - named);
  m.binds = largestOther(m.shares, m.batchTime);
  return m;
}

PlanMetrics metricsOf(const Problem& p, const TransformerArchitecture* architecture, const RankedPlan& r) {
  return metricsOf(p, architecture, r.plan, r.evaluation, r.simulated);
}

}  // namespace nest
