// Stages take consecutive devices: behind an incomplete host every tensor group of the hosts that follow
// straddles two of them, and groups of 64 straddle the racks of 72. Even hosts are a cluster of their own,
// mostly a regular one, which is solved in a small part of the time; so they come first, under the same
// deadline.
#include "solver/even_hosts.h"

#include <algorithm>
#include <limits>
#include <set>

#include "cluster/levels/scale_up.h"
#include "evaluation/schedule.h"
#include "model/strategy_subset.h"
#include "problem/device_count.h"
#include "solver/line_search.h"
#include "solver/plain_first.h"
#include "solver/solve.h"
#include "solver/space/device_subset.h"
#include "solver/tolerances.h"
#include "solver/tuning.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr const char* kDevicesIdle = "devices-left-idle";

/// The devices of a plan on even hosts, as the whole cluster numbers them.
std::vector<DeviceIndex> devicesOf(const Plan& plan, const Hierarchy& even) {
  std::vector<DeviceIndex> out;
  const long long end = (plan.dataOuter - 1LL) * plan.blockStride + plan.pipelineWidth();
  for (int p = 0; p < even.deviceCount() && p < end; ++p)
    out.emplace_back(even.identity(DeviceIndex(p)).source);
  return out;
}

/// Those on which the start stands, if there is one, first: it is found there at once.
std::vector<const DeviceSubset*> inOrder(const std::vector<DeviceSubset>& ways, const Problem& problem,
                                         const Plan* start) {
  std::vector<const DeviceSubset*> order;
  for (const DeviceSubset& way : ways) order.push_back(&way);
  if (start)
    std::stable_partition(order.begin(), order.end(), [&](const DeviceSubset* way) {
      return devicesOf(*start, *withoutDevices(problem, way->idle).cluster) == start->deviceOrder;
    });
  return order;
}

/// A plan on even hosts as one on the whole cluster.
RankedPlan placed(const Problem& problem, const Hierarchy& even, Plan plan) {
  RankedPlan r;
  plan.deviceOrder = devicesOf(plan, even);
  r.evaluation = evaluate(problem, plan);
  if (r.evaluation.feasible()) r.simulated = simulate(problem, plan, r.evaluation, false).total;
  r.plan = std::move(plan);
  return r;
}

Bytes peakMemory(const RankedPlan& r) {
  Bytes peak;
  for (const StageEvaluation& s : r.evaluation.stages) peak = std::max(peak, s.memory.total());
  return peak;
}

/// Several solves under one deadline and one work limit, whose progress goes on from one to the next.
class InTurn {
  using Clock = std::chrono::steady_clock;

public:
  InTurn(const Problem& problem, const Control& control, const Tuning& tuning)
      : m_whole(problem), m_control(control), m_tuning(tuning) {}

  /// With the same part of what is left of time and work for each of the `left` solves to come, this one
  /// included: none takes all, and what one does not need is left to those after it. Progress goes to `end`.
  Outcome run(const Problem& problem, const Plan* start, double end, int left) {
    Control own = m_control;
    if (own.deadline) {
      const auto now = Clock::now();
      own.deadline = now + std::max(Clock::duration(0), *own.deadline - now) / left;
    }
    const long long given = own.work ? own.work->left() / left : 0;
    if (own.work) own.work = std::make_shared<WorkLimit>(given);
    if (left > 1 && own.front == FrontEffort::Usual) own.front = FrontEffort::None;
    m_begin = m_end, m_end = end;
    if (own.progress) own.progress = [this](const Progress& p) { tell(p); };
    if (own.found) own.found = [&](const RankedPlan& r) { show(problem, r); };
    Outcome o = solver::solveAtOnce(problem, own, start, m_tuning);
    m_isWhole = m_isWhole && !o.cutShort();
    if (own.work) m_control.work->spend(given - own.work->left());
    return o;
  }
  StopCause cause() const { return m_control.cause(); }
  void know(std::optional<Seconds> best) {
    if (best && (!m_best || *best < *m_best)) m_best = best;
  }

private:
  void tell(Progress p) {
    p.fraction = m_begin + (m_end - m_begin) * p.fraction;
    if (m_best && (!p.best || *m_best < *p.best)) p.best = m_best;
    if (m_end < 1 || !m_isWhole) p.lowerBound = 0;  // of a part of the plans
    p.settled = p.best && p.lowerBound >= p.best->value() * solver::kRoundDown;
    if (p.best) p.lowerBound = std::min(p.lowerBound, p.best->value());
    m_control.progress(p);
  }

