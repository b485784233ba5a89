#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "gpt_problem.h"
#include "solver/solve.h"
#include "solver/tuning.h"
#include "solver/watch.h"
#include "support/random_instance.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;
using namespace std::chrono_literals;

class TestSolveControl : public QObject {
  Q_OBJECT
private slots:
  void aStopBeforeTheBeginIsObeyed() {
    std::stop_source source;
    source.request_stop();
    Control control;
    control.stop = source.get_token();
    const Outcome o = solve(gpt(), control);
    QCOMPARE(o.status, OutcomeStatus::Stopped);
    QCOMPARE(o.stopCause, StopCause::Request);
    QVERIFY(o.plans.empty());
    QVERIFY(!o.gap());
  }

  /// Of what is not listed no bound is made: that takes longer than one who stops should wait.
  void whoStopsAtOnceWaitsForNoBound() {
    const Problem p = gpt();
    const Outcome whole = solve(p);
    std::stop_source source;
    source.request_stop();
    Control control;
    control.stop = source.get_token();
    const Outcome o = solve(p, control, &whole.best()->plan);
    QCOMPARE(o.status, OutcomeStatus::BestSoFar);
    QCOMPARE(o.stopCause, StopCause::Request);
    QVERIFY(o.best()->plan == whole.best()->plan);
    QCOMPARE(o.lowerBound, Seconds(0));
    QVERIFY(!o.gap());
  }

