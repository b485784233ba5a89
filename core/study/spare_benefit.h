#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluation/ranked_plan.h"
#include "problem/problem.h"
#include "solver/control.h"
#include "study/failure_answers.h"

namespace nest {

/// What is left of the throughput while hosts are away and nothing replaces them.
struct ThroughputLeft {
  int hosts = 0;     ///< away
  double share = 0;  ///< of the tokens/s of the whole plan; 0: no plan fits
  /// The answer that leaves most; empty where `share` is 0.
  std::optional<FailureAnswer> answer;
};

/// The run with so many spare hosts.
struct SpareChoice {
  int spares = 0;
  double share = 0;                   ///< of the throughput with all hosts, on average over the run
  double tokensPerSecond = 0;         ///< of steps; of the run, where its goodput is known
  std::optional<Seconds> total;       ///< T_s; absent: see SpareBenefit::missingForDays, or it never ends
  std::optional<double> deviceHours;  ///< of devices in use and of spare hosts, for T_s
  std::optional<double> money;        ///< of these, where a price is given
  std::optional<double> energy;  ///< kWh of what is in use, where its power is given; spares draw nothing
};

/// What spare hosts buy, STATEMENT.md (11.6): with μ = N·r·(time to repair) hosts away on average, Poisson
/// distributed, and ρ(j) the share of the throughput that is left without j hosts, ρ(0) = 1, a run that takes
/// T takes with s spare hosts
///   T_s = T ÷ Σ_k P(k)·ρ(max(0, k − s)).
/// ρ(j) is the better of a plan that shrinks and of one that is made again, without hosts spread evenly over
/// those that the plan uses, those of j among those of j + 1. It never rises with j, so that ρ is computed
/// where it matters (some j, at most kMostPlansForSpares) and lies between its neighbors elsewhere; the lower
/// one counts, so that T_s is at most as given, and too long by `within` at most. Spare hosts do not fail,
/// each stands where it is needed, and the steps to a plan with fewer hosts and back take no time.
struct SpareBenefit {
  double hostsAway = 0;                     ///< μ
  int hosts = 0;                            ///< N: that the plan uses
  std::vector<ThroughputLeft> left;         ///< where ρ was computed, by hosts; ρ(0) is not among them
  std::vector<SpareChoice> choices;         ///< by spares, from 0; empty if something is missing
  int cheapest = 0;                         ///< spares of the choice with the fewest device-hours
  double within = 0;                        ///< T_s is too long by this share at most
  bool isComplete = true;                   ///< false: stopped, so that `within` may be large
  std::vector<std::string> missing;         ///< fields without which nothing is known: "/run/repair_s"
  std::vector<std::string> missingForDays;  ///< fields without which there is no T

  const SpareChoice* with(int spares) const;  ///< nullptr: not among `choices`
};
inline constexpr int kMostPlansForSpares = 12;
inline constexpr double kSparesWithin = 1e-3;  ///< share of T that ends the search for ρ

/// Choices go up to as many spares as `confidence` asks for (SpareAdvice), at most a hundred of them, and to
/// RunOptions::spareHosts. `present`: the best plan, feasible. Cost: some solves without a few hosts.
SpareBenefit spareBenefit(const Problem&, const RankedPlan& present, double confidence, const Control& = {});

}  // namespace nest
