#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>

#include "units/quantity.h"
#include "units/until.h"

namespace nest {

/// What a running solve tells its watcher; at most 30 times a second.
struct Progress {
  std::string_view phase;
  double fraction = 0;  ///< monotone, 0…1
  std::optional<Seconds> best;
  double lowerBound = 0;  ///< seconds
  long long states = 0;
};

/// How a caller steers a long computation. Everything is optional; `progress` is called on the computing
/// thread.
struct Control {
  std::stop_token stop;
  std::optional<std::chrono::steady_clock::time_point> deadline;
  std::function<void(const Progress&)> progress;
  /// Spend up to ten times as long on a wider Outcome::front (FrontReach::Stepped) where the whole one
  /// costs too much.
  bool widerFront = false;

  Until until() const { return {stop, deadline}; }
  bool stopRequested() const { return stop.stop_requested(); }
  bool outOfTime() const { return deadline && std::chrono::steady_clock::now() >= *deadline; }
};

}  // namespace nest
