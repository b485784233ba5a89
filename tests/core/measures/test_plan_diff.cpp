#include <QtTest/QTest>
#include <algorithm>
#include <cmath>

#include "measures/plan_diff.h"
#include "solver/baselines/equal_split.h"
#include "solver/exhaustive.h"
#include "support/random_instance.h"
#include "support/test_main.h"

using namespace nest;

namespace {

/// Eight blocks between an embedding and a head on 16 devices; costs do not matter here.
Problem smallProblem() {
  Problem p = test::randomInstance(1);
  std::vector<Layer> layers;
  layers.push_back({"embedding", LayerKind::Embedding, 0});
  for (int i = 0; i < 8; ++i) layers.push_back({"block " + std::to_string(i), LayerKind::Block, 0});
  layers.push_back({"head", LayerKind::Head, 0});
  p.graph = std::make_shared<const LayerGraph>(LayerGraph::chain(std::move(layers)));
  return p;
}

std::vector<std::string> changesBetween(const Plan& a, const Plan& b) {
  std::vector<std::string> out;
  for (const PlanChange& c : diff(smallProblem(), a, {}, b, {}).changes) out.push_back(c.sentence);
  return out;
}

Plan planOf(int stages, int tensor = 1, int d = 2) {
  return equalSplitPlan(*smallProblem().graph, 1, d, 0, stages, 1, {tensor, false, 1, 1}, Recompute::None);
}

using Words = std::vector<std::string>;

}  // namespace

