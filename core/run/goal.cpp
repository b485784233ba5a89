#include "run/goal.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "run/run_forecast.h"
#include "units/at.h"

namespace nest {
namespace {

constexpr double kNeverEnds = 1e6;  ///< stands for the time of a run that fails for ever ÷ its work

/// Of one second of the run.
double costOf(const Problem& problem, int devices, int hosts) {
  const RunOptions& r = problem.run;
  switch (problem.search.goal) {
    case Goal::Money:
      return devices + double(r.spareHosts) * problem.cluster->largestGroupSize(0);
    case Goal::Energy:
      return devices * r.devicePower.value_or(0) + hosts * r.hostPower.value_or(0);
    default:
      return 1;
  }
}

/// Bytes of weights and optimizer state under the strategy that holds least.
Bytes leastCheckpoint(const Problem& problem) {
  const Profile& profile = *problem.profile;
  double parameters = 0;
  for (const Layer& layer : problem.graph->layers) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < profile.strategies().size(); ++k)
      for (std::size_t b = 0; b < profile.microbatches().size(); ++b) {
        const Strategy& s = profile.strategies()[k];
        const LayerCost* cost = profile.cost(layer.classId, static_cast<int>(k), static_cast<int>(b));
        if (cost)
          least = std::min(least, (cost->denseParameters - cost->frozenDense) * s.tensor +
                                      (cost->expertParameters - cost->frozenExpert) * s.expert *
                                          (s.foldedExperts ? 1 : s.tensor));
      }
    if (least < std::numeric_limits<double>::infinity()) parameters += least;
  }
  return Bytes(parameters * (problem.job.optimizer.weightBytes + problem.job.optimizer.optimizerBytes));
}

int groupsFor(int count, int each) {
  return (count + each - 1) / std::max(1, each);
}

/// What a second of a step on so many devices counts at least.
double leastOf(const Problem& problem, int devices, Bytes checkpoint) {
  const Hierarchy& cluster = *problem.cluster;
  CheckpointSize size;
  size.hosts = groupsFor(devices, cluster.largestGroupSize(0));
  const double cost = costOf(problem, devices, size.hosts);
  if (!problem.run.hasFailures()) return cost;
  size.all = size.readByAll = checkpoint;
  size.switches = cluster.levelCount() > 1 ? groupsFor(devices, cluster.largestGroupSize(1)) : 0;
  size.ofDevice = checkpoint / devices, size.ofHost = size.readByHost = checkpoint / size.hosts;
  const RunTimes times = runTimesOf(problem, size, devices, Seconds(), kLongRun);
  const RunPrediction p = predictRun(times);
  return cost * (p.finishes ? p.total / times.work : kNeverEnds);
}

}  // namespace

std::vector<std::string> missingForGoal(const Problem& problem) {
  const RunOptions& r = problem.run;
  std::vector<std::string> out;
  if (problem.search.goal == Goal::TimePerToken) return out;
  if (!problem.job.trainingTokens) out.emplace_back("/job/training_tokens");
  if (problem.search.goal == Goal::Money && !r.pricePerDeviceHour)
    out.emplace_back("/run/price_per_device_hour");
  if (problem.search.goal == Goal::Energy && !r.devicePower) out.emplace_back("/run/device_power_w");
  for (std::string& key : missingForFailures(problem)) out.push_back(std::move(key));
  return out;
}

void weighDevices(Problem& problem) {
  problem.deviceWeights.reset();
  const Goal goal = problem.search.goal;
  if (goal == Goal::TimePerToken || !missingForGoal(problem).empty()) return;
  if (goal == Goal::Days && !problem.run.hasFailures()) return;
  const int all = problem.cluster->deviceCount();
  const Bytes checkpoint = leastCheckpoint(problem);
  std::vector<double> weights(at(all) + 1, 1);
  for (int n = 1; n <= all; ++n) weights[at(n)] = leastOf(problem, n, checkpoint);
  // Fewer devices never count more, so that bounds hold where their number is not known yet.
  for (int n = all; n-- > 1;) weights[at(n)] = std::min(weights[at(n)], weights[at(n) + 1]);
  const double whole = weights.back();
  if (!(whole > 0)) return;
  for (double& w : weights) w /= whole;
  weights[0] = weights[1];
  problem.deviceWeights = std::make_shared<const std::vector<double>>(std::move(weights));
}

std::optional<double> valueUnderGoal(const Problem& problem, const Plan& plan, const Evaluation& e) {
  const auto forecast = problem.deviceWeights ? runForecastOf(problem, plan, e) : std::nullopt;
  if (!forecast) return e.ranked.value();
  if (forecast->prediction && !forecast->prediction->finishes) return std::nullopt;
  const double factor = forecast->prediction ? forecast->prediction->total / forecast->times->work : 1;
  const double own = factor * costOf(problem, plan.devicesUsed(), forecast->checkpoint.hosts);
  // Weights are relative to that of so many devices.
  const int all = static_cast<int>(problem.deviceWeights->size()) - 1;
  const double value = e.batchTime.value() * problem.job.globalBatch / e.globalBatch * own /
                       leastOf(problem, all, leastCheckpoint(problem));
  return std::max(value, e.ranked.value());
}

}  // namespace nest
