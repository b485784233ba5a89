#include <cmath>
#include <map>

#include "solver/space/group_shapes.h"
#include "support/random_instance.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;
using namespace nest::solver;

namespace {

Hierarchy cluster(std::vector<int> fanouts) {
  HierarchyInput in;
  in.device.memory.value = Bytes(80e9);
  in.fanouts = std::move(fanouts);
  double bandwidth = 400e9, latency = 1e-6;
  for (std::size_t l = 0; l < in.fanouts.size(); ++l, bandwidth /= 5, latency *= 3)
    in.levels.push_back({"level", BytesPerSecond(bandwidth), Seconds(latency)});
  return *Hierarchy::build(in);
}

/// n_ℓ, f_ℓ and the reduce-scatter time from nothing but levelBetween.
double reduceScatterByHand(const Hierarchy& h, const std::vector<int>& positions, double bytes) {
  const double n = static_cast<double>(positions.size());
  if (positions.size() < 2) return 0;
  const auto steps = [](double k) { return std::ceil(std::log2(k) - 1e-12); };
  int outer = 0;
  for (int p : positions) outer = std::max(outer, h.levelBetween(positions.front(), p));
  const auto& top = h.level(outer);
  const double flat = steps(n) * top.latency.value() + (n - 1) / n * bytes / top.bandwidth.value();
  double nested = 0, share = bytes;
  for (int l = 0; l <= outer; ++l) {
    std::map<int, int> ranks;
    std::map<int, std::map<int, int>> parts;
    for (int p : positions) {
      ++ranks[h.groupOf(l, p)];
      ++parts[h.groupOf(l, p)][l == 0 ? p : h.groupOf(l - 1, p)];
    }
    std::size_t most = 0;
    int fewest = 1 << 30;
    for (const auto& [g, members] : parts) most = std::max(most, members.size());
    for (const auto& [g, count] : ranks) fewest = std::min(fewest, count);
    const double k = static_cast<double>(most);
    nested += steps(k) * h.level(l).latency.value() + (k - 1) / k * share / h.level(l).bandwidth.value();
    share = bytes / fewest;
  }
  return std::min(flat, nested);
}

std::vector<int> positionsOf(const RankPattern& p) {
  std::vector<int> out;
  for (int o = 0; o < p.outer; ++o)
    for (int j = 0; j < p.count; ++j)
      for (int k = 0; k < p.inner; ++k)
        out.push_back(p.base + o * p.outerStride + j * p.stride + k * p.innerStride);
  return out;
}

double slowestReduceScatter(GroupShapes& shapes, const RankPattern& p, double bytes) {
  double slowest = 0;
  for (int g : shapes.set(shapes.setOfGroups(p, 1)))
    slowest = std::max(slowest, shapes.rates(g).reduceScatter(bytes));
  return slowest;
}

}  // namespace

class TestGroupShapes : public QObject {
  Q_OBJECT
private slots:
  /// Long patterns are shortened by whole periods: the same cost as counted rank by rank.
  void shapesMatchCountingRanks() {
    Dice dice(7);
    const std::vector<std::vector<int>> all = {{8, 4, 32}, {6, 4, 43}, {5, 3, 7, 4}, {4, 64}, {97}};
    for (int round = 0; round < 4000; ++round) {
      const Hierarchy h = cluster(all[static_cast<std::size_t>(round) % all.size()]);
      GroupShapes shapes(h);
      RankPattern p;
      p.stride = dice.between(1, 9);
      p.count = dice.between(1, 24);
      const int run = p.stride * p.count;
      if (run > h.deviceCount()) continue;
      p.outer = dice.between(1, std::max(1, h.deviceCount() / (run + 1)));
      p.outerStride = run + dice.between(0, std::max(0, h.deviceCount() / p.outer - run));
      if ((p.outer - 1) * p.outerStride + run > h.deviceCount()) continue;
      p.base = dice.between(0, h.deviceCount() - ((p.outer - 1) * p.outerStride + run));
      const std::vector<int> positions = positionsOf(p);
      const double bytes = std::pow(10, dice.between(2, 9));
      const double slowest = slowestReduceScatter(shapes, p, bytes);
      const double byHand = reduceScatterByHand(h, positions, bytes);
      QVERIFY2(std::abs(slowest - byHand) <= 1e-12 * byHand, qPrintable(QString("round %1").arg(round)));
      QVERIFY(shapes.cheapest(static_cast<int>(positions.size()), p.stride).reduceScatter(bytes) <=
              byHand * (1 + 1e-12));
    }
  }