  /// A search that is ended frees its tables aside: neither they nor what it found need the problem any more.
  void whatAnEndedSearchLeavesNeedsNoProblem() {
    const auto open = [] {
      Problem p = gpt();
      p.search.strategyPerStage = true;
      p.search.preset = SearchPreset::Free;
      p.search.chunksPerStage = {1, 2, 3, 4};
      return p;
    };
    const Problem same = open();
    for (const bool byDeadline : {false, true})
      for (int reports = 1; reports < 6; ++reports) {
        auto p = std::make_unique<Problem>(open());
        auto source = std::make_unique<std::stop_source>();
        auto control = std::make_unique<Control>();
        control->stop = source->get_token();
        if (byDeadline) control->deadline = std::chrono::steady_clock::now() + 30ms * reports;
        control->progress = [&source, byDeadline, left = reports](const Progress&) mutable {
          if (--left == 0 && !byDeadline) source->request_stop();
        };
        const Outcome o = solve(*p, *control);
        p.reset(), control.reset(), source.reset();
        for (const RankedPlan& r : o.plans)
          QCOMPARE(evaluate(same, r.plan).batchTime.value(), r.evaluation.batchTime.value());
        QVERIFY(o.statistics.states >= 0 && o.log.candidates.size() <= 200'000);
      }
    std::this_thread::sleep_for(50ms);  // the last tables are freed while someone looks
  }

  /// Where no layout may hold its labels, all that is found was packed: in as many stages as are asked for.
  void stagesArePackedToTheirNumber() {
    Problem p = gpt();
    p.job.microbatches = {1};
    Tuning tuning;
    tuning.firstStates = -1;
    tuning.guesses = {.states = 1LL << 60, .layers = 1};
    tuning.labels = {.few = 1, .most = 1};
    for (const int stages : {11, 19}) {
      p.constraints.stages = {stages, stages};
      p.constraints.tensor = {8, 8};
      p.search.strategyPerStage = false;
      const Outcome wide = solve(p);
      QVERIFY(wide.best());
      p.constraints.tensor = {};
      p.search.strategyPerStage = true;
      Control control;
      control.work = std::make_shared<WorkLimit>(3000);
      const Outcome o = solve(p, control, &wide.best()->plan, tuning);
      QCOMPARE(o.best()->plan.stageCount(), stages);
      qInfo("%d stages: %.4f of one strategy, gap %.1f %%", stages,
            o.best()->evaluation.batchTime / wide.best()->evaluation.batchTime, 100 * o.gap().value_or(1));
      QVERIFY(o.best()->evaluation.batchTime < wide.best()->evaluation.batchTime);
    }
  }

  /// A long step reports what it belongs to, though nothing new is known.
  void whatIsEnteredIsNamed() {
    std::string_view phase;
    Control control;
    control.progress = [&](const Progress& progress) { phase = progress.phase; };
    solver::Watch watch(control, 0, 0);
    watch.report("one", 0.1, 1, 0);
    QVERIFY(phase == "one");
    watch.enter("another");
    watch.poll();
    QVERIFY(phase == "another");
  }

  void paddingThatMegatronDoesNotTakeIsLeftOut() {
    std::stop_source stop;
    stop.request_stop();  // before anything is searched
    Control control;
    control.stop = stop.get_token();
    Problem p = gpt();
    const auto leftOut = [&] {
      const Outcome o = solve(p, control);
      return std::count_if(o.notSearched.begin(), o.notSearched.end(), [](const NotSearched& n) {
        return n.what == "DP that does not divide the global batch";
      });
    };
    p.search.padLastMicrobatch = true;
    QCOMPARE(leftOut(), 0);
    p.constraints.megatronExpressible = true;
    QCOMPARE(leftOut(), 1);
  }

  void aDeadlineGivesTheBestSoFarWithItsGap() {
    const Problem p = gpt();
    const Outcome whole = solve(p);
    QCOMPARE(whole.status, OutcomeStatus::Optimal);
    QCOMPARE(whole.gap().value_or(-1), 0.0);
    QCOMPARE(whole.stopCause, StopCause::None);
    Control control;
    control.deadline = std::chrono::steady_clock::now();
    const Plan start = whole.plans.back().plan;
    const Outcome o = solve(p, control, &start);
    QCOMPARE(o.status, OutcomeStatus::BestSoFar);
    QVERIFY(o.best()->plan == start);
    QVERIFY(o.lowerBound > Seconds() && o.lowerBound <= whole.best()->evaluation.batchTime);
    QCOMPARE(o.stopCause, StopCause::Deadline);
    // Without a plan to begin from there is nothing to be best so far.
    const Outcome none = solve(p, control);
    QCOMPARE(none.status, OutcomeStatus::Stopped);
    QCOMPARE(none.stopCause, StopCause::Deadline);
    QVERIFY(!none.gap() && !none.nearestMiss);

    // A little later a bound is known, and with it how far the plan may be from the best.
    int bounded = 0;
    for (int work = 2; work < 40; ++work) {
      Control little;
      little.work = std::make_shared<WorkLimit>(work);
      const Outcome early = solve(p, little, &start);
      if (early.status != OutcomeStatus::BestSoFar || !early.gap()) continue;
      ++bounded;
      const double time = early.best()->evaluation.batchTime.value();
      QVERIFY(early.lowerBound <= whole.best()->evaluation.batchTime);
      QCOMPARE(*early.gap(), (time - early.lowerBound.value()) / time);
      QCOMPARE(early.stopCause, StopCause::WorkLimit);
    }
    QVERIFY(bounded > 0);
  }

  /// What is known the moment a search begins holds for schedules that hide exchanges, too.
  void theBoundOfASearchOverAtOnceHolds() {
    Control over;
    over.deadline = std::chrono::steady_clock::now();
    int bounded = 0;
    for (unsigned seed = 1; seed <= 60; ++seed) {
      Problem p = randomInstance(seed, {});
      p.search.schedules = {ScheduleKind::OneForwardOneBackward, ScheduleKind::DualPipeV};
      p.search.strategyPerStage = seed % 2 == 0;
      const Outcome whole = solve(p);
      if (!whole.best()) continue;
      const Plan start = whole.best()->plan;
      const Outcome early = solve(p, over, &start);
      QVERIFY(early.best() && early.lowerBound > Seconds());
      QVERIFY(early.lowerBound <= whole.best()->evaluation.batchTime);
      bounded += early.status == OutcomeStatus::BestSoFar;
    }
    QVERIFY(bounded > 20);
  }

  void workIsSharedByAllSolvesThatAreGivenIt() {
    Control control;
    control.work = std::make_shared<WorkLimit>(1LL << 40);
    const Problem p = gpt();
    QCOMPARE(solve(p, control).status, OutcomeStatus::Optimal);
    control.work = std::make_shared<WorkLimit>(0);
    const Outcome none = solve(p, control);
    QCOMPARE(none.status, OutcomeStatus::Stopped);
    QCOMPARE(none.stopCause, StopCause::WorkLimit);
    QVERIFY(control.shouldStop());
  }

  void theGapIsAShareOfTheTimeFound() {
    Outcome o;
    QVERIFY(!o.gap());
    o.plans.resize(1);
    o.plans[0].evaluation.batchTime = Seconds(10);
    QVERIFY(!o.gap());  // nothing is proven
    o.lowerBound = Seconds(8);
    QCOMPARE(o.gap().value_or(-1), 0.2);
    o.lowerBound = Seconds(10 * (1 + 1e-15));
    QCOMPARE(o.gap().value_or(-1), 0.0);
  }

  void aStartPlanDoesNotChangeTheOptimum() {
    const Problem p = gpt();
    const Outcome cold = solve(p);
    const Plan start = cold.plans.back().plan;
    const Outcome warm = solve(p, {}, &start);
    QCOMPARE(warm.status, OutcomeStatus::Optimal);
    QVERIFY(warm.best()->plan == cold.best()->plan);
  }

  void plansAreSortedDistinctAndConfirmed() {
    const Outcome o = solve(gpt());
    QCOMPARE(o.plans.size(), std::size_t(10));
    for (std::size_t i = 0; i < o.plans.size(); ++i) {
      QVERIFY(o.plans[i].evaluation.feasible());
      QVERIFY(o.plans[i].simulated.value() > 0);
      if (i > 0)
        QVERIFY(o.plans[i - 1].evaluation.batchTime.value() <=
                o.plans[i].evaluation.batchTime.value() * (1 + 1e-12));
      for (std::size_t k = 0; k < i; ++k) QVERIFY(!(o.plans[i].plan == o.plans[k].plan));
    }
    QVERIFY(!o.front.empty());
    int won = 0;
    for (const Candidate& c : o.log.candidates) won += c.result == CandidateResult::Won;
    QCOMPARE(won, 1);
  }

  /// Padding leaves every data degree open: of very many candidates only those that may matter are in memory.
  void ofManyCandidatesFewAreListed() {
    Problem p = gpt();
    p.search.padLastMicrobatch = true;
    const auto solved = [&](std::size_t mostListed) {
      Tuning tuning;
      tuning.mostListed = mostListed;
      return solve(p, {}, nullptr, tuning);
    };
    const Outcome all = solved(1'000'000), few = solved(1000);
    QCOMPARE(static_cast<long long>(all.log.candidates.size()), all.statistics.candidates);
    QVERIFY(all.statistics.candidates > 5000);
    QCOMPARE(few.statistics.candidates, all.statistics.candidates);
    QVERIFY(few.log.candidates.size() * 2 < all.log.candidates.size());
    QCOMPARE(few.status, OutcomeStatus::Optimal);
    QCOMPARE(few.plans.size(), all.plans.size());
    for (std::size_t k = 0; k < all.plans.size(); ++k) QVERIFY(few.plans[k].plan == all.plans[k].plan);
    QCOMPARE(std::count_if(few.log.candidates.begin(), few.log.candidates.end(),
                           [](const Candidate& c) { return c.result == CandidateResult::Won; }),
             1);
  }

  /// A search that was ended hands its tables to its caller; one that was not keeps none.
  void anEndedSearchHandsItsTablesOn() {
    Problem p = gpt();
    QVERIFY(solve(p).tables.empty());
    Control control;
    control.work = std::make_shared<WorkLimit>(1);
    p.search.strategyPerStage = true;
    QVERIFY(!solve(p, control).tables.empty());
  }

  void withoutAFrontThePlansAreTheSame() {
    Control control;
    control.front = FrontEffort::None;
    int fewer = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      Problem p = randomInstance(seed, {});
      p.search.topPlans = 3;
      const Outcome usual = solve(p), none = solve(p, control);
      QVERIFY(none.front.empty());
      QCOMPARE(none.status, usual.status);
      QCOMPARE(none.plans.size(), usual.plans.size());
      for (std::size_t i = 0; i < none.plans.size(); ++i) QVERIFY(none.plans[i].plan == usual.plans[i].plan);
      fewer += none.statistics.states < usual.statistics.states;
    }
    QVERIFY2(fewer > 5, qPrintable(QString::number(fewer)));
  }
  void aWiderFrontStepsDownInDevicesAndMemory() {
    Control control;
    control.front = FrontEffort::Wider;
    const Problem p = gpt();
    const Outcome narrow = solve(p), wide = solve(p, control);
    QCOMPARE(narrow.frontReach, FrontReach::Encountered);
    QVERIFY(wide.frontReach != FrontReach::Encountered);
    qInfo("%s front of %zu plans, %.2f s", nameOf(wide.frontReach), wide.front.size(),
          wide.statistics.elapsed.value());
    QVERIFY(wide.best()->plan == narrow.best()->plan);
    QVERIFY(wide.front.front().evaluation.batchTime <= wide.best()->evaluation.batchTime * (1 + 1e-12));
    const auto peak = [](const RankedPlan& r) {
      Bytes most;
      for (const StageEvaluation& s : r.evaluation.stages) most = std::max(most, s.memory.total());
      return most;
    };
    // Within each step the fastest plan is known: nothing in the front that fits it is faster.
    Problem fewer = p;
    fewer.constraints.devices.most = wide.best()->plan.devicesUsed() * 4 / 5;
    const Seconds fastest = solve(fewer).best()->evaluation.batchTime;
    const bool known = std::any_of(wide.front.begin(), wide.front.end(), [&](const RankedPlan& r) {
      return r.plan.devicesUsed() <= *fewer.constraints.devices.most &&
             r.evaluation.batchTime <= fastest * (1 + 1e-9);
    });
    QVERIFY(known);
    QVERIFY(std::any_of(wide.front.begin(), wide.front.end(),
                        [&](const RankedPlan& r) { return peak(r) <= peak(*wide.best()) * 0.85; }));
  }

