#include <QtTest/QTest>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cluster/devices/device_catalog.h"
#include "cluster/devices/device_facts.h"
#include "cluster/devices/device_json.h"
#include "cluster/devices/device_names.h"
#include "cluster/devices/device_values.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;

class TestDeviceCatalog : public QObject {
  Q_OBJECT
private slots:
  void theBuiltInCatalogIsSound() {
    const auto file =
        nlohmann::json::parse(test::readFile(NEST_SOURCE_DIR "/resources/devices.json")).at("devices");
    std::map<std::string, DeviceSpec> above;
    std::set<std::string> names;
    for (std::size_t i = 0; i < file.size(); ++i) {
      const auto& entry = file[i];
      const std::string id = entry.at("id"), like = entry.value("like", "");
      QVERIFY2(like.empty() || above.contains(like), id.c_str());
      const auto device =
          readCatalogDevice(entry.dump(), "devices.json", like.empty() ? DeviceSpec{} : above.at(like));
      QVERIFY2(device, id.c_str());
      QVERIFY2(device.diagnostics.empty(),
               device.diagnostics.empty() ? "" : toText(device.diagnostics[0]).c_str());
      above.emplace(id, *device);
      QCOMPARE(deviceCatalog().at(i), *device);
      // What it is called by is its own; its name may fold to its id.
      std::set<std::string> calls = entry.value("aliases", std::set<std::string>());
      calls.insert({id, entry.at("name")});
      for (const std::string& name : calls) {
        QVERIFY2(names.insert(name).second, name.c_str());
        QCOMPARE(findDevice(name), &deviceCatalog().at(i));
      }
    }
    QCOMPARE(deviceCatalog().size(), file.size());
    for (const DeviceSpec& d : deviceCatalog()) {
      QVERIFY(!d.peak.citation.empty() && !d.memory.citation.empty() && !d.linkBandwidth.citation.empty());
      QVERIFY(!d.matrixEfficiency.citation.empty() && !d.attentionEfficiency.citation.empty());
      QCOMPARE(d.peak.origin, Origin::Catalog);
      QCOMPARE(findDevice(d.id), &d);
    }
  }
  void figuresAreOneWayAndReal() {
    const DeviceSpec* h100 = findDevice("h100-sxm");
    QVERIFY(h100);
    QCOMPARE(h100->peak.value.value(), 989e12);
    QCOMPARE(h100->linkBandwidth.value.value(), 450e9);
    QCOMPARE(h100->hostLinkBandwidth.value.value(), 50e9);
    QCOMPARE(h100->memory.value.value(), 80 * 1073741824.0);
    QCOMPARE(h100->peakFp8->value.value(), 1979e12);
    QCOMPARE(h100->matrixEfficiency.origin, Origin::Measured);
    QCOMPARE(h100->attentionEfficiency.origin, Origin::Estimated);
    // Both rates of a Blackwell part come from one kind of measurement: the best product that was found.
    for (const char* id : {"b200", "b300", "gb200", "gb300"}) {
      const DeviceSpec* device = findDevice(id);
      QCOMPARE(device->matrixEfficiency.origin, Origin::Measured);
      QCOMPARE(device->matrixEfficiencyFp8->origin, Origin::Measured);
      const double ratio = device->matrixEfficiencyFp8->value * device->peakFp8->value.value() /
                           (device->matrixEfficiency.value * device->peak.value.value());
      QVERIFY2(ratio > 1.85 && ratio < 2, id);
    }
  }
  /// What is said of a device beside its numbers is part of its entry, or of its relative's.
  void factsAreData() {
    QCOMPARE(factsOf("gb300").domainSize, 72);
    QCOMPARE(factsOf("b200").domainSize, 0);
    QCOMPARE(factsOf("h800-sxm").family, std::string("Hopper"));
    QCOMPARE(factsOf("mi355x").family, std::string("CDNA 3"));
    QCOMPARE(factsOf("gaudi3").family, std::string("gaudi3"));
    QCOMPARE(factsOf("h100-sxm-500w").architecture, 90);
    QCOMPARE(factsOf("h100-sxm-mine").architecture, 90);
    QCOMPARE(factsOf("nothing").architecture, 0);
    for (const DeviceFacts& f : deviceFacts())
      if (f.isUsual) QCOMPARE(usualOfArchitecture(f.architecture)->id, f.id);
  }
  /// A variant states what differs and has the rest of its relative.
  void relativesShareFigures() {
    const DeviceSpec *h100 = findDevice("h100"), *h800 = findDevice("h800");
    QVERIFY(h800);
    QCOMPARE(h800->linkBandwidth.value.value(), 200e9);
    QCOMPARE(h800->peak, h100->peak);
    QCOMPARE(h800->usualHostSize, h100->usualHostSize);
  }
  void namesFold() {
    QCOMPARE(findDevice("A100-80GB"), findDevice("a100-80"));
    QVERIFY(findDevice("a100-80"));
    QCOMPARE(findDevice("TPUv4"), findDevice("tpu-v4"));
    QVERIFY(findDevice("TPUv4"));
    QCOMPARE(findDevice("H100 SXM"), findDevice("h100"));
    QVERIFY(!findDevice("h1000"));
    QVERIFY(!findDevice(""));
  }
  void devicesSurviveJson() {
    for (const DeviceSpec& d : deviceCatalog()) {
      const auto json = readJsonText(deviceToJson(d).dump(), "d.json");
      QVERIFY(json);
      Diagnostics out;
      JsonFields fields(*json, json->root(), "", out);
      QCOMPARE(readDevice(fields, *json, {}, Origin::Typed, out), d);
      QVERIFY(out.empty());
    }
  }
  void badDevicesGetAllTheirErrors() {
    const auto r = readCatalogDevice(R"({"id":"x","peak_flops_per_s":-1,"memory_bytes":"80",
      "memory_bandwidth_bytes_per_s":{"origin":"guess"}})",
                                     "c.json", {});
    QVERIFY(!r);
    std::vector<std::string> codes;
    for (const auto& d : r.diagnostics) codes.push_back(d.code);
    // Wrong peak, memory and bandwidth figures, and a missing link bandwidth.
    QCOMPARE(std::count(codes.begin(), codes.end(), "json-range"), 1L);
    QCOMPARE(std::count(codes.begin(), codes.end(), "quantity"), 1L);
    QCOMPARE(std::count(codes.begin(), codes.end(), "json-choice"), 1L);
    QCOMPARE(std::count(codes.begin(), codes.end(), "json-missing"), 2L);
    QCOMPARE(r.diagnostics[0].where.line, 1);
  }
};
NEST_TEST(TestDeviceCatalog)
#include "test_device_catalog.moc"
