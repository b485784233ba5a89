#include <QtTest/QTest>
#include <algorithm>
#include <cmath>

#include "problem/device_count.h"
#include "run/run_forecast.h"
#include "solver/even_hosts.h"
#include "study/spare_benefit.h"
#include "support/hand_problem.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;

namespace {

constexpr int kDevicesOfAHost = 2;

/// So many identical hosts of two devices under one switch, on which a run fails.
struct FailingRun {
  Problem problem;
  RankedPlan best;

  explicit FailingRun(int hostCount, double hostsAway) : problem(handProblem(hosts(2, hostCount), 4)) {
    problem.job.globalBatch = 48, problem.job.sequenceLength = 10, problem.job.batchTolerance = 0.2;
    problem.job.trainingTokens = 1e9;
    RunOptions& r = problem.run;
    r.repair = Seconds(10 * 3600);
    r.hostFailures = hostsAway / hostCount / 10 * 1000;
    r.detection = Seconds(1), r.replacement = Seconds(2), r.start = Seconds(3);
    r.storeWrite = BytesPerSecond(1e6), r.pricePerDeviceHour = 3;
    best = *solveOnEvenHosts(problem).best();
  }

  int hostCount() const { return problem.cluster->deviceCount() / kDevicesOfAHost; }
  int hostsUsed() const { return (best.plan.devicesUsed() + kDevicesOfAHost - 1) / kDevicesOfAHost; }
  double timeOfToken(const Evaluation& e) const { return e.batchTime.value() / e.globalBatch; }

  /// With any j hosts away, since they are identical.
  double left(int j) const {
    if (j == 0) return 1;
    if (j >= hostCount()) return 0;
    std::vector<int> lost;
    for (int d = 0; d < j * kDevicesOfAHost; ++d) lost.push_back(d);
    const Outcome o = solveOnEvenHosts(withoutDevices(problem, lost));
    return o.best() ? timeOfToken(best.evaluation) / timeOfToken(o.best()->evaluation) : 0;
  }

  /// Σ P(k)·ρ(max(0, k − s)), added up term by term.
  double share(const std::vector<double>& left, int spares) const {
    const double mean = *problem.run.hostFailures / 1000 * 10 * hostsUsed();
    double sum = 0, chance = std::exp(-mean), chances = 0;
    for (int k = 0; k <= hostsUsed(); chance *= mean / ++k) {
      if (k == hostsUsed()) chance = 1 - chances;  // no more can be away
      sum += chance * left[std::size_t(std::max(0, k - spares))];
      chances += chance;
    }
    return sum;
  }
};

bool isClose(double a, double b, double within = 1e-9) {
  return std::abs(a - b) <= within * std::max(std::abs(a), std::abs(b));
}

}  // namespace

class TestSpareBenefit : public QObject {
  Q_OBJECT
private slots:
  /// T ÷ the sum, with the optimum on every number of hosts that are left.
  void timesAreThoseOfTheSum() {
    for (const double away : {0.05, 0.5, 2.0, 5.0})
      for (const int count : {4, 12}) {
        const FailingRun run(count, away);
        const SpareBenefit b = spareBenefit(run.problem, run.best, 0.999);
        QVERIFY(b.isComplete && b.missing.empty() && b.missingForDays.empty());
        QCOMPARE(b.hosts, run.hostsUsed());
        std::vector<double> left;
        for (int j = 0; j <= count; ++j) left.push_back(run.left(j));
        for (const ThroughputLeft& l : b.left) QVERIFY(isClose(l.share, left[std::size_t(l.hosts)], 1e-6));
        const Seconds alone = *runForecastOf(run.problem, run.best.plan, run.best.evaluation)->total;
        QVERIFY(b.within <= kSparesWithin);
        for (const SpareChoice& c : b.choices) {
          const double exact = run.share(left, c.spares);
          QVERIFY2(
              c.share <= exact * (1 + 1e-6) && c.share * (1 + b.within) >= exact * (1 - 1e-6),
              qPrintable(
                  QString("%1 away, %2 spares: %3, not %4").arg(away).arg(c.spares).arg(c.share).arg(exact)));
          QVERIFY(isClose(c.total->value(), alone.value() / c.share));
        }
      }
  }

