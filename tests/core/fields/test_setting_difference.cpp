#include <QTest>

#include "cluster/devices/device_catalog.h"
#include "cluster/levels/device_change.h"
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
  /// A device is one change with all that it brings; a link that was typed stays, and is said.
  void aDeviceStandsForWhatItBrings() {
    const std::string path = std::string(NEST_SOURCE_DIR) + "/samples/teaching-6-layers-2x2.nest.json";
    Setting before = readScenario(test::readFile(path), path, {})->setting();
    changeDevice(before.cluster, *findDevice("h100-sxm"));
    auto& level = std::get<LevelsSource>(before.cluster.network).levels[0];
    level.bandwidth = before.cluster.device.linkBandwidth.value;
    level.origin = Origin::Typed;
    Setting after = before;
    QVERIFY(changeDevice(after.cluster, *findDevice("b200")).empty());
    const std::string change = "H100 80 GB SXM → " + after.cluster.device.name;
    QCOMPARE(settingDifferences(before, after), (std::vector<std::string>{change}));
    QCOMPARE(std::get<LevelsSource>(after.cluster.network).levels[0].bandwidth.value(), 900e9);

    level.bandwidth = BytesPerSecond(400e9);
    after = before;
    const auto kept = changeDevice(after.cluster, *findDevice("b200"));
    QCOMPARE(kept.size(), std::size_t(1));
    QCOMPARE(noteOn(kept[0], after.cluster.device).message,
             "level " + level.name + " keeps 400 GB/s, which was typed; " + after.cluster.device.name +
                 " itself has 900 GB/s");
    QCOMPARE(settingDifferences(before, after), (std::vector<std::string>{change}));
    after.cluster.device.memory.value = Bytes(1e11);
    QCOMPARE(settingDifferences(before, after).size(), std::size_t(2));
  }
};
NEST_TEST(TestSettingDifference)
#include "test_setting_difference.moc"
