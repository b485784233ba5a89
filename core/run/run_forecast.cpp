#include "run/run_forecast.h"

#include <algorithm>
#include <limits>

namespace nest {
namespace {

constexpr double kRateHours = 1000;
constexpr double kSecondsPerHour = 3600;

/// STATEMENT.md (11.2).
Seconds meanTimeBetweenFailures(const RunOptions& r, int devices, int hosts, int switches) {
  const double rate = devices * r.deviceFailures.value_or(0) + hosts * r.hostFailures.value_or(0) +
                      switches * r.switchFailures.value_or(0) + r.jobFailures.value_or(0);
  return Seconds(rate > 0 ? kRateHours * kSecondsPerHour / rate : std::numeric_limits<double>::infinity());
}

/// The slower of the store and the busiest host; a bandwidth that is not given limits nothing.
Seconds transferTime(Bytes all, const std::optional<BytesPerSecond>& store, Bytes ofHost,
                     const std::optional<BytesPerSecond>& host) {
  return std::max(store ? all / *store : Seconds(), host ? ofHost / *host : Seconds());
}

/// Of one device to the memory of its host: as given, or as the device has it.
std::optional<BytesPerSecond> copyBandwidth(const Problem& problem) {
  const auto& known = problem.cluster->device().hostMemoryBandwidth;
  if (problem.run.hostCopy) return problem.run.hostCopy;
  return known ? std::optional(known->value) : std::nullopt;
}

}  // namespace

std::vector<std::string> missingForFailures(const Problem& problem) {
  const RunOptions& r = problem.run;
  std::vector<std::string> out;
  const auto need = [&out](bool has, const char* key) {
    if (!has) out.emplace_back(key);
  };
  if (r.hasFailures()) {
    need(r.detection.has_value(), "/run/detection_s");
    need(r.replacement.has_value(), "/run/replacement_s");
    need(r.start.has_value(), "/run/start_s");
    need(r.storeWrite || r.hostStore, "/run/store_write_bandwidth_bytes_per_s");
    need(!r.asynchronous || copyBandwidth(problem), "/run/host_copy_bandwidth_bytes_per_s");
  }
  return out;
}

std::vector<std::string> missingForRun(const Problem& problem) {
  const RunOptions& r = problem.run;
  std::vector<std::string> out = missingForFailures(problem);
  const auto need = [&out](bool has, const char* key) {
    if (!has) out.emplace_back(key);
  };
  const bool hasRunCost = r.pricePerDeviceHour || r.devicePower;
  need(problem.job.trainingTokens || !hasRunCost, "/job/training_tokens");
  need(r.devicePower || !(r.hostPower || r.powerUsage || r.carbonPerKwh), "/run/device_power_w");
  return out;
}

RunTimes runTimesOf(const Problem& problem, const CheckpointSize& size, int devices, Seconds step,
                    Seconds work) {
  const RunOptions& r = problem.run;
  const Seconds write = transferTime(size.all, r.storeWrite, size.ofHost, r.hostStore);
  const Seconds read = readTimeOf(r, size);
  RunTimes t;
  t.work = work;
  t.mtbf = meanTimeBetweenFailures(r, devices, size.hosts, size.switches);
  t.blocked = r.asynchronous ? size.ofDevice / *copyBandwidth(problem) : write;
  t.written = r.asynchronous ? write : Seconds();
  t.restart = *r.detection + *r.replacement + *r.start + read;
  t.shortest = step;
  t.interval = r.interval;
  return t;
}

namespace {

/// Of all steps; nullopt without training tokens.
std::optional<Seconds> timeOfSteps(const Problem& problem, const Evaluation& e) {
  if (!problem.job.trainingTokens) return std::nullopt;
  const double tokensPerStep = double(e.globalBatch) * problem.job.sequenceLength;
  return e.batchTime * (*problem.job.trainingTokens / tokensPerStep);
}

void addCosts(const RunOptions& r, int devices, RunForecast& f) {
  if (!f.total) return;
  const double hours = f.total->value() / kSecondsPerHour;
  if (r.pricePerDeviceHour) f.money = f.reservedDevices * hours * *r.pricePerDeviceHour;
  const auto watts = wattsOf(r, devices, f.checkpoint.hosts);
  if (!watts) return;
  f.energy = *watts / 1000 * hours;
  if (r.carbonPerKwh) f.carbon = *f.energy * *r.carbonPerKwh / 1000;
}

}  // namespace

std::optional<double> wattsOf(const RunOptions& r, int devices, int hosts) {
  if (!r.devicePower) return std::nullopt;
  return (devices * *r.devicePower + hosts * r.hostPower.value_or(0)) * r.powerUsage.value_or(1);
}

Seconds readTimeOf(const RunOptions& r, const CheckpointSize& size) {
  return transferTime(size.readByAll, r.storeRead ? r.storeRead : r.storeWrite, size.readByHost, r.hostStore);
}

std::optional<RunForecast> stepsOnly(const Problem& problem, const Plan& plan, const Evaluation& e) {
  RunForecast f;
  f.work = f.total = timeOfSteps(problem, e);
  if (!f.work) return std::nullopt;
  f.reservedDevices = plan.devicesUsed();
  return f;
}

std::optional<RunForecast> runForecastOf(const Problem& problem, const Plan& plan, const Evaluation& e) {
  const RunOptions& r = problem.run;
  if (r == RunOptions() || !(e.batchTime > Seconds())) return std::nullopt;
  RunForecast f;
  const int devices = plan.devicesUsed();
  f.checkpoint = checkpointSizeOf(problem, plan, e);
  f.reservedDevices = devices + r.spareHosts * problem.cluster->largestGroupSize(0);
  f.missing = missingForRun(problem);
  f.work = f.total = timeOfSteps(problem, e);
  if (r.hasFailures() && missingForFailures(problem).empty()) {
    f.times = runTimesOf(problem, f.checkpoint, devices, e.batchTime, f.work.value_or(kLongRun));
    f.prediction = predictRun(*f.times);
    if (f.work) f.total = f.prediction->finishes ? std::optional(f.prediction->total) : std::nullopt;
  }
  addCosts(r, devices, f);
  return f;
}

}  // namespace nest
