#include "plan/metrics.h"
#include "units/at.h"
#include "units/text.h"

#include <algorithm>

namespace nest {
namespace {

constexpr double kComputeBoundShare = 0.75;

TimePart partOf(Exchange kind) {
  switch (kind) {
    case Exchange::Tensor:
      return TimePart::Tensor;
    case Exchange::Context:
      return TimePart::Context;
    case Exchange::Expert:
      return TimePart::Expert;
    case Exchange::Pipeline:
      return TimePart::Pipeline;
    case Exchange::Data:
      break;
  }
  return TimePart::Data;
}

UtilisationPeak peakOf(const Problem& p) {
  const DeviceSpec& device = p.cluster->device();
  const NumberFormat format = p.job.format;
  if (format == NumberFormat::Fp8 && device.peakFp8) return {device.peakFp8->value, format, format};
  const bool half = format == NumberFormat::Fp16 || !device.hasBf16;
  return {device.peak.value, half ? NumberFormat::Fp16 : NumberFormat::Bf16, format};
}

void addUtilisation(PlanMetrics& m, const Problem& p, const TransformerArchitecture& architecture) {
  m.peak = peakOf(p);
  const double able = m.peak.rate.value() * m.devicesUsed * m.batchTime.value();
  if (able > 0) m.mfu = modelFlops(architecture, p.job.sequenceLength, p.job.globalBatch).value() / able;
}

/// Averaged over the devices in use.
TimeSplit averageSplit(const Evaluation& e) {
  TimeSplit sum{};
  double devices = 0;
  for (const StageEvaluation& s : e.stages) {
    const TimeSplit one = splitOf(s);
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += s.devices * e.microbatchCount * one[k];
    sum[at(TimePart::Data)] += s.devices * s.exposed;
    sum[at(TimePart::Step)] += s.devices * s.step;
    devices += s.devices;
  }
  if (!(devices > 0)) return {};
  Seconds named;
  for (Seconds& t : sum) named += t *= 1 / devices;
  sum[at(TimePart::Idle)] = std::max(Seconds(0), e.batchTime - named);
  return sum;
}

}  // namespace

const char* nameOf(TimePart p) {
  switch (p) {
    case TimePart::Compute:
      return "compute";
    case TimePart::Tensor:
      return "tensor exchange";
    case TimePart::Context:
      return "context exchange";
    case TimePart::Expert:
      return "expert exchange";
    case TimePart::Pipeline:
      return "pipeline exchange";
    case TimePart::Data:
      return "data exchange";
    case TimePart::Recompute:
      return "recompute";
    case TimePart::Idle:
      return "idle";
    case TimePart::Step:
      break;
  }
  return "optimizer step";
}

Limit limitOf(const TimeSplit& split, Seconds whole) {
  if (!(whole > Seconds())) return {};
  const auto shareOf = [&](std::size_t k) { return split[k] / whole; };
  std::size_t other = at(TimePart::Tensor);
  for (std::size_t k = other; k < split.size(); ++k)
    if (split[k] > split[other]) other = k;
  const double compute = shareOf(at(TimePart::Compute));
  if (compute >= kComputeBoundShare || !(split[other] > Seconds()))
    return {Limit::Kind::BoundBy, TimePart::Compute, compute};
  return {shareOf(other) > compute ? Limit::Kind::BoundBy : Limit::Kind::LargestOverhead,
          static_cast<TimePart>(other), shareOf(other)};
}

TimeSplit splitOf(const StageEvaluation& s) {
  TimeSplit out{};
  out[at(TimePart::Compute)] = s.forward + s.backward;
  out[at(TimePart::Recompute)] = s.recompute;
  for (std::size_t k = 0; k < kExchangeCount; ++k)
    out[at(partOf(static_cast<Exchange>(k)))] += s.exchange[k] - s.hiddenExchange[k];
  return out;
}

Limit limitOf(const StageEvaluation& s) {
  return limitOf(splitOf(s), s.load);
}

Bytes predictedPeak(const Problem& p, const MemoryUse& use) {
  return use.total() - p.headroomReserve;
}

Bytes predictedPeak(const Problem& p, const Evaluation& e) {
  Bytes most;
  for (const StageEvaluation& s : e.stages) most = std::max(most, predictedPeak(p, s.memory));
  return most;
}

std::string besideHeadroom(Bytes headroom) {
  return headroom > Bytes(0) ? " (+ " + text::memory(headroom) + " headroom)" : std::string();
}

PlanMetrics metricsOf(const Problem& p, const TransformerArchitecture* architecture, const Plan& plan,
                      const Evaluation& e, Seconds simulated) {
  PlanMetrics m;
  m.batchTime = e.batchTime;
  m.simulated = simulated;
  m.program = p.program;
  m.error = p.error;
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
    const MemoryUse& memory = e.stages[m.fullestStage].memory;
    m.peakMemory = predictedPeak(p, memory);
    m.headroom = p.headroomReserve;
    m.capacity = memory.capacity;
  }
  for (const StageEvaluation& s : e.stages) {
    const Bytes needed = predictedPeak(p, s.memory) * (1 + p.memoryError);
    m.mayNotFit = m.mayNotFit || (p.memoryError > 0 && needed > s.memory.capacity);
  }
  m.split = averageSplit(e);
  m.bubble = bubbleOf(e);
  m.limit = limitOf(m.split, m.batchTime);
  return m;
}

PlanMetrics metricsOf(const Problem& p, const TransformerArchitecture* architecture, const RankedPlan& r) {
  return metricsOf(p, architecture, r.plan, r.evaluation, r.simulated);
}

}  // namespace nest
