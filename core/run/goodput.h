#pragma once

#include <cstdint>
#include <optional>

#include "units/quantity.h"

namespace nest {

/// A run between failures that come at random, M apart on average.
struct RunTimes {
  Seconds work;                     ///< W: all steps, without checkpoints and failures
  Seconds mtbf;                     ///< M, of the whole job; infinite: it does not fail
  Seconds blocked;                  ///< δ_b: steps wait so long for each checkpoint
  Seconds written;                  ///< δ_w: so long after that it counts; 0 where steps wait for all of it
  Seconds restart;                  ///< R: from a failure until steps run again
  Seconds shortest;                 ///< no two checkpoints are closer than this: one step
  std::optional<Seconds> interval;  ///< τ: work between two checkpoints; absent: the best
};

/// What becomes of the run, on average. total = work + checkpoints + restarts + lostWork.
struct RunPrediction {
  Seconds interval;                         ///< τ
  Seconds total;                            ///< T
  Seconds checkpoints, restarts, lostWork;  ///< steps wait; nothing runs; steps that are run again
  double failures = 0;
  bool finishes = true;  ///< false: it would take more than kHopeless times the work

  double goodput(Seconds work) const { return total > Seconds() ? work / total : 1; }
};
inline constexpr double kHopeless = 10;

/// STATEMENT.md (11.3), (11.4): Daly 2006 (Future Generation Computer Systems 22), with asynchronous
/// checkpoints:
///   T = M·e^{(R + δ_w)/M}·expm1((τ + δ_b)/M)·W/τ,   τ* = max(M·(1 + W₀(−e^{−1 − δ_b/M})), δ_w),
/// with W₀ Lambert's function. A run of fewer than ten intervals has whole ones. Failures are independent of
/// each other; they may hit restarts and checkpoints as well.
RunPrediction predictRun(const RunTimes&);

/// The mean of `runs` simulated runs, event by event: to check predictRun(), with which it shares nothing but
/// the interval. `seed` makes it repeatable.
RunPrediction simulateRun(const RunTimes&, int runs, std::uint64_t seed);

}  // namespace nest
