#include "study/scaling.h"

#include <algorithm>

#include "cluster/levels/device_change.h"
#include "fields/program_setting.h"
#include "problem/device_count.h"
#include "run/goal.h"
#include "study/quiet_solve.h"
#include "units/text.h"

namespace nest {
namespace {

Problem sized(const Problem& problem, int devices) {
  Problem out = withDeviceCount(problem, devices);
  if (out.deviceWeights) weighDevices(out);
  return out;
}

}  // namespace

std::vector<int> powersOfTwo(int least, int most) {
  std::vector<int> out;
  for (long long n = 1; n <= most; n *= 2)
    if (n >= least) out.push_back(static_cast<int>(n));
  return out;
}

ScalingPoint scalingPoint(const Problem& problem, int devices, const Control& control) {
  ScalingPoint p;
  p.devices = devices;
  p.outcome = quietSolve(sized(problem, devices), control);
  if (const RankedPlan* best = p.outcome.best())
    p.samplesPerSecond = best->evaluation.globalBatch / best->evaluation.batchTime.value();
  return p;
}

void compareScalingPoints(const Problem& problem, std::vector<ScalingPoint>& curve) {
  const ScalingPoint* before = nullptr;
  double perDevice = 0;
  for (ScalingPoint& p : curve) {
    const RankedPlan* best = p.outcome.best();
    if (!best) continue;
    const double each = p.samplesPerSecond / p.devices;
    if (perDevice == 0) perDevice = each;
    p.efficiency = each / perDevice;
    if (before) {
      const RankedPlan& last = *before->outcome.best();
      p.change =
          diff(withDeviceCount(problem, p.devices), last.plan, last.evaluation, best->plan, best->evaluation);
    }
    before = &p;
  }
}

std::vector<ScalingPoint> scalingCurve(const Problem& problem, const std::vector<int>& counts,
                                       const Control& control) {
  std::vector<ScalingPoint> out;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    reportStudy(control, "Scaling", i, counts.size());
    if (studyStopped(control))
      out.push_back({counts[i], notSolved(control), 0, 0, {}});
    else
      out.push_back(scalingPoint(problem, counts[i], control));
  }
  compareScalingPoints(problem, out);
  return out;
}

namespace {

/// A scenario that was calibrated to a time meets it, rounding aside.
bool isWithin(Seconds time, Seconds target) {
  return time <= target * (1 + 1e-9);
}

class DeviceBisection {
public:
  DeviceBisection(const Problem& p, Seconds target, const Control& control)
      : m_problem(p), m_target(target), m_control(control) {}

  FewestDevices run(int most) {
    const int own = m_problem.cluster->deviceCount();
    m_wide = most > own ? sized(m_problem, most) : m_problem;
    const Outcome all = on(most);
    if (!meets(all)) return without(all, most);
    // `enough` suffices by a plan that uses no more; below `few` none does.
    int few = 1, enough = m_out.devices;
    while (few < enough && !studyStopped(m_control)) {
      const int middle = few + (enough - few) / 2;
      const Outcome o = on(middle);
      m_out.complete = m_out.complete && (meets(o) || !o.cutShort());
      if (meets(o))
        enough = m_out.devices;
      else
        few = middle + 1;
      reportStudy(m_control, "Fewest devices", m_out.tried.size(), m_out.tried.size() + 4);
    }
    m_out.answer = FewestDevices::Answer::Suffice;
    m_out.complete = m_out.complete && few >= enough;
    m_out.sentence = text::count(m_out.devices) +
                     " devices suffice: " + text::time(m_out.plan->evaluation.batchTime) + " per step with " +
                     summaryOf(m_out.plan->plan);
    if (!m_out.complete) m_out.sentence += "; the search was cut short, fewer may do";
    return std::move(m_out);
  }

private:
  Outcome on(int bound) {
    Problem p = m_wide;
    Bound& b = p.constraints.devices;
    b.most = std::min(b.most.value_or(bound), bound);
    Outcome o = quietSolve(std::move(p), m_control);
    const RankedPlan* best = o.best();
    m_out.tried.emplace_back(bound, best ? best->evaluation.batchTime : Seconds());
    if (meets(o)) {
      m_out.plan = *best;
      m_out.devices = best->plan.devicesUsed();
    }
    return o;
  }

