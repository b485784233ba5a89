#include <QTest>

#include "fields/program_setting.h"
#include "fields/setting_difference.h"
#include "formats/scenario/scenario_json.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;

class TestSettingDifference : public QObject {
  Q_OBJECT
private slots:
  void whatDiffersIsNamed() {
    const std::string path = std::string(NEST_SOURCE_DIR) + "/samples/teaching-6-layers-2x2.nest.json";
    const auto read = readScenario(test::readFile(path), path, {});
    QVERIFY(read);
    const Setting before = read.value->setting();
    Setting after = before;
    QVERIFY(settingDifferences(before, after).empty());
    QCOMPARE(settingDifference(before, after), std::string());
    after.job.globalBatch *= 2;
    const auto one = settingDifferences(before, after);
    QCOMPARE(one.size(), std::size_t(1));
    QVERIFY2(one[0].starts_with("global batch ") && one[0].find(" → ") != std::string::npos, one[0].c_str());
    auto& level = std::get<LevelsSource>(after.cluster.network).levels[1];
    level.bandwidth = level.bandwidth * 2.0;
    const std::string both = settingDifference(before, after);
    QVERIFY2(both.find("bandwidth of level " + level.name) != std::string::npos, both.c_str());
    after.constraints.layerPins.push_back({LayerIndex(1), StageIndex(0)});
    const auto three = settingDifferences(before, after);
    QCOMPARE(three.size(), std::size_t(3));
    QCOMPARE(three.back(), std::string("the constraints"));
  }
  /// What another program sets by itself is not listed beside it.
  void aProgramStandsForWhatItSets() {
    const std::string path = std::string(NEST_SOURCE_DIR) + "/samples/teaching-6-layers-2x2.nest.json";
    const Setting before = readScenario(test::readFile(path), path, {})->setting();
    Setting after = before;
    setProgram(after, *findProgram("megatron-core-2023"));
    QCOMPARE(settingDifference(before, after), std::string("program Ideal → Megatron-Core 2023"));
    after.job.globalBatch = 2 * before.job.globalBatch;
    QCOMPARE(settingDifferences(before, after).size(), std::size_t(2));
  }
};
NEST_TEST(TestSettingDifference)
#include "test_setting_difference.moc"