  void whatDoesNotFitSaysWhatWould() {
    Problem p = gpt(15e9);
    p.search.zeroStages = {0};
    p.search.recompute = {true, false, false};
    const Outcome o = solve(p);
    QCOMPARE(o.status, OutcomeStatus::Infeasible);
    QVERIFY(o.nearestMiss.has_value());
    QVERIFY(o.nearestMiss->shortfall.value() > 0);
    QVERIFY(o.nearestMiss->stage >= 0);
    QVERIFY(o.nearestMiss->remedies.size() >= 2);
    // The first remedy is larger memory, and it is enough.
    const double needed = 15e9 + o.nearestMiss->shortfall.value() * 1.001;
    Problem roomy = gpt(needed);
    roomy.search = p.search;
    QVERIFY(solve(roomy).best() != nullptr);
  }

  /// 96 layers, chunks and a strategy for each stage: too many sequences of strategies to try one by one.
  void interleavedStrategiesPerStageAreProven() {
    Problem p = gpt();
    p.search.chunksPerStage = {2};
    const Outcome uniform = solve(p);
    QVERIFY(uniform.best());
    p.search.strategyPerStage = true;
    const Outcome o = solve(p);
    QCOMPARE(o.status, OutcomeStatus::Optimal);
    QCOMPARE(o.gap().value_or(-1), 0.0);
    QVERIFY(o.provenPlans > 0);
    QVERIFY(o.best()->evaluation.batchTime <= uniform.best()->evaluation.batchTime * (1 + 1e-12));
    qInfo("%.2f s", o.statistics.elapsed.value());
  }

