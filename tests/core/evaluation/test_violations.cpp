#include <QtTest/QTest>
#include <algorithm>
#include <climits>
#include <functional>

#include "evaluation/schedule.h"
#include "evaluation/traffic.h"
#include "program/program.h"
#include "solver/exhaustive.h"
#include "support/hand_problem.h"
#include "support/random_instance.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;

namespace {

struct Case {
  std::string code;
  std::function<void(Problem&, Plan&)> break_;
};

const Strategy kPair{2, false, 1, 1}, kE2{1, false, 1, 2};

Problem twoBlocks() {
  return handProblem(hosts(4, 2), 4, {Strategy{}, kPair, kE2});
}
Plan plan() {
  return chainPlan({{0, 1}, {2, 3}}, 2);
}

std::string codes(const Evaluation& e) {
  std::string out;
  for (const Violation& v : e.violations) out += std::string(out.empty() ? "" : " ") + nameOf(v.kind);
  return out;
}

}  // namespace

class TestViolations : public QObject {
  Q_OBJECT
private slots:
  void eachIsNamed() {
    const std::vector<Case> cases = {
        {"", [](Problem&, Plan&) {}},
        {"stages", [](Problem&, Plan& q) { q.stages.clear(); }},
        {"degrees", [](Problem&, Plan& q) { q.dataInner = 0; }},
        {"degrees", [](Problem&, Plan& q) { q.zero = 4; }},
        {"degrees", [](Problem&, Plan& q) { q.zero = 1, q.shardReplicas = -1; }},
        {"shard-group", [](Problem&, Plan& q) { q.dataInner = 4, q.shardReplicas = 2; }},
        {"shard-group", [](Problem&, Plan& q) { q.dataInner = 4, q.zero = 1, q.shardReplicas = 3; }},
        {"expert-group expert-group",
         [](Problem&, Plan& q) {
           q.dataInner = 4, q.zero = 1, q.shardReplicas = 1;
           for (StagePlan& s : q.stages) s.strategy = kE2;
         }},
        {"expert-group strategy expert-group strategy",
         [](Problem&, Plan& q) {
           q.dataInner = 4;
           for (StagePlan& s : q.stages) s.strategy = {1, false, 1, 3, true};
         }},
        {"constraint",
         [](Problem& p, Plan& q) {
           q.dataInner = 4, q.zero = 1, q.shardReplicas = 2;
           p.constraints.shard.least = 4;
         }},
        {"degrees", [](Problem&, Plan& q) { q.stages[1].strategy.tensor = -3; }},
        {"microbatch", [](Problem&, Plan& q) { q.microbatch = 2; }},
        {"batch",
         [](Problem&, Plan& q) {
           q.dataInner = 3, q.stages.pop_back(),
           q.stages[0].chunks = {{LayerIndex(0), LayerIndex(1), LayerIndex(2), LayerIndex(3)}};
         }},
        {"devices", [](Problem&, Plan& q) { q.dataInner = 8; }},
        {"devices", [](Problem&, Plan& q) { q.dataOuter = 2, q.blockStride = 1; }},
        {"placement", [](Problem&, Plan& q) { q.deviceOrder = {DeviceIndex(0)}; }},
        {"placement",
         [](Problem&, Plan& q) {
           q.deviceOrder = {DeviceIndex(0), DeviceIndex(0)};
         }},
        {"placement",
         [](Problem&, Plan& q) {
           q.deviceOrder = {DeviceIndex(0), DeviceIndex(99)};
         }},
        {"strategy",
         [](Problem&, Plan& q) {
           q.stages[0].strategy = {3, true, 1, 1};
         }},
        {"expert-group", [](Problem&, Plan& q) { q.stages[0].strategy = kE2; }},
        {"layers", [](Problem&, Plan& q) { q.stages[0].chunks[0].pop_back(); }},
        {"layers", [](Problem&, Plan& q) { q.stages[1].chunks[0].push_back(LayerIndex(0)); }},
        {"layers", [](Problem&, Plan& q) { q.stages[1].chunks[0].push_back(LayerIndex(77)); }},
        {"layers", [](Problem&, Plan& q) { std::swap(q.stages[0], q.stages[1]); }},
        {"chunks",
         [](Problem&, Plan& q) {
           q.stages[0].chunks.push_back({LayerIndex(3)}), q.stages[1].chunks[0].pop_back();
         }},
        {"chunks", [](Problem&, Plan& q) { q.schedule = ScheduleKind::Interleaved; }},
        {"constraint", [](Problem& p, Plan&) { p.constraints.stages.most = 1; }},
        {"constraint", [](Problem& p, Plan&) { p.constraints.devices.least = 3; }},
        {"constraint",
         [](Problem& p, Plan&) {
           p.constraints.zero = {1, 1};
         }},
        {"constraint constraint", [](Problem& p, Plan&) { p.constraints.tensor.least = 2; }},
        {"constraint",
         [](Problem& p, Plan&) {
           p.constraints.requiredCuts = {LayerIndex(1), LayerIndex(2)};
         }},
        {"constraint",
         [](Problem& p, Plan&) {
           p.constraints.forbiddenCuts = {LayerIndex(0), LayerIndex(2)};
         }},
        {"constraint",
         [](Problem& p, Plan&) {
           p.constraints.layerPins = {{LayerIndex(1), StageIndex(1)}, {LayerIndex(2), StageIndex(1)}};
         }},
        {"constraint",
         [](Problem& p, Plan&) {
           p.constraints.stagePins = {{StageIndex(1), Recompute::Full, {}},
                                      {StageIndex(5), Recompute::Full, {}}};
         }},
        {"constraint",
         [](Problem& p, Plan&) {
           p.constraints.stagePins = {{StageIndex(0), {}, kPair}};
         }},
        {"",
         [](Problem& p, Plan&) {
           p.program = {findProgram("torchtitan-2026"), true};
         }},
        {"program",
         [](Problem& p, Plan& q) {
           p.program = {findProgram("torchtitan-2026"), true}, q.stages[0].recompute = Recompute::Full;
         }},
        {"",
         [](Problem& p, Plan& q) {
           p.program = {findProgram("torchtitan-2026")}, q.stages[0].recompute = Recompute::Full;
           p.search.preset = SearchPreset::Free;
         }},
        // torchtitan shards states alone in a pipeline, and gradients, too, without one.
        {"", [](Problem& p,
                Plan& q) { p.program = {findProgram("torchtitan-2026")}, q.dataInner = 2, q.zero = 1; }},
        {"program",
         [](Problem& p, Plan& q) {
           p.program = {findProgram("torchtitan-2026")}, q.dataInner = 2, q.zero = 2;
         }},
        {"program",
         [](Problem& p, Plan& q) {
           p.program = {findProgram("torchtitan-2026")}, q = chainPlan({{0, 1, 2, 3}}, 1, {}, 2), q.zero = 1;
         }},
        {"",
         [](Problem& p, Plan& q) {
           p.program = {findProgram("torchtitan-2026")}, q = chainPlan({{0, 1, 2, 3}}, 1, {}, 2), q.zero = 3;
         }},
        {"program",
         [](Problem& p, Plan& q) {
           p.program = {findProgram("deepspeed-2025")};
           for (StagePlan& s : q.stages) s.strategy = kPair;
         }},
        {"", [](Problem& p, Plan&) { p.constraints.megatronExpressible = true; }},
        {"constraint",
         [](Problem& p, Plan& q) {
           p.constraints.megatronExpressible = true, q.stages[0].recompute = Recompute::Full;
         }},
        {"constraint",
         [](Problem& p, Plan& q) { p.constraints.megatronExpressible = true, q.stages[0].strategy = kPair; }},
        {"constraint",
         [](Problem& p, Plan& q) { p.constraints.megatronExpressible = true, q.dataOuter = 2; }},
        {"constraint",
         [](Problem& p, Plan& q) { p.constraints.megatronExpressible = true, q.dataInner = 2, q.zero = 2; }},
        {"constraint",
         [](Problem& p, Plan& q) {
           p.constraints.megatronExpressible = true, q.deviceOrder = {DeviceIndex(3), DeviceIndex(0)};
         }},
        // A launcher starts no rank on the devices between them.
        {"",
         [](Problem& p, Plan& q) {
           p.constraints.megatronExpressible = true, q.deviceOrder = {DeviceIndex(0), DeviceIndex(3)};
         }},
    };
    for (std::size_t k = 0; k < cases.size(); ++k) {
      Problem p = twoBlocks();
      Plan q = plan();
      cases[k].break_(p, q);
      const Evaluation e = evaluate(p, q);
      if (codes(e) != cases[k].code)
        qWarning("case %zu: \"%s\" instead of \"%s\"", k, codes(e).c_str(), cases[k].code.c_str());
      QCOMPARE(codes(e), cases[k].code);
      for (const Violation& v : e.violations) QVERIFY(!v.message.empty() && v.message.back() != '.');
    }
  }
  /// Shard groups are equal parts of a block, or whole blocks of which the plan has a multiple.
  void shardGroupsDivideTheReplicas() {
    Problem p = handProblem(hosts(4, 3), 4);
    p.job.globalBatch = 12;
    Plan q = chainPlan({{0, 1, 2, 3}}, 1, {}, 2, 3);
    q.zero = 1;
    for (const auto& [replicas, fits] :
         {std::pair{1, true}, {2, true}, {3, false}, {4, false}, {5, false}, {6, true}}) {
      q.shardReplicas = replicas;
      QCOMPARE(codes(evaluate(p, q)), std::string(fits ? "" : "shard-group"));
    }
  }
  void recomputeMustBeOnOffer() {
    const Problem p = withProfile(twoBlocks(), [](Profile& profile) {
      LayerCost c = plainLayer();
      c.recompute[2].available = false;
      profile.setCost(3, 0, 0, c);
    });
    Plan q = plan();
    q.stages[1].recompute = Recompute::Full;
    QCOMPARE(codes(evaluate(p, q)), std::string("recompute"));
  }
  /// A required cut and a forbidden one before the same layer exclude each other, on a DAG too: where the
  /// first stage begins there is no cut.
  void requiredAndForbiddenMeanTheSameCut() {
    Problem p = handProblem(hosts(1, 2), 3);
    LayerGraph graph = *p.graph;  // layers 1 and 2 side by side, both read by layer 3
    graph.tensors[0].consumers = {LayerIndex(2)};
    p.graph = std::make_shared<const LayerGraph>(graph);
    p.job.globalBatch = 1;
    for (const int cut : {1, 2})
      for (const auto& parts : {std::vector<std::vector<int>>{{0}, {1, 2}}, {{1}, {0, 2}}, {{0, 1}, {2}}}) {
        const Plan q = chainPlan(parts, 2);
        p.constraints = {};
        QCOMPARE(codes(evaluate(p, q)), std::string());
        p.constraints.requiredCuts = {LayerIndex(cut)};
        const bool required = codes(evaluate(p, q)).empty();
        p.constraints = {};
        p.constraints.forbiddenCuts = {LayerIndex(cut)};
        QCOMPARE(codes(evaluate(p, q)).empty(), !required);
        QCOMPARE(required, parts[1][0] == cut);
      }
  }
  void interleavingNeedsEqualChunksAndWholeGroups() {
    Problem p = twoBlocks();
    const Plan good = chainPlan({{0}, {1}, {2}, {3}}, 2);
    QCOMPARE(codes(evaluate(p, good)), std::string());
    QCOMPARE(codes(evaluate(p, chainPlan({{0, 1}, {}, {2}, {3}}, 2))), std::string("chunks"));
    p.job.globalBatch = 7;
    QCOMPARE(codes(evaluate(p, good)), std::string("chunks"));
  }
  /// Only the model's first and last chunk may hold one block less.
  void chunksHoldEquallyManyBlocks() {
    const Problem p = handProblem(hosts(4, 2), 7);
    const auto told = [&](std::vector<std::vector<int>> parts) {
      return codes(evaluate(p, chainPlan(parts, 2)));
    };
    QCOMPARE(told({{0}, {1, 2}, {3, 4}, {5, 6}}), std::string());
    QCOMPARE(told({{0, 1}, {2, 3}, {4, 5}, {6}}), std::string());
    QCOMPARE(told({{0, 1}, {2, 3}, {4}, {5, 6}}), std::string("chunks"));
    QCOMPARE(told({{0, 1, 2}, {3, 4}, {5}, {6}}), std::string("chunks"));
    const Problem eight = handProblem(hosts(4, 2), 8);
    QCOMPARE(codes(evaluate(eight, chainPlan({{0, 1}, {2, 3}, {4, 5}, {6, 7}}, 2))), std::string());
    QCOMPARE(codes(evaluate(eight, chainPlan({{0}, {1, 2, 3}, {4, 5}, {6, 7}}, 2))), std::string("chunks"));
    const Problem six = handProblem(hosts(4, 2), 6);
    QCOMPARE(codes(evaluate(six, chainPlan({{0}, {1, 2}, {3, 4}, {5}}, 2))), std::string());
  }
  /// Parts in the order of interleaving, under a schedule whose pipeline comes back.
  void theOrderOfChunksIsTold() {
    const Problem p = handProblem(hosts(4, 2), 8, {Strategy{}});
    Plan plan = chainPlan({{0, 1}, {2, 3}, {4, 5}, {6, 7}}, 2);
    plan.schedule = ScheduleKind::ZbV;
    const auto told = [&] {
      std::string all;
      for (const Violation& v : evaluate(p, plan).violations) all += v.message;
      return all;
    };
    QVERIFY2(told().find("under ZB-V the second chunks run from the last stage") != std::string::npos,
             told().c_str());
    std::swap(plan.stages[0].chunks[1], plan.stages[1].chunks[1]);
    QVERIFY2(told().find("later") == std::string::npos, told().c_str());
    plan.schedule = ScheduleKind::Interleaved;
    QVERIFY2(told().find("come round after those of all stages") != std::string::npos, told().c_str());
  }
  /// What can be computed is, even where the plan does not fit the cluster.
  void tooManyDevicesStillShowsMemory() {
    Plan q = plan();
    q.dataInner = 8;
    const Evaluation e = evaluate(twoBlocks(), q);
    QCOMPARE(e.stages.size(), std::size_t(2));
    QCOMPARE(e.stages[0].memory[MemoryPart::Weights].value(), 40.0);
    QCOMPARE(e.stages[0].forward.value(), 2.0);
  }
  /// Plans put together at random, most of them nonsense, are evaluated, simulated and routed without a
  /// crash; what the search space offers has no violation but memory, constraints and costs that are not on
  /// offer.
  void nonsenseIsSurvived() {
    Dice dice(11);
    int sound = 0, broken = 0;
    for (int round = 0; round < 400; ++round) {
      const Problem p = randomInstance(static_cast<std::uint64_t>(round));
      int left = dice.between(1, 5);
      visitPlans(p, [&](const Plan& offered) {
        if (dice.chance(0.9)) return true;
        Plan q = offered;
        const int changes = dice.between(0, 3);
        for (int k = 0; k < changes; ++k) spoil(q, dice);
        const Evaluation e = evaluate(p, q);
        for (const auto kind :
             {ScheduleKind::OneForwardOneBackward, ScheduleKind::GPipe, ScheduleKind::Interleaved}) {
          const Schedule s = simulate(p, q, e, kind);
          broken += s.intervals.empty();
        }
        Traffic(p, q).matrix(evenBuckets(*p.cluster, 4));
        if (changes == 0) {
          ++sound;
          for (const Violation& v : e.violations)
            [&] {
              QVERIFY2(v.kind == Violation::Kind::Memory || v.kind == Violation::Kind::HostMemory ||
                           v.kind == Violation::Kind::Constraint || v.kind == Violation::Kind::Strategy ||
                           v.kind == Violation::Kind::Recompute,
                       v.message.c_str());
            }();
        }
        return --left > 0;
      });
    }
    QVERIFY(sound > 50 && broken > 50);
  }

private:
  static int wild(Dice& dice) {
    const int values[] = {INT_MIN, -1, 0, 1, 2, 3, 5, 100, 1 << 20, INT_MAX};
    return values[dice.between(0, 9)];
  }
  static void spoil(Plan& q, Dice& dice) {
    if (q.stages.empty()) return;
    StagePlan& s = q.stages[dice.between(0, q.stageCount() - 1)];
    switch (dice.between(0, 13)) {
      case 0:
        q.microbatch = wild(dice);
        break;
      case 1:
        q.dataInner = wild(dice);
        break;
      case 2:
        q.dataOuter = wild(dice);
        break;
      case 3:
        q.blockStride = wild(dice);
        break;
      case 4:
        q.zero = wild(dice);
        break;
      case 5:
        s.strategy.tensor = wild(dice);
        break;
      case 6:
        s.strategy.context = wild(dice);
        break;
      case 7:
        s.strategy.expert = wild(dice);
        break;
      case 8:
        s.recompute = static_cast<Recompute>(wild(dice));
        break;
      case 9:
        s.chunks.clear();
        break;
      case 10:
        s.chunks.push_back({LayerIndex(wild(dice)), LayerIndex(0)});
        break;
      case 11:
        q.stages.push_back(s);
        break;
      case 12:
        q.stages.clear();
        break;
      default:
        for (int k = 0; k < 20; ++k) q.deviceOrder.push_back(DeviceIndex(dice.chance(0.1) ? wild(dice) : k));
    }
  }
};
NEST_TEST(TestViolations)
#include "test_violations.moc"