  /// Of a part of the hosts as a plan of the whole; only what is faster than what was shown before.
  void show(const Problem& problem, const RankedPlan& found) {
    const RankedPlan r = &problem == &m_whole ? found : placed(m_whole, *problem.cluster, found.plan);
    if (!r.evaluation.feasible() || (m_shown && r.evaluation.ranked >= *m_shown)) return;
    m_shown = r.evaluation.ranked;
    m_control.found(r);
  }

  const Problem& m_whole;
  Control m_control;
  const Tuning& m_tuning;
  std::optional<Seconds> m_best, m_shown;
  double m_begin = 0, m_end = 0;
  bool m_isWhole = true;  ///< no solve so far was ended early
};

Diagnostic saving(const DeviceSubset& even, const RankedPlan& found, const RankedPlan* all) {
  std::string message = text::count(static_cast<int>(even.idle.size())) + " devices are left idle: on " +
                        even.name + (even.complete ? " alone a step takes " : " a step takes ") +
                        text::time(found.evaluation.batchTime);
  message += all ? ", on all devices in their order " + text::time(all->evaluation.batchTime)
                 : ", on all devices in their order there is no plan";
  return note(kDevicesIdle, {}, std::move(message));
}

Diagnostic savingOnLine(const Problem& problem, const RankedPlan& found, const RankedPlan* inOrder) {
  const int idle = problem.cluster->deviceCount() - found.plan.devicesUsed();
  std::string message = "the groups of the network are taken in another order";
  if (idle > 0)
    message = text::count(idle) + (idle == 1 ? " device is" : " devices are") +
              " left idle, so that ranks that communicate straddle fewer groups of the network";
  message += ": a step takes " + text::time(found.evaluation.batchTime) + ", in the network's order ";
  message += inOrder ? text::time(inOrder->evaluation.batchTime) : std::string("there is no plan");
  return note(kDevicesIdle, {}, std::move(message));
}

/// The search ran to its end; `bound`: what no plan on any line can beat.
void settleOnLines(Outcome& o, Seconds bound) {
  o.range = ProofRange::EveryLine;
  o.frontReach = std::min(o.frontReach, FrontReach::CompleteInOrder);
  o.provenPlans = std::min(o.provenPlans, 1);  // those behind the first may be faster on another line
  const Seconds best = o.best()->evaluation.ranked;
  if (bound.value() >= best.value() * (1 - solver::kEvaluatorAgreement)) return;
  o.status = OutcomeStatus::WithinGap;
  o.lowerBound = bound;
  o.provenPlans = 0;
}

/// Adds to a Pareto front what none of its plans beats; what that beats goes.
void addToFront(std::vector<RankedPlan>& front, RankedPlan plan) {
  const auto beats = [](const RankedPlan& a, const RankedPlan& b) {
    return a.evaluation.ranked <= b.evaluation.ranked * solver::kRoundUp &&
           a.plan.devicesUsed() <= b.plan.devicesUsed() && peakMemory(a) <= peakMemory(b) * solver::kRoundUp;
  };
  if (std::any_of(front.begin(), front.end(), [&](const RankedPlan& r) { return beats(r, plan); })) return;
  std::erase_if(front, [&](const RankedPlan& r) { return beats(plan, r); });
  const auto place = std::upper_bound(front.begin(), front.end(), plan, [](const auto& a, const auto& b) {
    return a.evaluation.ranked < b.evaluation.ranked;
  });
  front.insert(place, std::move(plan));
}

void forgetMisses(Outcome& o) {
  o.nearestMiss.reset();
  std::erase_if(o.diagnostics, [](const Diagnostic& d) {
    return d.code == "nothing-fits" || d.code == "nothing-allowed" || d.code == kMissUnknown;
  });
}

bool isWholeAndRegular(const Hierarchy& cluster) {
  return cluster.isRegular() && cluster.hasUniformDevices();
}