  bool meets(const Outcome& o) const {
    return o.best() && isWithin(o.best()->evaluation.batchTime, m_target);
  }

  FewestDevices without(const Outcome& o, int most) {
    const std::string devices = text::count(most) + " devices";
    if (o.best()) m_out.fastest = o.best()->evaluation.batchTime;
    if (o.cutShort()) {
      m_out.complete = false;
      m_out.sentence = "stopped before it was known whether " + devices + " suffice";
      if (o.best()) m_out.sentence += "; the best plan so far takes " + text::time(m_out.fastest);
    } else {
      m_out.answer = o.best() ? FewestDevices::Answer::TooSlow : FewestDevices::Answer::DoesNotFit;
      const bool looksEqual = text::time(m_out.fastest) == text::time(m_target);
      m_out.sentence = o.best()
                           ? "no: " + devices + " take " + (looksEqual ? "a little more than " : "") +
                                 text::time(m_out.fastest) + " at best"
                           : "no: on " + devices + (o.nearestMiss ? " nothing fits" : " there is no plan");
    }
    return std::move(m_out);
  }

  const Problem& m_problem;
  Seconds m_target;
  const Control& m_control;
  Problem m_wide;
  FewestDevices m_out;
};

bool isRunBy(const Program& program, const DeviceSpec& device, Diagnostics& out) {
  const bool runs = program.runsOn(device.id);
  if (!runs)
    out.push_back(error("program-device", {"", 0, 0, "/program"},
                        program.name + " does not run on " + device.name, "choose another program"));
  return runs;
}

/// Bandwidths of the levels, the innermost first.
std::vector<BytesPerSecond> bandwidthsOf(const Hierarchy& cluster) {
  std::vector<BytesPerSecond> out;
  for (int l = 0; l < cluster.levelCount(); ++l) out.push_back(cluster.level(l).bandwidth);
  return out;
}

}  // namespace

const char* nameOf(FewestDevices::Answer a) {
  switch (a) {
    case FewestDevices::Answer::Suffice:
      return "suffice";
    case FewestDevices::Answer::TooSlow:
      return "too-slow";
    case FewestDevices::Answer::DoesNotFit:
      return "does-not-fit";
    case FewestDevices::Answer::Open:
      break;
  }
  return "stopped";
}

FewestDevices fewestDevices(const Problem& problem, Seconds target, int most, const Control& control) {
  return DeviceBisection(problem, target, control).run(most > 0 ? most : problem.cluster->deviceCount());
}

std::vector<DeviceAnswer> compareDevices(const Scenario& scenario, const std::vector<DeviceSpec>& devices,
                                         std::optional<Seconds> target, const Control& control) {
  std::vector<DeviceAnswer> out;
  if (!scenario.model.architecture) return out;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    reportStudy(control, devices[i].name, i, devices.size());
    DeviceAnswer answer;
    answer.device = devices[i];
    answer.outcome = notSolved(control);
    if (!studyStopped(control)) {
      Scenario other = scenario;
      changeDevice(other.cluster, devices[i]);
      const auto problem = isRunBy(programOf(scenario), devices[i], answer.diagnostics) ? buildProblem(other)
                                                                                        : Reading<Problem>();
      answer.diagnostics.insert(answer.diagnostics.end(), problem.diagnostics.begin(),
                                problem.diagnostics.end());
      answer.outcome = problem ? quietSolve(*problem, control) : Outcome{};
      if (problem) answer.bandwidths = bandwidthsOf(*problem->cluster);
    }
    if (const RankedPlan* best = answer.outcome.best()) {
      answer.batchTime = best->evaluation.batchTime;
      answer.meets = !target || isWithin(answer.batchTime, *target);
    }
    out.push_back(std::move(answer));
  }
  const auto rank = [](const DeviceAnswer& a) { return a.outcome.best() ? 0 : a.outcome.cutShort() ? 1 : 2; };
  std::stable_sort(out.begin(), out.end(), [&](const DeviceAnswer& a, const DeviceAnswer& b) {
    return rank(a) != rank(b) ? rank(a) < rank(b) : a.batchTime < b.batchTime;
  });
  return out;
}

}  // namespace nest
