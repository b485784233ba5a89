// What a search tells on its way, and when it is ended early.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>
#include <vector>

#include "gpt_problem.h"
#include "solver/progress_estimate.h"
#include "solver/solve.h"
#include "solver/tuning.h"
#include "solver/watch.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;

class TestSolverProgress : public QObject {
  Q_OBJECT
private slots:
  /// Wherever a search ends, the lower bound and the plans called proven hold for all that was not tried.
  void whatIsToldEarlyHolds() {
    int proven = 0, early = 0;
    for (const bool free : {false, true})
      for (const int chunks : {1, 3}) {
        Problem p = gpt();
        p.search.strategyPerStage = free;
        p.search.chunksPerStage = {1, chunks};
        const Outcome whole = solve(p);
        const double best = whole.best()->evaluation.batchTime.value();
        const Plan start = whole.plans.back().plan;
        for (int step = 0; step < 25; ++step) {
          Control control;
          control.work = std::make_shared<WorkLimit>(1 + step * step * step / 4);
          const Outcome o = solve(p, control, &start);
          QVERIFY(o.lowerBound.value() <= best * (1 + 1e-12));
          QVERIFY(o.provenPlans <= static_cast<int>(o.plans.size()));
          QCOMPARE(o.status, o.provenPlans > 0 ? OutcomeStatus::Optimal : OutcomeStatus::BestSoFar);
          for (std::size_t k = 0; k < static_cast<std::size_t>(o.provenPlans) && k < whole.plans.size(); ++k)
            QVERIFY(std::abs(o.plans[k].evaluation.batchTime.value() -
                             whole.plans[k].evaluation.batchTime.value()) <= 1e-12 * best);
          if (o.provenPlans > 0) QCOMPARE(o.gap().value_or(-1), 0.0);
          early += o.provenPlans < whole.provenPlans;
          proven += o.provenPlans > 0 && o.provenPlans < whole.provenPlans;
        }
      }
    qInfo("%d ended early, %d of them with the best plan proven", early, proven);
    QVERIFY(early > 20);
  }

  /// While the next best plans are sought, reports say that the best one is settled; and never before it is.
  void theOptimumIsReportedAsSettled() {
    for (const bool free : {false, true}) {
      Problem p = gpt();
      p.search.strategyPerStage = free;
      p.search.topPlans = 40;
      std::vector<Progress> told;
      Control control;
      control.progress = [&](const Progress& r) { told.push_back(r); };
      Tuning tuning;
      tuning.pace = 0;
      const Outcome o = solve(p, control, nullptr, tuning);
      QCOMPARE(o.status, OutcomeStatus::Optimal);
      const double best = o.best()->evaluation.batchTime.value();
      const auto settled =
          std::find_if(told.begin(), told.end(), [](const Progress& r) { return r.settled; });
      QVERIFY(free || settled != told.end());
      for (const Progress& r : told) {
        if (r.best) QVERIFY(r.best->value() >= best * (1 - 1e-9));
        if (!r.settled) continue;
        QVERIFY(std::abs(r.best->value() - best) <= 1e-9 * best);
        QCOMPARE(r.phase, std::string_view("next best plans"));
      }
    }
  }

  /// Everything on 16,384 devices: listing it alone takes longer than the plain search, whose best plan comes
  /// first and is never lost.
  void thePlainSearchComesFirst() {
    Problem p = gpt(80e9, {8, 4, 512}, [](SearchOptions& s) {
      s.preset = SearchPreset::Free;
      s.strategyPerStage = s.padLastMicrobatch = s.contextParallel = true;
      s.shardGroups = ShardGroups::Every;
      s.chunksPerStage = {1, 2, 3, 4, 6};
      s.schedules = {ScheduleKind::OneForwardOneBackward, ScheduleKind::Interleaved, ScheduleKind::ZbH1,
                     ScheduleKind::ZbV, ScheduleKind::DualPipeV};
    });
    Problem plain = p;
    plain.search.strategyPerStage = plain.search.padLastMicrobatch = false;
    plain.search.shardGroups = ShardGroups::All;
    plain.search.chunksPerStage = {1};
    plain.search.schedules = {ScheduleKind::OneForwardOneBackward};
    plain.constraints.context.least = plain.constraints.context.most = 1;
    plain.search.topPlans = 1;
    Control counted;
    constexpr long long kAmple = 100'000'000;
    counted.work = std::make_shared<WorkLimit>(kAmple);
    const Outcome first = solve(plain, counted);
    QCOMPARE(first.status, OutcomeStatus::Optimal);
    const long long work = kAmple - counted.work->left();
    // The plain search gets half of the work.
    Control control;
    control.work = std::make_shared<WorkLimit>(2 * work + 2);
    const Outcome o = solve(p, control);
    QVERIFY2(o.best(), "no plan within twice the work of the plain search");
    QVERIFY(o.best()->evaluation.batchTime <= first.best()->evaluation.batchTime * (1 + 1e-9));
    QCOMPARE(o.status, OutcomeStatus::BestSoFar);
    QCOMPARE(o.finished, SearchExtent::Plain);
    QVERIFY(o.lowerBound <= o.best()->evaluation.batchTime);
  }