/// Whether there are other lines: sets of devices, or orders of groups that differ. Of a regular cluster that
/// is used whole there is one line; where nothing fits, equal devices would fit no better on another.
bool hasOtherLines(const Problem& problem, const Outcome& o) {
  const Hierarchy& cluster = *problem.cluster;
  if (cluster.hasUniformDevices() && (cluster.levelCount() < 2 || !o.best())) return false;
  return !isWholeAndRegular(cluster) || o.best()->plan.devicesUsed() < cluster.deviceCount();
}

/// Puts the plan in front of what the whole cluster in its order can do.
void lead(Outcome& o, const Problem& problem, RankedPlan found) {
  // A search that was cut short may have come so far that the rest cannot be faster.
  const bool proven = !o.cutShort() || o.lowerBound >= found.evaluation.ranked;
  if (proven) o.stopCause = StopCause::None;
  o.lowerBound = proven ? found.evaluation.ranked : std::min(o.lowerBound, found.evaluation.ranked);
  o.status = proven ? OutcomeStatus::Optimal : OutcomeStatus::BestSoFar;
  o.provenPlans = proven ? 1 : 0;
  forgetMisses(o);
  o.plans.insert(o.plans.begin(), std::move(found));
  if (o.plans.size() > static_cast<std::size_t>(std::max(1, problem.search.topPlans))) o.plans.pop_back();
}

/// The searches of the parts left out what the search of the whole did; their best plan may be another.
Outcome addIncompletenessNote(const Problem& problem, Outcome o) {
  o.notSearched = notSearched(problem, o.shownPlan());
  // What is proven over all sets of devices leaves none of them out.
  if (o.range == ProofRange::EveryLine && !o.cutShort() && o.status != OutcomeStatus::WithinGap)
    std::erase_if(o.notSearched, [](const NotSearched& n) { return n.kind == NotSearched::Kind::DeviceSet; });
  return o;
}

/// Some even hosts were not searched to the end: `bound` is what they can do at best.
void mergePartialBound(Outcome& o, Seconds bound, StopCause cause) {
  o.lowerBound = o.status == OutcomeStatus::Infeasible ? bound : std::min(o.lowerBound, bound);
  if (o.stopCause == StopCause::None) o.stopCause = cause;
  if (!o.best()) {
    o.status = OutcomeStatus::Stopped;
    forgetMisses(o);
  } else if (o.lowerBound < o.best()->evaluation.ranked) {
    o.status = OutcomeStatus::BestSoFar;
    o.provenPlans = 0;
  }
}

}  // namespace

std::optional<Diagnostic> evenHostsNote(const Hierarchy& cluster) {
  const auto ways = deviceSubsets(cluster);
  if (ways.empty()) return std::nullopt;
  std::string list;
  for (const DeviceSubset& even : ways)
    list += (list.empty() ? "" : "; ") + even.name + " (" + text::count(even.devices) + " devices, " +
            text::count(static_cast<int>(even.idle.size())) + " idle)";
  int least = cluster.largestGroupSize(0);
  for (int h = 0; h < cluster.groupCount(0); ++h)
    least = std::min(least, cluster.groupSpan(0, h).second - cluster.groupSpan(0, h).first);
  const bool areAlike = cluster.uniformGroupSize(0) > 0, differ = !cluster.hasUniformDevices();
  return note(!areAlike ? "hosts-uneven"
              : differ  ? "devices-differ"
                        : "hosts-odd",
              {"", 0, 0, "/cluster/network"},
              (!areAlike ? "hosts have " + text::count(least) + " to " +
                               text::count(cluster.largestGroupSize(0)) + " devices"
               : differ ? "devices differ in speed or memory"
                        : "few degrees of parallelism divide the groups of the network") +
                  std::string(": in addition to all ") + text::count(cluster.deviceCount()) +
                  ", solve plans on " + (areAlike && differ ? "a part" : "even hosts") +
                  " and takes what is faster: " + list);
}

Problem insideHosts(Problem p) {
  if (p.search.preset != SearchPreset::Runnable || p.cluster->uniformGroupSize(0) == 0) return p;
  const auto& all = p.profile->strategies();
  const int host = scaleUpSize(*p.cluster);
  std::vector<int> kept;
  for (int k = 0; k < static_cast<int>(all.size()); ++k)
    if (host % all[k].tensor == 0) kept.push_back(k);
  if (kept.size() < all.size() && !kept.empty())
    p.profile = std::make_shared<const Profile>(withStrategies(*p.graph, *p.profile, kept));
  return p;
}

