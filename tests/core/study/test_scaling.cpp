#include <QtTest/QTest>

#include "cluster/devices/device_catalog.h"
#include "core/study/solved_instances.h"
#include "fields/program_setting.h"
#include "formats/scenario/scenario_json.h"
#include "study/scaling.h"
#include "support/hand_problem.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;
using test::Solved;
using test::solvedInstances;

/// How few devices suffice, what more of them gain, and what other devices do.
class TestScaling : public QObject {
  Q_OBJECT
private slots:
  void fewestDevicesMeetTheTarget() {
    int reachable = 0;
    for (const Solved& s : solvedInstances(10)) {
      const Seconds best = s.best.evaluation.batchTime;
      const auto out = fewestDevices(s.problem, best * 1.5);
      QVERIFY(out.answer == FewestDevices::Answer::Suffice && out.complete);
      QVERIFY(out.plan->evaluation.batchTime <= best * 1.5);
      QCOMPARE(out.plan->plan.devicesUsed(), out.devices);
      QVERIFY(out.devices <= s.best.plan.devicesUsed());
      if (out.devices > 1) {
        Problem fewer = s.problem;
        fewer.constraints.devices.most = out.devices - 1;
        const Outcome o = solve(fewer);
        QVERIFY(!o.best() || o.best()->evaluation.batchTime > best * 1.5);
        ++reachable;
      }
      QCOMPARE(fewestDevices(s.problem, best * 0.5).answer, FewestDevices::Answer::TooSlow);
      // Rounding does not decide; what looks the same is said to be more.
      QCOMPARE(fewestDevices(s.problem, best * (1 - 1e-12)).answer, FewestDevices::Answer::Suffice);
      QVERIFY(fewestDevices(s.problem, best * (1 - 1e-7)).sentence.find("a little more than") !=
              std::string::npos);
    }
    QVERIFY(reachable > 3);
  }

  /// The fewest of one to eight devices, for the time of each count.
  void fewestDevicesAreFoundAmongAll() {
    Problem p = test::handProblem(test::hosts(8, 1), 1);
    p.job.globalBatch = 840;  // every count of replicas divides it
    std::vector<Seconds> best(9);
    for (int n = 1; n <= 8; ++n) {
      Problem fewer = p;
      fewer.constraints.devices.most = n;
      const Outcome o = solve(fewer);
      QVERIFY(o.best());
      best[std::size_t(n)] = o.best()->evaluation.batchTime;
      if (n > 1) QVERIFY(best[std::size_t(n)] < best[std::size_t(n - 1)]);
    }
    for (int n = 1; n <= 8; ++n) {
      const FewestDevices out = fewestDevices(p, best[std::size_t(n)]);
      QVERIFY(out.answer == FewestDevices::Answer::Suffice && out.complete);
      QCOMPARE(out.devices, n);
      QCOMPARE(out.plan->evaluation.batchTime, best[std::size_t(n)]);
    }
  }

  /// Each device on its own links, where the scenario has its own device's; what the program does not run on
  /// is said.
  void devicesBringTheirLinks() {
    const std::string samples = std::string(NEST_SOURCE_DIR) + "/samples/";
    auto s = readScenario(test::readFile(samples + "llama3-70b-h100-1024.nest.json"), "s",
                          [&](const std::string& path) {
                            return Reading<std::string>{test::readFile(samples + path), {}};
                          });
    QVERIFY(s);
    auto& levels = std::get<LevelsSource>(s->cluster.network).levels;
    for (LevelSpec& l : levels) l.origin = Origin::Typed;
    levels[0].bandwidth = s->cluster.device.linkBandwidth.value;
    levels[1].bandwidth = BytesPerSecond(41e9);
    setProgram(*s, *findProgram("megatron-core-2025"));
    const auto answers = compareDevices(*s, {*findDevice("h800-sxm"), *findDevice("tpu-v5p")}, {});
    QCOMPARE(answers[0].device.id, std::string("h800-sxm"));
    QCOMPARE(answers[0].bandwidths[0].value(), 200e9);
    QCOMPARE(answers[0].bandwidths[1].value(), 41e9);
    QVERIFY(answers[0].outcome.best() && !answers[1].outcome.best());
    QCOMPARE(answers[1].diagnostics.front().message,
             std::string("Megatron-Core 2025 does not run on TPU v5p"));
  }

  void whatIsCutOffIsLeftOpen() {
    const Solved s = solvedInstances(1).front();
    Control control;
    control.work = std::make_shared<WorkLimit>(0);
    const auto out = fewestDevices(s.problem, s.best.evaluation.batchTime * 1.5, 0, control);
    QCOMPARE(out.answer, FewestDevices::Answer::Open);
    QVERIFY(!out.complete);
    const auto curve = scalingCurve(s.problem, {1, 2, 4}, control);
    QCOMPARE(curve.size(), std::size_t(3));
    for (const ScalingPoint& p : curve) QCOMPARE(p.outcome.status, OutcomeStatus::Stopped);
  }

  void efficiencyIsRelativeToTheFirstPointThatFits() {
    int apart = 0;
    for (const Solved& s : solvedInstances(6)) {
      const ScalingPoint* first = nullptr;
      const auto curve = scalingCurve(s.problem, {1, 2, 4});
      for (const ScalingPoint& p : curve) {
        if (!p.outcome.best()) continue;
        if (!first) first = &p;
        const double linear = first->samplesPerSecond / first->devices * p.devices;
        QVERIFY(std::abs(p.efficiency - p.samplesPerSecond / linear) < 1e-12);
        apart += std::abs(p.efficiency - 1) > 1e-6;
      }
    }
    QVERIFY(apart > 0);
  }

  void scalingFollowsTheCounts() {
    const Solved s = solvedInstances(1).front();
    const auto curve = scalingCurve(s.problem, {1, 2, 4});
    QCOMPARE(curve.size(), std::size_t(3));
    for (std::size_t i = 1; i < curve.size(); ++i)
      if (curve[i - 1].outcome.best()) {
        QVERIFY(curve[i].samplesPerSecond >= curve[i - 1].samplesPerSecond * (1 - 1e-9));
        QVERIFY(curve[i].change.has_value());
      }
    QCOMPARE(powersOfTwo(64, 300), (std::vector<int>{64, 128, 256}));
  }
};
NEST_TEST(TestScaling)
#include "test_scaling.moc"