  void progressIsMonotone() {
    std::vector<double> fractions;
    Control control;
    control.progress = [&](const Progress& p) { fractions.push_back(p.fraction); };
    solve(gpt(), control);
    QVERIFY(!fractions.empty());
    QVERIFY(std::is_sorted(fractions.begin(), fractions.end()));
    QVERIFY(fractions.front() >= 0 && fractions.back() <= 1);
  }

  /// A gap that closes by four fifths at once and then hardly any more is no progress of four fifths.
  void progressIsNoBetterThanTheGap() {
    solver::ProgressEstimate stalls;
    for (double t = 0; t <= 200; t += 0.1) {
      const double told = stalls.at(t < 8 ? 1 - 0.1 * t : 0.2 - 0.0001 * t, t);
      QVERIFY2(told <= 0.1, qPrintable(QString("%1 after %2 s").arg(told).arg(t)));
    }
    solver::ProgressEstimate jumps;
    for (double t = 0; t <= 200; t += 0.1) {
      const double told = jumps.at(t < 1 ? 1 - t : 0.001, t);
      QVERIFY2(told <= t / (t + 30), qPrintable(QString("%1 after %2 s").arg(told).arg(t)));
    }
    solver::ProgressEstimate halves;  // every ten seconds
    for (double t = 0; t <= 71; t += 0.1) {
      const double told = halves.at(std::exp2(-t / 10), t);
      QVERIFY2(told <= t / 60 && (t < 70 || told > 0.5),
               qPrintable(QString("%1 after %2 s").arg(told).arg(t)));
    }
  }

  /// Signs of life between two reports do not stand in the way of the second.
  void whatIsNewIsReported() {
    std::vector<double> bounds;
    Control control;
    control.progress = [&](const Progress& p) { bounds.push_back(p.lowerBound); };
    solver::Watch watch(control, 0, 0.05);
    watch.report("search", 0, 4, 1);
    while (bounds.size() < 2) watch.poll();
    watch.report("search", 0, 4, 2);
    QCOMPARE(bounds, (std::vector<double>{1, 1, 2}));
  }

  /// What is shown of a search that lasts can run, and each plan is faster than the one before.
  void plansAreShownOnTheWay() {
    Problem p = gpt();
    p.search.strategyPerStage = true;
    p.search.preset = SearchPreset::Free;
    p.search.chunksPerStage = {1, 2, 3, 4};
    std::vector<double> times;
    Control control;
    control.progress = [](const Progress&) {};
    control.found = [&](const RankedPlan& r) {
      QVERIFY(evaluate(p, r.plan).feasible());
      QCOMPARE(r.evaluation.batchTime.value(), evaluate(p, r.plan).batchTime.value());
      QVERIFY(r.simulated > Seconds(0));
      QVERIFY(times.empty() || r.evaluation.batchTime.value() < times.back());
      times.push_back(r.evaluation.batchTime.value());
    };
    Tuning impatient;
    impatient.pace = impatient.patience = 0;
    const Outcome o = solve(p, control, nullptr, impatient);
    QVERIFY(!times.empty());
    QVERIFY(o.best()->evaluation.batchTime.value() <= times.back() * (1 + 1e-9));
    // A plan that the caller brought is not shown again.
    times.clear();
    const Plan start = o.best()->plan;
    solve(p, control, &start, impatient);
    QVERIFY(times.empty());
  }
};
NEST_TEST(TestSolverProgress)
#include "test_solver_progress.moc"
