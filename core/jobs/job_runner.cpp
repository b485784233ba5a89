#include "jobs/job_runner.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "log/log.h"

namespace nest {
namespace {
constexpr std::chrono::milliseconds kLiveBudget(100);
}

struct JobRunner::State {
  struct Running {
    Request request;
    std::stop_source stop;
    bool stale = false;  ///< a newer request has taken its place: nobody waits for its result
  };

  const std::function<void()> wake;
  const Solve solve;

  std::mutex mutex;
  std::condition_variable_any changed;
  std::optional<Request> waiting;
  std::optional<Running> running;
  std::optional<Message> progress;
  std::shared_ptr<const RankedPlan> better;  ///< the worker's own: goes with the next progress
  std::vector<Message> finished;
  bool woken = false;  ///< wake has been called, drain has not yet
  std::jthread worker;
  std::jthread sweeper;  ///< frees the tables of a search that was ended early

  State(std::function<void()> w, Solve s) : wake(std::move(w)), solve(std::move(s)) {}

  void post(std::unique_lock<std::mutex>& lock) {
    const bool first = !std::exchange(woken, true);
    lock.unlock();
    if (first) wake();
  }

  Outcome runSolve(const Request& request, const std::stop_token& stop) {
    Control control;
    control.stop = stop;
    if (request.live) control.deadline = std::chrono::steady_clock::now() + kLiveBudget;
    control.progress = [this, &request](const Progress& p) {
      std::unique_lock lock(mutex);
      if (running->stale) return;
      if (!better && progress) better = std::move(progress->plan);  // which nobody has taken
      progress = Message{request.generation,        false,           request.live, p,
                         std::exchange(better, {}), request.problem, nullptr};
      post(lock);
    };
    control.found = [this](const RankedPlan& plan) { better = std::make_shared<const RankedPlan>(plan); };
    logLine(LogLevel::Trace, "solve " + std::to_string(request.generation) + " begins");
    try {
      return solve(*request.problem, control, request.start.get());
    } catch (const std::exception& e) {
      logLine(LogLevel::Error, "solve " + std::to_string(request.generation) + ": " + e.what());
      Outcome failed;
      failed.diagnostics.push_back(error("solve-failed", {}, std::string("the search stopped: ") + e.what(),
                                         "save the scenario and report it; other settings may work"));
      return failed;
    }
  }

  void run(const std::stop_token& quit) {
    while (true) {
      std::unique_lock lock(mutex);
      if (!changed.wait(lock, quit, [this] { return waiting.has_value(); }) || quit.stop_requested()) return;
      running.emplace(Running{std::move(*waiting), {}, false});
      waiting.reset();
      const Request request = running->request;
      const std::stop_token stop = running->stop.get_token();
      lock.unlock();

      Outcome answer = runSolve(request, stop);
      auto tables = std::exchange(answer.tables, {});
      auto outcome = std::make_shared<const Outcome>(std::move(answer));

      lock.lock();
      const bool stale = running->stale;
      running.reset();
      progress.reset();
      better.reset();
      if (!stale) {
        finished.push_back(
            {request.generation, true, request.live, {}, nullptr, request.problem, std::move(outcome)});
        post(lock);
      } else {
        lock.unlock();
      }
      if (!tables.empty()) free(std::move(tables));
    }
  }

  /// Beside the next solve. Waits for the tables before these, which are hardly ever left.
  void free(std::vector<std::shared_ptr<const void>> tables) {
    try {
      sweeper = std::jthread([tables = std::move(tables)]() mutable { tables.clear(); });
    } catch (const std::system_error&) {  // no thread is to be had: they are freed here
    }
  }
};

JobRunner::JobRunner(std::function<void()> wake, Solve solve)
    : m_state(std::make_unique<State>(std::move(wake), std::move(solve))) {
  m_state->worker = std::jthread([state = m_state.get()](const std::stop_token& quit) { state->run(quit); });
}

JobRunner::~JobRunner() {
  {
    const std::lock_guard lock(m_state->mutex);
    m_state->woken = true;  // nobody will drain any more
    m_state->waiting.reset();
    if (m_state->running) m_state->running->stop.request_stop();
  }
  m_state->worker.request_stop();
  m_state->worker.join();
}

void JobRunner::submit(Request request) {
  {
    const std::lock_guard lock(m_state->mutex);
    std::erase_if(m_state->finished, [](const Message& m) { return !m.live; });
    if (auto& running = m_state->running; running && !running->request.live) {
      running->stale = true;
      running->stop.request_stop();
      m_state->progress.reset();
    }
    m_state->waiting = std::move(request);
  }
  m_state->changed.notify_one();
}

void JobRunner::cancel() {
  const std::lock_guard lock(m_state->mutex);
  m_state->waiting.reset();
  if (m_state->running) m_state->running->stop.request_stop();
}

bool JobRunner::isBusy() const {
  const std::lock_guard lock(m_state->mutex);
  return m_state->waiting || (m_state->running && !m_state->running->stale) || !m_state->finished.empty();
}

std::vector<JobRunner::Message> JobRunner::drain() {
  const std::lock_guard lock(m_state->mutex);
  m_state->woken = false;
  std::vector<Message> all = std::exchange(m_state->finished, {});
  if (m_state->progress) all.push_back(*std::exchange(m_state->progress, std::nullopt));
  return all;
}

}  // namespace nest