Outcome solveOnEvenHosts(const Problem& problem, const Control& control, const Plan* start) {
  return solveOnEvenHosts(problem, control, start, {});
}

namespace {
Outcome solveOnAll(const Problem& problem, const Control& control, const Plan* start, const Tuning& tuning) {
  const auto ways = deviceSubsets(*problem.cluster);
  if (ways.empty()) return solver::solveAtOnce(problem, control, start, tuning);
  InTurn turn(problem, control, tuning);
  std::optional<RankedPlan> found;
  const DeviceSubset* of = nullptr;
  StopCause cut = StopCause::None;
  Seconds bound(std::numeric_limits<double>::infinity());
  SolveStatistics statistics;
  Outcome ended;  // holds the tables of what was ended early
  const bool wide = control.front == FrontEffort::Wider;
  std::vector<RankedPlan> front;
  FrontReach reach = wide ? FrontReach::Complete : FrontReach::Encountered;
  const bool startsOnPart = start && !start->deviceOrder.empty();
  int left = static_cast<int>(ways.size()) + 1;
  double end = 0;
  SearchExtent finished = SearchExtent::Everything;
  for (const DeviceSubset* way : inOrder(ways, problem, startsOnPart ? start : nullptr)) {
    // Where the start is known to stand, it is looked at however little time there is.
    const bool begins = startsOnPart && end == 0;
    if (const StopCause over = turn.cause(); over != StopCause::None && !begins) {
      cut = over, bound = Seconds(0);
      finished = SearchExtent::Nothing;
      break;
    }
    Problem even = insideHosts(withoutDevices(problem, way->idle));
    if (!wide) even.search.topPlans = 1;
    std::optional<Plan> known;
    if (found)
      known = found->plan;
    else if (startsOnPart)
      known = *start;
    if (known) known->deviceOrder.clear();  // mostly it stands there as well
    Outcome o = turn.run(even, known ? &*known : nullptr, end += 0.1, left--);
    statistics.add(o.statistics);
    if (turn.cause() != StopCause::None) ended.takeTablesOf(o);
    finished = std::min(finished, o.finished);
    if (o.cutShort()) cut = o.stopCause, bound = std::min(bound, o.lowerBound);
    if (!o.best()) continue;
    reach = std::min(reach, o.frontReach);
    for (const RankedPlan& r : o.front) front.push_back(placed(problem, *even.cluster, r.plan));
    RankedPlan r = placed(problem, *even.cluster, o.best()->plan);
    if (!r.evaluation.feasible()) continue;
    // Of equals the first in the order of the ways, wherever the search began.
    const auto rank = [](const RankedPlan& plan, const DeviceSubset* on) {
      return std::pair(plan.evaluation.ranked, on);
    };
    if (found && rank(*found, of) < rank(r, way)) continue;
    turn.know(r.evaluation.ranked);
    found = std::move(r), of = way;
  }
  Outcome o = turn.run(insideHosts(problem), start, 1, left);
  o.statistics.add(statistics);
  o.takeTablesOf(ended);
  if (o.status == OutcomeStatus::Failed) return o;
  o.finished = std::min(o.finished, finished);
  // Plans on part of the devices compete for the first place, and are not listed behind it.
  o.provenPlans = std::min(o.provenPlans, 1);
  const bool isFaster = found && (!o.best() || found->evaluation.ranked * (1 + solver::kEvaluatorAgreement) <
                                                   o.best()->evaluation.ranked);
  if (control.front != FrontEffort::None) {
    if (found) front.push_back(*found);
    for (RankedPlan& r : front)
      if (r.evaluation.feasible()) addToFront(o.front, std::move(r));
    o.frontReach = o.status == OutcomeStatus::Infeasible ? reach : std::min(reach, o.frontReach);
  }
  if (isFaster) {
    o.diagnostics.push_back(saving(*of, *found, o.best()));
    lead(o, problem, std::move(*found));
  }
  if (cut != StopCause::None) mergePartialBound(o, bound, cut);
  return o;
}

/// Puts the plan in front, in place of one on part of the devices.
void leadOnLine(Outcome& o, const Problem& problem, const Control& control, RankedPlan found) {
  std::erase_if(o.diagnostics, [](const Diagnostic& d) { return d.code == kDevicesIdle; });
  o.diagnostics.push_back(savingOnLine(problem, found, o.best()));
  const bool hadPart = !o.plans.empty() && !o.plans.front().plan.deviceOrder.empty();
  if (hadPart) o.plans.erase(o.plans.begin());
  if (control.front != FrontEffort::None) addToFront(o.front, found);
  lead(o, problem, std::move(found));
}

/// Nothing fits in the order of the network, nor on the lines that were built.
Outcome withoutPlanOnLines(Outcome o, double bound, const Control& control) {
  if (bound == std::numeric_limits<double>::infinity()) {
    o.range = ProofRange::EveryLine;
  } else if (control.shouldStop()) {
    mergePartialBound(o, Seconds(bound), control.cause());
  } else {
    o.diagnostics.insert(o.diagnostics.begin(),
                         note(kOtherLinesOpen, {},
                              "a plan may fit on another set or in another order of devices, of which not "
                              "all were tried"));
  }
  return o;
}

/// Of a part of the lines no bound is known, and nothing is settled.
Control withoutBounds(const Control& control) {
  Control own = control;
  if (control.progress)
    own.progress = [&control](Progress p) {
      p.lowerBound = 0;
      p.settled = false;
      control.progress(p);
    };
  return own;
}

/// The same, and on other lines. Where that is ended early, the bound is one over all lines.
Outcome solveOnLines(const Problem& problem, const Control& control, const Plan* start,
                     const Tuning& tuning) {
  const bool isWhole = isWholeAndRegular(*problem.cluster);
  Outcome o = solveOnAll(problem, isWhole ? control : withoutBounds(control), start, tuning);
  if (o.status == OutcomeStatus::Failed) return o;
  const auto isFaster = [&](const RankedPlan& r) {
    return !o.best() || r.evaluation.ranked * (1 + solver::kEvaluatorAgreement) < o.best()->evaluation.ranked;
  };
  if (auto given = start ? solver::planOnLine(problem, *start) : std::nullopt; given && isFaster(*given))
    leadOnLine(o, problem, control, std::move(*given));
  if (!hasOtherLines(problem, o)) {
    // Plans that leave devices idle have other lines all the same.
    if (problem.cluster->levelCount() > 1 &&
        problem.constraints.devices.least < problem.cluster->deviceCount())
      o.frontReach = std::min(o.frontReach, FrontReach::CompleteInOrder);
    return o;
  }
  if (o.cutShort() || control.shouldStop()) {
    const StopCause cause = o.cutShort() ? o.stopCause : control.cause();
    if (!o.best()) {
      if (!o.cutShort()) mergePartialBound(o, Seconds(0), cause);  // nothing fits in the network's order
      return o;
    }
    const double limit = o.best()->evaluation.ranked.value();
    mergePartialBound(o, Seconds(solver::leastOnAnyLine(problem, limit, tuning)), cause);
    o.range = ProofRange::EveryLine;
    return o;
  }
  const double limit =
      o.best() ? o.best()->evaluation.ranked.value() : std::numeric_limits<double>::infinity();
  solver::OnLines lines = solver::searchLines(problem, limit, o.statistics.states, control, tuning);
  o.statistics.add(lines.statistics);
  if (lines.best && isFaster(*lines.best)) leadOnLine(o, problem, control, std::move(*lines.best));
  if (!o.best()) return withoutPlanOnLines(std::move(o), lines.bound, control);
  if (control.shouldStop()) {
    mergePartialBound(o, Seconds(lines.bound), control.cause());
    o.range = ProofRange::EveryLine;
  } else {
    settleOnLines(o, Seconds(lines.bound));
  }
  return o;
}
}  // namespace

Outcome solveOnEvenHosts(const Problem& problem, const Control& control, const Plan* start,
                         const Tuning& tuning) {
  const Control own = control.within(problem.search.deadlineSeconds);
  return solver::underGoal(
      problem,
      addIncompletenessNote(problem, solver::solvePlainFirst(problem, own, start, tuning, solveOnLines)));
}

}  // namespace nest
