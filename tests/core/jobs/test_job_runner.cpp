#include "jobs/job_runner.h"

#include <QObject>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "support/log_guard.h"
#include "support/test_main.h"

using namespace nest;
using namespace std::chrono_literals;

namespace {

/// A solve that a test holds and lets go; says which problem (by global batch) it works on.
class Gate {
public:
  JobRunner::Solve solve() {
    return [this](const Problem& p, const Control& control, const Plan* start) {
      const int id = p.job.globalBatch;
      std::unique_lock lock(m_mutex);
      m_started.push_back(id);
      m_hadDeadline = control.deadline.has_value();
      m_start = start ? std::optional<int>(start->microbatch) : std::nullopt;
      m_changed.notify_all();
      const std::stop_callback wakeUp(control.stop, [this] { m_changed.notify_all(); });
      const auto turn = static_cast<int>(m_started.size());
      while (m_open < turn && (m_stubborn || !control.stopRequested())) m_changed.wait_for(lock, 1ms);
      Outcome outcome;
      outcome.status = control.stopRequested() ? OutcomeStatus::Stopped : OutcomeStatus::Optimal;
      outcome.statistics.states = id;
      return outcome;
    };
  }
  void waitStarted(int count) {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [&] { return static_cast<int>(m_started.size()) >= count; });
  }
  void letGo(int count) {
    const std::lock_guard lock(m_mutex);
    m_open = count;
    m_changed.notify_all();
  }
  std::vector<int> started() {
    const std::lock_guard lock(m_mutex);
    return m_started;
  }
  bool m_stubborn = false;  ///< does not heed its stop token
  bool m_hadDeadline = false;
  std::optional<int> m_start;

private:
  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::vector<int> m_started;
  int m_open = 0;
};

JobRunner::Request request(int generation, bool live = false) {
  auto problem = std::make_shared<Problem>();
  problem->job.globalBatch = generation;
  return {problem, generation, nullptr, live};
}

/// Drains until a result has come or the runner is idle.
std::vector<JobRunner::Message> results(JobRunner& runner, std::size_t count) {
  std::vector<JobRunner::Message> all;
  while (all.size() < count) {
    const bool idle = !runner.isBusy();
    for (auto& m : runner.drain())
      if (m.finished) all.push_back(std::move(m));
    if (idle && all.size() < count) break;
    std::this_thread::sleep_for(1ms);
  }
  return all;
}

}  // namespace

