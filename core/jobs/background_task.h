#pragma once

#include <functional>
#include <memory>
#include <string>

#include "solver/control.h"

namespace nest {

/// Runs one study after another on a background thread; starting a new one stops the old. Free of any GUI
/// toolkit.
///
/// Thread model: members are called from one owner thread. The work runs on a thread of its own and hands
/// results over as closures, which drain() runs on the owner thread; those of a study that has been stopped
/// or replaced are dropped. `wake` is called on the worker when something waits, once until drain() has run;
/// it must only post a call of drain().
class BackgroundTask {
public:
  using Deliver = std::function<void(std::function<void()>)>;
  /// Must heed `control.stop` within 50 ms. What it throws ends the study with `failure()` set.
  using Work = std::function<void(const Control& control, const Deliver& deliver)>;

  explicit BackgroundTask(std::function<void()> wake);
  ~BackgroundTask();  ///< stops and joins

  void start(Work);
  void stop();          ///< what is still to be delivered is dropped
  bool isBusy() const;  ///< until drain() has run what was delivered last

  double fraction() const;             ///< of the newest progress, 0…1
  const std::string& failure() const;  ///< of the last study; empty if it ended well

  /// Runs what has been delivered. Returns true if the study ended since the last call.
  bool drain();

private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace nest
