#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>

#include "solver/stop_cause.h"
#include "units/quantity.h"
#include "units/until.h"

namespace nest {

struct RankedPlan;

/// What a running solve tells its watcher; at most 30 times a second.
struct Progress {
  std::string_view phase;
  double fraction = 0;  ///< monotone, 0…1
  std::optional<Seconds> best;
  double lowerBound = 0;  ///< seconds; 0: of all that is searched none is known
  bool settled = false;   ///< `best` is the optimum; the search goes on for the next best plans
  long long states = 0;
};

/// A budget of search work, shared by all solves that are given it: an end that does not depend on the
/// machine's speed. A unit is some 64 steps of a search.
class WorkLimit {
public:
  explicit WorkLimit(long long units) : m_left(units) {}
  long long left() const { return std::max(0LL, m_left.load(std::memory_order_relaxed)); }
  bool isSpent() const { return left() == 0; }
  void spend(long long units = 1) { m_left.fetch_sub(units, std::memory_order_relaxed); }

private:
  std::atomic<long long> m_left;
};

/// What may be spent on Outcome::front.
enum class FrontEffort {
  None,   ///< it stays empty
  Usual,  ///< of small searches up to twice the work of the search itself, which may be most of the time
  Wider,  ///< up to ten times that work, by large steps where the whole one costs more (FrontReach::Sampled)
};

/// How a caller steers a long computation. Everything is optional; functions are called on the computing
/// thread.
struct Control {
  std::stop_token stop;
  std::optional<std::chrono::steady_clock::time_point> deadline;
  std::shared_ptr<WorkLimit> work;  ///< may be null: as much as it takes
  std::function<void(const Progress&)> progress;
  /// The best plan so far of a solve that lasts, each faster than the one before; costs a twentieth of the
  /// time at most, and nothing without `progress`.
  std::function<void(const RankedPlan&)> found;
  FrontEffort front = FrontEffort::Usual;

  /// The same, which ends in so many seconds at the latest; 0: no sooner.
  Control within(double seconds) const {
    Control c = *this;
    if (!(seconds > 0)) return c;
    const auto own =
        std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                               std::chrono::duration<double>(std::min(1e8, seconds)));
    c.deadline = c.deadline ? std::min(*c.deadline, own) : own;
    return c;
  }
  Until until() const { return {stop, deadline}; }
  bool stopRequested() const { return stop.stop_requested(); }
  bool shouldStop() const { return cause() != StopCause::None; }
  StopCause cause() const { return cause(std::chrono::steady_clock::now()); }
  StopCause cause(std::chrono::steady_clock::time_point now) const {
    if (stopRequested()) return StopCause::Request;
    if (work && work->isSpent()) return StopCause::WorkLimit;
    return deadline && now >= *deadline ? StopCause::Deadline : StopCause::None;
  }
};

}  // namespace nest
