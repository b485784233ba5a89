#include <QtTest/QTest>
#include <numeric>

#include "cost/collective.h"
#include "support/test_main.h"

using namespace nest;

namespace {

/// Hosts of 4, racks of 2 hosts, 2 racks: 100, 10 and 1 bytes/s; 1, 2 and 4 seconds of latency.
Hierarchy cluster(std::vector<int> fanouts = {4, 2, 2}, std::vector<std::uint8_t> gaps = {}) {
  HierarchyInput in;
  in.device.memory.value = Bytes(1);
  in.fanouts = std::move(fanouts);
  in.gaps = std::move(gaps);
  in.levels = {{"host", BytesPerSecond(100), Seconds(1)},
               {"rack", BytesPerSecond(10), Seconds(2)},
               {"spine", BytesPerSecond(1), Seconds(4)}};
  return *Hierarchy::build(in);
}

GroupShape shape(const Hierarchy& h, std::vector<int> positions) {
  return shapeOf(h, positions);
}

bool near(Seconds actual, double expected) {
  return std::abs(actual.value() - expected) <= 1e-12 * std::abs(expected);
}

}  // namespace

class TestCollective : public QObject {
  Q_OBJECT
private slots:
  void shapesCountOccupiedGroups() {
    const Hierarchy h = cluster();
    const GroupShape all = shape(h, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
    QCOMPARE(all.ranks, 16);
    QCOMPARE(all.outermost, 2);
    QCOMPARE(all.occupied[0], 4);
    QCOMPARE(all.occupied[1], 2);
    QCOMPARE(all.occupied[2], 2);
    QCOMPARE(all.fewest[0], 4);
    QCOMPARE(all.fewest[1], 8);

    const GroupShape straddling = shape(h, {2, 3, 4, 5, 6});  // 2 in one host, 3 in the next
    QCOMPARE(straddling.outermost, 1);
    QCOMPARE(straddling.occupied[0], 3);
    QCOMPARE(straddling.occupied[1], 2);
    QCOMPARE(straddling.fewest[0], 2);
    QCOMPARE(straddling.fewest[1], 5);
    QCOMPARE(straddling.occupied[2], 0);

    QCOMPARE(shape(h, {5}).outermost, 0);
    QCOMPARE(shape(h, {5}).ranks, 1);
  }
  // STATEMENT.md (10.7): 4 ranks add 3 times the crowding to each byte between hosts, none inside.
  void crowdedLevelsSlowDownWithRanks() {
    const Hierarchy plain = cluster();
    std::vector<NetworkLevel> levels = {plain.level(0), plain.level(1), plain.level(2)};
    levels[1].crowding = levels[2].crowding = 0.1;
    const Hierarchy crowded = plain.withLevels(levels);
    const GroupShape host = shape(plain, {0, 1, 2, 3}), hosts = shape(plain, {0, 1, 4, 5});
    QCOMPARE(gatherTime(crowded, host, Bytes(80)), gatherTime(plain, host, Bytes(80)));
    QVERIFY(near(flatGatherTime(crowded, hosts, Bytes(80)), 2 * 2 + 60 * (0.1 + 0.3)));
    QVERIFY(near(hierarchicalGatherTime(crowded, hosts, Bytes(80)), 1 + 0.4 + 2 + 20 * (0.1 + 0.3)));
    QCOMPARE(transferTime(crowded, 1, Bytes(80)), transferTime(plain, 1, Bytes(80)));
  }
  void transferPaysLatencyAndBytes() {
    const Hierarchy h = cluster();
    QVERIFY(near(transferTime(h, 1, Bytes(50)), 2 + 5.0));
    QCOMPARE(transferTime(h, 2, Bytes(0)).value(), 0.0);
  }
  void flatGatherIsRecursiveHalving() {
    const Hierarchy h = cluster();
    // 3 ranks in a host: 2 rounds of 1 s, 2/3 of 300 bytes at 100 bytes/s.
    QVERIFY(near(flatGatherTime(h, shape(h, {0, 1, 2}), Bytes(300)), 2 + 2.0));
    // 8 ranks over two hosts: 3 rounds of 2 s, 7/8 of 800 bytes at 10 bytes/s.
    QVERIFY(near(flatGatherTime(h, shape(h, {0, 1, 2, 3, 4, 5, 6, 7}), Bytes(800)), 6 + 70.0));
  }
  void hierarchicalGatherShrinksOutwards() {
    const Hierarchy h = cluster();
    std::vector<int> all(16);
    std::iota(all.begin(), all.end(), 0);
    // 1600 bytes: host 2·1 + 3/4·1600/100; rack 1·2 + 1/2·400/10; spine 1·4 + 1/2·200/1.
    QVERIFY(near(hierarchicalGatherTime(h, shapeOf(h, all), Bytes(1600)), 14 + 22 + 104.0));
    // 2 + 3 ranks over two hosts: the emptier host decides what is left: 1 level of 3, then 2 hosts with
    // 600/2 bytes.
    QVERIFY(near(hierarchicalGatherTime(h, shape(h, {2, 3, 4, 5, 6}), Bytes(600)),
                 (2 + 2.0 / 3 * 6) + (2 + 15.0)));
  }
  void theCheaperAlgorithmCounts() {
    const Hierarchy h = cluster();
    const GroupShape g = shape(h, {0, 1, 4, 5});
    // 1 byte: flat 2·2 + .075, hierarchical (1 + .005) + (2 + .025).
    QVERIFY(near(gatherTime(h, g, Bytes(1)), 3.03));
    QVERIFY(near(allReduceTime(h, g, Bytes(1)), 6.06));
    const GroupShape spread = shape(h, {0, 4, 5, 6});  // 1 and 3 ranks: shrinking by 1 gains nothing
    QVERIFY(near(flatGatherTime(h, spread, Bytes(400)), 4 + 30.0));
    QVERIFY(near(hierarchicalGatherTime(h, spread, Bytes(400)), (2 + 2.0 / 3 * 4) + (2 + 20.0)));
    QVERIFY(near(gatherTime(h, spread, Bytes(400)), (2 + 2.0 / 3 * 4) + (2 + 20.0)));
    const GroupShape uneven = shape(h, {0, 4, 5, 6, 8});  // 3 levels; flat: 3 rounds of 4 s
    QVERIFY(near(flatGatherTime(h, uneven, Bytes(10)), 12 + 8.0));
    QVERIFY(near(gatherTime(h, uneven, Bytes(10)), (2 + 2.0 / 3 * .1) + (2 + .5) + (4 + .5 * 10)));
  }
  void allToAllCountsTheSlowestRank() {
    const Hierarchy h = cluster();
    const std::vector<int> ranks = {0, 1, 2, 4};
    const PeerCounts peers = peersOf(h, ranks);
    QCOMPARE(peers.within.size(), std::size_t(2));
    // Rank at 4: three peers one level out, 100 bytes to each at 10 bytes/s.
    QVERIFY(near(allToAllTime(h, peers, Bytes(400)), 3 * (2 + 10.0)));
    // Among three of one host: two peers.
    const std::vector<int> host = {0, 1, 2};
    QVERIFY(near(allToAllTime(h, peersOf(h, host), Bytes(300)), 2 * (1 + 1.0)));
  }
  void ringTakesAHopPerPeer() {
    const Hierarchy h = cluster();
    QVERIFY(near(ringExchangeTime(h, shape(h, {0, 1, 4, 5}), Bytes(20)), 3 * (2 + 2.0)));
  }
  void oneRankOrNoBytesTakesNoTime() {
    const Hierarchy h = cluster();
    const GroupShape one = shape(h, {3}), four = shape(h, {0, 1, 2, 3});
    QCOMPARE(gatherTime(h, one, Bytes(100)).value(), 0.0);
    QCOMPARE(gatherTime(h, four, Bytes(0)).value(), 0.0);
    QCOMPARE(ringExchangeTime(h, one, Bytes(100)).value(), 0.0);
    const std::vector<int> single = {3};
    QCOMPARE(allToAllTime(h, peersOf(h, single), Bytes(100)).value(), 0.0);
  }
  void collectivesMultiplyByTheirTimes() {
    const Hierarchy h = cluster();
    const GroupShape g = shape(h, {0, 1, 2, 3});
    Collective c{CollectiveKind::AllReduce, GroupKind::Tensor, Phase::Forward, Bytes(400), 3};
    QVERIFY(near(collectiveTime(h, c, g, {}), 3 * 2 * (2 + 3.0)));
    c.kind = CollectiveKind::AllGather;
    QVERIFY(near(collectiveTime(h, c, g, {}), 3 * (2 + 3.0)));
    c.kind = CollectiveKind::RingExchange;
    QVERIFY(near(collectiveTime(h, c, g, {}), 3 * 3 * (1 + 4.0)));
  }
  void irregularHosts() {
    const Hierarchy h = cluster({}, {0, 0, 1, 0, 2});  // hosts of 3, 2, and 1 in another rack
    const GroupShape all = shape(h, {0, 1, 2, 3, 4, 5});
    QCOMPARE(all.occupied[0], 3);
    QCOMPARE(all.occupied[1], 2);
    QCOMPARE(all.occupied[2], 2);
    QCOMPARE(all.fewest[0], 1);
    QCOMPARE(all.fewest[1], 1);
    QCOMPARE(all.fewest[2], 6);
  }
};
NEST_TEST(TestCollective)
#include "test_collective.moc"
