#include "study/counterfactual.h"

#include <algorithm>

#include "solver/solve.h"
#include "study/quiet_solve.h"
#include "units/numbering.h"
#include "units/text.h"
#include "words/metric_words.h"
#include "words/outcome_words.h"

namespace nest {
namespace {

/// A plan may be evaluated under what is not on offer: that is looked at here.
bool meets(const Demand& demand, const Plan& plan) {
  const auto& offered = demand.problem.search.recompute;
  const auto& schedules = demand.problem.search.schedules;
  return evaluate(demand.problem, plan).feasible() &&
         std::find(schedules.begin(), schedules.end(), plan.schedule) != schedules.end() &&
         std::all_of(plan.stages.begin(), plan.stages.end(),
                     [&](const StagePlan& s) { return offered[s.recompute]; });
}

/// "VPP 2 needs a block count that PP × 2 divides, or one or two less; 61 blocks are not": empty where chunks
/// are not to blame.
std::string unevenChunks(const Problem& p) {
  const int v = p.constraints.chunks.least.value_or(1);
  if (v < 2) return {};
  const auto& layers = p.graph->layers;
  const auto blocks = static_cast<int>(
      std::count_if(layers.begin(), layers.end(), [](const Layer& l) { return l.kind == LayerKind::Block; }));
  constexpr int kFewer = 2;  // a block less in the first and in the last chunk
  for (int s = 2; s * v <= blocks + kFewer; ++s)
    if ((blocks + kFewer) % (s * v) <= kFewer && p.constraints.stages.allows(s)) return {};
  return "VPP " + std::to_string(v) + " needs a block count that PP × " + std::to_string(v) +
         " divides, or one or two less; " + text::count(blocks) + " blocks are not";
}

/// What grows from one plan to another, the most first, until nine tenths of the growth are told.
std::vector<Cause> causesOf(const Problem& problem, const RankedPlan& before, const RankedPlan& after) {
  const auto splitOf = [&](const RankedPlan& r) {
    TimeSplit split = metricsOf(problem, nullptr, r).split;
    for (Seconds& t : split)
      if (t < 1e-9 * r.evaluation.batchTime) t = Seconds();  // rounding, no time
    return split;
  };
  const TimeSplit a = splitOf(before), b = splitOf(after);
  std::vector<Cause> all;
  Seconds growth;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (b[k] > a[k]) {
      all.push_back({static_cast<TimePart>(k), a[k], b[k]});
      growth += b[k] - a[k];
    }
  std::sort(all.begin(), all.end(),
            [](const Cause& x, const Cause& y) { return x.after - x.before > y.after - y.before; });
  Seconds told;
  std::size_t count = 0;
  while (count < all.size() && told < 0.9 * growth) {
    told += all[count].after - all[count].before;
    ++count;
  }
  all.resize(count);
  return all;
}

std::string sentenceOn(const std::vector<Cause>& causes) {
  std::string out;
  for (const Cause& c : causes)
    out += (out.empty() ? "" : ", ") + std::string(words::of(c.part)) + ' ' + text::time(c.before) + " → " +
           text::time(c.after);
  return out;
}

/// Why nothing fits. Without a nearest miss it is not for want of memory, if that was sought to its end.
std::string obstacle(const Problem& problem, const Outcome& o) {
  if (o.nearestMiss && o.nearestMiss->shortfall.value() > 0)
    return "in the closest plan " + words::shortfall(*o.nearestMiss);
  if (std::any_of(o.diagnostics.begin(), o.diagnostics.end(),
                  [](const Diagnostic& d) { return d.code == kMissUnknown; }))
    return "the search for what is short was stopped";
  if (const std::string uneven = unevenChunks(problem); !uneven.empty()) return uneven;
  return "no plan has it with the batch, the devices and the constraints as they are";
}

}  // namespace

Counterfactual whyNot(const Problem& problem, const RankedPlan& present, const Demand& demand,
                      const Control& control) {
  Counterfactual c;
  c.demand = demand.words;
  if (meets(demand, present.plan)) {
    c.alreadyMet = true;
    c.answer = "The best plan already has " + demand.words + ".";
    return c;
  }
  c.outcome = quietSolve(demand.problem, control);
  const RankedPlan* best = c.outcome.best();
  if (!best) {
    c.answer = c.outcome.status == OutcomeStatus::Infeasible
                   ? "With " + demand.words + ", nothing fits: " + obstacle(demand.problem, c.outcome) + "."
                   : "Stopped before a plan with " + demand.words + " was found.";
    return c;
  }
  c.difference = diff(problem, present.plan, present.evaluation, best->plan, best->evaluation);
  c.causes = causesOf(problem, present, *best);
  c.answer = "With " + demand.words + ": " + text::time(best->evaluation.batchTime) +
             " per step instead of " + text::time(present.evaluation.batchTime) + ".";
  if (!c.causes.empty()) c.answer += " What takes longer: " + sentenceOn(c.causes) + ".";
  c.answer += " What changes: " + c.difference->sentence() + ".";
  if (c.outcome.status != OutcomeStatus::Optimal)
    c.answer += " The search was stopped; it may still get better.";
  return c;
}

}  // namespace nest
