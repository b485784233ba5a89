#include "study/failure_answers.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "evaluation/schedule.h"
#include "measures/pace.h"
#include "plan/stage_work.h"
#include "problem/device_count.h"
#include "study/plan_positions.h"
#include "study/quiet_solve.h"
#include "study/shrunk_plan.h"
#include "units/at.h"
#include "units/text.h"
#include "words/outcome_words.h"

namespace nest {
namespace {

constexpr int kNobody = -1;
constexpr double kEquallyFast = 1e-9;
constexpr double kGainOfBatch = 0.01;  ///< of tokens/s, below which another batch is not worth a word

double tokensRateOf(const Problem& problem, const Plan& plan, const Evaluation& e) {
  return paceOf(problem, plan, e).tokensPerSecond();
}

class Responses {
public:
  Responses(const Problem& problem, const RankedPlan& present, const std::vector<int>& lost)
      : m_problem(problem), m_present(present), m_lost(lost) {}

  FailureResponse without(FailureAnswer answer, std::string obstacle) const {
    FailureResponse out;
    out.answer = answer;
    out.obstacle = std::move(obstacle);
    return out;
  }

  /// `plan` is feasible on the healthy cluster and uses nothing that is lost, or spares in its place.
  FailureResponse with(FailureAnswer answer, Plan plan, Evaluation e) const {
    FailureResponse out;
    out.answer = answer;
    out.status = OutcomeStatus::Optimal;
    out.tokensPerSecond = tokensRateOf(m_problem, plan, e);
    const double before = tokensRateOf(m_problem, m_present.plan, m_present.evaluation);
    out.change = before > 0 ? out.tokensPerSecond / before - 1 : 0;
    out.moved = movedBetween(m_problem, m_present.plan, plan, m_lost);
    out.restart = restartWith(m_problem, plan, e, answer == FailureAnswer::Swap);
    const int healthy = m_problem.cluster->deviceCount() - static_cast<int>(m_lost.size());
    out.devicesIdle = std::max(0, healthy - plan.devicesUsed());
    out.plan = RankedPlan{std::move(plan), std::move(e), {}};
    return out;
  }

private:
  const Problem& m_problem;
  const RankedPlan& m_present;
  const std::vector<int>& m_lost;
};

}  // namespace

const char* nameOf(FailureAnswer a) {
  return a == FailureAnswer::Swap ? "swap" : a == FailureAnswer::Shrink ? "shrink" : "re-plan";
}

FailureResponse shrunk(const Problem& problem, const RankedPlan& present, const std::vector<int>& lost,
                       const Control& control) {
  const Responses responses(problem, present, lost);
  ShrunkPlan found = shrunkPlan(problem, present, lost, control);
  if (!found.plan) return responses.without(FailureAnswer::Shrink, std::move(found.obstacle));
  FailureResponse out =
      responses.with(FailureAnswer::Shrink, std::move(found.plan->plan), std::move(found.plan->evaluation));
  out.replicasDropped = found.replicasDropped;
  return out;
}

namespace {

/// The positions that a plan uses and that are lost, and the healthy ones that it does not use.
struct Hit {
  std::vector<int> lost, idle;
  int hosts = 0;  ///< with one of `lost`
};
Hit hitOf(const Problem& problem, const Plan& plan, const std::vector<int>& lost) {
  Hit out;
  const Hierarchy& h = *problem.cluster;
  const auto used = usedBy(problem, plan), gone = marked(h.deviceCount(), lost);
  std::set<int> hosts;
  for (int i = 0; i < h.deviceCount(); ++i) {
    if (used[at(i)] && gone[at(i)]) out.lost.push_back(i), hosts.insert(h.groupOf(0, i));
    if (!used[at(i)] && !gone[at(i)]) out.idle.push_back(i);
  }
  out.hosts = static_cast<int>(hosts.size());
  return out;
}

/// The same plan, with the nearest idle devices in place of the lost ones; nullopt: they are too few, or do
/// not hold it.
std::optional<RankedPlan> onIdleDevices(const Problem& problem, const Plan& present, Hit hit) {
  if (hit.idle.size() < hit.lost.size()) return std::nullopt;
  const Hierarchy& h = *problem.cluster;
  Plan plan = present;
  plan.deviceOrder = orderOf(plan, h.deviceCount());
  for (const int device : hit.lost) {
    const auto nearest = std::min_element(hit.idle.begin(), hit.idle.end(), [&](int a, int b) {
      return std::pair(h.levelBetween(device, a), a) < std::pair(h.levelBetween(device, b), b);
    });
    const auto place = std::find(plan.deviceOrder.begin(), plan.deviceOrder.end(), DeviceIndex(device));
    if (place != plan.deviceOrder.end()) *place = DeviceIndex(*nearest);
    hit.idle.erase(nearest);
  }
  // Ranks are then placed by a list of hosts, whatever order a launcher has by itself.
  Problem anyOrder = problem;
  anyOrder.constraints.megatronExpressible = false;
  Evaluation e = evaluate(anyOrder, plan);
  if (!e.feasible()) return std::nullopt;
  return RankedPlan{std::move(plan), std::move(e), {}};
}

/// The whole hosts that are hit: what is left of them is set aside until they are repaired.
Hit withWholeHosts(const Problem& problem, const Plan& plan, const Hit& hit) {
  const Hierarchy& h = *problem.cluster;
  std::set<int> hosts;
  for (const int i : hit.lost) hosts.insert(h.groupOf(0, i));
  Hit out{{}, hit.idle, hit.hosts};
  const auto isOfThem = [&](int i) { return hosts.count(h.groupOf(0, i)) > 0; };
  std::erase_if(out.idle, isOfThem);
  const auto used = usedBy(problem, plan);
  for (int i = 0; i < h.deviceCount(); ++i)
    if (used[at(i)] && isOfThem(i)) out.lost.push_back(i);
  return out;
}

/// Devices alone, or their whole hosts, so that what was inside a host stays inside one: the faster of both.
std::optional<RankedPlan> onIdle(const Problem& problem, const Plan& plan, const Hit& hit) {
  auto devices = onIdleDevices(problem, plan, hit);
  auto hosts = onIdleDevices(problem, plan, withWholeHosts(problem, plan, hit));
  const bool takesHosts =
      hosts && (!devices || hosts->evaluation.batchTime < devices->evaluation.batchTime * (1 - kEquallyFast));
  return takesHosts ? std::move(hosts) : std::move(devices);
}

}  // namespace

FailureResponse swapped(const Problem& problem, const RankedPlan& present, const std::vector<int>& lost) {
  const Responses responses(problem, present, lost);
  const Hit hit = hitOf(problem, present.plan, lost);
  if (problem.run.spareHosts < hit.hosts)
    if (auto idle = onIdle(problem, present.plan, hit)) {
      FailureResponse out =
          responses.with(FailureAnswer::Swap, std::move(idle->plan), std::move(idle->evaluation));
      out.usesIdle = true;
      return out;
    }
  FailureResponse out = responses.with(FailureAnswer::Swap, present.plan, present.evaluation);
  out.sparesNeeded = hit.hosts;
  return out;
}

namespace {

/// The plan with groups of a level exchanged, so that as many as can stand where they stood under the plan
/// before: groups of equal size inside one parent.
Plan keptInPlace(const Hierarchy& h, const Plan& before, Plan plan) {
  const std::vector<DeviceIndex> old = orderOf(before, h.deviceCount());
  std::vector<DeviceIndex>& order = plan.deviceOrder;
  struct Run {
    std::size_t begin, length;
    int group;
  };
  for (int l = h.levelCount() - 2; l >= 0; --l) {
    std::vector<Run> runs;
    std::map<int, std::size_t> runOf;
    for (std::size_t p = 0; p < order.size(); ++p) {
      const int group = h.groupOf(l, order[p].value);
      if (runs.empty() || runs.back().group != group) {
        if (!runOf.emplace(group, runs.size()).second) return plan;  // it is left and entered again
        runs.push_back({p, 0, group});
      }
      ++runs.back().length;
    }
    const auto stoodAt = [&](const Run& run) {
      return run.begin < old.size() ? h.groupOf(l, old[run.begin].value) : kNobody;
    };
    for (Run& run : runs) {
      const auto other = runOf.find(stoodAt(run));
      if (other == runOf.end() || other->first == run.group) continue;
      Run& from = runs[other->second];
      if (from.length != run.length || stoodAt(from) == from.group ||
          h.groupOf(l + 1, order[from.begin].value) != h.groupOf(l + 1, order[run.begin].value))
        continue;
      std::swap_ranges(order.begin() + static_cast<std::ptrdiff_t>(run.begin),
                       order.begin() + static_cast<std::ptrdiff_t>(run.begin + run.length),
                       order.begin() + static_cast<std::ptrdiff_t>(from.begin));
      std::swap(runOf[run.group], runOf[from.group]);
      std::swap(run.group, from.group);
    }
  }
  return plan;
}

}  // namespace

FailureResponse replanned(const Problem& problem, const RankedPlan& present, const std::vector<int>& lost,
                          const Problem& left, const Outcome& outcome, const FailureResponse* shrunk) {
  const Responses responses(problem, present, lost);
  if (!outcome.best()) {
    FailureResponse out = responses.without(FailureAnswer::Replan, words::of(outcome));
    out.status = outcome.status;
    return out;
  }
  // The devices of the rest, as the healthy cluster counts them: a device keeps its host and slot.
  const auto nameOf = [](const Problem& p, DeviceIndex d) {
    const DeviceIdentity id = p.cluster->identity(d);
    return std::pair(id.host, id.slot);
  };
  std::map<std::pair<std::string, int>, int> positionOf;
  for (int i = 0; i < problem.cluster->deviceCount(); ++i) positionOf[nameOf(problem, DeviceIndex(i))] = i;
  Plan plan = outcome.best()->plan;
  for (DeviceIndex& d : plan.deviceOrder = orderOf(plan, left.cluster->deviceCount()))
    d = DeviceIndex(positionOf.at(nameOf(left, d)));
  Plan inPlace = keptInPlace(*problem.cluster, present.plan, plan);
  FailureResponse out = responses.with(FailureAnswer::Replan, std::move(plan), outcome.best()->evaluation);
  // Of plans that are as fast the one that moves least: the search knows nothing of what stands where.
  const auto consider = [&](const RankedPlan& r) {
    FailureResponse other = responses.with(FailureAnswer::Replan, r.plan, r.evaluation);
    if (other.tokensPerSecond >= out.tokensPerSecond * (1 - kEquallyFast) &&
        other.moved->all() < out.moved->all())
      out = std::move(other);
  };
  if (const Hit hit = hitOf(problem, present.plan, lost); hit.lost.empty())
    consider(present);
  else if (const auto idle = onIdleDevices(problem, present.plan, hit))
    consider(*idle);
  if (shrunk && shrunk->plan) consider(*shrunk->plan);
  Evaluation e = evaluate(problem, inPlace);
  consider({std::move(inPlace), std::move(e), {}});
  out.status = outcome.status;
  return out;
}

std::vector<FailureResponse> answersTo(const Problem& problem, const RankedPlan& present,
                                       const std::vector<int>& lost, const Control& control) {
  std::vector<FailureResponse> out;
  out.reserve(kFailureAnswerCount);
  out.push_back(swapped(problem, present, lost));
  out.push_back(shrunk(problem, present, lost, control));
  const Problem left = withoutDevices(problem, lost);
  out.push_back(replanned(problem, present, lost, left,
                          studyStopped(control) ? notSolved(control) : quietSolve(left, control), &out[1]));
  return out;
}

std::optional<OtherBatch> withOtherBatch(const Problem& problem, const RankedPlan& present,
                                         const std::vector<int>& lost,
                                         const std::vector<FailureResponse>& answers,
                                         const Control& control) {
  const FailureResponse* now = bestWithoutSpares(answers);
  const double change = now ? now->change : -1;
  if (problem.job.batchTolerance >= kOtherBatch || change > -kGainOfBatch || studyStopped(control))
    return std::nullopt;
  Problem other = problem;
  other.job.batchTolerance = kOtherBatch;
  const auto all = answersTo(other, present, lost, control);
  const FailureResponse* then = bestWithoutSpares(all);
  if (!then || then->change < change + kGainOfBatch) return std::nullopt;
  return OtherBatch{then->change, other.batchOf(then->plan->plan.globalBatch)};
}

const FailureResponse* bestWithoutSpares(const std::vector<FailureResponse>& all) {
  const FailureResponse* best = nullptr;
  for (const FailureResponse& r : all)
    if (r.plan && r.sparesNeeded == 0 && (!best || r.tokensPerSecond > best->tokensPerSecond)) best = &r;
  return best;
}

}  // namespace nest
