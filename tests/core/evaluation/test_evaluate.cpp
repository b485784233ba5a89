#include <QtTest/QTest>
#include <cmath>

#include "evaluation/explanation.h"
#include "support/hand_problem.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;

namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

bool near(double actual, double expected) {
  if (std::abs(actual - expected) <= 1e-12 * std::max(1.0, std::abs(expected))) return true;
  qWarning("actual %.17g, expected %.17g", actual, expected);
  return false;
}
bool near(Seconds actual, double expected) {
  return near(actual.value(), expected);
}
bool near(Bytes actual, double expected) {
  return near(actual.value(), expected);
}

const StageEvaluation& stage(const Evaluation& e, int i) {
  return e.stages[i];
}

Seconds exchanged(const Evaluation& e, int i, Exchange kind) {
  return stage(e, i).exchange[kind];
}

}  // namespace

class TestEvaluate : public QObject {
  Q_OBJECT
private slots:
  void oneDevice() {
    const Problem p = handProblem(hosts(4, 2), 3);
    const Evaluation e = evaluate(p, chainPlan({{0, 1, 2}}, 1));
    QVERIFY(e.feasible());
    QCOMPARE(e.microbatchCount, 8);
    QVERIFY(near(e.batchTime, 8 * 9.0));
    QVERIFY(near(stage(e, 0).forward, 3));
    QVERIFY(near(stage(e, 0).backward, 6));
    QCOMPARE(stage(e, 0).inFlight, 1);
    QCOMPARE(stage(e, 0).activationLevel, -1);
    // 30 parameters of 2 + 4 + 12 bytes, one microbatch of 3·6 bytes.
    QVERIFY(near(stage(e, 0).memory.total(), 30 * 18 + 18));
  }
  void aPipelinePaysItsTransfers() {
    const Problem p = handProblem(hosts(4, 2), 3);
    const Evaluation e = evaluate(p, chainPlan({{0, 1}, {2}}, 2));
    // 20 bytes inside the host: 1.2 s; activation to stage 1, gradient to stage 0.
    QVERIFY(near(stage(e, 0).load, 6 + 1.2));
    QVERIFY(near(stage(e, 1).load, 3 + 1.2));
    QVERIFY(near(stage(e, 0).gradientIn, 1.2));
    QVERIFY(near(stage(e, 1).activationIn, 1.2));
    QCOMPARE(stage(e, 1).activationLevel, 0);
    QCOMPARE(stage(e, 0).activationLevel, -1);
    QVERIFY(near(e.pipelineTime, 11.4 + 7 * 7.2));
    QVERIFY(near(e.nestTime, 7.2 * 9));
    QCOMPARE(stage(e, 0).inFlight, 2);
    QCOMPARE(stage(e, 1).inFlight, 1);
    QVERIFY(near(stage(e, 0).memory[MemoryPart::Stash], 2 * 12));
    QCOMPARE(e.slowestStage(), 0);
    QCOMPARE(e.fullestStage(), 0);
  }
  void theWidestPairSetsTheLevel() {
    // d_in = 3 on hosts of 4: stage 0 on 0–2, stage 1 on 3–5. Replica 0 sends 0→3 inside, replica 1 sends 1→4
    // outside.
    Problem p = handProblem(hosts(4, 2), 2);
    p.job.globalBatch = 3;
    const Evaluation e = evaluate(p, chainPlan({{0}, {1}}, 2, {}, 3));
    QVERIFY(e.feasible());
    QCOMPARE(stage(e, 1).activationLevel, 1);
    QVERIFY(near(stage(e, 1).activationIn, 2 + 2.0));
    QCOMPARE(stage(e, 1).firstDevice, 3);
    QCOMPARE(stage(e, 1).devices, 3);
  }
  void unequalWidthsMatchRanks() {
    // Stage 0 one device, stage 1 t = 4 on devices 1–4: rank 3 stands in the next host.
    const Strategy t4{4, false, 1, 1};
    const Problem p = handProblem(hosts(4, 2), 2, {Strategy{}, t4});
    Plan plan = chainPlan({{0}, {1}}, 2);
    plan.stages[1].strategy = t4;
    QCOMPARE(stage(evaluate(p, plan), 1).activationLevel, 1);
    // The other way round ranks 0–3 of stage 0 all send to device 4.
    plan = chainPlan({{0}, {1}}, 2);
    plan.stages[0].strategy = t4;
    QCOMPARE(stage(evaluate(p, plan), 1).activationLevel, 1);
    // t = 3 then 1: all in one host.
    const Strategy t3{3, false, 1, 1};
    const Problem q = handProblem(hosts(4, 2), 2, {Strategy{}, t3});
    plan.stages[0].strategy = t3;
    QCOMPARE(stage(evaluate(q, plan), 1).activationLevel, 0);
  }
  void skippingTensorsTravelHopByHop() {
    Problem p = handProblem(hosts(8, 1), 3);
    LayerGraph g = *p.graph;
    g.tensors.push_back({LayerIndex(0), {LayerIndex(1), LayerIndex(2)}});
    p.graph = std::make_shared<const LayerGraph>(g);
    Profile profile({Strategy{}}, {1}, 3, 3);
    for (int x = 0; x < 3; ++x) profile.setCost(x, 0, 0, plainLayer());
    for (int t = 0; t < 3; ++t) profile.setTensorBytes(t, 0, 0, Bytes(t == 2 ? 50 : 20));
    p.profile = std::make_shared<const Profile>(profile);
    const Evaluation e = evaluate(p, chainPlan({{0}, {1}, {2}}, 3));
    QVERIFY(near(stage(e, 1).activationBytes, 70));  // once, though two layers read it
    QVERIFY(near(stage(e, 2).activationBytes, 70));
    QVERIFY(near(stage(e, 1).activationIn, 1.7));
    QVERIFY(near(stage(e, 1).gradientIn, 1.7));
  }
  void shardGroupsStayInsideTheirHosts() {
    const Problem p = handProblem(hosts(4, 2), 1);
    // G = 40 bytes, W = 20, all inside a host; a quarter of G between the hosts.
    const double scatter = 2 * 1 + 0.75 * 0.4, gather = 2 * 1 + 0.75 * 0.2, copies = 2 * (2 + 0.5 * 1);
    const double loads[] = {0, 0, scatter, scatter + 2 * gather};
    const double syncs[] = {0, scatter + copies + gather, copies + gather, copies};
    for (int zero = 1; zero <= 3; ++zero)
      for (const int inner : {8, 2}) {  // parts of one block; two of four blocks
        Plan plan = chainPlan({{0}}, 1, {}, inner, 8 / inner);
        plan.zero = zero;
        plan.shardReplicas = 4;
        const Evaluation e = evaluate(p, plan);
        QVERIFY(e.feasible());
        QVERIFY(near(exchanged(e, 0, Exchange::Data), loads[zero]));
        QVERIFY(near(stage(e, 0).sync, syncs[zero]));
        QVERIFY(near(stage(e, 0).memory[MemoryPart::Optimizer], 10 * 12 / 4));
        QVERIFY(near(stage(e, 0).memory[MemoryPart::Gradients], zero >= 2 ? 10 : 40));
        QCOMPARE(stage(e, 0).dataLevel, 1);
        const std::string text = toText(explain(p, plan, e), 12);
        QVERIFY2(text.find("AR(G/S): all-reduce of a shard's gradients between its copies: 5 s") !=
                     std::string::npos,
                 text.c_str());
        QVERIFY(summaryOf(plan).ends_with("ZeRO-" + std::to_string(zero) + "/4"));
      }
  }
  void expertsAreShardedInsideTheirShardGroups() {
    const Strategy e2{1, false, 1, 2};
    const Problem p = withProfile(handProblem(hosts(4, 2), 1, {e2}), [](Profile& profile) {
      LayerCost c = plainLayer();
      c.denseParameters = 0;
      c.expertParameters = 10;
      profile.setCost(0, 0, 0, c);
    });
    Plan plan = chainPlan({{0}}, 1, e2, 8);
    plan.zero = 1;
    plan.shardReplicas = 4;
    // Two shards of each expert in a host, on every other device.
    const Evaluation e = evaluate(p, plan);
    QVERIFY(e.feasible());
    QVERIFY(near(stage(e, 0).sync, (1 + 0.5 * 0.4) + (1 + 0.5 * 0.2) + 2 * (2 + 0.5 * 2)));
    QVERIFY(near(stage(e, 0).memory[MemoryPart::Optimizer], 10 * 12 / 2));
  }
  void foldedExpertsMeetTheirNeighbours() {
    // Four replicas of two tensor ranks on two hosts: folded, a group of four fills a host.
    const Strategy folded{2, true, 1, 4, true}, split{2, true, 1, 4};
    const Problem p = withProfile(handProblem(hosts(4, 2), 1, {folded, split}), [](Profile& profile) {
      LayerCost c = plainLayer();
      c.denseParameters = 0;
      c.expertParameters = 10;
      c.collectives = {{CollectiveKind::AllToAll, GroupKind::Expert, Phase::Forward, Bytes(40), 1}};
      for (int s = 0; s < 2; ++s) profile.setCost(0, s, 0, c);
    });
    Plan plan = chainPlan({{0}}, 1, folded, 4);
    const Evaluation e = evaluate(p, plan);
    QVERIFY(e.feasible());
    QVERIFY(near(exchanged(e, 0, Exchange::Expert), 3 * (1 + 10 / 100.0)));
    QCOMPARE(stage(e, 0).expertLevel, 0);
    // Two ranks hold each expert, one in each host.
    QVERIFY(near(stage(e, 0).sync, 2 * (2 + 0.5 * 40 / 10)));
    plan.zero = 1;
    QVERIFY(near(stage(evaluate(p, plan), 0).sync, (2 + 0.5 * 40 / 10) + (2 + 0.5 * 20 / 10)));
    QVERIFY(near(stage(evaluate(p, plan), 0).memory[MemoryPart::Optimizer], 10 * 12 / 2));
    plan.shardReplicas = 2;  // a host: one whole group, so nothing to share, and a copy in the other host
    QVERIFY(evaluate(p, plan).feasible());
    QVERIFY(near(stage(evaluate(p, plan), 0).sync, 2 * (2 + 0.5 * 40 / 10)));
    plan.stages[0].strategy = split;
    plan.shardReplicas = 0;
    QCOMPARE(stage(evaluate(p, plan), 0).expertLevel, 1);
    // Replicas alone would not be enough for groups of eight.
    plan.stages[0].strategy = {2, true, 1, 8, true};
    for (const Violation& v : evaluate(p, plan).violations) QVERIFY(v.kind != Violation::Kind::ExpertGroup);
    plan.stages[0].strategy = {2, true, 1, 8};
    QVERIFY(!evaluate(p, plan).feasible());
  }
  void aStraddlingTensorGroupIsTheSlowest() {
    const Strategy t3{3, false, 1, 1};
    Problem p = withProfile(handProblem(hosts(4, 2), 1, {t3}), [](Profile& profile) {
      LayerCost c = plainLayer();
      c.collectives = {{CollectiveKind::AllGather, GroupKind::Tensor, Phase::Forward, Bytes(30), 2},
                       {CollectiveKind::AllGather, GroupKind::Tensor, Phase::RecomputeFull, Bytes(30), 1}};
      c.denseParameters = 0;
      profile.setCost(0, 0, 0, c);
    });
    // Replica 0 on 0–2: 2·1 + ⅔·30/100. Replica 1 on 3–5: one rank in a host, two in the other.
    const Evaluation one = evaluate(p, chainPlan({{0}}, 1, t3));
    QVERIFY(near(exchanged(one, 0, Exchange::Tensor), 2 * 2.2));
    QCOMPARE(stage(one, 0).tensorLevel, 0);
    Plan plan = chainPlan({{0}}, 1, t3, 2);
    const Evaluation two = evaluate(p, plan);
    const double flat = 2 * 2 + 2.0 / 3 * 3, hierarchical = (1 + .5 * .3) + (2 + .5 * 3);
    QVERIFY(near(exchanged(two, 0, Exchange::Tensor), 2 * std::min(flat, hierarchical)));
    QCOMPARE(stage(two, 0).tensorLevel, 1);
    plan.stages[0].recompute = Recompute::Full;
    QVERIFY(near(exchanged(evaluate(p, plan), 0, Exchange::Tensor), 3 * hierarchical));
    QVERIFY(near(stage(evaluate(p, plan), 0).recomputeExchange, hierarchical));
    // Aligned to hosts, no group straddles.
    plan = chainPlan({{0}}, 1, t3, 1, 2);
    plan.blockStride = 4;
    QVERIFY(near(exchanged(evaluate(p, plan), 0, Exchange::Tensor), 2 * 2.2));
  }
  void zeroShardsAndItsTraffic() {
    // Four replicas in one host; 20 parameters: G = 80 bytes, W = 40. RS(G) = 2 + ¾·.8, AG(W) = 2 + ¾·.4.
    Problem p = handProblem(hosts(4, 2), 2);
    HierarchyInput in = hosts(4, 2);
    in.device.memoryBandwidth.value = BytesPerSecond(30);
    p.cluster = std::make_shared<const Hierarchy>(*Hierarchy::build(in));
    const double scatter = 2.6, gather = 2.3;
    const double memory[] = {20 * 18, 20 * 6 + 20 * 3, 20 * 2 + 20 * 4, 20 * 4.5 + 20};
    const double loads[] = {0, 0, scatter, scatter + 2 * gather};
    const double syncs[] = {2 * scatter, scatter + gather, gather, 0};
    for (int z = 0; z <= 3; ++z) {
      Plan plan = chainPlan({{0, 1}}, 1, {}, 4);
      plan.zero = z;
      const Evaluation e = evaluate(p, plan);
      QVERIFY(near(stage(e, 0).memory.total(), memory[z] + 12));
      QVERIFY(near(exchanged(e, 0, Exchange::Data), loads[z]));
      QVERIFY(near(stage(e, 0).sync, syncs[z]));
      // 20 · (4 + 2 + 24) bytes at 30 bytes/s.
      QVERIFY(near(stage(e, 0).step, z == 0 ? 20 : 5));
      QVERIFY(near(e.batchTime, 2 * (6 + loads[z]) + syncs[z] + (z == 0 ? 20 : 5)));
      QCOMPARE(stage(e, 0).dataLevel, 0);
    }
  }
  void expertsAreSharedByFewer() {
    const Strategy e2{1, false, 1, 2};
    const Problem p = withProfile(handProblem(hosts(4, 2), 1, {e2}), [](Profile& profile) {
      LayerCost c = plainLayer();
      c.expertParameters = 100;
      c.collectives = {{CollectiveKind::AllToAll, GroupKind::Expert, Phase::Backward, Bytes(200), 1}};
      profile.setCost(0, 0, 0, c);
    });
    Plan plan = chainPlan({{0}}, 1, e2, 8);
    plan.zero = 1;
    const Evaluation e = evaluate(p, plan);
    QVERIFY(e.feasible());
    // Groups of neighbours: one peer in the host, half of 200 bytes.
    QVERIFY(near(exchanged(e, 0, Exchange::Expert), 1 + 1.0));
    QCOMPARE(stage(e, 0).expertLevel, 0);
    QVERIFY(near(stage(e, 0).memory[MemoryPart::Optimizer], 10 * 12 / 8.0 + 100 * 12 / 4.0));
    // Dense: 8 ranks, 4 a host. Expert shards: replicas 0, 2, 4, 6, two a host.
    const auto halving = [](double n0, double bytes) {
      const double hierarchical = (std::log2(n0) + (n0 - 1) / n0 * bytes / 100) + (2 + .5 * bytes / n0 / 10);
      const double n = 2 * n0, flat = std::log2(n) * 2 + (n - 1) / n * bytes / 10;
      return std::min(hierarchical, flat);
    };
    QVERIFY(near(stage(e, 0).sync, halving(4, 40) + halving(4, 20) + halving(2, 400) + halving(2, 200)));
    QCOMPARE(stage(e, 0).dataLevel, 1);
    QVERIFY(near(stage(e, 0).dataBytes, 440));
  }
  void contextsShareGradientsToo() {
    const Strategy c2{1, false, 2, 1};
    Problem p = handProblem(hosts(4, 2), 1, {c2});
    const Evaluation e = evaluate(p, chainPlan({{0}}, 1, c2, 2));  // four ranks in one host, G = 40
    QVERIFY(near(stage(e, 0).sync, 2 * (2 + .75 * .4)));
    QCOMPARE(stage(e, 0).contextLevel, 0);
  }
  void tiedParametersStandOnBothEnds() {
    const Problem p = withProfile(handProblem(hosts(4, 2), 2), [](Profile& profile) {
      profile.tied = TiedParameters{LayerIndex(0), LayerIndex(1), {5}};
    });
    const Evaluation one = evaluate(p, chainPlan({{0, 1}}, 1));
    QVERIFY(near(stage(one, 0).parameters, 20));
    QCOMPARE(stage(one, 0).sync.value(), 0.0);
    const Evaluation two = evaluate(p, chainPlan({{0}, {1}}, 2));
    QVERIFY(near(stage(two, 0).parameters, 10));
    QVERIFY(near(stage(two, 1).parameters, 15));
    // 5 parameters of 4 bytes between neighbours of one host: 2·(1 + ½·20/100).
    QVERIFY(near(stage(two, 0).sync, 2.2));
    QVERIFY(near(stage(two, 1).sync, 2.2));
    // Stage 1 is done 2 s earlier: stage 0's backward pass covers them.
    QVERIFY(near(stage(two, 0).exposed, 2.2));
    QVERIFY(near(stage(two, 1).exposed, 0.2));
    QVERIFY(near(two.tail, 2.2));
    Plan plan = chainPlan({{0}, {1}}, 2, {}, 1, 2);
    plan.zero = 3;
    QVERIFY(near(stage(evaluate(p, plan), 1).memory[MemoryPart::Gathered], 15 * 2));
    QVERIFY(near(stage(evaluate(p, plan), 1).sync, 2.2));
  }
  // Embedding and head of 10 and 15 parameters are in no block; of two blocks the larger has 12. Each is
  // there twice, in 2 bytes.
  void groupsAreGatheredOnceForTheStep() {
    Problem p = withProfile(handProblem(hosts(4, 2), 4), [](Profile& profile) {
      const double parameters[] = {10, 11, 12, 15};
      for (int x = 0; x < 4; ++x) {
        LayerCost c = plainLayer();
        c.denseParameters = parameters[x];
        profile.setCost(x, 0, 0, c);
      }
    });
    LayerGraph graph = *p.graph;
    graph.layers[0].kind = LayerKind::Embedding;
    graph.layers[3].kind = LayerKind::Head;
    p.graph = std::make_shared<const LayerGraph>(graph);
    const auto gathered = [&](Plan plan, int i, int zero) {
      plan.zero = zero;
      return stage(evaluate(p, plan), i).memory[MemoryPart::Gathered];
    };
    const Plan whole = chainPlan({{0, 1, 2, 3}}, 1, {}, 1, 2);
    QVERIFY(near(gathered(whole, 0, 3), 15 * 2));
    p.assumptions.gathersGroups = true;
    QVERIFY(near(gathered(whole, 0, 3), 2 * (10 + 15 + 12) * 2));
    // Under ZeRO 1 of two ranks once, and half of 48 parameters in 2 + 4 bytes beside the whole ones.
    QVERIFY(near(gathered(whole, 0, 1), (10 + 15 + 12) * 2 + 24 * (2 + 4)));
    const Plan halves = chainPlan({{0, 1}, {2, 3}}, 2, {}, 1, 2);
    QVERIFY(near(gathered(halves, 0, 3), 2 * (10 + 11) * 2));
    QVERIFY(near(gathered(halves, 1, 3), 2 * (15 + 12) * 2));
    // Without blocks every layer is one.
    for (Layer& l : graph.layers) l.kind = LayerKind::Other;
    p.graph = std::make_shared<const LayerGraph>(graph);
    QVERIFY(near(gathered(whole, 0, 3), 2 * 15 * 2));
  }
  void interleavedChunks() {
    const Problem p = handProblem(hosts(8, 1), 4);
    const Evaluation e = evaluate(p, chainPlan({{0}, {1}, {2}, {3}}, 2));
    QVERIFY(e.feasible());
    // Three boundaries of 1.2 s: 0→1, 1→0 (wrap), 0→1; stage 0 receives one activation and two gradients.
    QVERIFY(near(stage(e, 0).activationIn, 1.2));
    QVERIFY(near(stage(e, 0).gradientIn, 2.4));
    QVERIFY(near(stage(e, 1).activationIn, 2.4));
    QVERIFY(near(stage(e, 1).gradientIn, 1.2));
    const double load = 6 + 3.6;
    QVERIFY(near(e.pipelineTime, 8 * load + load / 2));
    QVERIFY(near(e.nestTime, load * 8.5));
    QCOMPARE(stage(e, 0).inFlight, 2 * 1 + 2 + 1);
    QCOMPARE(stage(e, 1).inFlight, 2 + 1);
    QVERIFY(near(stage(e, 0).memory[MemoryPart::Stash], 5 * 6));
  }
  void overlapHidesNoMoreThanCompute() {
    Problem p = handProblem(hosts(4, 2), 2);
    p.assumptions.overlap[Exchange::Pipeline] = 0.5;
    const Evaluation some = evaluate(p, chainPlan({{0}, {1}}, 2));
    QVERIFY(near(stage(some, 0).hidden, 0.6));
    QVERIFY(near(stage(some, 0).load, 3.6));
    p = withProfile(p, [](Profile& profile) { profile.setTensorBytes(0, 0, 0, Bytes(1900)); });  // 20 s
    const Evaluation all = evaluate(p, chainPlan({{0}, {1}}, 2));
    QVERIFY(near(stage(all, 0).hidden, 3));
    QVERIFY(near(stage(all, 0).load, 20));
  }
  void ownPassesHideSync() {
    // Four replicas, ZeRO 1: sync 2.6 + 2.3, own passes 3 + 3 for the two layers (zeroShardsAndItsTraffic).
    Problem p = handProblem(hosts(4, 2), 2);
    Plan plan = chainPlan({{0, 1}}, 1, {}, 4);
    plan.zero = 1;
    const Evaluation none = evaluate(p, plan);
    QVERIFY(near(stage(none, 0).exposed, 4.9));
    QCOMPARE(stage(none, 0).hiddenSync.value(), 0.0);
    p.assumptions.syncOverlap = 0.5;
    const Evaluation half = evaluate(p, plan);
    QVERIFY(near(stage(half, 0).sync, 4.9));
    QVERIFY(near(stage(half, 0).hiddenSync, 2.45));
    QVERIFY(near(stage(half, 0).exposed, 2.45));
    QVERIFY(near(none.batchTime - half.batchTime, 2.45));
    // A longer exchange hides no more than the passes take.
    p = withProfile(p, [](Profile& profile) {
      LayerCost large = *profile.cost(0, 0, 0);
      large.denseParameters = 1000;
      profile.setCost(0, 0, 0, large);
    });
    const Evaluation large = evaluate(p, plan);
    QVERIFY(stage(large, 0).sync.value() > 6);
    QVERIFY(near(stage(large, 0).hiddenSync, 3));
    // Terms of the explanation still add up, and one says what is hidden.
    const CostTerm root = explain(p, plan, large);
    QVERIFY(near(Seconds(root.fromChildren()), large.batchTime.value()));
    QCOMPARE(root.children[2].children[0].children[0].children[1].value, 3.0);
  }
  void linkEfficiencySlowsEveryExchange() {
    HierarchyInput slow = hosts(4, 2), share = hosts(4, 2);
    for (NetworkLevel& l : slow.levels) l.bandwidth *= 0.8;
    for (NetworkLevel& l : share.levels) l.efficiency = 0.8;
    Plan plan = chainPlan({{0}, {1}}, 2, {}, 4);
    plan.zero = 1;
    const Evaluation a = evaluate(handProblem(slow, 2), plan), b = evaluate(handProblem(share, 2), plan);
    QVERIFY(near(a.batchTime, b.batchTime.value()));
    QVERIFY(b.batchTime > evaluate(handProblem(hosts(4, 2), 2), plan).batchTime);
  }
  void theSlowestAndSmallestDeviceCounts() {
    HierarchyInput in = hosts(4, 1);
    in.factors = {{}, {}, {0.5, Bytes(0)}, {1, Bytes(100)}};
    Problem p = handProblem(in, 2);
    p.job.globalBatch = 2;
    // Canonical order puts the fast and large devices first: positions 0, 1, then 100 bytes, then half speed.
    const Evaluation e = evaluate(p, chainPlan({{0}, {1}}, 2, {}, 2));
    QVERIFY(near(stage(e, 0).forward, 1));
    QVERIFY(near(stage(e, 1).forward, 2));
    QVERIFY(near(stage(e, 1).backward, 4));
    QVERIFY(near(stage(e, 1).memory.capacity, 100));
    QCOMPARE(e.violations.size(), std::size_t(1));
    QCOMPARE(e.violations[0].kind, Violation::Kind::Memory);
    QCOMPARE(e.violations[0].stage, 1);
    QVERIFY(near(e.violations[0].shortfall, 186 - 100));
  }
  /// What leaves the device for the host's memory, and no more than the host has for each device.
  void hostsHoldOptimizerState() {
    HierarchyInput in = hosts(4, 2);
    const Plan plan = chainPlan({{0}, {1}}, 2, {}, 2);
    const Problem whole = handProblem(in, 2);
    const Evaluation before = evaluate(whole, plan);
    QVERIFY(before.feasible() && !(stage(before, 0).hostMemory > Bytes(0)));
    Problem p = whole;
    p.assumptions.offloadedOptimizer = 0.5;
    const Evaluation e = evaluate(p, plan);
    const Bytes half = stage(before, 0).memory[MemoryPart::Optimizer] * 0.5;
    QVERIFY(half > Bytes(0));
    QVERIFY(near(stage(e, 0).hostMemory, half.value()));
    QVERIFY(near(stage(e, 0).memory.total(), (stage(before, 0).memory.total() - half).value()));
    QVERIFY(e.feasible());
    in.device.hostMemory = Bytes(half.value() * 0.9);
    Problem tight = handProblem(in, 2);
    tight.assumptions = p.assumptions;
    const Evaluation lacking = evaluate(tight, plan);
    QVERIFY(!lacking.feasible());
    QCOMPARE(lacking.violations[0].kind, Violation::Kind::HostMemory);
    QVERIFY(near(lacking.violations[0].shortfall, half.value() * 0.1));
    tight.assumptions.offloadedOptimizer = 0.45;
    QVERIFY(evaluate(tight, plan).feasible());
  }
  void deviceOrderMovesRanks() {
    Problem p = handProblem(hosts(2, 2), 2);
    Plan plan = chainPlan({{0}, {1}}, 2);
    plan.deviceOrder = {DeviceIndex(0), DeviceIndex(2)};
    QCOMPARE(stage(evaluate(p, plan), 1).activationLevel, 1);
    plan.deviceOrder = {DeviceIndex(0), DeviceIndex(1)};
    QCOMPARE(stage(evaluate(p, plan), 1).activationLevel, 0);
  }
  void paddingRoundsUp() {
    Problem p = handProblem(hosts(4, 2), 1);
    p.search.padLastMicrobatch = true;
    const Evaluation e = evaluate(p, chainPlan({{0}}, 1, {}, 3));
    QVERIFY(e.feasible());
    QCOMPARE(e.microbatchCount, 3);
  }
  /// Published bytes of Korthikanti 2022 (STATEMENT.md §8): 22B on t = 8; 175B on t = 8, p = 8, v = 3.
  void publishedMemory_data() {
    QTest::addColumn<int>("hidden");
    QTest::addColumn<int>("heads");
    QTest::addColumn<int>("layers");
    QTest::addColumn<int>("batch");
    QTest::addColumn<int>("stages");
    QTest::addColumn<int>("chunks");
    QTest::addColumn<double>("states");
    QTest::addColumn<double>("stash");
    QTest::newRow("22B") << 6144 << 64 << 48 << 4 << 1 << 1 << 45.56 << 59.25;
    QTest::newRow("175B") << 12288 << 96 << 96 << 1 << 8 << 3 << 45.56 << 66.84;
    QTest::newRow("1T") << 25600 << 160 << 128 << 1 << 64 << 1 << 32.96 << 131.25;
  }
  void publishedMemory() {
    QFETCH(int, hidden);
    QFETCH(int, heads);
    QFETCH(int, layers);
    QFETCH(int, batch);
    QFETCH(int, stages);
    QFETCH(int, chunks);
    QFETCH(double, states);
    QFETCH(double, stash);
    const Strategy t8{8, false, 1, 1};
    const double h = hidden, s = 2048, t = 8;
    const Problem p = withProfile(handProblem(hosts(8, 64), layers, {t8}), [&](Profile& profile) {
      LayerCost c = plainLayer();
      c.denseParameters = 12 * h * h / t;
      c.recompute[0].stash = Bytes(s * batch * h * (10 + 24 / t + 5 * heads * s / (h * t)));
      for (int x = 0; x < layers; ++x) profile.setCost(x, 0, 0, c);
    });
    std::vector<std::vector<int>> parts(stages * chunks);
    for (int x = 0; x < layers; ++x) parts[x * stages * chunks / layers].push_back(x);
    Problem q = p;
    q.job.globalBatch = 1024;
    const Evaluation e = evaluate(q, chainPlan(parts, stages, t8));
    const MemoryUse& m = stage(e, 0).memory;
    QVERIFY(std::abs((m[MemoryPart::Weights] + m[MemoryPart::Gradients] + m[MemoryPart::Optimizer]).value() /
                         kGiB -
                     states) < 0.006);
    QVERIFY(std::abs(m[MemoryPart::Stash].value() / kGiB - stash) < 0.006);
  }
};
NEST_TEST(TestEvaluate)
#include "test_evaluate.moc"
