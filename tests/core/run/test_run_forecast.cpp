#include <QtTest/QTest>
#include <cmath>

#include "measures/metrics.h"
#include "run/run_forecast.h"
#include "support/hand_problem.h"
#include "support/test_main.h"
#include "words/run_words.h"

using namespace nest;
using namespace nest::test;

namespace {

/// Two stages of two layers, two replicas of each, on two hosts of two devices.
struct Hand {
  Problem problem = handProblem(hosts(2, 2), 4);
  Plan plan = chainPlan({{0, 1}, {2, 3}}, 2, {}, 1, 2);
  Hand() {
    problem.job.globalBatch = 8, problem.job.sequenceLength = 10;
    problem.job.trainingTokens = 8 * 10 * 1000;  // a thousand steps
  }
  RunForecast forecast() const {
    const Evaluation e = evaluate(problem, plan);
    if (!e.feasible()) qFatal("the plan cannot run");
    return runForecastOf(problem, plan, e).value_or(RunForecast());
  }
  Seconds step() const { return evaluate(problem, plan).batchTime; }
  void fails() {
    RunOptions& r = problem.run;
    r.deviceFailures = 100, r.hostFailures = 300;  // M = 1,000 h ÷ (4·100 + 2·300) = 1 h
    r.detection = Seconds(1), r.replacement = Seconds(2), r.start = Seconds(3);
    r.storeWrite = BytesPerSecond(56), r.storeRead = BytesPerSecond(112);
  }
};

bool isNear(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

}  // namespace

class TestRunForecast : public QObject {
  Q_OBJECT
private slots:
  /// 40 parameters of 2 + 12 bytes; each of the four devices writes a quarter and reads its whole stage.
  void aCheckpointHoldsEachParameterOnce() {
    Hand hand;
    hand.fails();
    for (const int zero : {0, 1}) {
      hand.plan.zero = zero;
      const CheckpointSize c = hand.forecast().checkpoint;
      QCOMPARE(c.all.value(), 40 * 14.0);
      QCOMPARE(c.ofDevice.value(), 140.0);
      QCOMPARE(c.ofHost.value(), 280.0);
      const double held = 20 * (2 + (zero ? 6.0 : 12.0));
      QCOMPARE(c.readByHost.value(), 2 * held);
      QCOMPARE(c.readByAll.value(), 4 * held);
      QCOMPARE(c.hosts, 2);
      QCOMPARE(c.switches, 1);
    }
  }

  void timesFollowFromTheOptions() {
    Hand hand;
    hand.fails();
    RunForecast f = hand.forecast();
    QVERIFY(f.missing.empty() && f.prediction);
    QCOMPARE(f.times->mtbf.value(), 3600.0);
    QCOMPARE(f.times->blocked.value(), 10.0);  // 560 bytes at 56 a second
    QCOMPARE(f.times->written.value(), 0.0);
    QCOMPARE(f.times->restart.value(), 1 + 2 + 3 + 4 * 280.0 / 112);
    QCOMPARE(f.times->work.value(), 1000 * hand.step().value());
    QCOMPARE(f.total->value(), f.prediction->total.value());
    hand.problem.run.hostStore = BytesPerSecond(14);  // its host is slower than the store
    QCOMPARE(hand.forecast().times->blocked.value(), 20.0);
    hand.problem.run.asynchronous = true, hand.problem.run.hostCopy = BytesPerSecond(70);
    f = hand.forecast();
    QCOMPARE(f.times->blocked.value(), 2.0);
    QCOMPARE(f.times->written.value(), 20.0);
    QVERIFY(f.prediction->interval >= f.times->written);
    hand.problem.run.switchFailures = 1000, hand.problem.run.jobFailures = 2000;
    QCOMPARE(hand.forecast().times->mtbf.value(), 900.0);
  }

