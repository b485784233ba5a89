#include <QtTest/QTest>

#include "formats/profiles/piper.h"
#include "support/test_main.h"

using namespace nest;

namespace {
const char* kTwo = R"({"maxMemoryPerDevice":1e9,"maxDevices":4,"mbsInBatch":8,"bandwidth":1e9,"nodes":[
 {"id":7,"name":"Block","TMPCs":{"1":[{"id":"vanilla","timePerSample":0.3,"parameterSize":400,"memoryUsageA":50,
   "memoryUsageB":1000,"syncTimeFw":{"3":5},"syncTimeBw":{}},
   {"id":"activation recomp","timePerSample":0.4,"parameterSize":400,"memoryUsageA":10,"memoryUsageB":900,"syncTimeFw":{},"syncTimeBw":{}}]}},
 {"id":3,"TMPCs":{"1":[{"id":"vanilla","timePerSample":0.6,"parameterSize":0,"memoryUsageA":1,"memoryUsageB":0,
   "syncTimeFw":{},"syncTimeBw":{"7":0}}]}}],
 "edges":[{"sourceId":3,"destId":7,"communicationCost":20}]})";
}

class TestPiper : public QObject {
  Q_OBJECT
private slots:
  void smallFile() {
    const auto p = readPiper(kTwo, "piper.json");
    QVERIFY(p);
    QCOMPARE(p->graph.layers[0].name, std::string("node 3"));  // producers stand first
    QCOMPARE(p->graph.layers[1].kind, LayerKind::Block);
    const LayerCost& c = *p->profile.cost(p->graph.layers[1].classId, 0, 0);
    QVERIFY(std::abs(c.forward.value() - 0.1) < 1e-12 && std::abs(c.backward.value() - 0.2) < 1e-12);
    QCOMPARE(c.denseParameters, 100.0);
    QCOMPARE(c.recompute[0].workspace.value(), 200.0);
    QCOMPARE(c.recompute[2].stash.value(), 10.0);
    QVERIFY(std::abs(c.recompute[2].extraBackward.value() - 0.1) < 1e-12);
    QVERIFY(!p->profile.cost(p->graph.layers[0].classId, 0, 0)->recompute[2].available);
    QCOMPARE(p->profile.tensorBytes(0, 0, 0).value(), 25.0);
    QCOMPARE(p->job->globalBatch, 8);
    QCOMPARE(p->cluster->device.memory.value.value(), 1e9);
  }
  void badFiles_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("code");
    const auto row = [](const char* name, const char* text, const char* code) {
      QTest::newRow(name) << text << code;
    };
    row("array", "[]", "piper-not-object");
    row("empty", "{}", "json-missing");
    row("no nodes", R"({"nodes":[],"edges":[]})", "piper-size");
    row("degree", R"({"nodes":[{"id":1,"TMPCs":{"x":[]}}],"edges":[]})", "piper-degree");
    row("edge",
        R"({"nodes":[{"id":1,"TMPCs":{}}],"edges":[{"sourceId":1,"destId":2,"communicationCost":1}]})",
        "piper-edge");
    row("loop",
        R"({"nodes":[{"id":1,"TMPCs":{"1":[]}}],"edges":[{"sourceId":1,"destId":1,"communicationCost":1}]})",
        "graph-cycle");
    row("twice", R"({"nodes":[{"id":1,"TMPCs":{}},{"id":1,"TMPCs":{}}],"edges":[]})", "piper-node-twice");
    row("time",
        R"({"nodes":[{"id":1,"TMPCs":{"1":[{"timePerSample":-1,"parameterSize":0,"memoryUsageA":0,"memoryUsageB":0}]}}],"edges":[]})",
        "json-range");
  }
  void badFiles() {
    QFETCH(QString, text);
    QFETCH(QString, code);
    const auto p = readPiper(text.toStdString(), "f");
    QVERIFY(!p);
    QCOMPARE(QString::fromStdString(p.diagnostics[0].code), code);
  }
};
NEST_TEST(TestPiper)
#include "test_piper.moc"
