#include <QtTest/QTest>

#include "cluster/devices/device_catalog.h"
#include "cluster/devices/device_names.h"
#include "formats/import_files.h"
#include "measurement_fixture.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;
using nest::test::findCode;

namespace {

NamedText namedIn(const std::string& name) {
  return {name, test::readFile(std::string(NEST_TEST_DATA) + '/' + name), {}};
}

Reading<Imported> importAs(const std::vector<NamedText>& files, const char* device, bool isAsked) {
  ImportOptions options;
  options.choosesDevice = !isAsked;
  return importFiles(files, *findDevice(device), {}, options);
}

}  // namespace

/// Files name their devices: by labels, Gres, instance types, models and generations.
class TestNamedDevices : public QObject {
  Q_OBJECT
private slots:
  void namesAreThoseOfTheCatalog_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("id");
    QTest::addColumn<bool>("isExact");
    const auto row = [](const char* name, const char* id, bool isExact = true) {
      QTest::newRow(name) << name << id << isExact;
    };
    row("NVIDIA-H100-80GB-HBM3", "h100-sxm");
    row("nvidia_h100_80gb_hbm3", "h100-sxm");
    row("NVIDIA H100 80GB HBM3", "h100-sxm");
    row("H100_NVLINK_80GB", "h100-sxm");
    row("nvidia-h100-mega-80gb", "h100-sxm");
    row("NVIDIA-H100-PCIe", "h100-pcie");
    row("NVIDIA-H100-NVL", "h100-pcie", false);
    row("NVIDIA-H200", "h200");
    row("NVIDIA H20", "h20");
    row("a100", "a100-80");
    row("NVIDIA-A100-SXM4-40GB", "a100-40");
    row("nvidia_a100-sxm4-80gb", "a100-80");
    row("nvidia-tesla-a100", "a100-40");
    row("NVIDIA-A100-PCIE-40GB", "a100-40", false);
    row("a100_80g", "a100-80");
    row("Tesla-V100-SXM2-32GB", "v100-32");
    row("Tesla V100-SXM2-16GB", "v100-32", false);
    row("NVIDIA-B200", "b200");
    row("NVIDIA-GB200", "gb200");
    row("b200-180gb-sxm-ib", "b200");
    row("NVIDIA-L40S", "l40s");
    row("NVIDIA-L40", "");
    row("NVIDIA-RTX-6000-Ada-Generation", "");
    row("NVIDIA GH200 480GB", "");
    row("Tesla-T4", "");
    row("AMD_Instinct_MI300X_OAM", "mi300x");
    row("mi250", "mi250x-gcd");
    row("gfx942", "mi300x");
    row("tpu-v5-lite-podslice", "tpu-v5e");
    row("tpu-v4-podslice", "tpu-v4");
    row("tpu-v6e-slice", "tpu-v6e");
    row("TPU v5 lite", "tpu-v5e");
    row("TPU v5", "tpu-v5p");
    row("TPU v6 lite", "tpu-v6e");
    row("TPU7x", "tpu-v7");
    row("v5", "");
    row("h100-sxm-efa", "h100-sxm-efa");
    row("", "");
  }
  void namesAreThoseOfTheCatalog() {
    QFETCH(QString, name);
    QFETCH(QString, id);
    QFETCH(bool, isExact);
    const NamedDevice found = deviceCalled(name.toStdString());
    QCOMPARE(found.device ? QString::fromStdString(found.device->id) : QString(), id);
    if (found.device) QCOMPARE(found.isExact, isExact);
  }
  void partsOfDevicesAreNone() {
    for (const char* part : {"1g.10gb", "a100_3g.40gb", "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb", "1g.5gb"})
      QVERIFY2(isPartition(part), part);
    for (const char* whole : {"h100", "NVIDIA-A100-SXM4-80GB", "a100_80g", "g.2gb", ""})
      QVERIFY2(!isPartition(whole), whole);
  }

  void filesDecideTheDeviceThatNobodyAskedFor_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("id");
    QTest::newRow("instance types") << "aws-topology/ultra_servers.json"
                                    << "gb200";
    QTest::newRow("another cloud") << "gcp-topology/a4x.json"
                                   << "gb200";
    QTest::newRow("labels") << "kubernetes-nodes/nebius.json"
                            << "h100-sxm";
    QTest::newRow("variables") << "ansible/managers.yaml"
                               << "h200";
    QTest::newRow("Gres") << "slurm-nodes/gres_types.conf"
                          << "a100-80";
    QTest::newRow("the fastest of a table") << "inventory/models.csv"
                                            << "h100-sxm";
    QTest::newRow("features") << "sinfo/features.txt"
                              << "h200";
    QTest::newRow("of others") << "nccl-xml/xgmi.xml"
                               << "mi300x";
  }
  void filesDecideTheDeviceThatNobodyAskedFor() {
    QFETCH(QString, file);
    QFETCH(QString, id);
    for (const char* before : {"h100-sxm", "b200"}) {
      const auto read = importAs({namedIn(file.toStdString())}, before, false);
      QVERIFY2(read, read.diagnostics.empty() ? "" : toText(read.diagnostics.front()).c_str());
      QCOMPARE(QString::fromStdString(read->cluster->device.id), id);
      QVERIFY(read->tells.device);
      QCOMPARE(findCode(read.diagnostics, "device-from-file") != nullptr, id != before);
      QVERIFY(!findCode(read.diagnostics, "device-differs"));
    }
    // One that was asked for stays, and the difference is reported.
    const auto asked = importAs({namedIn(file.toStdString())}, "mi355x", true);
    QVERIFY(asked);
    QCOMPARE(asked->cluster->device.id, std::string("mi355x"));
    QVERIFY(findCode(asked.diagnostics, "device-differs"));
  }
  void aVariantOfTheNamedDeviceStays() {
    const auto read = importAs({namedIn("kubernetes-nodes/nebius.json")}, "h100-sxm-500w", false);
    QVERIFY(read);
    QCOMPARE(read->cluster->device.id, std::string("h100-sxm-500w"));
    QVERIFY(!findCode(read.diagnostics, "device-from-file"));
  }
  void whatTheCatalogHasNotIsReported() {
    const auto read =
        importAs({{"slurm.conf", "NodeName=n[0-3] Gres=gpu:rtx6000:8\n", {}}}, "h100-sxm", false);
    QVERIFY(read);
    const Diagnostic* d = findCode(read.diagnostics, "device-unknown");
    QVERIFY(d && d->message.find("rtx6000") != std::string::npos &&
            d->message.find("4 hosts") != std::string::npos);
    QVERIFY(!read->tells.device);
    // A name each makes one warning, not as many as hosts.
    std::string many;
    for (int i = 0; i < 500; ++i)
      many += "NodeName=n" + std::to_string(i) + " Gres=gpu:card" + std::to_string(i) + "x:8\n";
    const auto all = importAs({{"slurm.conf", many, {}}}, "h100-sxm", false);
    QVERIFY(all);
    QCOMPARE(std::count_if(all.diagnostics.begin(), all.diagnostics.end(),
                           [](const Diagnostic& x) { return x.code == "device-unknown"; }),
             std::ptrdiff_t(1));
    QVERIFY(findCode(all.diagnostics, "device-unknown")->message.find("499 others") != std::string::npos);
  }

  // Each host has the speed and the memory of its own devices.
  void twoKindsOfDevicesAreWeighed_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("slow");
    QTest::addColumn<int>("all");
    QTest::newRow("labels") << "kubernetes-nodes/two_products.json" << 16 << 32;
    QTest::newRow("Gres") << "slurm-nodes/two_gres.conf" << 32 << 64;
    QTest::newRow("a table") << "inventory/models.csv" << 16 << 32;
    QTest::newRow("features") << "slurm-nodes/features.conf" << 16 << 32;
  }
  void twoKindsOfDevicesAreWeighed() {
    QFETCH(QString, file);
    QFETCH(int, slow);
    QFETCH(int, all);
    const DeviceSpec &h100 = *findDevice("h100-sxm"), &a100 = *findDevice("a100-80");
    const auto read = importAs({namedIn(file.toStdString())}, "v100", false);
    QVERIFY(read);
    QCOMPARE(read->cluster->device.id, h100.id);
    ClusterSource healthy = *read->cluster;
    healthy.plannedOn = PlannedOn::All;  // some hosts are down
    const auto cluster = deriveHierarchy(healthy);
    QVERIFY(cluster);
    QCOMPARE(cluster->deviceCount(), all);
    int found = 0;
    const double share = a100.peak.value.value() / h100.peak.value.value();
    for (int p = 0; p < all; ++p) {
      const DeviceFactor f = cluster->factor(DeviceIndex(p));
      if (f.speed == 1) continue;
      ++found;
      QCOMPARE(f.speed, share);
      QCOMPARE(f.memory, a100.memory.value);
    }
    QCOMPARE(found, slow);
    QVERIFY(cluster->level(0).bandwidth <= a100.linkBandwidth.value);
    const Diagnostic* d = findCode(read.diagnostics, "device-kinds");
    QVERIFY(d && d->message.find(std::to_string(slow) + " devices") != std::string::npos);
    // The slower one that somebody asks for cannot stand for the faster.
    const auto asked = importAs({namedIn(file.toStdString())}, "a100-80", true);
    QVERIFY(asked);
    QCOMPARE(findCode(asked.diagnostics, "device-kinds")->severity, Severity::Warning);
  }
  // A list beside a fabric or a tree tells the same of its hosts.
  void aListBesideATreeNamesItsDevices() {
    const NamedText tree{
        "topology.conf",
        "SwitchName=l0 Nodes=n[0-1]\nSwitchName=l1 Nodes=n[2-3]\nSwitchName=s Switches=l[0-1]\n",
        {}};
    const NamedText list{"slurm.conf", "NodeName=n[0-2] Gres=gpu:h200:8\nNodeName=n3 Gres=gpu:a100:8\n", {}};
    const auto read = importAs({tree, list}, "h100-sxm", false);
    QVERIFY(read);
    QCOMPARE(read->cluster->device.id, std::string("h200"));
    const auto cluster = deriveHierarchy(*read->cluster);
    QVERIFY(cluster && !cluster->hasUniformDevices());
    const NamedText everywhere{"gres.conf", "Name=gpu Type=a100 File=/dev/nvidia[0-7]\n", {}};
    const auto others = importAs({tree, everywhere}, "h100-sxm", false);
    QVERIFY(others);
    QCOMPARE(others->cluster->device.id, std::string("a100-80"));
  }
  void aHostsOwnTopologyTellsItsGeneration() {
    NamedText host{
        "host.xml",
        R"(<system version="1"><cpu numaid="0"><pci busid="0000:01:00.0" class="0x030200" link_speed="16.0 GT/s PCIe"
 link_width="16"><gpu dev="0" sm="80"/></pci></cpu></system>)",
        {}};
    const auto read = importAs({host}, "h100-sxm", false);
    QVERIFY(read);
    QCOMPARE(read->cluster->device.id, std::string("a100-80"));
    // A generation alone does not tell A100s apart.
    QVERIFY(!findCode(importAs({host}, "a100-40", true).diagnostics, "device-differs"));
    QVERIFY(findCode(importAs({host}, "h100-sxm", true).diagnostics, "device-differs"));
    // Without the attribute nothing is known.
    host.text.erase(host.text.find(" sm=\"80\""), 8);
    QVERIFY(!findCode(importAs({host}, "h100-sxm", true).diagnostics, "device-differs"));
    QVERIFY(findCode(importAs({namedIn("amd-topo/amd-smi.txt")}, "h100-sxm", false).diagnostics,
                     "device-differs"));
    QVERIFY(!findCode(importAs({namedIn("amd-topo/amd-smi.txt")}, "mi300x", false).diagnostics,
                      "device-differs"));
  }
  void aBenchmarkTellsTheDeviceOfATypedNetwork() {
    NamedText times = namedIn("nccl-tests/all_gather_8.txt");
    for (std::size_t at = 0; (at = times.text.find("NVIDIA H100 80GB HBM3", at)) != std::string::npos;)
      times.text.replace(at, 21, "NVIDIA A100-SXM4-80GB");
    const auto read = importAs({times, {"net", "host:8@300GB/s rack:4@25GB/s", {}}}, "h100-sxm", false);
    QVERIFY(read);
    QCOMPARE(read->cluster->device.id, std::string("a100-80"));
    // Alone it is of no cluster.
    QVERIFY(!findCode(importAs({times}, "h100-sxm", false).diagnostics, "device-from-file"));
  }
};
NEST_TEST(TestNamedDevices)
#include "test_named_devices.moc"
