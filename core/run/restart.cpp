#include "run/restart.h"

#include <algorithm>
#include <cmath>

#include "run/checkpoint.h"
#include "run/run_forecast.h"

namespace nest {
namespace {

constexpr double kHours = 1000;  ///< that rates of failures are given in
constexpr double kHour = 3600;
constexpr double kNormalFrom = 1e4;  ///< failed hosts: from here on the sum is taken as a normal distribution

}  // namespace

Restart restartWith(const Problem& problem, const Plan& plan, const Evaluation& e, bool waits) {
  const RunOptions& r = problem.run;
  Restart out;
  const auto take = [&](const std::optional<Seconds>& given, const char* key) {
    if (!given) out.missing.emplace_back(key);
    return given.value_or(Seconds());
  };
  out.detection = take(r.detection, "/run/detection_s");
  if (waits) out.replacement = take(r.replacement, "/run/replacement_s");
  out.start = take(r.start, "/run/start_s");
  if (!r.storeRead && !r.storeWrite && !r.hostStore)
    out.missing.emplace_back("/run/store_write_bandwidth_bytes_per_s");
  else
    out.read = readTimeOf(r, checkpointSizeOf(problem, plan, e));
  return out;
}

double poissonAt(double mean, int count) {
  if (count < 0) return 0;
  if (!(mean > 0)) return count == 0 ? 1 : 0;
  return std::exp(count * std::log(mean) - mean - std::lgamma(count + 1.0));
}

double poissonAtMost(double mean, int count) {
  if (count < 0) return 0;
  if (!(mean > 0)) return 1;
  if (mean > kNormalFrom) return 0.5 * std::erfc((mean - count - 0.5) / std::sqrt(2 * mean));
  double sum = 0;
  for (int k = 0; k <= count; ++k) sum += poissonAt(mean, k);
  return std::min(1.0, sum);
}

SpareHosts spareHostsFor(const RunOptions& r, int hosts, double devicesPerHost, double confidence) {
  SpareHosts out;
  if (!r.deviceFailures && !r.hostFailures) out.missing.emplace_back("/run/host_failures_per_1000h");
  if (!r.repair) out.missing.emplace_back("/run/repair_s");
  if (!out.missing.empty()) return out;
  const double rate = devicesPerHost * r.deviceFailures.value_or(0) + r.hostFailures.value_or(0);
  out.failed = hosts * rate / (kHours * kHour) * r.repair->value();
  // More hosts than there are cannot fail; the mean of many is close to the quantile.
  int least =
      static_cast<int>(std::min<double>(hosts, std::max(0.0, out.failed - 10 * std::sqrt(out.failed))));
  while (least > 0 && poissonAtMost(out.failed, least) >= confidence) --least;
  while (least < hosts && poissonAtMost(out.failed, least) < confidence) ++least;
  out.needed = least;
  out.covered = least >= hosts ? 1 : poissonAtMost(out.failed, least);
  return out;
}

}  // namespace nest