  /// Days, money and energy count what is reserved, for as long as it is.
  void everythingCostsUntilTheEnd() {
    Hand hand;
    hand.fails();
    RunOptions& r = hand.problem.run;
    r.spareHosts = 3, r.pricePerDeviceHour = 2, r.devicePower = 500, r.hostPower = 100, r.powerUsage = 1.5;
    r.carbonPerKwh = 400;
    const RunForecast f = hand.forecast();
    const double hours = f.total->value() / 3600;
    QVERIFY(*f.total > *f.work);
    QCOMPARE(f.reservedDevices, 4 + 3 * 2);
    QVERIFY(isNear(*f.money, 10 * hours * 2));
    QVERIFY(isNear(*f.energy, (4 * 500 + 2 * 100) / 1000.0 * hours * 1.5));
    QVERIFY(isNear(*f.carbon, *f.energy * 0.4));
    const PlanMetrics m = metricsOf(hand.problem, nullptr, hand.plan, evaluate(hand.problem, hand.plan));
    QVERIFY(isNear(*m.deviceHours, 10 * hours));
    QCOMPARE(m.trainingTime->value(), f.total->value());
    QVERIFY(words::training(m).find("of which failures take") != std::string::npos);
  }

  /// What cannot be as it was asked for is answered with what follows.
  void impossibleTimesSayWhatFollows() {
    const auto line = [](const Hand& hand, const std::string& name) {
      for (const auto& [title, text] : words::runLines(hand.forecast()))
        if (title == name) return text;
      return std::string();
    };
    Hand hand;
    hand.fails();
    QVERIFY(line(hand, "failures").find("mostly comes first") == std::string::npos);
    hand.problem.run.start = Seconds(4000);  // M is an hour
    QVERIFY(line(hand, "failures").find("mostly comes first") != std::string::npos);
    hand.fails();
    hand.problem.run.interval = Seconds(5);  // steps wait 10 s for each
    QVERIFY(line(hand, "checkpoint").find("steps wait longer than they run") != std::string::npos);
    hand.problem.run.asynchronous = true, hand.problem.run.hostCopy = BytesPerSecond(1000);
    QVERIFY(line(hand, "checkpoint").find("not 5 s: the next one begins when") != std::string::npos);
  }

  void whatIsMissingIsAskedForByName() {
    Hand hand;
    QVERIFY(!runForecastOf(hand.problem, hand.plan, evaluate(hand.problem, hand.plan)));
    hand.problem.run.jobFailures = 1;
    hand.problem.run.asynchronous = true;
    hand.problem.run.carbonPerKwh = 1;
    RunForecast f = hand.forecast();
    QVERIFY(!f.prediction);
    QCOMPARE(f.missing,
             (std::vector<std::string>{"/run/detection_s", "/run/replacement_s", "/run/start_s",
                                       "/run/store_write_bandwidth_bytes_per_s",
                                       "/run/host_copy_bandwidth_bytes_per_s", "/run/device_power_w"}));
    QCOMPARE(words::runLines(f).back().first, "not counted");
    hand.problem.run = {};
    hand.problem.run.pricePerDeviceHour = 1;
    hand.problem.job.trainingTokens.reset();
    QCOMPARE(hand.forecast().missing, std::vector<std::string>{"/job/training_tokens"});
    // The share of useful time needs no length.
    hand.problem.run = {};
    hand.fails();
    f = hand.forecast();
    QVERIFY(f.goodput() && *f.goodput() < 1 && !f.total);
  }

  void aRunThatNeverEndsHasNoDays() {
    Hand hand;
    hand.fails();
    hand.problem.run.start = Seconds(1e6);
    const PlanMetrics m = metricsOf(hand.problem, nullptr, hand.plan, evaluate(hand.problem, hand.plan));
    QVERIFY(!m.trainingTime && !m.deviceHours && !m.run->total);
    QCOMPARE(words::training(m), "training does not get through its failures");
  }
};
NEST_TEST(TestRunForecast)
#include "test_run_forecast.moc"
