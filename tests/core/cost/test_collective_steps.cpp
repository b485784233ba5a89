#include <QtTest/QTest>
#include <cmath>
#include <numeric>
#include <random>

#include "cost/collective.h"
#include "cost/collective_steps.h"
#include "support/test_main.h"

using namespace nest;

namespace {

/// Hosts of 4, racks of 2 hosts, 2 racks: 100, 10 and 1 bytes/s; 1, 2 and 4 seconds of latency.
Hierarchy racksOf(std::vector<int> fanouts = {4, 2, 2}) {
  HierarchyInput in;
  in.device.memory.value = Bytes(1);
  in.fanouts = std::move(fanouts);
  in.levels = {{"host", BytesPerSecond(100), Seconds(1)},
               {"rack", BytesPerSecond(10), Seconds(2)},
               {"spine", BytesPerSecond(1), Seconds(4)}};
  return *Hierarchy::build(in);
}

CollectiveRun runOver(const Hierarchy& h, CollectiveKind kind, double bytes, const std::vector<int>& ranks) {
  return collectiveRun(h, kind, Bytes(bytes), shapeOf(h, ranks), peersOf(h, ranks));
}

bool isNear(double actual, double expected) {
  return std::abs(actual - expected) <= 1e-12 * std::max(1.0, std::abs(expected));
}

const CollectiveKind kKinds[] = {CollectiveKind::AllReduce, CollectiveKind::AllGather,
                                 CollectiveKind::ReduceScatter, CollectiveKind::AllToAll,
                                 CollectiveKind::RingExchange};

}  // namespace

class TestCollectiveSteps : public QObject {
  Q_OBJECT
private slots:
  /// Eight ranks in two hosts reduce 800 bytes: two rounds in the host, one between the hosts with what a
  /// host's rank still holds, and the same way back.
  void anAllReduceGoesOutAndBack() {
    const Hierarchy h = racksOf();
    const CollectiveRun run = runOver(h, CollectiveKind::AllReduce, 800, {0, 1, 2, 3, 4, 5, 6, 7});
    QVERIFY(run.levelByLevel);
    QCOMPARE(run.ranks, 8);
    QCOMPARE(run.steps.size(), 6U);
    const double bytes[] = {400, 200, 100, 100, 200, 400}, wire[] = {4, 2, 10, 10, 2, 4};
    const int levels[] = {0, 0, 1, 1, 0, 0}, rounds[] = {1, 2, 1, 1, 2, 1};
    for (std::size_t k = 0; k < 6; ++k) {
      const CollectiveStep& s = run.steps[k];
      QCOMPARE(s.level, levels[k]);
      QCOMPARE(s.move, k < 3 ? StepMove::Halving : StepMove::Doubling);
      QCOMPARE(s.round, rounds[k]);
      QCOMPARE(s.rounds, 1);
      QVERIFY(isNear(s.bytes.value(), bytes[k]));
      QVERIFY(isNear(s.wire.value(), wire[k]));
      QCOMPARE(s.latency.value(), levels[k] == 0 ? 1.0 : 2.0);
    }
    QVERIFY(isNear(run.time().value(), 2 * (1 + 4 + 1 + 2 + 2 + 10)));
    // Flat: three rounds at the rack, 7/8 of the bytes.
    QVERIFY(isNear(run.otherWay.value(), 2 * (3 * 2 + 700 / 10.0)));
    QCOMPARE(outermostLevel(run), 1);
  }

  /// Five ranks of one host: three rounds send half, a quarter, and what is left of four fifths.
  void theLastRoundSendsWhatIsLeft() {
    const Hierarchy h = racksOf({8, 2, 2});
    const CollectiveRun run = runOver(h, CollectiveKind::ReduceScatter, 1000, {0, 1, 2, 3, 4});
    QCOMPARE(run.steps.size(), 3U);
    QVERIFY(isNear(run.steps[0].bytes.value(), 500));
    QVERIFY(isNear(run.steps[1].bytes.value(), 250));
    QVERIFY(isNear(run.steps[2].bytes.value(), 50));
    QCOMPARE(run.steps[2].parties, 5);
  }

