#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cost/collective_steps.h"
#include "cost/stage_messages.h"
#include "evaluation/evaluation.h"
#include "plan/plan.h"
#include "problem/problem.h"

namespace nest {

/// What a term of the explanation that is the time of one run of an exchange knows of it.
struct ExchangeRun : CollectiveRun {
  std::optional<RankGroup> group;  ///< nullopt: a message between stages
  GroupShape shape;                ///< of the group that is slowest
  int from = -1, to = -1;          ///< stages of a message
};

/// One exchange of a plan that can be played step by step.
struct PlanExchange {
  std::string id;     ///< of the term of the explanation whose value is the sum of the steps
  std::string label;  ///< "31 × block: all-reduce, forward"
  int stage = 0;
  Exchange exchange = Exchange::Tensor;
  double times = 1;      ///< runs per microbatch, or per step
  bool perStep = false;  ///< once after the last microbatch
  std::shared_ptr<const ExchangeRun> run;

  Seconds time() const { return run->time(); }  ///< of one run
  Seconds timeInAll() const { return times * time(); }
};

/// Every exchange of a plan, stage by stage, in the order of its terms. Empty if the plan cannot be placed.
std::vector<PlanExchange> exchangesOf(const Problem&, const Plan&, const Evaluation&);

/// Positions of the ranks of the group that is slowest, ascending; of a message, of one pair that it crosses
/// its level between, sender first.
std::vector<int> ranksOf(const Problem&, const Plan&, const PlanExchange&);

/// The ranks that exchange in one round of a step (`round` from 0), by their positions; those who send first
/// where only one of both does. `ranks`: see ranksOf(). Units of the level below pair up rank by rank.
std::vector<std::pair<int, int>> pairsAt(const Hierarchy&, const ExchangeRun&, const std::vector<int>& ranks,
                                         const CollectiveStep&, int round);

/// A run that can be asked what happens at any of its times.
class ExchangeReplay {
public:
  explicit ExchangeReplay(PlanExchange);

  const PlanExchange& exchange() const { return m_exchange; }
  const std::vector<CollectiveStep>& steps() const { return m_exchange.run->steps; }
  Seconds end() const { return m_starts.back(); }
  Seconds startOf(std::size_t step) const { return m_starts[step]; }
  /// Number of the step that runs; that of steps() at the end.
  std::size_t stepAt(Seconds) const;
  /// Share of the step that runs, and which of its rounds, from 0.
  double doneOf(std::size_t step, Seconds) const;
  int roundAt(std::size_t step, Seconds) const;
  /// Where the next step begins, the end at last; where the one before began.
  Seconds next(Seconds) const;
  Seconds previous(Seconds) const;

private:
  PlanExchange m_exchange;
  std::vector<Seconds> m_starts;  ///< of each step, and the end
};

}  // namespace nest