  /// Runs that straddle hosts cost more than groups that could lie anywhere, and no less than the best place.
  void runsCostTheLeastOfTheirPlaces() {
    Dice dice(11);
    const std::vector<std::vector<int>> all = {{8, 4, 32}, {6, 4, 43}, {5, 3, 7, 4}, {4, 64}, {97}};
    int above = 0;
    for (int round = 0; round < 600; ++round) {
      const Hierarchy h = cluster(all[static_cast<std::size_t>(round) % all.size()]);
      GroupShapes shapes(h);
      const int stride = dice.between(1, 5), ranks = dice.between(2, 19);
      const GroupRates cheapest = shapes.cheapest(ranks, stride), run = shapes.cheapestRun(ranks, stride);
      QVERIFY(run.reduceScatter(1e10) >= cheapest.reduceScatter(1e10) * (1 - 1e-12));
      above += run.nestedPerByte > cheapest.nestedPerByte * 1.01;
      for (const double bytes : {1e2, 1e6, 1e10}) {
        double least = std::numeric_limits<double>::infinity(), ring = least;
        for (int p = 0; p + (ranks - 1) * stride < std::min(500, h.deviceCount()); ++p)
          for (const GroupRates* r :
               shapes.ratesOf(shapes.setOfRuns(RankPattern{p, 1, 0, 1, 0, 1, 1}, ranks, stride))) {
            least = std::min(least, r->reduceScatter(bytes));
            ring = std::min(ring, r->time(CollectiveKind::RingExchange, bytes));
            QVERIFY(run.time(CollectiveKind::AllToAll, bytes) <=
                    r->time(CollectiveKind::AllToAll, bytes) * (1 + 1e-12));
          }
        QVERIFY(run.reduceScatter(bytes) <= least * (1 + 1e-12));
        QVERIFY(run.time(CollectiveKind::RingExchange, bytes) <= ring * (1 + 1e-12));
      }
    }
    QVERIFY2(above > 100, qPrintable(QString::number(above)));
  }

  /// Ranks alone in their groups are taken in one step, whatever stands beside them.
  void longRowsMatchCountingRanks() {
    Dice dice(9);
    const std::vector<std::vector<int>> all = {{8, 8, 16}, {4, 4, 4, 8}, {16, 2, 40}, {6, 4, 30}, {640}};
    long long looked = 0, ranks = 0;
    for (int round = 0; round < 1500; ++round) {
      const Hierarchy h = cluster(all[static_cast<std::size_t>(round) % all.size()]);
      GroupShapes shapes(h);
      RankPattern p;
      p.inner = dice.between(1, 3);
      p.stride = dice.between(1, 40);
      if (p.stride < p.inner) continue;
      p.count = dice.between(1, h.deviceCount() / p.stride);
      const int run = p.stride * (p.count - 1) + p.inner;
      p.outer = dice.between(1, std::min(4, h.deviceCount() / run));
      p.outerStride = dice.between(run, h.deviceCount() / p.outer);
      p.base = dice.between(0, h.deviceCount() - ((p.outer - 1) * p.outerStride + run));
      const std::vector<int> positions = positionsOf(p);
      const double bytes = std::pow(10, dice.between(2, 9));
      const double slowest = slowestReduceScatter(shapes, p, bytes);
      const double byHand = reduceScatterByHand(h, positions, bytes);
      QVERIFY2(std::abs(slowest - byHand) <= 1e-12 * byHand, qPrintable(QString("round %1").arg(round)));
      looked += shapes.looked(), ranks += static_cast<long long>(positions.size());
    }
    QVERIFY(looked < ranks);
    const Hierarchy h = cluster({8, 32, 32});
    for (const int stride : {1, 24}) {
      GroupShapes shapes(h);
      shapes.setOfGroups({0, 1, 0, 300, stride, 1, 1}, 1);
      QVERIFY(shapes.looked() < 100);
    }
  }

  void levelsMatchPairByPair() {
    Dice dice(8);
    const std::vector<std::vector<int>> all = {{8, 4, 8}, {6, 4, 9}, {5, 3, 7}, {64}};
    for (int round = 0; round < 3000; ++round) {
      const Hierarchy h = cluster(all[static_cast<std::size_t>(round) % all.size()]);
      GroupShapes shapes(h);
      const int a = dice.between(1, 4), b = dice.between(1, 4), inner = dice.between(1, 4);
      const int width = inner * (a + b);
      const int outer = dice.between(1, h.deviceCount() / width);
      const int stride = dice.between(width, h.deviceCount() / outer);
      const int base = dice.between(0, h.deviceCount() - ((outer - 1) * stride + width));
      int level = 0;
      for (int o = 0; o < outer; ++o)
        for (int j = 0; j < inner; ++j)
          for (int q = 0; q < std::max(a, b); ++q)
            level = std::max(level,
                             h.levelBetween(base + o * stride + j * a + q * a / std::max(a, b),
                                            base + inner * a + o * stride + j * b + q * b / std::max(a, b)));
      QCOMPARE(shapes.reachBetween(base, a, base + inner * a, b, inner, outer, stride), level);
    }
  }
};

NEST_TEST(TestGroupShapes)
#include "test_group_shapes.moc"
