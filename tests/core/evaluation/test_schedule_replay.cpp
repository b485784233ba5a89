#include <QtTest/QTest>
#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "evaluation/schedule_replay.h"
#include "solver/exhaustive.h"
#include "support/hand_problem.h"
#include "support/random_instance.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;

namespace {

/// Two stages, a second a pass forward and two back, 1.2 s between them.
ScheduleReplay twoStages(int microbatches) {
  Problem p = handProblem(hosts(4, 2), 2);
  p.job.globalBatch = microbatches;
  const Plan plan = chainPlan({{0}, {1}}, 2);
  const Evaluation e = evaluate(p, plan);
  return {simulate(p, plan, e, ScheduleKind::OneForwardOneBackward), e};
}

}  // namespace

class TestScheduleReplay : public QObject {
  Q_OBJECT
private slots:
  /// Forward on stage 0, the activations on their way, forward on stage 1, and all the way back.
  void aMicrobatchTravels() {
    const ScheduleReplay r = twoStages(1);
    QCOMPARE(r.end().value(), 3 + 3 + 2 * 1.2);
    QCOMPARE(r.stageCount(), 2);
    const ScheduleInstant forward = r.at(Seconds(0.25));
    QCOMPARE(forward.running.size(), 1U);
    QVERIFY(forward.running[0] == (RunningTask{0, TaskKind::Forward, 0, 0, 0.25, -1, -1}));
    QVERIFY(!forward.on(1));

    const ScheduleInstant way = r.at(Seconds(1.6));
    QCOMPARE(way.running.size(), 1U);
    const RunningTask* transfer = way.on(1);
    QVERIFY(transfer);
    QCOMPARE(transfer->kind, TaskKind::ActivationTransfer);
    QCOMPARE(transfer->from, 0);
    QCOMPARE(transfer->level, 0);
    QVERIFY(std::abs(transfer->done - 0.5) < 1e-9);

    const ScheduleInstant back = r.at(Seconds(2.2 + 3 + 0.3));
    const RunningTask* gradient = back.on(0);
    QVERIFY(gradient);
    QCOMPARE(gradient->kind, TaskKind::GradientTransfer);
    QCOMPARE(gradient->from, 1);
    QVERIFY(std::abs(gradient->done - 0.25) < 1e-9);
  }

  void timesOutsideAreClamped() {
    const ScheduleReplay r = twoStages(3);
    QCOMPARE(r.at(Seconds(-1)).at, Seconds());
    QCOMPARE(r.at(Seconds(1e9)).at, r.end());
    QVERIFY(r.at(r.end()).running.empty());
    const ScheduleReplay none{Schedule(), Evaluation()};
    QCOMPARE(none.stageCount(), 0);
    QCOMPARE(none.end(), Seconds());
    QVERIFY(none.at(Seconds(1)).running.empty());
    QCOMPARE(none.next(Seconds()), Seconds());
  }

  /// Steps lead through every beginning of a task once, there and back.
  void stepsVisitEveryTask() {
    const ScheduleReplay r = twoStages(4);
    for (const std::optional<int> stage : {std::optional<int>(), std::optional(1)}) {
      std::set<double> begins;
      for (const ScheduleInterval& i : r.schedule().intervals)
        if (!stage || i.stage == *stage) begins.insert(i.begin.value());
      begins.erase(0);
      std::vector<double> there, back;
      for (Seconds t; t < r.end();) {
        t = r.next(t, stage);
        if (t < r.end()) there.push_back(t.value());
      }
      for (Seconds t = r.end(); t > Seconds();) {
        t = r.previous(t, stage);
        if (t > Seconds()) back.push_back(t.value());
      }
      std::reverse(back.begin(), back.end());
      QVERIFY(there == back);
      QVERIFY(!there.empty() && there.size() <= begins.size());
      for (const double b : begins)
        QVERIFY(std::any_of(there.begin(), there.end(),
                            [&](double t) { return std::abs(t - b) < 1e-6 * r.end().value(); }));
    }
  }

  /// The slowest stage needs three seconds and what it receives.
  void paceIsThatOfTheSlowestStage() {
    QVERIFY(std::abs(twoStages(1).pace().value() - 4.2) < 1e-9);
    QVERIFY(std::abs(twoStages(5).pace().value() - 4.2) < 1e-9);
  }

  /// Whatever the plan and schedule: an instant lists what the intervals say, memory is the last step, a
  /// transfer comes from the stage before or after in the pipeline.
  void itAgreesWithTheIntervals() {
    Dice dice(20261127);
    int instants = 0, transfers = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const Problem p = randomInstance(seed);
      visitPlans(p, [&](const Plan& plan) {
        if (!dice.chance(0.02)) return true;
        const Evaluation e = evaluate(p, plan);
        const Schedule s = simulate(p, plan, e);
        if (s.intervals.empty()) return true;
        const ScheduleReplay r(s, e);
        for (int n = 0; n < 8; ++n) {
          const ScheduleInstant now = r.at(r.end() * (n / 8.0 + 0.01));
          ++instants;
          for (int stage = 0; stage < plan.stageCount(); ++stage) {
            const auto runs = [&](const ScheduleInterval& i) {
              return i.stage == stage && i.begin <= now.at && now.at < i.end;
            };
            const auto i = std::find_if(s.intervals.begin(), s.intervals.end(), runs);
            const RunningTask* task = now.on(stage);
            if ((i != s.intervals.end()) != (task != nullptr)) throw std::runtime_error("another task");
            if (!task) continue;
            if (task->kind != i->kind || task->chunk != i->chunk) throw std::runtime_error("another kind");
            if (task->kind != TaskKind::ActivationTransfer && task->kind != TaskKind::GradientTransfer)
              continue;
            ++transfers;
            if (task->from < 0 || task->from >= plan.stageCount()) throw std::runtime_error("from nowhere");
          }
          Bytes used;
          for (const MemoryStep& m : s.memory)
            if (m.stage == 0 && m.at <= now.at) used = m.used;
          if (used != now.memory[0]) throw std::runtime_error("other memory");
        }
        return true;
      });
    }
    QVERIFY2(instants > 200 && transfers > 20,
             qPrintable(QStringLiteral("%1 instants, %2 transfers").arg(instants).arg(transfers)));
  }
};

NEST_TEST(TestScheduleReplay)
#include "test_schedule_replay.moc"
