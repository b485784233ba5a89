#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "evaluation/ranked_plan.h"
#include "evaluation/unsearched.h"
#include "solver/bound_use.h"
#include "solver/stop_cause.h"

namespace nest {

/// What a solve ended in. Words for people: words/outcome_words.h.
enum class OutcomeStatus {
  Optimal,     ///< the best plan, proven
  WithinGap,   ///< the best of all that is tried: another set or order of hosts saves gap() at most
  BestSoFar,   ///< stopped with a plan: there may be a better one
  Stopped,     ///< stopped before a plan was found: whether any fits is not known
  Infeasible,  ///< proven: no plan fits
  Failed,      ///< see Outcome::diagnostics
};
const char* nameOf(OutcomeStatus);  ///< in files: "optimal", "within-gap", "best-so-far", "stopped", …

/// The sets and orders of devices that a bound holds for (STATEMENT.md §3).
enum class ProofRange {
  NetworkOrder,  ///< the order of the network, and the sets that §3 lists
  EveryLine,     ///< all
};
const char* nameOf(ProofRange);  ///< in files: "network-order", "every-line"

/// The widest part of the search that ran to its end. Each includes those before it.
enum class SearchExtent {
  Nothing,
  Plain,        ///< see plainSearchOf() (plain_first.h)
  OneStrategy,  ///< all plans with one strategy for all stages
  Everything,   ///< all that was asked for
};
const char* nameOf(SearchExtent);  ///< in files: "nothing", "plain", "one-strategy", "everything"

/// Why a candidate lost. One entry per (b, σ, d, s) or coarser; kept cheaply enough to leave on.
enum class CandidateResult { Won, Solved, Bounded, OutOfMemory, NotOffered, NotReached };
const char* nameOf(CandidateResult);

struct Candidate {
  int microbatch = 0;
  Strategy strategy;
  int dataDegree = 0;
  int stageCount = 0;
  int chunks = 1;  ///< of a stage
  ScheduleKind schedule = ScheduleKind::OneForwardOneBackward;
  CandidateResult result = CandidateResult::NotReached;
  Seconds lowerBound;           ///< proven
  std::optional<Seconds> best;  ///< best plan found in it, if it was solved
  /// OutOfMemory: the stage that lacks most, and how much, at best. −1: whatever the cuts, some stage lacks
  /// at least `shortfall`, for all together do.
  int shortStage = -1;
  Bytes shortfall;
};

struct SearchLog {
  std::vector<Candidate> candidates;
};

/// When nothing fits: the plan that comes closest, and what would make it fit.
struct NearestMiss {
  Plan plan;
  Evaluation evaluation;
  int stage = -1;
  Bytes shortfall;
  /// "twice the devices", "ZeRO-3: `search.zero_stages += 3`", …: advice as adviceParts() reads it.
  std::vector<std::string> remedies;
};

/// What Outcome::front promises. A plan is on the front if none is at least as good in time, devices and peak
/// memory; all of it compares with plans of one strategy for all stages.
enum class FrontReach {
  Encountered,  ///< only the non-dominated ones of the plans that the search encountered
  Sampled,  ///< FrontEffort::Wider: in addition the fastest plan within each of a falling series of device
            ///< counts, each at most 4/5 of what the last plan uses, at most 12 times; also for memory
            ///< limits (17/20)
  CompleteInOrder,  ///< the whole front in the order of the network; other lines (STATEMENT.md §3) may add to
                    ///< it
  Complete,  ///< the whole front, to 1e-9 of memory
};
const char* nameOf(FrontReach);

struct SolveStatistics {
  long long candidates = 0, tuples = 0, states = 0;
  Seconds elapsed;
  Bytes peakMemory;  ///< of the process, so far
  BoundUses bounds;

  /// Adds what another search for the same answer took.
  void add(const SolveStatistics& other);
};

/// Code of the note that on another line (STATEMENT.md §3) a plan may fit, where none does in the order of
/// the network.
inline constexpr const char* kOtherLinesOpen = "other-lines-open";

/// What a solve found.
struct Outcome {
  OutcomeStatus status = OutcomeStatus::Failed;
  StopCause stopCause = StopCause::None;  ///< BestSoFar and Stopped: what stopped it
  std::vector<RankedPlan> plans;          ///< best first by the objective, ties as in STATEMENT.md §5
  /// The first so many of `plans` are proven: of all plans that differ in their degrees (b, d, z, v, s, the
  /// strategy of each stage), none that is missing is faster. The others were met on the way. With one
  /// strategy for all stages a search that ran to its end proves all, one that was stopped those no slower
  /// than what it had left; with a strategy for each stage at least the first, and all where that costs
  /// little more. Where plans on part of the devices or on other lines compete (even_hosts.h), at most the
  /// first.
  int provenPlans = 0;
  SearchExtent finished = SearchExtent::Nothing;  ///< how far the search came
  std::vector<RankedPlan> front;                  ///< Pareto front of (time, devices, peak memory)
  FrontReach frontReach =
      FrontReach::Encountered;  ///< Encountered with topPlans = 1, if stopped, or where more costs too much
  Seconds lowerBound;           ///< proven; equals the best time when Optimal; 0: none was reached
  /// Of a goal other than the time: share by which it may be missed at most; absent: not known.
  std::optional<double> goalGap;
  ProofRange range = ProofRange::NetworkOrder;  ///< of lowerBound, and of what is Optimal or Infeasible
  std::optional<NearestMiss> nearestMiss;
  std::vector<NotSearched> notSearched;  ///< what the search left out: optimal is the best of all else
  SearchLog log;
  SolveStatistics statistics;
  Diagnostics diagnostics;  ///< e.g. "too many downsets: merge series layers"
  /// The tables of a search that was ended early, which take a while to free. They go with the outcome; who
  /// must not wait hands the answer on first, and then clears them where nobody waits (JobRunner does).
  std::vector<std::shared_ptr<const void>> tables;

  void takeTablesOf(Outcome& other);

  const RankedPlan* best() const { return plans.empty() ? nullptr : &plans.front(); }
  /// The best plan, or the closest one where nothing fits; nullptr: neither is known.
  const Plan* shownPlan() const {
    return best() ? &best()->plan : nearestMiss ? &nearestMiss->plan : nullptr;
  }
  /// (best − lowerBound) / best; 0 when Optimal; empty without a plan or a bound.
  std::optional<double> gap() const;
  /// Whether the plans behind the first are the next best, too.
  bool allPlansProven() const { return provenPlans >= static_cast<int>(plans.size()); }
  /// Whether more time might change the answer.
  bool cutShort() const { return status == OutcomeStatus::BestSoFar || status == OutcomeStatus::Stopped; }
};

}  // namespace nest
