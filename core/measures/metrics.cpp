#include "measures/metrics.h"
#include "problem/reserved_memory.h"
#include "units/at.h"
#include "units/text.h"

#include <algorithm>

namespace nest {
namespace {

/// Relative difference between sums of parts and their whole that is only rounding.
constexpr double kRounding = 1e-12;

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
  if (const auto narrow = device.narrowPeak(specOf(format).rate)) return {*narrow, format, format};
  const bool half = format == NumberFormat::Fp16 || !device.hasBf16;
  return {device.peak.value, half ? NumberFormat::Fp16 : NumberFormat::Bf16, format};
}

void addUtilisation(PlanMetrics& m, const Problem& p, int globalBatch,
                    const TransformerArchitecture& architecture) {
  m.peak = peakOf(p);
  const double able = m.peak.rate.value() * m.devicesUsed * m.batchTime.value();
  if (able > 0)
    m.mfu =
        modelFlops(architecture, p.job.sequenceLength, globalBatch).value() * p.profile->trainedWork / able;
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

std::vector<TimeShare> sharesOf(const TimeSplit& split, Seconds whole) {
  std::vector<TimeShare> out;
  if (!(whole > Seconds())) return out;
  for (std::size_t k = 0; k < split.size(); ++k)
    if (split[k] > Seconds()) out.push_back({static_cast<TimePart>(k), split[k] / whole});
  std::stable_sort(out.begin(), out.end(),
                   [](const TimeShare& a, const TimeShare& b) { return a.share > b.share; });
  return out;
}

const TimeShare* largestOverhead(const std::vector<TimeShare>& shares) {
  const auto it = std::find_if(shares.begin(), shares.end(),
                               [](const TimeShare& s) { return s.part != TimePart::Compute; });
  return it == shares.end() ? nullptr : &*it;
}

TimeSplit splitOf(const StageEvaluation& s) {
  TimeSplit out{};
  out[at(TimePart::Compute)] = s.forward + s.backward;
  out[at(TimePart::Recompute)] = s.recompute;
  for (std::size_t k = 0; k < kExchangeCount; ++k)
    out[at(partOf(static_cast<Exchange>(k)))] += s.exchange[k] - s.hiddenExchange[k];
  return out;
}

std::vector<TimeShare> sharesOf(const StageEvaluation& s) {
  return sharesOf(splitOf(s), s.load);
}

TimeSplit splitOf(const Evaluation& e) {
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
  const Seconds idle = e.batchTime - named;
  sum[at(TimePart::Idle)] = idle > kRounding * e.batchTime ? idle : Seconds(0);
  return sum;
}

Bytes predictedPeak(const Evaluation& e) {
  Bytes most;
  for (const StageEvaluation& s : e.stages) most = std::max(most, s.memory.predicted());
  return most;
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
    m.samplesPerSecond = e.globalBatch / e.batchTime.value();
    m.tokensPerSecond = m.samplesPerSecond * p.job.sequenceLength;
    if (architecture) addUtilisation(m, p, e.globalBatch, *architecture);
  }
  if (e.feasible()) m.run = runForecastOf(p, plan, e);
  if (m.run && m.run->prediction && !m.run->prediction->finishes)
    m.trainingTime.reset();
  else if (m.run && m.run->total)
    m.trainingTime = m.run->total;
  else if (p.job.trainingTokens && m.tokensPerSecond > 0)
    m.trainingTime = Seconds(*p.job.trainingTokens / m.tokensPerSecond);
  if (m.trainingTime)
    m.deviceHours = m.trainingTime->value() / 3600 * (m.run ? m.run->reservedDevices : m.devicesUsed);
  m.fullestStage = e.fullestStage();
  if (m.fullestStage >= 0) {
    const MemoryUse& memory = e.stages[m.fullestStage].memory;
    m.peakMemory = memory.predicted();
    m.headroom = memory[MemoryPart::Headroom];
    m.capacity = memory.capacity;
  }
  for (const StageEvaluation& s : e.stages) {
    const Bytes needed = s.memory.predicted() * (1 + p.memoryError);
    m.mayNotFit = m.mayNotFit || (p.memoryError > 0 && needed > s.memory.capacity);
  }
  m.split = splitOf(e);
  m.bubble = bubbleOf(e);
  return m;
}

PlanMetrics metricsOf(const Problem& p, const TransformerArchitecture* architecture, const RankedPlan& r) {
  return metricsOf(p, architecture, r.plan, r.evaluation, r.simulated);
}

}  // namespace nest
