#pragma once

#include <cstddef>

#include "problem/problem.h"
#include "solver/control.h"
#include "solver/outcome.h"
#include "solver/search_bound.h"

namespace nest {

/// From which sizes on a search takes the ways that pay where it would be long: a matter of speed, the
/// optimum is the same.
struct Tuning {
  /// Of chains of more layers with one strategy, what each depth can hold is looked at first (STATEMENT.md
  /// (6.11)).
  int longChain = 2000;
  /// Of a strategy for each stage, a beam looks for a better plan to begin with.
  struct Guesses {
    double far = 1.05;           ///< where the best plan takes so many times the bound
    long long states = 100'000;  ///< and so many did not settle one layout
    std::size_t width = 200;     ///< labels of the beam
    int layers = 1000;           ///< chains of so many are packed from behind first
  } guesses;
  /// Of the time to a deadline, one strategy for all stages gets so much before each stage chooses its own.
  double firstShare = 0.25;
  long long firstStates = 3'000'000;  ///< and no more states
  /// After so many states bounds on a strategy for each stage know where stages stand (STATEMENT.md (6.10)).
  long long statesWithoutSites = 1'000'000;
  /// Of more candidates with one strategy, only those are listed that may matter; the log has no others.
  std::size_t mostListed = 500'000;
  /// What a search may hold at once of one layout with a strategy for each stage.
  struct Labels {
    long long few = 3'000'000;   ///< of more, pipelines up to a lower time are looked for first
    long long most = 5'000'000;  ///< of more, what the layout holds stays unproven: a gap is left
    double narrow = 0.01;        ///< times that differ by less are not told apart so
  } labels;
  /// Of more candidates, at most, the plain search comes first (plain_first.h).
  long long plainFirst = 2'000'000;
  bool findsMisses = true;  ///< where nothing fits, the closest plan is looked for
  double pace = 0.04;       ///< seconds between two reports of progress, at least
  /// Seconds before the best plan so far is shown (Control::found), and between two of them.
  double patience = 0.3;
  /// Of more relaxed stages with a price (STATEMENT.md (6.5)) none is kept.
  std::size_t mostPriced = 500'000;
  /// The bounds that the search does without.
  BoundSwitches withoutBounds;
};

/// As those of solve.h and even_hosts.h.
Outcome solve(const Problem&, const Control&, const Plan* start, const Tuning&);
Outcome solveOnEvenHosts(const Problem&, const Control&, const Plan* start, const Tuning&);

}  // namespace nest