class TestJobRunner : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void deliversAResultWithItsGeneration() {
    Gate gate;
    gate.letGo(1);
    std::atomic<int> wakes = 0;
    JobRunner runner([&] { ++wakes; }, gate.solve());
    runner.submit(request(7));
    const auto all = results(runner, 1);
    QCOMPARE(all.size(), std::size_t{1});
    QCOMPARE(all[0].generation, 7);
    QCOMPARE(all[0].outcome->status, OutcomeStatus::Optimal);
    QCOMPARE(all[0].problem->job.globalBatch, 7);
    QVERIFY(!gate.m_hadDeadline);
    QVERIFY(!runner.isBusy());
    QCOMPARE(wakes.load(), 1);
  }

  void newerRequestCancelsAndDropsTheOlder() {
    Gate gate;
    gate.m_stubborn = true;
    JobRunner runner([] {}, gate.solve());
    runner.submit(request(1));
    gate.waitStarted(1);
    runner.submit(request(2));
    runner.submit(request(3));  // takes the place of 2, which never starts
    gate.letGo(2);
    const auto all = results(runner, 1);
    QCOMPARE(all.size(), std::size_t{1});
    QCOMPARE(all[0].generation, 3);
    QVERIFY(results(runner, 1).empty());
    QCOMPARE(gate.started(), (std::vector<int>{1, 3}));
  }

  void undrainedResultIsDroppedByANewerRequest() {
    Gate gate;
    gate.letGo(1);
    std::atomic<int> wakes = 0;
    JobRunner runner([&] { ++wakes; }, gate.solve());
    runner.submit(request(1));
    while (wakes == 0) std::this_thread::sleep_for(1ms);
    QVERIFY(runner.isBusy());  // to its owner it ends with its result
    runner.submit(request(2));
    gate.waitStarted(2);
    QVERIFY(runner.drain().empty());
  }

  void liveRequestSurvivesNewerOnes() {
    Gate gate;
    JobRunner runner([] {}, gate.solve());
    auto first = request(1, true);
    Plan incumbent;
    incumbent.microbatch = 42;
    first.start = std::make_shared<Plan>(incumbent);
    runner.submit(first);
    gate.waitStarted(1);
    QVERIFY(gate.m_hadDeadline);
    QCOMPARE(gate.m_start, std::optional<int>(42));
    runner.submit(request(2, true));
    runner.submit(request(3, true));
    QCOMPARE(gate.started(), std::vector<int>{1});
    gate.letGo(2);
    const auto all = results(runner, 2);
    QCOMPARE(all.size(), std::size_t{2});
    QCOMPARE(all[0].generation, 1);
    QCOMPARE(all[0].outcome->status, OutcomeStatus::Optimal);
    QVERIFY(all[0].live);
    QCOMPARE(all[1].generation, 3);
  }

  void cancelDeliversWhatThereIsAndForgetsTheWaiting() {
    Gate gate;
    JobRunner runner([] {}, gate.solve());
    runner.submit(request(1, true));
    gate.waitStarted(1);
    runner.submit(request(2, true));
    runner.cancel();
    const auto all = results(runner, 1);
    QCOMPARE(all.size(), std::size_t{1});
    QCOMPARE(all[0].generation, 1);
    QCOMPARE(all[0].outcome->status, OutcomeStatus::Stopped);
    QVERIFY(!runner.isBusy());
    QCOMPARE(gate.started(), std::vector<int>{1});
  }

  void wakesOnceUntilDrained() {
    std::atomic<int> wakes = 0;
    std::atomic<bool> go = false, reported = false;
    JobRunner runner(
        [&] { ++wakes; },
        [&](const Problem&, const Control& control, const Plan*) {
          for (int i = 1; i <= 100; ++i)
            control.progress(
                {.phase = "stages", .fraction = i / 100.0, .best = Seconds(1.0 / i), .states = i});
          reported = true;
          while (!go) std::this_thread::sleep_for(1ms);
          return Outcome{};
        });
    runner.submit(request(1));
    while (!reported) std::this_thread::sleep_for(1ms);
    QCOMPARE(wakes.load(), 1);
    const auto messages = runner.drain();
    QCOMPARE(messages.size(), std::size_t{1});
    QVERIFY(!messages[0].finished);
    QCOMPARE(messages[0].progress.states, 100LL);  // the newest
    QVERIFY(runner.drain().empty());
    go = true;
    QCOMPARE(results(runner, 1).size(), std::size_t{1});
    QCOMPARE(wakes.load(), 2);
  }

  /// However many reports come after it, the best plan so far reaches the owner, once.
  void theBestPlanSoFarIsDelivered() {
    std::atomic<int> step = 0;
    JobRunner runner(
        [] {},
        [&](const Problem&, const Control& control, const Plan*) {
          const auto found = [&](int microbatch) {
            RankedPlan plan;
            plan.plan.microbatch = microbatch;
            control.found(plan);
          };
          const auto tell = [&] {
            control.progress({.phase = "search", .fraction = 0.5, .best = Seconds(1), .states = 1});
          };
          tell(), found(1), tell(), found(2), tell(), tell();
          for (step = 1; step < 2;) std::this_thread::sleep_for(1ms);
          tell();
          for (step = 3; step < 4;) std::this_thread::sleep_for(1ms);
          return Outcome{};
        });
    runner.submit(request(1));
    while (step != 1) std::this_thread::sleep_for(1ms);
    const auto first = runner.drain();
    QCOMPARE(first.size(), std::size_t{1});
    QVERIFY(first[0].plan);
    QCOMPARE(first[0].plan->plan.microbatch, 2);
    step = 2;
    while (step != 3) std::this_thread::sleep_for(1ms);
    const auto second = runner.drain();
    QCOMPARE(second.size(), std::size_t{1});
    QVERIFY(!second[0].plan);
    step = 4;
    QCOMPARE(results(runner, 1).size(), std::size_t{1});
  }

  void destructorStopsAndJoins() {
    Gate gate;
    std::atomic<int> wakes = 0;
    {
      JobRunner runner([&] { ++wakes; }, gate.solve());
      runner.submit(request(1, true));
      gate.waitStarted(1);
      runner.submit(request(2));
    }
    QCOMPARE(gate.started(), std::vector<int>{1});
    QCOMPARE(wakes.load(), 0);
  }

  void exceptionBecomesAFailedOutcome() {
    JobRunner runner([] {},
                     [](const Problem&, const Control&, const Plan*) -> Outcome {
                       throw std::runtime_error("table is full");
                     });
    runner.submit(request(1));
    const auto all = results(runner, 1);
    QCOMPARE(all.size(), std::size_t{1});
    QCOMPARE(all[0].outcome->status, OutcomeStatus::Failed);
    QVERIFY(all[0].outcome->diagnostics.at(0).message.find("table is full") != std::string::npos);
    QCOMPARE(test::LogGuard::take(), 1);
  }

  void manyRequestsEndWithTheNewest() {
    JobRunner runner(
        [] {},
        [](const Problem& p, const Control& control, const Plan*) {
          for (int i = 0; i < 20 && !control.stopRequested(); ++i) {
            control.progress({.phase = "stages", .fraction = i / 20.0, .best = std::nullopt, .states = i});
            std::this_thread::yield();
          }
          Outcome o;
          o.statistics.states = p.job.globalBatch;
          return o;
        });
    std::vector<JobRunner::Message> all;
    for (int g = 1; g <= 500; ++g) {
      runner.submit(request(g, g % 3 == 0));
      for (auto& m : runner.drain())
        if (m.finished) all.push_back(std::move(m));
    }
    while (runner.isBusy())
      for (auto& m : runner.drain())
        if (m.finished) all.push_back(std::move(m));
    QVERIFY(!all.empty());
    QCOMPARE(all.back().generation, 500);
    for (std::size_t i = 1; i < all.size(); ++i) QVERIFY(all[i - 1].generation < all[i].generation);
    for (const auto& m : all) QCOMPARE(m.outcome->statistics.states, static_cast<long long>(m.generation));
  }

  /// What a search leaves behind is freed beside the answer, and before the runner is gone.
  void noAnswerWaitsUntilTablesAreFreed() {
    std::atomic<bool> mayFree = false;
    std::atomic<int> freed = 0;
    {
      JobRunner runner([] {},
                       [&](const Problem&, const Control&, const Plan*) {
                         Outcome o;
                         o.status = OutcomeStatus::Stopped;
                         o.tables.push_back(std::shared_ptr<const void>(&freed, [&](const void*) {
                           while (!mayFree) std::this_thread::sleep_for(1ms);
                           ++freed;
                         }));
                         return o;
                       });
      runner.submit(request(1));
      const auto all = results(runner, 1);
      QCOMPARE(all.size(), std::size_t(1));
      QVERIFY(all.front().outcome->tables.empty());
      QCOMPARE(freed.load(), 0);
      mayFree = true;
    }
    QCOMPARE(freed.load(), 1);
  }
};

NEST_TEST(TestJobRunner)
#include "test_job_runner.moc"
