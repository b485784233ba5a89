#include <QtTest/QTest>

#include "cost/stage_cost.h"
#include "cost/stage_messages.h"
#include "support/test_main.h"

using namespace nest;

namespace {

/// 1600 dense parameters shared by 8 ranks, 800 expert ones by 4.
constexpr ModelState kState{1600, 800, 8, 4, 300};

Hierarchy twoLevels() {
  HierarchyInput in;
  in.device.memory.value = Bytes(1);
  in.fanouts = {2, 2};
  in.levels = {{"host", BytesPerSecond(100), Seconds(1)}, {"rack", BytesPerSecond(10), Seconds(3)}};
  return *Hierarchy::build(in);
}

DeviceSpec deviceWith(double memoryBandwidth, double hostBandwidth = 0) {
  DeviceSpec d;
  d.memoryBandwidth.value = BytesPerSecond(memoryBandwidth);
  if (hostBandwidth > 0) d.hostMemoryBandwidth = BytesPerSecond(hostBandwidth);
  return d;
}

/// Of 100 dense parameters in one group.
MessageTimes gradientTimes(const Hierarchy& h, const GroupShape& group, int zero, const Assumptions& a) {
  std::vector<GroupMessages> groups;
  addGradientMessages({100, 0, 2, 1, 0}, 1, zero, OptimizerRegime::megatron(), a, groups);
  return timesOf(h, groups.front(), 1, group, {});
}

}  // namespace

