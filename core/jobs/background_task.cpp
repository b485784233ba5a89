#include "jobs/background_task.h"

#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace nest {

struct BackgroundTask::State {
  std::function<void()> wake;
  mutable std::mutex mutex;
  // Under the mutex:
  int generation = 0;  ///< of the study whose results still count
  bool busy = false, ended = false, awake = false;
  double fraction = 0;
  std::string failure, shownFailure;
  std::vector<std::function<void()>> waiting;

  std::jthread thread;  ///< last: joins before the rest goes

  void post(int of, std::function<void()> result, bool last, std::string why = {}) {
    bool call = false;
    {
      const std::lock_guard lock(mutex);
      if (of != generation) return;
      if (result) waiting.push_back(std::move(result));
      if (last) ended = true, failure = std::move(why);
      call = !std::exchange(awake, true);
    }
    if (call) wake();
  }
};

BackgroundTask::BackgroundTask(std::function<void()> wake) : m_state(std::make_unique<State>()) {
  m_state->wake = std::move(wake);
}

BackgroundTask::~BackgroundTask() {
  stop();
}

void BackgroundTask::start(Work work) {
  stop();
  State& s = *m_state;
  int mine = 0;
  {
    const std::lock_guard lock(s.mutex);
    mine = ++s.generation;
    s.busy = true, s.fraction = 0;
    s.failure.clear();
  }
  s.thread = std::jthread([&s, mine, work = std::move(work)](std::stop_token stop) {
    Control control;
    control.stop = stop;
    control.progress = [&s, mine](const Progress& p) {
      {
        const std::lock_guard lock(s.mutex);
        if (mine == s.generation) s.fraction = p.fraction;
      }
      s.post(mine, {}, false);
    };
    std::string why;
    try {
      work(control, [&s, mine](std::function<void()> result) { s.post(mine, std::move(result), false); });
    } catch (const std::exception& e) {
      why = e.what();
    }
    s.post(mine, {}, true, std::move(why));
  });
}

void BackgroundTask::stop() {
  State& s = *m_state;
  {
    const std::lock_guard lock(s.mutex);
    ++s.generation;
    s.busy = s.ended = false;
    s.waiting.clear();
  }
  if (s.thread.joinable()) {
    s.thread.request_stop();
    s.thread.join();
  }
}

bool BackgroundTask::isBusy() const {
  const std::lock_guard lock(m_state->mutex);
  return m_state->busy;
}

double BackgroundTask::fraction() const {
  const std::lock_guard lock(m_state->mutex);
  return m_state->fraction;
}

const std::string& BackgroundTask::failure() const {
  return m_state->shownFailure;
}

bool BackgroundTask::drain() {
  State& s = *m_state;
  std::vector<std::function<void()>> results;
  bool ended = false;
  {
    const std::lock_guard lock(s.mutex);
    results.swap(s.waiting);
    ended = std::exchange(s.ended, false);
    if (ended) s.busy = false;
    s.awake = false;
    s.shownFailure = s.failure;
  }
  for (auto& result : results) result();
  return ended;
}

}  // namespace nest
