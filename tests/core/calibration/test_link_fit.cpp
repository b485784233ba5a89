#include <QtTest/QTest>
#include <algorithm>

#include "calibration/link_fit.h"
#include "cluster/devices/device_catalog.h"
#include "cluster/graph/graph_edit.h"
#include "formats/networks/cluster_text.h"
#include "support/test_main.h"

using namespace nest;

namespace {

ClusterSource clusterOf(const char* line) {
  ClusterSource s;
  s.device = *findDevice("h100-sxm");
  s.network = *readClusterText(line).value;
  return s;
}

/// A transfer between `hosts` hosts with `perHost` ranks each, at a latency and a bandwidth.
CollectiveTimes transfers(int hosts, int perHost, double latency, double bandwidth) {
  CollectiveTimes t;
  t.kind = CollectiveTimes::Kind::SendReceive;
  for (int r = 0; r < hosts * perHost; ++r) t.rankHosts.push_back("n" + std::to_string(r / perHost));
  for (double size = 8; size <= 1 << 30; size *= 8)
    t.rows.push_back({Bytes(size), Seconds(latency + size / bandwidth), BytesPerSecond(bandwidth)});
  return t;
}

int countOf(const Diagnostics& all, const char* code) {
  return int(std::count_if(all.begin(), all.end(), [&](const Diagnostic& d) { return d.code == code; }));
}

}  // namespace

/// What is set from measured exchanges, and what is reported about each of them.
class TestLinkFit : public QObject {
  Q_OBJECT
private slots:
  void everyFitReportsItsWarnings() {
    ClusterSource cluster = clusterOf("host:8@450GB/s,2us rack:64@50GB/s,5us");
    std::vector<std::string> lines;
    const Diagnostics out = setLinks(
        cluster, {}, {},
        {transfers(1, 8, 2e-6, 300e9), transfers(2, 1, 20e-6, 40e9), transfers(4, 1, 20e-6, 5e9)}, {}, lines);
    QVERIFY(!hasErrors(out));
    QCOMPARE(countOf(out, "link-one-rank"), 2);
    QCOMPARE(countOf(out, "link-below-line"), 1);
    const auto& levels = std::get<LevelsSource>(cluster.network).levels;
    QVERIFY(std::abs(levels[0].bandwidth.value() / 300e9 - 1) < 1e-3);
    QVERIFY(std::abs(levels[1].bandwidth.value() / 5e9 - 1) < 1e-2);
    QVERIFY(lines.size() >= 3);
  }
  void anErrorEndsTheFitsAndIsReported() {
    ClusterSource cluster = clusterOf("host:8@450GB/s,2us rack:64@50GB/s,5us");
    const ClusterSource before = cluster;
    std::vector<std::string> lines;
    CollectiveTimes medium = transfers(2, 8, 20e-6, 40e9);
    std::erase_if(medium.rows,
                  [](const auto& r) { return r.size <= LinkFit::kSmall || r.size >= LinkFit::kLarge; });
    const Diagnostics out = setLinks(cluster, {}, {}, {medium, transfers(4, 8, 20e-6, 30e9)}, {}, lines);
    QCOMPARE(countOf(out, "link-fit"), 1);
    QVERIFY(hasErrors(out) && lines.empty());
    QVERIFY(cluster == before);
  }
  /// What a fit does not meet stands with it: how far, and at which size.
  void theWorstSizeIsReported() {
    const auto cluster = deriveHierarchy(clusterOf("host:8@450GB/s,2us rack:4@50GB/s,5us"));
    CollectiveTimes times = transfers(2, 8, 20e-6, 40e9);
    const auto exact = fitLink(*cluster, {}, times, {});
    QVERIFY(exact);
    QVERIFY(std::abs(exact->worst) < 1e-3);
    for (const double factor : {2.0, 0.8}) {
      CollectiveTimes bent = times;
      auto& row = bent.rows[4];
      row.time = row.time * factor;
      const auto fit = fitLink(*cluster, {}, bent, {});
      QVERIFY(fit && fit->worstAt == row.size);
      QVERIFY(std::abs(fit->worst - (1 / factor - 1)) < 1e-3);
    }
  }
  void theLinksOfAGraphKeepTheirValues() {
    ClusterSource cluster = clusterOf("host:8@450GB/s,2us rack:4@50GB/s,5us");
    GraphSource drawn;
    drawn.graph = graph::fromLevels(std::get<LevelsSource>(cluster.network));
    cluster.network = drawn;
    const ClusterSource before = cluster;
    std::vector<std::string> lines;
    const Diagnostics out = setLinks(cluster, {}, {}, {transfers(2, 8, 20e-6, 40e9)}, {}, lines);
    QVERIFY(hasErrors(out) && lines.empty());
    QVERIFY(out.back().message.find("graph") != std::string::npos);
    QVERIFY(cluster == before);
  }
};
NEST_TEST(TestLinkFit)
#include "test_link_fit.moc"