class TestStageCost : public QObject {
  Q_OBJECT
private slots:
  /// ZeRO paper (arXiv 1910.02054): 16Ψ; 4Ψ + 12Ψ/N; 2Ψ + 14Ψ/N; 16Ψ/N. Here with 1600 on 8 ranks and 800
  /// on 4.
  void bytesByZeroStage() {
    const OptimizerRegime r = OptimizerRegime::zeroPaper();
    const auto total = [&](int z) {
      const StateBytes held = StateBytes::of(r, {}, z);
      return (held.weights.of(kState) + held.gradients.of(kState) + held.optimizer.of(kState)).value();
    };
    QCOMPARE(total(0), 16 * 2400.0);
    QCOMPARE(total(1), 4 * 2400 + 12 * (200 + 200.0));
    QCOMPARE(total(2), 2 * 2400 + 14 * (200 + 200.0));
    QCOMPARE(total(3), 16 * (200 + 200.0));
    const double each[] = {16, 4 + 12 / 8.0, 2 + 14 / 8.0, 2};
    for (int z = 0; z <= 3; ++z) QCOMPARE(StateBytes::of(r, {}, z).onDevice(8), each[z]);
    Assumptions a;
    const auto gathered = [&](int z) { return StateBytes::of(r, a, z).gatheredOf(kState).value(); };
    QCOMPARE(gathered(1), 0.0);
    QCOMPARE(gathered(2), 0.0);
    QCOMPARE(gathered(3), 600.0);
    // In groups twice; under ZeRO 1 once, with 2 + 2 bytes of each shard beside what is whole.
    a.gathersGroups = true;
    QCOMPARE(gathered(1), 600.0 + 4 * (200 + 200.0));
    QCOMPARE(gathered(2), 0.0);
    QCOMPARE(gathered(3), 1200.0);
  }
  void stepReadsAndWritesTheStates() {
    Assumptions a;
    const auto time = [&](int z, double bandwidth) {
      return StepRate::of(OptimizerRegime::megatron(), a, deviceWith(bandwidth), z).of(kState).value();
    };
    QCOMPARE(time(0, 100), 2400 * 30 / 100.0);
    QCOMPARE(time(1, 100), 400 * 30 / 100.0);
    QCOMPARE(time(1, 0), 0.0);
    // Clipping reads the gradients, 4 bytes each, and may read and write them again.
    a.clippingPasses = 1;
    QCOMPARE(time(0, 100), 2400 * 34 / 100.0);
    a.clippingPasses = 3;
    QCOMPARE(time(1, 100), 400 * 42 / 100.0);
  }
  /// STATEMENT.md (10.12) by hand, with w, g, o = 2, 4, 12 and 400 parameters of a device behind ZeRO 1.
  void aHostKeepsAndUpdatesItsShare() {
    const OptimizerRegime r = OptimizerRegime::megatron();
    Assumptions a;
    a.offloadedOptimizer = 0.75, a.hostUpdateRate = 25;
    const StateBytes held = StateBytes::of(r, a, 1);
    QCOMPARE(held.optimizer.of(kState).value(), 400 * 3.0);
    QCOMPARE(held.host.of(kState).value(), 400 * 9.0);
    QCOMPARE(StateBytes::of(r, a, 0).host.of(kState).value(), 2400 * 9.0);
    const auto time = [&](double hostBandwidth) {
      return StepRate::of(r, a, deviceWith(100, hostBandwidth), 1).of(kState).value();
    };
    // A quarter of 30 bytes at 100; 3 bytes down and 1.5 back at 10; 0.75 updates at 25.
    QCOMPARE(time(10), 400 * (0.075 + 0.3 + 0.03 + 0.15));
    QCOMPARE(time(0), 400 * (0.075 + 0.03));
    a.overlapsOptimizerCopies = true;
    QCOMPARE(time(10), 400 * 0.3);
    QCOMPARE(time(1000), 400 * 0.075);
    a.hostUpdateRate = 0;
    a.clippingPasses = 1;  // the device goes through all gradients
    QCOMPARE(time(1000), 400 * (0.075 + 0.04));
  }
  void gradientsByZeroStage() {
    const Hierarchy h = twoLevels();
    const std::vector<int> host = {0, 1};
    const GroupShape g = shapeOf(h, host);
    // 100 parameters: RS of 400 bytes 1 + 2 s, AG of 200 bytes 1 + 1 s.
    const double loads[] = {0, 0, 3, 7}, syncs[] = {6, 5, 2, 0};
    for (int z = 0; z <= 3; ++z) {
      const MessageTimes t = gradientTimes(h, g, z, {});
      QCOMPARE(t.perMicrobatch().value(), loads[z]);
      QCOMPARE(t.stepEnd.value(), syncs[z]);
      QCOMPARE(t.first.forward.value(), z == 3 ? 2.0 : 0.0);
      QCOMPARE(t.first.weightGradient.value(), z >= 2 ? 3.0 : 0.0);
    }
    QCOMPARE(tiedTime(h, 1, Bytes(400)).value(), 2 * (3 + 20.0));
    QCOMPARE(tiedTime(h, 1, Bytes(0)).value(), 0.0);
  }
  // ZeRO 1 alone may all-reduce; nothing of that is hidden.
  void someProgramsAllReduceUnderZero1() {
    const Hierarchy h = twoLevels();
    const std::vector<int> host = {0, 1};
    const GroupShape g = shapeOf(h, host);
    const OptimizerRegime r = OptimizerRegime::megatron();
    Assumptions a;
    a.syncOverlap = 0.5, a.zeroAllReduces = true;
    for (int z = 0; z <= 3; ++z) {
      const double plain = gradientTimes(h, g, z, {}).stepEnd.value();
      QCOMPARE(gradientTimes(h, g, z, a).stepEnd.value(), plain + (z == 1 ? 3 : 0));
      QCOMPARE(syncOverlap(a, z), z == 1 ? 0 : 0.5);
    }
    QCOMPARE(StateBytes::of(r, a, 0).gradients.bytes, 4.0);
    a.heldGradientBytes = 6;
    QCOMPARE(StateBytes::of(r, a, 0).gradients.bytes, 6.0);
  }
  /// Copies of a shard all-reduce its gradients; a chunk's recompute counts under its policy alone.
  void everyMessageIsListedOnce() {
    std::vector<GroupMessages> groups;
    addGradientMessages(kState, 3, 2, OptimizerRegime::megatron(), {}, groups);
    QCOMPARE(groups.size(), std::size_t(4));
    for (const bool experts : {false, true}) {
      const GroupMessages &shards = groups[experts ? 2 : 0], &copies = groups[experts ? 3 : 1];
      QCOMPARE(shards.experts, experts);
      QVERIFY(shards.group == (experts ? RankGroup::ExpertShards : RankGroup::DenseShards));
      QCOMPARE(shards.ranks, experts ? 4.0 : 8.0);
      QCOMPARE(shards.messages.size(), std::size_t(2));
      QVERIFY(copies.group == RankGroup::Copies);
      QCOMPARE(copies.ranks, 3.0);
      QCOMPARE(copies.messages.front().bytes.value(), experts ? 800 * 4 / 4.0 : 1600 * 4 / 8.0);
    }
    LayerCost layer;
    for (const Phase p : {Phase::Forward, Phase::Backward, Phase::RecomputeSelective, Phase::RecomputeFull})
      layer.collectives.push_back({CollectiveKind::AllReduce, GroupKind::Context, p, Bytes(8), 2});
    for (const Recompute r : {Recompute::None, Recompute::Selective, Recompute::Full}) {
      auto lists = layerGroups({1, false, 2, 1});
      addLayerMessages(layer, r, 1, lists);
      const auto& sent = lists[std::size_t(GroupKind::Context)].messages;
      QCOMPARE(sent.size(), std::size_t(r == Recompute::None ? 2 : 3));
      QVERIFY(sent.back().phase == (r == Recompute::None ? MessagePhase::Backward : MessagePhase::Recompute));
      QCOMPARE(sent.back().chunk, 1);
      auto alone = layerGroups({2, false, 1, 1});
      addLayerMessages(layer, r, 0, alone);
      for (const GroupMessages& g : alone) QVERIFY(g.messages.empty());
    }
  }
  void overlapStopsAtCompute() {
    Assumptions a;
    a.overlap = {0.5, 0, 0, 1, 0};
    PerExchange<Seconds> e{Seconds(4), Seconds(9), Seconds(9), Seconds(3), Seconds(9)};
    const auto all = hiddenExchange(Seconds(10), e, a.overlap),
               half = hiddenExchange(Seconds(2.5), e, a.overlap);
    const double wanted[] = {2, 0, 0, 3, 0};
    for (std::size_t k = 0; k < kExchangeCount; ++k) {
      QCOMPARE(all[k].value(), wanted[k]);
      QCOMPARE(half[k].value(), wanted[k] / 2);
    }
  }
  void batchTimes() {
    // Four stages, the largest load 4; 8 microbatches; 1 s at the end.
    QCOMPARE(nestBatchTime(Seconds(4), Seconds(1), 8, 4, 1).value(), 4 * 11 + 1.0);
    QCOMPARE(nestBatchTime(Seconds(4), Seconds(1), 8, 4, 2).value(), 4 * 9.5 + 1);
  }
};
NEST_TEST(TestStageCost)
#include "test_stage_cost.moc"
