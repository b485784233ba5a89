#include "exactness.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "evaluation/evaluation.h"

namespace nest::test {
namespace {

double peakMemory(const RankedPlan& p) {
  double most = 0;
  for (const StageEvaluation& s : p.evaluation.stages) most = std::max(most, s.memory.total().value());
  return most;
}

}  // namespace

std::uint64_t firstSeed() {
  const char* asked = std::getenv("NEST_SEED");
  return asked ? std::strtoull(asked, nullptr, 10) : 0;
}

bool same(double a, double b) {
  return a == b || std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

std::string timed(const RankedPlan* p) {
  return p ? std::to_string(p->evaluation.batchTime.value()) + " s, " + summaryOf(p->plan) : "nothing fits";
}

std::string mistake(const Problem& p, const Outcome& solved, const Outcome& truth) {
  if (solved.status != truth.status)
    return std::string(nameOf(solved.status)) + " instead of " + nameOf(truth.status) + "; found " +
           timed(solved.best()) + ", best " + timed(truth.best());
  if (!truth.best()) return solved.best() ? "a plan where nothing fits" : "";
  const double found = solved.best()->evaluation.ranked.value(),
               best = truth.best()->evaluation.ranked.value();
  if (!same(found, best)) return "found " + timed(solved.best()) + ", best " + timed(truth.best());
  if (!same(solved.lowerBound.value(), solved.best()->evaluation.batchTime.value()))
    return "the lower bound differs from the optimum";
  for (const RankedPlan& ranked : solved.plans) {
    const Evaluation again = evaluate(p, ranked.plan);
    if (!again.feasible()) return "a plan breaks a rule: " + again.violations.front().message;
    if (!same(again.ranked.value(), ranked.evaluation.ranked.value()))
      return "a plan re-evaluates to another time";
    if (ranked.evaluation.ranked.value() < best * (1 - 1e-9)) return "a plan is faster than the best";
  }
  return {};
}

std::string covers(const std::vector<RankedPlan>& front, const std::vector<RankedPlan>& other,
                   const char* otherwise) {
  constexpr double kRounding = 1 + 1e-8;
  for (const RankedPlan& o : other) {
    const bool covered = std::any_of(front.begin(), front.end(), [&](const RankedPlan& f) {
      return f.evaluation.ranked.value() <= o.evaluation.ranked.value() * kRounding &&
             f.plan.devicesUsed() <= o.plan.devicesUsed() && peakMemory(f) <= peakMemory(o) * kRounding;
    });
    if (!covered) return timed(&o) + " " + otherwise + " ";
  }
  return {};
}

std::string mistakeBesides(const Problem& p, const Outcome& solved, const Outcome& truth) {
  const auto claimed = static_cast<std::size_t>(solved.provenPlans);
  for (std::size_t n = 0; n < claimed; ++n) {
    const RankedPlan* next = n < truth.plans.size() ? &truth.plans[n] : nullptr;
    if (!next || !same(next->evaluation.ranked.value(), solved.plans[n].evaluation.ranked.value()))
      return "plan " + std::to_string(n + 1) + " is " + timed(&solved.plans[n]) + " instead of " +
             timed(next);
  }
  if (claimed == solved.plans.size() && claimed < truth.plans.size()) return "plans are left out";
  for (const RankedPlan& a : solved.front)
    for (const RankedPlan& b : solved.front)
      if (&a != &b && a.evaluation.ranked <= b.evaluation.ranked &&
          a.plan.devicesUsed() <= b.plan.devicesUsed() && peakMemory(a) <= peakMemory(b))
        return timed(&b) + " stands in the front and is beaten by " + timed(&a);
  if (solved.frontReach != FrontReach::Complete || p.search.strategyPerStage) return {};
  return covers(solved.front, truth.front, "is missed by the front") +
         covers(truth.front, solved.front, "is not of the front");
}

}  // namespace nest::test
