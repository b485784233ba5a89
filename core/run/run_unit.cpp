#include "run/run_unit.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "units/at.h"

namespace nest {
namespace {

constexpr double kSecondsInHour = 3600, kHoursInDay = 24;
constexpr double kMostSegments = 1e5;  ///< of all simulated runs together
constexpr int kMostRuns = 400;
constexpr std::uint64_t kSimulationSeed = 20061;

}  // namespace

const char* nameOf(RunUnit u) {
  switch (u) {
    case RunUnit::Days:
      return "days";
    case RunUnit::DeviceHours:
      return "device-hours";
    case RunUnit::Money:
      return "money";
    case RunUnit::Energy:
      return "energy";
    case RunUnit::Share:
      break;
  }
  return "share";
}

std::optional<RunUnit> runUnitNamed(std::string_view name) {
  for (int k = 0; k < kRunUnitCount; ++k)
    if (name == nameOf(static_cast<RunUnit>(k))) return static_cast<RunUnit>(k);
  return std::nullopt;
}

RunAmounts amountsOf(const Problem& problem, const RunForecast& f, int devices, Seconds part, Seconds whole) {
  RunAmounts out;
  if (whole > Seconds()) out[at(RunUnit::Share)] = part / whole;
  if (!f.work) return out;
  const RunOptions& r = problem.run;
  const double hours = part.value() / kSecondsInHour, deviceHours = f.reservedDevices * hours;
  out[at(RunUnit::Days)] = hours / kHoursInDay;
  out[at(RunUnit::DeviceHours)] = deviceHours;
  if (r.pricePerDeviceHour) out[at(RunUnit::Money)] = deviceHours * *r.pricePerDeviceHour;
  if (const auto watts = wattsOf(r, devices, f.checkpoint.hosts))
    out[at(RunUnit::Energy)] = *watts * hours / 1e6;
  return out;
}

std::vector<std::string> missingForUnit(const Problem& problem, RunUnit u) {
  std::vector<std::string> out;
  if (u != RunUnit::Share && !problem.job.trainingTokens) out.emplace_back("/job/training_tokens");
  if (u == RunUnit::Money && !problem.run.pricePerDeviceHour) out.emplace_back("/run/price_per_device_hour");
  if (u == RunUnit::Energy && !problem.run.devicePower) out.emplace_back("/run/device_power_w");
  return out;
}

std::array<Seconds, kRunPartCount> partsOf(const RunPrediction& p, Seconds work) {
  return {work, p.checkpoints, p.lostWork, p.restarts};
}

std::optional<RunPrediction> simulateBriefly(const RunTimes& times) {
  if (!std::isfinite(times.mtbf.value()) || !(times.work > Seconds())) return std::nullopt;
  const RunPrediction formula = predictRun(times);
  if (!formula.finishes) return std::nullopt;
  RunTimes part = times;
  part.interval = formula.interval;
  const double segments = times.work / formula.interval;
  double scale = 1;
  if (segments > kMostSegments) {
    scale = segments / kMostSegments;
    part.work = formula.interval * kMostSegments;
  }
  const int runs = static_cast<int>(std::clamp(kMostSegments / segments, 1.0, double(kMostRuns)));
  RunPrediction out = simulateRun(part, runs, kSimulationSeed);
  for (Seconds* s : {&out.total, &out.checkpoints, &out.restarts, &out.lostWork}) *s = *s * scale;
  out.failures *= scale;
  return out;
}

std::vector<std::string> askedForParts(const Problem& problem) {
  std::vector<std::string> out;
  const RunOptions& r = problem.run;
  if (!r.hasFailures()) {
    if (problem.job.trainingTokens) return out;
    out.emplace_back("/job/training_tokens");
    for (const char* rate : {"/run/device_failures_per_1000h", "/run/host_failures_per_1000h",
                             "/run/switch_failures_per_1000h", "/run/job_failures_per_1000h"})
      out.emplace_back(rate);
    return out;
  }
  return missingForFailures(problem);
}

std::vector<std::string> askedForRun(const Problem& problem) {
  if (auto parts = askedForParts(problem); !parts.empty()) return parts;
  if (auto costs = missingForRun(problem); !costs.empty()) return costs;
  // Without failures the time of a run is that of its steps.
  if (!problem.run.hasFailures()) return {"/run/device_failures_per_1000h"};
  if (!problem.job.trainingTokens) return {"/job/training_tokens"};
  return {};
}

}  // namespace nest
