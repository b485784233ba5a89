#include <QtTest/QTest>
#include <algorithm>
#include <cmath>
#include <set>

#include "evaluation/explanation.h"
#include "evaluation/plan_exchange.h"
#include "solver/exhaustive.h"
#include "support/hand_problem.h"
#include "support/random_instance.h"
#include "support/test_main.h"

using namespace nest;

namespace {

/// What the played exchanges of a plan and its explanation disagree in; empty if in nothing.
std::string mismatch(const Problem& p, const Plan& plan) {
  const Evaluation e = evaluate(p, plan);
  const CostTerm root = explain(p, plan, e);
  std::vector<Seconds> load(plan.stages.size()), end(plan.stages.size());
  std::set<std::string> seen;
  for (const PlanExchange& x : exchangesOf(p, plan, e)) {
    if (!seen.insert(x.id).second) return x.id + " is listed twice";
    const CostTerm* term = root.find(x.id);
    if (!term) return x.id + " is not explained";
    if (std::abs(x.time().value() - term->value) > 1e-9 * term->value)
      return x.id + ": other steps than time";
    const auto ranks = ranksOf(p, plan, x);
    if (int(ranks.size()) != x.run->ranks) return x.id + ": its ranks are not in the cluster";
    (x.perStep ? end : load)[std::size_t(x.stage)] += x.timeInAll();
  }
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    const StageEvaluation& s = e.stages[i];
    double exchanged = 0;
    for (int k = 0; k < kExchangeCount; ++k) exchanged += s.exchange[Exchange(k)].value();
    const double unplayed = plan.pipelineSchedule().isFolded() ? s.exchange[Exchange::Pipeline].value() : 0;
    if (load[i].value() > exchanged * (1 + 1e-9) ||
        load[i].value() < (exchanged - unplayed) * (1 - 1e-9) - 1e-15)
      return "stage " + std::to_string(i) + ": exchanges do not sum to those of a microbatch";
    if (std::abs(end[i].value() - s.sync.value()) > 1e-9 * s.sync.value() + 1e-15)
      return "stage " + std::to_string(i) + ": exchanges do not sum to the gradient reduction";
  }
  return {};
}

PlanExchange twoStepRun() {
  auto run = std::make_shared<ExchangeRun>();
  run->steps = {{StepMove::Halving, 0, 2, 1, 1, Bytes(8), Seconds(1), Seconds(3)},
                {StepMove::Hop, 1, 2, 1, 4, Bytes(8), Seconds(1), Seconds(0.5)}};
  return {"x", "made up", 0, Exchange::Tensor, 3, false, run};
}

}  // namespace

class TestPlanExchange : public QObject {
  Q_OBJECT
private slots:
  void whatIsPlayedIsWhatIsExplained() {
    test::InstanceFeatures features;
    features.shardGroups = features.foldedExperts = features.schedules = true;
    int plans = 0, messages = 0, groups = 0, ends = 0;
    for (std::uint64_t seed = 0; seed < 120; ++seed) {
      const Problem p = test::randomInstance(seed, features);
      int number = 0, taken = 0;
      visitPlans(p, [&](const Plan& plan) {
        if (number++ % 53 != 0) return true;
        const std::string wrong = mismatch(p, plan);
        if (!wrong.empty()) qFatal("seed %d, %s: %s", int(seed), summaryOf(plan).c_str(), wrong.c_str());
        for (const PlanExchange& x : exchangesOf(p, plan, evaluate(p, plan)))
          ++(x.perStep ? ends : x.run->group ? groups : messages);
        ++plans;
        return ++taken < 5;
      });
    }
    QVERIFY(plans > 200);
    QVERIFY(messages > 50 && groups > 50 && ends > 50);
  }

  /// Hosts of four, two of them: halving pairs ranks of a host, then those with the same place in both hosts.
  void whoExchangesInEachRound() {
    const Hierarchy h = *test::handProblem(test::hosts(4, 2), 2).cluster;
    const std::vector<int> ranks{0, 1, 2, 3, 4, 5, 6, 7};
    using Pairs = std::vector<std::pair<int, int>>;
    const auto step = [](StepMove move, int level, int parties, int round, int rounds = 1) {
      CollectiveStep out;
      out.move = move, out.level = level, out.parties = parties, out.round = round, out.rounds = rounds;
      return out;
    };
    ExchangeRun run;
    run.levelByLevel = true;
    const CollectiveStep first = step(StepMove::Halving, 0, 4, 1), second = step(StepMove::Doubling, 0, 4, 2),
                         across = step(StepMove::Halving, 1, 2, 1);
    QCOMPARE(pairsAt(h, run, ranks, first, 0), (Pairs{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
    QCOMPARE(pairsAt(h, run, ranks, second, 0), (Pairs{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
    QCOMPARE(pairsAt(h, run, ranks, across, 0), (Pairs{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
    run.levelByLevel = false;
    const CollectiveStep flat = step(StepMove::Halving, 1, 3, 1);
    QCOMPARE(pairsAt(h, run, {0, 3, 4}, flat, 0), (Pairs{{0, 4}}));
    const CollectiveStep ring = step(StepMove::Hop, 1, 2, 1, 2), peers = step(StepMove::Pairwise, 1, 2, 1, 4);
    QCOMPARE(pairsAt(h, run, {0, 3, 4}, ring, 1), (Pairs{{0, 3}, {3, 4}, {4, 0}}));
    QCOMPARE(pairsAt(h, run, {0, 3, 4}, peers, 0), (Pairs{{0, 4}, {3, 4}, {4, 0}}));
    QCOMPARE(pairsAt(h, run, {0, 3, 4}, peers, 1), (Pairs{{4, 3}}));
    QVERIFY(pairsAt(h, run, {3}, flat, 0).empty());
  }

  void aReplayKnowsWhichStepRuns() {
    const ExchangeReplay r{twoStepRun()};
    QCOMPARE(r.end(), Seconds(10));
    QCOMPARE(r.exchange().timeInAll(), Seconds(30));
    QCOMPARE(r.stepAt(Seconds()), 0U);
    QCOMPARE(r.stepAt(Seconds(3.9)), 0U);
    QCOMPARE(r.stepAt(Seconds(4)), 1U);
    QCOMPARE(r.stepAt(Seconds(10)), 2U);
    QCOMPARE(r.doneOf(0, Seconds(1)), 0.25);
    QCOMPARE(r.doneOf(1, Seconds(1)), 0.0);
    QCOMPARE(r.doneOf(0, Seconds(9)), 1.0);
    QCOMPARE(r.roundAt(1, Seconds(4)), 0);
    QCOMPARE(r.roundAt(1, Seconds(7.1)), 2);
    QCOMPARE(r.roundAt(1, Seconds(99)), 3);
    QCOMPARE(r.next(Seconds()), Seconds(4));
    QCOMPARE(r.next(Seconds(4)), Seconds(10));
    QCOMPARE(r.next(Seconds(10)), Seconds(10));
    QCOMPARE(r.previous(Seconds(10)), Seconds(4));
    QCOMPARE(r.previous(Seconds(5)), Seconds(4));
    QCOMPARE(r.previous(Seconds(4)), Seconds());
    QCOMPARE(r.previous(Seconds()), Seconds());
  }
};
NEST_TEST(TestPlanExchange)
#include "test_plan_exchange.moc"