  void anEncoderDecoderTooLargeSaysWhatWouldFit() {
    Problem p = gpt(15e9);
    LayerGraph g = *p.graph;
    const int half = g.layerCount() / 2;
    for (Tensor& t : g.tensors) {
      if (t.producer.value + 1 == half) {  // the encoder's end is read by the decoder's layers, not its first
        t.consumers.clear();
        for (int x = half + 1; x < g.layerCount(); ++x) t.consumers.emplace_back(x);
      }
    }
    QVERIFY(!g.isChain());
    p.graph = std::make_shared<const LayerGraph>(std::move(g));
    p.search.zeroStages = {0};
    p.search.recompute = {true, false, false};
    const Outcome o = solve(p);
    QCOMPARE(o.status, OutcomeStatus::Infeasible);
    QVERIFY(o.nearestMiss.has_value());
    QVERIFY(o.nearestMiss->shortfall.value() > 0);
    QVERIFY(o.nearestMiss->remedies.size() >= 2);
    qInfo("%.2f s", o.statistics.elapsed.value());
  }

  void tooManyDownsetsAreToldWithARemedy() {
    Problem p = gpt();
    LayerGraph wide;
    for (int x = 0; x < 20; ++x) wide.layers.push_back({"part", LayerKind::Other, 0});
    wide.classCount = p.graph->classCount;
    p.graph = std::make_shared<const LayerGraph>(wide);
    const Outcome o = solve(p);
    QCOMPARE(o.status, OutcomeStatus::Failed);
    QCOMPARE(o.diagnostics.front().code, std::string("too-many-downsets"));
    QVERIFY(!o.diagnostics.front().remedy.empty());
  }
};

NEST_TEST(TestSolveControl)
#include "test_solve_control.moc"