class TestPlanDiff : public QObject {
  Q_OBJECT
private slots:
  void samePlans() {
    QVERIFY(diff(smallProblem(), planOf(2), {}, planOf(2), {}).same());
    QCOMPARE(diff(smallProblem(), planOf(2), {}, planOf(2), {}).sentence(),
             std::string("The same plan (0 % time)"));
  }
  void degrees() {
    QCOMPARE(changesBetween(planOf(2, 8), planOf(2, 4)), Words{"TP 8 → 4"});
    Plan a = planOf(2), b = planOf(2);
    b.zero = 1;
    b.microbatch = 4;
    QCOMPARE(changesBetween(a, b), (Words{"MBS 1 → 4", "ZeRO stage 0 → 1"}));
    b = a;
    b.schedule = ScheduleKind::ZbH1;
    QCOMPARE(changesBetween(a, b), Words{"Schedule 1F1B → ZB-H1"});
  }
  void movedCut() {
    Plan a = planOf(2), b = planOf(2);
    auto &left = b.stages[0].chunks[0], &right = b.stages[1].chunks[0];
    left.push_back(right.front());
    right.erase(right.begin());
    QCOMPARE(changesBetween(a, b),
             (Words{"Stage 1 takes layers 1–6 instead of 1–5", "Stage 2 takes layers 7–10 instead of 6–10"}));
  }
  void otherStageCount() {
    QCOMPARE(changesBetween(planOf(2), planOf(3)),
             (Words{"PP 2 → 3", "Stages take layers 1–4 | 5–7 | 8–10"}));
  }
  void oneStageOnly() {
    Plan a = planOf(2), b = planOf(2);
    b.stages[1].recompute = Recompute::Full;
    b.stages[1].strategy.tensor = 2;
    QCOMPARE(changesBetween(a, b), (Words{"Stage 2: TP 1 → 2", "Stage 2: recompute none → full"}));
  }
  void figures() {
    Evaluation x, y;
    x.batchTime = Seconds(2);
    y.batchTime = Seconds(1.5);
    x.stages.resize(1);
    y.stages.resize(1);
    y.stages[0].memory[MemoryPart::Stash] = Bytes(1024.0 * 1024 * 1024);
    const PlanDiff d = diff(smallProblem(), planOf(2), x, planOf(2, 2), y);
    QCOMPARE(d.timeRatio, 0.75);
    QCOMPARE(d.devicesDelta, 4);
    QCOMPARE(d.sentence(), std::string("TP 1 → 2 (−25 % time, +1 GiB on the fullest device, +4 devices)"));
  }
  /// From one step time to the other by terms: whatever is joined, nothing is lost.
  void theWaterfallCloses() {
    int joined = 0, several = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const Problem p = test::randomInstance(seed);
      Problem longer = p;
      if (seed % 3 == 1) longer.job.sequenceLength *= 2;
      std::vector<Plan> some;
      visitPlans(p, [&](const Plan& plan) {
        some.push_back(plan);
        return some.size() < 12;
      });
      const Evaluation a = evaluate(p, some.front()), b = evaluate(longer, some.back());
      const PlanDiff d = diff(longer, some.front(), a, some.back(), b, &p);
      const Seconds whole = std::max(d.time.before, d.time.after);
      const auto near = [&](Seconds x, Seconds y) {
        return std::abs((x - y).value()) <= 1e-9 * whole.value();
      };
      QCOMPARE(d.time.measure == PaceMeasure::Throughput, seed % 3 == 1);
      Seconds before, after;
      for (const PartChange& t : d.time.terms) before += t.before, after += t.after;
      QVERIFY(near(before, d.time.before) && near(after, d.time.after));
      const auto steps = waterfallOf(d.time);
      Seconds at = d.time.before;
      for (const WaterfallStep& s : steps) {
        QCOMPARE(s.from, at);
        const Seconds rest = s.to - s.from - s.growth();  // of the last: what could not be seen
        QVERIFY(near(rest, Seconds()) ||
                (&s == &steps.back() && std::abs(rest.value()) < 2.1e-4 * whole.value()));
        at = s.to;
        joined += s.isJoined();
      }
      if (!steps.empty()) QCOMPARE(at, d.time.after);  // to the last bit
      several += steps.size() > 2;
    }
    QVERIFY(joined > 3 && several > 20);  // or this tests little
  }
  void smallTermsAreJoined() {
    StepDifference d;
    d.before = Seconds(10), d.after = Seconds(12.06);
    using enum TimePart;
    const auto term = [](TimePart part, double before, double after) {
      return PartChange{part, Seconds(before), Seconds(after)};
    };
    d.terms = {term(Compute, 7, 7), term(Tensor, 1, 3), term(Data, 1, 1.05), term(Idle, 1, 1.01)};
    auto steps = waterfallOf(d);
    QCOMPARE(steps.size(), std::size_t(2));
    QVERIFY(steps[0].parts == std::vector{Tensor});
    QVERIFY((steps[1].parts == std::vector{Data, Idle}));
    QCOMPARE(steps[1].to, d.after);
    // Small against the step, but all that there is.
    d.after = Seconds(10.06), d.terms[1] = term(Tensor, 1, 1);
    steps = waterfallOf(d);
    QCOMPARE(steps.size(), std::size_t(2));
    QVERIFY(steps[0].parts == std::vector{Data} && steps[1].parts == std::vector{Idle});
    d.after = d.before, d.terms = {term(Compute, 10, 10)};
    QVERIFY(waterfallOf(d).empty());
  }
  void factsAreBrief() {
    Plan a = planOf(2, 8, 4), b = planOf(4, 4, 4);
    b.zero = 3, b.shardReplicas = 2;
    b.stages[1].strategy.tensor = 2;
    b.stages[0].recompute = Recompute::Full;
    Evaluation x, y;
    x.microbatchCount = 8, y.microbatchCount = 16;
    std::string all;
    for (const PlanFact& f : changedFacts(a, x, b, y))
      all += std::string(nameOf(f.kind)) + ' ' + f.before + ' ' + f.after + "; ";
    QCOMPARE(all,
             std::string("microbatches 8 16; tensor 8 2–4; stages 2 4; zero 0 3/2; recompute none mixed; "
                         "devices 64 56; "));
    QVERIFY(changedFacts(a, x, a, x).empty());
  }
  void whatIsNotToldIsCounted() {
    PlanDiff d;
    const auto end = [&](int changes) {
      d.changes.assign(changes, PlanChange{PlanChange::Kind::Cut, -1, "A"});
      const std::string s = d.sentence();
      return s.substr(0, s.find(" ("));
    };
    QCOMPARE(end(5), std::string("A; A; A; A; A"));
    QCOMPARE(end(6), std::string("A; A; A; A; A; and 1 more change"));
    QCOMPARE(end(7), std::string("A; A; A; A; A; and 2 more changes"));
  }
  /// No two different plans of a search space are told to be the same.
  void differentPlansDiffer() {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Problem p = test::randomInstance(seed);
      std::vector<Plan> some;
      visitPlans(p, [&](const Plan& plan) {
        some.push_back(plan);
        return some.size() < 40;
      });
      for (std::size_t i = 0; i + 1 < some.size(); ++i) {
        const bool same = diff(p, some[i], {}, some[i + 1], {}).same();
        QVERIFY2(same == (some[i] == some[i + 1]),
                 qPrintable(QString::fromStdString(summaryOf(some[i]) + " and " + summaryOf(some[i + 1]))));
      }
    }
  }
};
NEST_TEST(TestPlanDiff)
#include "test_plan_diff.moc"
