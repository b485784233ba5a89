#pragma once

#include <chrono>
#include <optional>
#include <stop_token>

namespace nest {

/// When a long computation is to end with what it has.
struct Until {
  std::stop_token stop;
  std::optional<std::chrono::steady_clock::time_point> deadline;

  bool shouldStop() const {
    return stop.stop_requested() || (deadline && std::chrono::steady_clock::now() >= *deadline);
  }
};

}  // namespace nest
