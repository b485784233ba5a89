#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "problem/problem.h"
#include "solver/control.h"
#include "solver/outcome.h"

namespace nest {

/// Runs solves on one background thread, newest first, stale results dropped. Free of any GUI toolkit.
///
/// Thread model: all members are called from one owner thread. `wake` is called on the worker whenever a
/// message waits; it must only post a call of drain() to the owner (and is called at most once until drain()
/// has run).
class JobRunner {
public:
  /// nest::solve, or what stands in for it. Runs on the worker; what it throws becomes an Outcome with status
  /// Failed.
  using Solve = std::function<Outcome(const Problem&, const Control&, const Plan* start)>;

  struct Request {
    std::shared_ptr<const Problem> problem;
    int generation = 0;                 ///< comes back with the result
    std::shared_ptr<const Plan> start;  ///< incumbent to begin from, may be null
    bool live = false;  ///< a drag is on: not cancelled by newer requests; gives its best after 100 ms
  };
  struct Message {
    int generation = 0;
    bool finished = false;
    bool live = false;  ///< of the request
    Progress progress;  ///< valid while not finished
    /// The best plan so far, where it is a better one than of the last message; null when finished.
    std::shared_ptr<const RankedPlan> plan;
    std::shared_ptr<const Problem> problem;
    std::shared_ptr<const Outcome> outcome;  ///< set when finished
  };

  JobRunner(std::function<void()> wake, Solve solve);
  ~JobRunner();  ///< stops and joins; as fast as Solve heeds its stop token

  /// A waiting older request is replaced. A running one is cancelled unless it is live, and its result
  /// dropped.
  void submit(Request);
  void cancel();        ///< stops what runs and forgets what waits; its result comes as Stopped or BestSoFar
  bool isBusy() const;  ///< until drain() has handed out the result

  /// Newest progress and all finished results since the last call.
  std::vector<Message> drain();

private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace nest