  void noSpareMakesARunLonger() {
    const FailingRun run(12, 2);
    const SpareBenefit b = spareBenefit(run.problem, run.best, 0.999);
    QVERIFY(b.choices.size() > 4);
    for (std::size_t i = 0; i < b.choices.size(); ++i) {
      QCOMPARE(b.choices[i].spares, static_cast<int>(i));
      QVERIFY(b.choices[i].share <= 1 + 1e-12);
      if (i == 0) continue;
      QVERIFY(b.choices[i].share >= b.choices[i - 1].share);
      QVERIFY(*b.choices[i].total <= *b.choices[i - 1].total);
      QVERIFY(b.choices[i].tokensPerSecond >= b.choices[i - 1].tokensPerSecond);
    }
    QVERIFY(b.choices.front().share < b.choices.back().share - 1e-3);
    QVERIFY(b.choices.back().share > 0.998);  // enough 99.9 % of the time
    for (std::size_t i = 1; i < b.left.size(); ++i) {
      QVERIFY(b.left[i].hosts > b.left[i - 1].hosts);
      QVERIFY(b.left[i].share <= b.left[i - 1].share);
    }
  }

  void withoutFailuresNothingIsLost() {
    const FailingRun run(4, 0);
    const SpareBenefit b = spareBenefit(run.problem, run.best, 0.999);
    QCOMPARE(b.hostsAway, 0.0);
    QCOMPARE(b.choices.size(), std::size_t(1));
    QCOMPARE(b.choices[0].share, 1.0);
    QCOMPARE(b.within, 0.0);
    QVERIFY(b.left.empty());
    QCOMPARE(b.choices[0].total->value(),
             runForecastOf(run.problem, run.best.plan, run.best.evaluation)->total->value());
  }

  /// Device-hours and money count every spare for the whole run.
  void sparesCost() {
    FailingRun run(4, 0.5);
    run.problem.run.spareHosts = 9;  // more than are needed: a choice of its own
    const SpareBenefit b = spareBenefit(run.problem, run.best, 0.999);
    QVERIFY(b.with(9) && b.with(0) && !b.with(8));
    double fewest = 0;
    int cheapest = -1;
    for (const SpareChoice& c : b.choices) {
      const double hours = (run.best.plan.devicesUsed() + 2 * c.spares) * c.total->value() / 3600;
      QVERIFY(isClose(*c.deviceHours, hours));
      QVERIFY(isClose(*c.money, 3 * hours));
      if (cheapest < 0 || hours < fewest) fewest = hours, cheapest = c.spares;
    }
    QCOMPARE(b.cheapest, cheapest);
    run.problem.run.pricePerDeviceHour.reset();
    QVERIFY(!spareBenefit(run.problem, run.best, 0.999).choices[0].money);
  }

  void whatIsMissingIsAskedForByName() {
    FailingRun run(4, 0.5);
    const SpareBenefit all = spareBenefit(run.problem, run.best, 0.999);
    run.problem.run.detection.reset();
    run.problem.job.trainingTokens.reset();
    const SpareBenefit shares = spareBenefit(run.problem, run.best, 0.999);
    QCOMPARE(shares.missingForDays, (std::vector<std::string>{"/job/training_tokens", "/run/detection_s"}));
    QVERIFY(shares.missing.empty() && !shares.choices[0].total);
    QCOMPARE(shares.choices[0].share, all.choices[0].share);
    QVERIFY(shares.choices[0].tokensPerSecond > all.choices[0].tokensPerSecond);  // without its checkpoints
    run.problem.run = {};
    const SpareBenefit none = spareBenefit(run.problem, run.best, 0.999);
    QCOMPARE(none.missing, (std::vector<std::string>{"/run/host_failures_per_1000h", "/run/repair_s"}));
    QVERIFY(none.choices.empty());
  }

  /// Nothing is known of ρ then but that it is 0 at least: times are too long, and it says so.
  void aStopLeavesAnHonestBound() {
    const FailingRun run(4, 0.5);
    std::stop_source stop;
    stop.request_stop();
    Control control;
    control.stop = stop.get_token();
    const SpareBenefit b = spareBenefit(run.problem, run.best, 0.999, control);
    QVERIFY(!b.isComplete);
    QVERIFY(b.within > 0.1);
    QVERIFY(b.choices[0].share <= spareBenefit(run.problem, run.best, 0.999).choices[0].share);
  }
};

NEST_TEST(TestSpareBenefit)
#include "test_spare_benefit.moc"
