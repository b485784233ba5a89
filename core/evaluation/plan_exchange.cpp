#include "evaluation/plan_exchange.h"

#include <algorithm>

#include "evaluation/explanation_parts.h"
#include "plan/rank_groups.h"
#include "units/at.h"

namespace nest {
namespace {

/// Appends every run below a term. A term's label says more where its parent is one of a group's kinds.
void collect(const CostTerm& term, double times, bool perStep, std::vector<PlanExchange>& out) {
  if (term.run) {
    const auto exchange = explanation::exchangeOf(term.kind);
    if (exchange && !term.run->steps.empty())
      out.push_back({term.id, term.label, term.stage, *exchange, times, perStep, term.run});
    return;
  }
  for (const CostTerm& child : term.children) collect(child, times * child.factor, perStep, out);
}

constexpr double kRoundOff = 1e-12;  ///< of the whole: a time that is this close to a step's begin is it

}  // namespace

std::vector<PlanExchange> exchangesOf(const Problem& problem, const Plan& plan,
                                      const Evaluation& evaluation) {
  std::vector<PlanExchange> out;
  const explanation::Scene scene(problem, plan, evaluation);
  for (int i = 0; i < plan.stageCount() && at(i) < evaluation.stages.size(); ++i) {
    for (const CostTerm& term : explanation::exchangeTerms(scene, i)) collect(term, 1, false, out);
    collect(explanation::syncTerm(scene, i), 1, true, out);
  }
  return out;
}

std::vector<int> ranksOf(const Problem& problem, const Plan& plan, const PlanExchange& exchange) {
  const Hierarchy& h = *problem.cluster;
  const RankGroups groups(plan);
  const ExchangeRun& run = *exchange.run;
  std::vector<int> out;
  if (run.group) {
    groups.visit(exchange.stage, *run.group, [&](std::span<const int> ranks) {
      if (out.empty() && shapeOf(h, ranks) == run.shape) out.assign(ranks.begin(), ranks.end());
    });
  } else if (run.from >= 0 && run.to >= 0) {
    const int level = outermostLevel(run);
    groups.visitPairs(run.from, run.to, [&](int a, int b) {
      if (h.levelBetween(a, b) == level) out = {a, b};
      return out.empty();
    });
  }
  return out;
}

ExchangeReplay::ExchangeReplay(PlanExchange exchange) : m_exchange(std::move(exchange)) {
  Seconds at;
  for (const CollectiveStep& s : steps()) {
    m_starts.push_back(at);
    at += s.time();
  }
  m_starts.push_back(at);
}

std::size_t ExchangeReplay::stepAt(Seconds at) const {
  const auto later = std::upper_bound(m_starts.begin(), m_starts.end(), at + kRoundOff * end());
  return later == m_starts.begin() ? 0 : static_cast<std::size_t>(later - m_starts.begin()) - 1;
}

double ExchangeReplay::doneOf(std::size_t step, Seconds at) const {
  const Seconds whole = m_starts[step + 1] - m_starts[step];
  return whole > Seconds() ? std::clamp((at - m_starts[step]) / whole, 0.0, 1.0) : 1;
}

int ExchangeReplay::roundAt(std::size_t step, Seconds at) const {
  const int rounds = steps()[step].rounds;
  return std::clamp(static_cast<int>(doneOf(step, at) * rounds), 0, rounds - 1);
}

Seconds ExchangeReplay::next(Seconds at) const {
  return m_starts[std::min(stepAt(at) + 1, steps().size())];
}

Seconds ExchangeReplay::previous(Seconds at) const {
  const auto begun = std::lower_bound(m_starts.begin(), m_starts.end(), at - kRoundOff * end());
  return begun == m_starts.begin() ? Seconds() : *std::prev(begun);
}

}  // namespace nest
