#include "study/scaling.h"

#include <algorithm>

#include "study/lever.h"
#include "study/quiet_solve.h"
#include "units/text.h"

namespace nest {

std::vector<int> powersOfTwo(int least, int most) {
  std::vector<int> out;
  for (long long n = 1; n <= most; n *= 2)
    if (n >= least) out.push_back(static_cast<int>(n));
  return out;
}

std::vector<ScalingPoint> scalingCurve(const Problem& problem, const std::vector<int>& counts,
                                       const Control& control) {
  std::vector<ScalingPoint> out;
  const ScalingPoint* before = nullptr;
  double perDevice = 0;
  out.reserve(counts.size());
  for (std::size_t i = 0; i < counts.size() && !studyStopped(control); ++i) {
    reportStudy(control, "Scaling", i, counts.size());
    const Problem sized = withDeviceCount(problem, counts[i]);
    ScalingPoint p;
    p.devices = counts[i];
    p.outcome = quietSolve(sized, control);
    if (const RankedPlan* best = p.outcome.best()) {
      p.samplesPerSecond = problem.job.globalBatch / best->evaluation.batchTime.value();
      const double each = p.samplesPerSecond / counts[i];
      if (perDevice == 0) perDevice = each;
      p.efficiency = each / perDevice;
      if (before) {
        const RankedPlan& last = *before->outcome.best();
        p.change = diff(sized, last.plan, last.evaluation, best->plan, best->evaluation);
      }
    } else if (studyStopped(control)) {
      break;
    }
    out.push_back(std::move(p));
    if (out.back().outcome.best()) before = &out.back();
  }
  return out;
}

namespace {

class DeviceBisection {
public:
  DeviceBisection(const Problem& p, Seconds target, const Control& control)
      : m_problem(p), m_target(target), m_control(control) {}

  FewestDevices run(int most) {
    const int own = m_problem.cluster->deviceCount();
    m_wide = most > own ? withDeviceCount(m_problem, most) : m_problem;
    if (!meets(most)) {
      m_out.sentence = m_last.value() > 0
                           ? "no: " + text::count(most) + " devices take " + text::time(m_last) + " at best"
                           : "no: on " + text::count(most) + " devices nothing fits";
      m_out.fastest = m_last;
      return std::move(m_out);
    }
    // `enough` suffices by a plan that uses no more; below `few` none does.
    int few = 1, enough = m_out.devices;
    while (few < enough && !studyStopped(m_control)) {
      const int middle = few + (enough - few) / 2;
      if (meets(middle))
        enough = m_out.devices;
      else
        few = middle + 1;
      reportStudy(m_control, "Fewest devices", m_out.tried.size(), m_out.tried.size() + 4);
    }
    m_out.reachable = true;
    m_out.complete = m_out.complete && !studyStopped(m_control);
    m_out.sentence = text::count(m_out.devices) +
                     " devices suffice: " + text::time(m_out.plan->evaluation.batchTime) + " a batch with " +
                     summaryOf(m_out.plan->plan);
    return std::move(m_out);
  }

private:
  bool meets(int bound) {
    Problem p = m_wide;
    Bound& b = p.constraints.devices;
    b.most = std::min(b.most.value_or(bound), bound);
    const Outcome o = quietSolve(std::move(p), m_control);
    const RankedPlan* best = o.best();
    m_out.complete =
        m_out.complete && (o.status == OutcomeStatus::Optimal || o.status == OutcomeStatus::Infeasible);
    m_last = best ? best->evaluation.batchTime : Seconds(0);
    m_out.tried.emplace_back(bound, m_last);
    if (!best || best->evaluation.batchTime > m_target) return false;
    m_out.plan = *best;
    m_out.devices = best->plan.devicesUsed();
    return true;
  }

  const Problem& m_problem;
  Seconds m_target;
  const Control& m_control;
  Problem m_wide;
  Seconds m_last;
  FewestDevices m_out;
};

void adopt(ClusterSource& cluster, const DeviceSpec& device) {
  cluster.device = device;
  auto* levels = std::get_if<LevelsSource>(&cluster.network);
  if (!levels) return;
  const auto follows = [](const LevelSpec& l) {
    return l.origin == Origin::Catalog || l.origin == Origin::Estimated;
  };
  if (!levels->levels.empty() && follows(levels->levels.front()) && device.linkBandwidth.value.value() > 0) {
    levels->levels.front().bandwidth = device.linkBandwidth.value;
    levels->levels.front().latency = device.linkLatency.value;
  }
  for (std::size_t l = 1; l < levels->levels.size(); ++l)
    if (follows(levels->levels[l]) && device.hostLinkBandwidth.value.value() > 0)
      levels->levels[l].bandwidth = device.hostLinkBandwidth.value;
}

}  // namespace

FewestDevices fewestDevices(const Problem& problem, Seconds target, int most, const Control& control) {
  return DeviceBisection(problem, target, control).run(most > 0 ? most : problem.cluster->deviceCount());
}

std::vector<DeviceAnswer> compareDevices(const Scenario& scenario, const std::vector<DeviceSpec>& devices,
                                         std::optional<Seconds> target, const Control& control) {
  std::vector<DeviceAnswer> out;
  if (!scenario.model.architecture) return out;
  for (std::size_t i = 0; i < devices.size() && !studyStopped(control); ++i) {
    reportStudy(control, devices[i].name, i, devices.size());
    Scenario other = scenario;
    adopt(other.cluster, devices[i]);
    DeviceAnswer answer;
    answer.device = devices[i];
    const auto problem = buildProblem(other);
    answer.diagnostics = problem.diagnostics;
    if (problem) answer.outcome = quietSolve(*problem, control);
    if (const RankedPlan* best = answer.outcome.best()) {
      answer.batchTime = best->evaluation.batchTime;
      answer.meets = !target || answer.batchTime <= *target;
    }
    out.push_back(std::move(answer));
  }
  std::stable_sort(out.begin(), out.end(), [](const DeviceAnswer& a, const DeviceAnswer& b) {
    const bool x = a.batchTime.value() > 0, y = b.batchTime.value() > 0;
    return x != y ? x : a.batchTime < b.batchTime;
  });
  return out;
}

}  // namespace nest
