#include <QtTest/QTest>
#include <cmath>

#include "formats/scenario/scenario_json.h"
#include "scenario/scenario.h"
#include "study/study_quantity.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;

namespace {

Scenario teachingSample() {
  return *readScenario(
      test::readFile(std::string(NEST_SOURCE_DIR) + "/samples/teaching-6-layers-2x2.nest.json"), "teaching",
      {});
}

Parameter batchOf(const Scenario& s) {
  return {fieldAt(s, "job.global_batch")};
}

}  // namespace

/// What a study reads off each plan, and the values that it tries.
class TestStudyQuantity : public QObject {
  Q_OBJECT
private slots:
  void namesLeadBack() {
    for (int k = 0; k < kStudyQuantityCount; ++k) {
      const auto q = static_cast<StudyQuantity>(k);
      QVERIFY(studyQuantityNamed(nameOf(q)) == q);
    }
    QVERIFY(!studyQuantityNamed("speed"));
  }
  void readsItsOwnUnits() {
    using enum StudyQuantity;
    QCOMPARE(*readValue(StepTime, "20 s"), 20.0);
    QCOMPARE(*readValue(StepTime, "500ms"), 0.5);
    QCOMPARE(*readValue(Tokens, "900 k"), 900e3);
    QCOMPARE(*readValue(Tokens, "1,200 tokens/s"), 1200.0);
    QCOMPARE(*readValue(Mfu, "40 %"), 40.0);
    QCOMPARE(*readValue(Memory, "60"), 60.0);
    QCOMPARE(*readValue(DeviceHours, "1.5 M"), 1.5e6);
    for (const char* wrong : {"", "fast", "20 GiB", "-1", "0", "1 2 s"})
      QVERIFY2(!readValue(StepTime, wrong), wrong);
  }
  void valuesAreThoseOfTheMetrics() {
    PlanMetrics m;
    m.batchTime = Seconds(2), m.tokensPerSecond = 897e3, m.samplesPerSecond = 4, m.mfu = 0.4;
    m.peakMemory = Bytes(3.0 * 1024 * 1024 * 1024);
    QCOMPARE(valueText(StudyQuantity::StepTime, *valueOf(StudyQuantity::StepTime, m)), std::string("2 s"));
    QCOMPARE(valueText(StudyQuantity::Tokens, *valueOf(StudyQuantity::Tokens, m)),
             std::string("897 k tokens/s"));
    QCOMPARE(valueText(StudyQuantity::Mfu, *valueOf(StudyQuantity::Mfu, m)), std::string("40 %"));
    QCOMPARE(valueText(StudyQuantity::Memory, *valueOf(StudyQuantity::Memory, m)), std::string("3 GiB"));
    QVERIFY(!valueOf(StudyQuantity::DeviceHours, m));
    m.mfu.reset();
    QVERIFY(!valueOf(StudyQuantity::Mfu, m));
  }
  void rangesGiveWhatTheyPromise() {
    const Scenario s = teachingSample();
    const auto problem = buildProblem(s);
    QVERIFY(problem);
    const Parameter batch = batchOf(s), devices;
    const auto values = [&](const Parameter& p, StudyRange r) {
      return studyValues(s, *problem, p, r, true);
    };
    QCOMPARE(values(batch, {8, 64, 0, StudyScale::Doubling}), (std::vector<double>{8, 16, 32, 64}));
    QCOMPARE(values(batch, {8, 32, 4, StudyScale::Even}), (std::vector<double>{8, 16, 24, 32}));
    QCOMPARE(values(batch, {1, 1000, 4, StudyScale::Log}), (std::vector<double>{1, 10, 100, 1000}));
    QCOMPARE(values(devices, {2, 5, 0, StudyScale::Even}),
             (std::vector<double>{2, 3, 4, 5}));  // whole, once each
    QCOMPARE(values(batch, {}), studyValues(s, *problem, batch, true));
    const auto part = values(batch, {10, 100, 0, StudyScale::Usual});
    QVERIFY(part.size() > 2 && part.front() == 10 && part.back() == 100);
    QVERIFY(values(batch, {64, 8, 0, StudyScale::Even}).empty());
    QVERIFY(values(batch, {1, 1e6, 100000, StudyScale::Log}).size() <= kMostStudySteps);
    QVERIFY(isLogarithmic(batch, {8, 64, 0, StudyScale::Doubling}, {8, 64}));
    QVERIFY(!isLogarithmic(batch, {8, 64, 3, StudyScale::Even}, {8, 64}));
  }
};
NEST_TEST(TestStudyQuantity)
#include "test_study_quantity.moc"
