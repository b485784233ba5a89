#include "evaluation/plan_exchange.h"

#include <algorithm>
#include <span>

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

/// Runs of ranks, each in one group of a level; −1: one rank each.
std::vector<std::span<const int>> unitsOf(const Hierarchy& h, std::span<const int> ranks, int level) {
  std::vector<std::span<const int>> out;
  for (std::size_t from = 0, to = 0; from < ranks.size(); from = to) {
    to = from + 1;
    while (level >= 0 && to < ranks.size() && h.groupOf(level, ranks[to]) == h.groupOf(level, ranks[from]))
      ++to;
    out.push_back(ranks.subspan(from, to - from));
  }
  return out;
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

std::vector<std::pair<int, int>> pairsAt(const Hierarchy& h, const ExchangeRun& run,
                                         const std::vector<int>& ranks, const CollectiveStep& step,
                                         int round) {
  std::vector<std::pair<int, int>> out;
  const std::size_t n = ranks.size();
  if (n < 2) return out;
  switch (step.move) {
    case StepMove::Send:
      return {{ranks[0], ranks[1]}};
    case StepMove::Hop:
      for (std::size_t i = 0; i < n; ++i) out.emplace_back(ranks[i], ranks[(i + 1) % n]);
      return out;
    case StepMove::Pairwise: {
      // Peers at this level alone, the next one each round.
      for (std::size_t i = 0; i < n; ++i) {
        int met = 0;
        for (std::size_t by = 1; by < n; ++by) {
          const int peer = ranks[(i + by) % n];
          if (h.levelBetween(ranks[i], peer) != step.level || met++ != round) continue;
          out.emplace_back(ranks[i], peer);
          break;
        }
      }
      return out;
    }
    case StepMove::Halving:
    case StepMove::Doubling:
      break;
  }
  // Halving begins with the farthest half; doubling ends with it.
  std::size_t distance = 1;
  while (distance < static_cast<std::size_t>(step.parties)) distance *= 2;
  distance >>= step.round;
  const auto pair = [&](std::span<const int> group, int below) {
    const auto units = unitsOf(h, group, below);
    for (std::size_t u = 0; u < units.size(); ++u) {
      const std::size_t other = u ^ distance;
      if (other <= u || other >= units.size()) continue;
      for (std::size_t k = 0; k < std::min(units[u].size(), units[other].size()); ++k)
        out.emplace_back(units[u][k], units[other][k]);
    }
  };
  if (!run.levelByLevel)
    pair(ranks, -1);
  else
    for (const auto group : unitsOf(h, ranks, step.level)) pair(group, step.level - 1);
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
