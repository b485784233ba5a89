#include <QtTest/QTest>
#include <set>

#include "calibration/measurement.h"
#include "formats/format.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;

namespace {

Reading<Measurement> readDeepSpeed(const std::string& text) {
  return readerOf<ReadMeasurement>(recognise(text, "ds.json"))(text, "ds.json");
}
std::string configurationFile(const char* name) {
  return test::readFile(std::string(NEST_SOURCE_DIR) + "/tests/data/deepspeed-config/" + name);
}
RunSettings deepSpeedSettings(const std::string& text) {
  return std::get<TrainingRun>(readDeepSpeed(text)->of).settings;
}

}  // namespace

class TestDeepSpeedConfig : public QObject {
  Q_OBJECT
private slots:
  void whatItSaysIsTakenOver() {
    const RunSettings s = deepSpeedSettings(configurationFile("offload.json"));
    QCOMPARE(s.program, std::string("deepspeed-2025"));
    QCOMPARE(s.globalBatch, std::optional(256));
    QCOMPARE(s.microbatch, std::optional(2));
    QCOMPARE(s.localBatch, std::optional(16));
    QCOMPARE(s.data, std::optional(16));
    QCOMPARE(s.zero, std::optional(3));
    QCOMPARE(s.format, std::optional(NumberFormat::Bf16));
    QCOMPARE(s.offloadedOptimizer, std::optional(0.5));
  }
  void whatIsAutoStaysOpen() {
    const RunSettings s = deepSpeedSettings(configurationFile("auto.json"));
    QVERIFY(!s.globalBatch && !s.microbatch && !s.localBatch && !s.format);
    QCOMPARE(s.tensor, std::optional(4));
    QCOMPARE(s.zero, std::optional(2));
    QCOMPARE(s.offloadedOptimizer, std::optional(1.0));  // the entry of before 0.3.16
  }
  void defaultsAreDeepSpeeds() {
    const RunSettings s = deepSpeedSettings(R"({"train_micro_batch_size_per_gpu": 4})");
    QCOMPARE(s.zero, std::optional(0));
    QCOMPARE(s.format, std::optional(NumberFormat::Fp32));
  }
  /// A prediction without them would be of another run.
  void whatCannotBeExpressedIsNamed() {
    const auto r = readDeepSpeed(configurationFile("bad_parts.json"));
    QVERIFY(!r);
    std::set<std::string> named;
    for (const Diagnostic& d : r.diagnostics)
      if (d.code == "deepspeed-not-expressed") {
        named.insert(d.where.pointer);
        QVERIFY2(d.where.line > 0 && !d.remedy.empty(), toText(d).c_str());
      }
    QCOMPARE(named, (std::set<std::string>{"/sparse_attention", "/zero_optimization/offload_optimizer/device",
                                           "/zero_optimization/offload_param",
                                           "/zero_optimization/zero_hpz_partition_size",
                                           "/zero_optimization/zero_quantized_weights"}));
    // Its batch and its stage are wrong, too.
    QCOMPARE(std::count_if(r.diagnostics.begin(), r.diagnostics.end(),
                           [](const Diagnostic& d) { return d.code == "deepspeed-batch"; }),
             1);
  }
  void whatIsNotUsedIsNamed() {
    const auto r = readDeepSpeed(configurationFile("auto.json"));
    QVERIFY(r);
    const auto unused = std::find_if(r.diagnostics.begin(), r.diagnostics.end(),
                                     [](const Diagnostic& d) { return d.code == "not-used"; });
    QVERIFY(unused != r.diagnostics.end());
    QVERIFY2(unused->message.find("activation_checkpointing") != std::string::npos &&
                 unused->message.find("zero_optimization/new_part") != std::string::npos &&
                 unused->message.find("autotp_size") == std::string::npos,
             unused->message.c_str());
  }
};

NEST_TEST(TestDeepSpeedConfig)
#include "test_deepspeed_config.moc"