  void aGatherBeginsOutermost() {
    const Hierarchy h = racksOf();
    const std::vector<int> ranks{0, 1, 2, 3, 4, 5, 6, 7};
    const auto gather = runOver(h, CollectiveKind::AllGather, 800, ranks).steps,
               scatter = runOver(h, CollectiveKind::ReduceScatter, 800, ranks).steps;
    QCOMPARE(gather.size(), scatter.size());
    QCOMPARE(gather.front().level, 1);
    QCOMPARE(scatter.front().level, 0);
    for (std::size_t k = 0; k < gather.size(); ++k)
      QCOMPARE(gather[k].bytes, scatter[gather.size() - 1 - k].bytes);
  }

  /// Three ranks in one host and one in the next: the slowest is the one that has no neighbour.
  void anAllToAllIsThatOfItsSlowestRank() {
    const Hierarchy h = racksOf();
    const CollectiveRun run = runOver(h, CollectiveKind::AllToAll, 400, {0, 1, 2, 4});
    QCOMPARE(run.steps.size(), 1U);
    QCOMPARE(run.steps[0].level, 1);
    QCOMPARE(run.steps[0].rounds, 3);
    QVERIFY(isNear(run.time().value(), 3 * (2 + 100 / 10.0)));
  }

  void ringsAndMessagesRepeatOneRound() {
    const Hierarchy h = racksOf();
    const CollectiveRun ring = runOver(h, CollectiveKind::RingExchange, 50, {0, 1, 2, 4});
    QCOMPARE(ring.steps.size(), 1U);
    QCOMPARE(ring.steps[0].rounds, 3);
    QVERIFY(isNear(ring.steps[0].latencies().value(), 6) && isNear(ring.steps[0].wires().value(), 15));
    const CollectiveRun send = transferRun(h, 2, Bytes(60), 3);
    QVERIFY(!send.kind);
    QVERIFY(isNear(send.time().value(), 3 * 4 + 60));
    QVERIFY(transferRun(h, 2, Bytes()).steps.empty());
  }

  void whoSendsNothingTakesNoSteps() {
    const Hierarchy h = racksOf();
    for (const CollectiveKind kind : kKinds) {
      QVERIFY(runOver(h, kind, 0, {0, 1, 2}).steps.empty());
      QVERIFY(runOver(h, kind, 100, {3}).steps.empty());
    }
    QCOMPARE(outermostLevel(runOver(h, CollectiveKind::AllReduce, 0, {0, 1})), -1);
  }

  /// Whatever the group, the steps add up to what the evaluation counts.
  void stepsSumToTheTimeOfTheCollective() {
    std::mt19937 random(7);
    for (int round = 0; round < 2000; ++round) {
      HierarchyInput in;
      in.device.memory.value = Bytes(1);
      in.fanouts = {1 + int(random() % 8), 1 + int(random() % 4), 1 + int(random() % 3)};
      for (const char* name : {"host", "rack", "spine"}) {
        NetworkLevel level{name, BytesPerSecond(1e9 * (1 + double(random() % 400))),
                           Seconds(1e-6 * double(1 + random() % 30))};
        level.efficiency = 0.5 + 0.1 * double(random() % 5);
        level.crowding = random() % 2 ? 1e-13 : 0;
        in.levels.push_back(level);
      }
      const Hierarchy h = *Hierarchy::build(in);
      std::vector<int> ranks;
      for (int p = 0; p < h.deviceCount(); ++p)
        if (random() % 3) ranks.push_back(p);
      if (ranks.empty()) continue;
      const Bytes bytes(std::pow(10.0, double(random() % 10)));
      const GroupShape shape = shapeOf(h, ranks);
      const PeerCounts peers = peersOf(h, ranks);
      for (const CollectiveKind kind : kKinds) {
        const CollectiveRun run = collectiveRun(h, kind, bytes, shape, peers);
        const double expected = collectiveTime(h, kind, bytes, shape, peers).value();
        QVERIFY2(isNear(run.time().value(), expected), nameOf(kind));
        for (const CollectiveStep& s : run.steps)
          QVERIFY(s.rounds >= 1 && s.level <= shape.outermost && s.bytes > Bytes());
        if (run.otherWay > Seconds()) QVERIFY(run.otherWay.value() >= expected * (1 - 1e-12));
      }
    }
  }
};
NEST_TEST(TestCollectiveSteps)
#include "test_collective_steps.moc"
