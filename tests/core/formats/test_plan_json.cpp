#include <QtTest/QTest>

#include "formats/results/plan_json.h"
#include "support/test_main.h"

using namespace nest;

namespace {
std::vector<LayerIndex> layers(int from, int to) {
  std::vector<LayerIndex> all;
  for (int i = from; i < to; ++i) all.push_back(LayerIndex(i));
  return all;
}
}  // namespace

class TestPlanJson : public QObject {
  Q_OBJECT
private slots:
  void plansSurvive() {
    Plan p;
    p.microbatch = 2, p.dataInner = 4, p.dataOuter = 2, p.blockStride = 64, p.zero = 1, p.shardReplicas = 2;
    p.stages = {{{layers(0, 3), layers(6, 9)}, {4, true, 1, 1}, Recompute::Selective},
                {{layers(3, 6), layers(9, 11)}, {8, true, 1, 16, true}, Recompute::Full}};
    const std::string text = writePlan(p);
    const auto again = readPlan(text, "plan.json");
    QVERIFY2(again.value.has_value(), again.diagnostics.empty() ? "" : toText(again.diagnostics[0]).c_str());
    QVERIFY(again.diagnostics.empty());
    QVERIFY(*again == p);
    QCOMPARE(writePlan(*again), text);
  }
  void anOrderOfDevicesSurvives() {
    Plan p;
    p.stages = {{{layers(0, 3)}, {2, false, 1, 1}, Recompute::None}};
    p.blockStride = 2;
    p.deviceOrder = {DeviceIndex(5), DeviceIndex(3)};
    const auto again = readPlan(writePlan(p), "plan.json");
    QVERIFY(again);
    QVERIFY(*again == p);
  }
  void onlyWhatIsWrongIsReported() {
    const auto r =
        readPlan(R"({"microbatch": 1, "data_inner": 1000000, "data_outer": 10, "block_stride": 4, "stages": )"
                 R"([{"layers": [0], "strategy": {"tensor": 1}}]})",
                 "p.json");
    QCOMPARE(r.diagnostics.size(), std::size_t(1));
    QCOMPARE(r.diagnostics[0].code, std::string("too-many-devices"));
  }
  void brokenPlansAreRefused_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("pointer");
    const QString stage = R"({"layers": [0, 1], "strategy": {"tensor": 1}})";
    QTest::newRow("nothing") << "{}"
                             << "/stages";
    QTest::newRow("no stages") << R"({"microbatch": 1, "stages": []})"
                               << "/stages";
    QTest::newRow("zero microbatch") << R"({"microbatch": 0, "stages": [)" + stage + "]}"
                                     << "/microbatch";
    QTest::newRow("huge degree")
        << R"({"microbatch": 1, "stages": [{"layers": [0], "strategy": {"tensor": 1000000000}}]})"
        << "/stages/0/strategy/tensor";
    QTest::newRow("too many devices")
        << R"({"microbatch": 1, "data_inner": 1000000, "data_outer": 1000000, "stages": [)" + stage + "]}"
        << "/stages";
    QTest::newRow("layers twice") << R"({"microbatch": 1, "stages": [{"layers": [1, 1]}]})"
                                  << "/stages/0/layers/1";
    QTest::newRow("negative layer") << R"({"microbatch": 1, "stages": [{"layers": [-1]}]})"
                                    << "/stages/0/layers/0";
    QTest::newRow("short order")
        << R"({"microbatch": 1, "stages": [{"layers": [0], "strategy": {"tensor": 4}}], "device_order": [0]})"
        << "/device_order";
    QTest::newRow("scenario") << R"({"format": "nest-scenario"})"
                              << "/format";
    QTest::newRow("mixed chunks")
        << R"({"microbatch": 1, "stages": [{"chunks": [[0], [2]]}, {"layers": [1]}]})"
        << "/stages";
  }
  void brokenPlansAreRefused() {
    QFETCH(QString, text);
    QFETCH(QString, pointer);
    const auto r = readPlan(text.toStdString(), "plan.json");
    QVERIFY(!r);
    bool found = false;
    for (const Diagnostic& d : r.diagnostics) found = found || d.where.pointer == pointer.toStdString();
    QVERIFY2(found, toText(r.diagnostics[0]).c_str());
  }
};
NEST_TEST(TestPlanJson)
#include "test_plan_json.moc"
