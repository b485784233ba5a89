#include <QtTest/QTest>
#include <cmath>

#include "study/validation.h"
#include "support/test_main.h"

using namespace nest;

namespace {
const char* kSmall = R"({"sets":[{"id":"own","device":"H100 SXM","seq":4096,"recompute":"none","flash":true,
  "sequence_parallel":true,"model":{"model_type":"llama","num_hidden_layers":32},
  "columns":["t","p","gpus","global_batch","microbatch","mfu"],
  "rows":[[2,1,16,128,1,0.42],[1,4,16,128,1,0.41],[3,1,16,128,1,0.4]]}]})";
}

class TestValidation : public QObject {
  Q_OBJECT
private slots:
  void publishedRowsAreMet() {
    const std::string path = test::referencePath("published/training_results.json");
    if (path.empty()) QSKIP("the reference data is absent");
    const auto report = runValidation(test::readFile(path), "training_results.json");
    QVERIFY(report);
    QVERIFY(report.diagnostics.empty());
    QCOMPARE(report->rows.size(), std::size_t(10 + 12 + 8 + 12 + 3));
    QVERIFY2(report->meanThroughputError() < 0.055, toText(*report).c_str());
    QVERIFY2(report->meanThroughputError(true) < 0.03, toText(*report).c_str());
    QVERIFY2(report->largestMemoryError() < 0.01, toText(*report).c_str());
    for (const auto& r : report->rows)
      if (r.run.quantity == PublishedQuantity::ParameterBytes) QVERIFY(std::abs(r.error()) < 0.001);
  }
  void otherTablesAreRead() {
    const auto report = runValidation(kSmall, "own.json");
    QVERIFY(report);
    QCOMPARE(report->rows.size(), std::size_t(2));  // three tensor ranks do not divide sixteen devices
    QCOMPARE(report.diagnostics.size(), std::size_t(1));
    QCOMPARE(report.diagnostics[0].code, std::string("published-configuration"));
    const ValidationRow& first = report->rows[0];
    QCOMPARE(toText(first.plan.stages[0].strategy), std::string("t2 sp"));
    QCOMPARE(first.plan.dataDegree(), 8);
    QVERIFY(!first.isFitted);
    QVERIFY(first.predicted > 0.25 && first.predicted < 0.65);
    QCOMPARE(report->rows[1].plan.stageCount(), 4);
    QVERIFY(toText(*report).find("own") != std::string::npos);
  }
  void constantsCanBeReplaced() {
    ValidationAssumptions slower;
    slower.constants.backwardTraffic.value = 50;
    QVERIFY(runValidation(kSmall, "f", slower)->rows[0].predicted <
            0.8 * runValidation(kSmall, "f")->rows[0].predicted);
  }
  void conventionsDiffer() {
    PublishedRun r;
    r.model.hidden = 1024;
    r.model.heads = r.model.keyValueHeads = 16;
    r.model.headDim = 64;
    r.model.layers = 24;
    r.model.intermediate = 4096;
    r.model.vocabulary = 51200;
    r.model.gatedMlp = false;
    r.globalBatch = 8;
    const double B = 8, s = 2048, L = 24, h = 1024, V = 51200;
    const double sc21 = 96 * B * s * L * h * h * (1 + s / (6 * h) + V / (16 * L * h));
    const double model = 72 * B * s * L * h * h * (1 + s / (6 * h) + V / (12 * h * L));
    QVERIFY(std::abs(countedFlops(r, FlopConvention::Sc21) / sc21 - 1) < 1e-12);
    QVERIFY(std::abs(countedFlops(r, FlopConvention::Model) / model - 1) < 1e-12);
  }
  void badTables_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("code");
    QTest::newRow("no sets") << "{}"
                             << "published-not-sets";
    QTest::newRow("no rows") << R"({"sets":[{"columns":[]}]})"
                             << "published-set";
    QTest::newRow("short row") << R"({"sets":[{"columns":["t","p"],"rows":[[1]]}]})"
                               << "published-row";
    QTest::newRow("no shape") << R"({"sets":[{"columns":["t"],"rows":[[1]]}]})"
                              << "published-shape";
    QTest::newRow("text") << R"({"sets":[{"columns":["t","hidden","heads","layers"],"rows":[["x",8,2,2]]}]})"
                          << "published-figure";
  }
  void badTables() {
    QFETCH(QString, text);
    QFETCH(QString, code);
    const auto report = runValidation(text.toStdString(), "f");
    QVERIFY(!report);
    QCOMPARE(QString::fromStdString(report.diagnostics[0].code), code);
  }
};
NEST_TEST(TestValidation)
#include "test_validation.moc"
