#include <QtTest/QTest>

#include "formats/profiles/nest_artifact.h"
#include "support/test_main.h"

using namespace nest;

namespace {
bool complainsOf(const Diagnostics& all, const std::string& code) {
  return std::any_of(all.begin(), all.end(), [&](const Diagnostic& d) { return d.code == code; });
}
const char* kMerged =
    R"({"ep_degree":2,"sp_enabled":true,"cp_degree":1,"maxMemoryPerDevice":1e9,"bws":[1e9,1e8],
 "latency_per_level":[1e-4,2e-4],"mbsInBatch":16,"activationRecomputation":true,"optimizerAlgorithm":"Adam",
 "maxDevices":8,"devices_per_level":[4,2],
 "nodes":{"1":[{"id":0,"activationSize":100,"parameterSize":20,"optimalLatencyFw":3,"optimalLatencyBw":5},
               {"id":-1,"activationSize":10,"parameterSize":4,"optimalLatencyFw":1,"optimalLatencyBw":2}],
          "2":[{"id":0,"activationSize":50,"parameterSize":10,"optimalLatencyFw":2,"optimalLatencyBw":3},
               {"id":-1,"activationSize":5,"parameterSize":2,"optimalLatencyFw":1,"optimalLatencyBw":2}]},
 "edges":{"1":[{"sourceId":-1,"destId":0,"communicationCost":8}],"2":[{"sourceId":-1,"destId":0,"communicationCost":8}]}})";
}  // namespace

class TestNestArtifact : public QObject {
  Q_OBJECT
private slots:
  void mergedFile() {
    const auto p = readNestArtifact(kMerged, "dp.json");
    QVERIFY(p);
    QCOMPARE(p->graph.layers[0].kind, LayerKind::Embedding);
    QCOMPARE(p->profile.strategies(), (std::vector<Strategy>{{1, false, 1, 2}, {2, true, 1, 2}}));
    const LayerCost& c = *p->profile.cost(p->graph.layers[1].classId, 1, 0);
    QCOMPARE(c.forward.value(), 2e-3);
    QCOMPARE(c.denseParameters, 5.0);
    QCOMPARE(c.recompute[2].stash.value(), 8.0);
    QCOMPARE(c.recompute[2].extraBackward.value(), 2e-3);
    QVERIFY(c.collectives.empty());
    QCOMPARE(p->job->globalBatch, 32);
    QCOMPARE(p->job->optimizer.optimizerBytes, 12.0);
    const auto& levels = std::get<LevelsSource>(p->cluster->network).levels;
    QCOMPARE(levels[1].fanout, 2);
    QCOMPARE(levels[1].latency.value(), 2e-4);
    QVERIFY(complainsOf(p.diagnostics, "artifact-experts"));
  }
  /// Of a file with several scales, an error stands at the one that was read.
  void errorsStandAtTheirScale() {
    const std::string scale = "\"devices_per_level\":[4,2],";
    std::string input = kMerged;
    QVERIFY(input.find(scale) != std::string::npos);
    input.erase(input.find(scale), scale.size());
    const auto read = [&](const char* levels) {
      return readNestArtifact("{\"dp_input\":" + input +
                                  ",\n\"scales\":{\"32\":{\"devices_per_level\":[16,2]},\n\"8\":{"
                                  "\"devices_per_level\":" +
                                  levels + "}}}",
                              "f");
    };
    const auto right = read("[4,2]");
    QVERIFY2(right, right.diagnostics.empty() ? "" : toText(right.diagnostics.front()).c_str());
    QCOMPARE(std::get<LevelsSource>(right->cluster->network).levels[0].fanout, 4);
    const auto wrong = read("[4,2,2]");
    QVERIFY(!wrong);
    const auto levels = std::find_if(wrong.diagnostics.begin(), wrong.diagnostics.end(),
                                     [](const Diagnostic& d) { return d.code == "artifact-levels"; });
    QVERIFY(levels != wrong.diagnostics.end());
    QCOMPARE(levels->where.pointer, std::string("/scales/8/devices_per_level"));
  }
  void badFiles_data() {
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("code");
    QTest::newRow("negative") << "\"optimalLatencyFw\":3"
                              << "\"optimalLatencyFw\":-3"
                              << "json-range";
    QTest::newRow("levels") << "[4,2]"
                            << "[4,2,2]"
                            << "artifact-levels";
    QTest::newRow("optimizer") << "Adam"
                               << "Lion"
                               << "json-choice";
    QTest::newRow("edge") << "\"destId\":0"
                          << "\"destId\":9"
                          << "artifact-edge";
    QTest::newRow("width") << "{\"1\":[{\"id\":0"
                           << "{\"x\":[{\"id\":0"
                           << "artifact-width";
    QTest::newRow("cycle") << "\"sourceId\":-1,\"destId\":0"
                           << "\"sourceId\":0,\"destId\":0"
                           << "graph-cycle";
  }
  void badFiles() {
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, code);
    QString text = kMerged;
    QVERIFY(text.contains(from));
    text.replace(from, to);
    const auto p = readNestArtifact(text.toStdString(), "f");
    QVERIFY(!p);
    QVERIFY(complainsOf(p.diagnostics, code.toStdString()));
  }
};
NEST_TEST(TestNestArtifact)
#include "test_nest_artifact.moc"
