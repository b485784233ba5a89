#include "exactness.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "plan/evaluation.h"

namespace nest::test {

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
  const double found = solved.best()->evaluation.batchTime.value(),
               best = truth.best()->evaluation.batchTime.value();
  if (!same(found, best)) return "found " + timed(solved.best()) + ", best " + timed(truth.best());
  if (!same(solved.lowerBound.value(), best)) return "the lower bound differs from the optimum";
  for (const RankedPlan& ranked : solved.plans) {
    const Evaluation again = evaluate(p, ranked.plan);
    if (!again.feasible()) return "a plan breaks a rule: " + again.violations.front().message;
    if (!same(again.batchTime.value(), ranked.evaluation.batchTime.value()))
      return "a plan re-evaluates to another time";
    if (ranked.evaluation.batchTime.value() < best * (1 - 1e-9)) return "a plan is faster than the best";
  }
  return {};
}

}  // namespace nest::test
