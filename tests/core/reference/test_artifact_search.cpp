#include <QtTest/QTest>
#include <cmath>
#include <random>

#include "support/artifact_search.h"
#include "support/test_main.h"

using namespace nest;

namespace {

bool sameTime(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

/// Least batch time over every tensor degree, set of cuts and d that fits; 0 if none does.
double enumerated(const artifact::Instance& in) {
  double best = 0;
  for (const auto& w : in.widths)
    for (unsigned mask = 0; mask < 1u << (in.nodeCount() - 1); ++mask) {
      std::vector<int> starts = {0};
      for (int v = 1; v < in.nodeCount(); ++v)
        if (mask >> (v - 1) & 1u) starts.push_back(v);
      const int s = static_cast<int>(starts.size());
      starts.push_back(in.nodeCount());
      bool fits = true;
      for (int i = 0; i < s; ++i) {
        const auto at = static_cast<std::size_t>(i);
        fits = fits && artifact::stageFits(in, w, starts[at], starts[at + 1] - 1, s - i);
      }
      for (int d = 1; fits && d * s * in.devicesOf(w) <= in.devices && d <= in.microbatches; ++d) {
        const double time = artifact::batchTime(in, w, d, starts);
        if (best == 0 || time < best) best = time;
      }
    }
  return best;
}

}  // namespace

/// The exact search under the artifact's own cost model, which the recorded optima are compared with.
class TestArtifactSearch : public QObject {
  Q_OBJECT
private slots:
  void searchEqualsEnumeration() {
    std::mt19937 random(7);
    const auto draw = [&](int least, int most) {
      return std::uniform_int_distribution<int>(least, most)(random);
    };
    int feasible = 0;
    for (int round = 0; round < 300; ++round) {
      artifact::Instance in;
      in.groupSizes = {draw(1, 4), draw(1, 3), draw(1, 3)};
      in.devices = in.groupSizes[0] * in.groupSizes[1] * in.groupSizes[2];
      in.microbatches = draw(1, 40);
      for (int l = 0; l < 3; ++l) {
        in.bandwidth.push_back(draw(1, 9) * 100);
        in.latency.push_back(draw(0, 5) * 0.1);
      }
      in.recompute = draw(0, 1) == 1;
      in.adam = draw(0, 1) == 1;
      const int nodes = draw(1, 7);
      for (int t : {1, 2}) {
        artifact::Width w;
        w.tensor = t;
        for (int v = 0; v < nodes; ++v)
          w.nodes.push_back(
              {draw(1, 99) * 0.1 / t, draw(1, 99) * 0.1 / t, draw(1, 99) * 1.0, draw(1, 99) * 1.0});
        for (int v = 1; v < nodes; ++v) w.edges.push_back({v - 1, v, draw(1, 999) * 1.0});
        if (nodes > 3) w.edges.push_back({0, draw(2, nodes - 1), draw(1, 999) * 1.0});
        in.widths.push_back(std::move(w));
      }
      in.memory = draw(300, 3000);
      const auto found = artifact::exactOptimum(in);
      const auto all = enumerated(in);
      QCOMPARE(found.has_value(), all > 0);
      if (!found) continue;
      ++feasible;
      QVERIFY2(sameTime(found->time, all), qPrintable(QString("round %1: %2 against %3")
                                                          .arg(round)
                                                          .arg(found->time, 0, 'g', 12)
                                                          .arg(all, 0, 'g', 12)));
    }
    QVERIFY(feasible > 100);
  }
};
NEST_TEST(TestArtifactSearch)
#include "test_artifact_search.moc"
