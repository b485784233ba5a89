#include "run/goodput.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nest {
namespace {

constexpr double kFewIntervals = 10;  ///< up to so many are counted as whole ones

/// Lambert's W₀ on [−1/e, 0], by Halley's method from the series around the branch point.
double lambert(double x) {
  const double p = std::sqrt(std::max(0.0, 2 * (std::exp(1.0) * x + 1)));
  double w = -1 + p - p * p / 3 + 11.0 / 72 * p * p * p;
  for (int i = 0; i < 20; ++i) {
    const double e = std::exp(w), f = w * e - x;
    const double step = f / (e * (w + 1) - (w + 2) * f / (2 * w + 2));
    if (!std::isfinite(step)) break;  // at the branch point itself
    w -= step;
    if (std::abs(step) < 1e-15) break;
  }
  return w;
}

/// T of `intervals` intervals, which together have the work.
double timeOf(const RunTimes& r, double intervals) {
  const double m = r.mtbf.value(), each = r.work.value() / intervals;
  return m * std::exp((r.restart + r.written).value() / m) * std::expm1((each + r.blocked.value()) / m) *
         intervals;
}

double bestInterval(const RunTimes& r) {
  const double m = r.mtbf.value();
  const double best = m * (1 + lambert(-std::exp(-1 - r.blocked.value() / m)));
  return std::max({best, r.written.value(), r.shortest.value()});
}

}  // namespace

RunPrediction predictRun(const RunTimes& r) {
  RunPrediction p;
  const double work = r.work.value(), m = r.mtbf.value();
  if (!(work > 0)) return p;
  if (!std::isfinite(m)) {
    p.interval = r.interval.value_or(r.work);
    if (r.interval) p.checkpoints = r.blocked * std::floor(work / r.interval->value());
    p.total = r.work + p.checkpoints;
    return p;
  }
  const double interval =
      std::min(work, r.interval ? std::max(*r.interval, r.written).value() : bestInterval(r));
  double intervals = work / interval;
  if (intervals < kFewIntervals) {
    const double fewer = std::max(1.0, std::floor(intervals)), more = std::ceil(intervals);
    intervals = timeOf(r, more) < timeOf(r, fewer) ? more : fewer;
  }
  p.interval = Seconds(work / intervals);
  const double total = timeOf(r, intervals);
  p.finishes = total <= kHopeless * work;
  p.total = Seconds(std::isfinite(total) ? total : std::numeric_limits<double>::max());
  p.failures = p.total.value() / m;  // they come at this rate whatever runs
  p.checkpoints = r.blocked * intervals;
  // A restart ends by itself or with the next failure.
  p.restarts = Seconds(p.failures * m * -std::expm1(-r.restart.value() / m));
  p.lostWork = std::max(Seconds(), p.total - r.work - p.checkpoints - p.restarts);
  return p;
}

}  // namespace nest
