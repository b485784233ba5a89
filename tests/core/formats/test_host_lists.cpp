#include <QtTest/QTest>

#include "cluster/devices/device_catalog.h"
#include "formats/import_files.h"
#include "formats/networks/host_list.h"
#include "formats/networks/nvidia_topo.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;

namespace {

NamedText listIn(const std::string& name) {
  return {name, test::readFile(std::string(NEST_TEST_DATA) + '/' + name), {}};
}

std::optional<Hierarchy> levelsOf(const Reading<Imported>& r) {
  if (!r || !r->cluster) return std::nullopt;
  auto derived = deriveHierarchy(*r->cluster);
  return derived.value;
}

bool says(const Diagnostics& all, const char* code) {
  return std::any_of(all.begin(), all.end(), [&](const Diagnostic& d) { return d.code == code; });
}

}  // namespace

/// What schedulers, clouds and inventories tell of hosts: how many devices, and where they stand.
class TestHostLists : public QObject {
  Q_OBJECT
private slots:
  /// Hosts that get no work are left out of plans, and are named.
  void hostsOutOfServiceAreTold() {
    const auto told = [](const char* name, std::string text) {
      const auto read = importFiles({{name, std::move(text), {}}}, *findDevice("h100-sxm"), {});
      for (const Diagnostic& d : read.diagnostics)
        if (d.code == "hosts-out") return d.message;
      return std::string(read ? "none" : "unread");
    };
    QCOMPARE(
        told("sinfo.txt", "PARTITION STATE NODELIST GRES\ngpu down* a[1-2] gpu:8\ngpu idle a[3-4] gpu:8\n"),
        std::string("2 hosts are not free, the first of them \"a1\": 2 down (down*)"));
    QCOMPARE(told("nodes.txt",
                  "NodeName=a1 Gres=gpu:h100:8\n State=IDLE+DRAIN\n\nNodeName=a2 Gres=gpu:h100:8\n"
                  " State=IDLE+CLOUD+POWERED_DOWN\n"),
             std::string("the host \"a1\" is not free: 1 drained (IDLE+DRAIN)"));
    QCOMPARE(
        told("slurm.conf", "NodeName=a[1-4] Gres=gpu:8 State=UNKNOWN\nPartitionName=x Nodes=a1 State=DOWN\n"),
        std::string("none"));
  }

  /// As spreadsheets write them.
  void rowsWithoutCellsAreNoHosts() {
    const auto read = importFiles({{"hosts.csv", "host;rack;gpus\na1;r1;8\n;;\n  \na2;r2;8\n\t\n", {}}},
                                  *findDevice("h100-sxm"), {});
    QVERIFY(levelsOf(read));
    QCOMPARE(levelsOf(read)->deviceCount(), 16);
  }

  void clusters_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("devices");
    QTest::addColumn<QVector<int>>("groups");  // devices in the largest group of each level
    const auto row = [](const char* file, int devices, QVector<int> groups) {
      QTest::newRow(file) << file << devices << groups;
    };
    row("aws-topology/ultra_clusters.json", 32, {8, 16, 24, 32});
    row("aws-topology/ultra_servers.json", 16, {4, 8, 16});
    row("gcp-topology/a3.json", 24, {8, 16, 24});
    row("gcp-topology/a4x.json", 8, {4, 8});
    row("oci-topology/cli.json", 16, {8, 16});
    row("oci-topology/no_network_block.json", 24, {8, 16, 24});
    row("oci-topology/fabric.json", 12, {4, 8, 12});
    row("kubernetes-nodes/topograph.json", 24, {8, 16, 24});
    row("kubernetes-nodes/cliques.json", 12, {4, 8, 12});
    row("kubernetes-nodes/no_labels.json", 16, {8, 16});
    row("kubernetes-nodes/time_slicing.json", 16, {8, 16});
    row("kubernetes-nodes/shared_unsaid.json", 16, {8, 16});
    row("kubernetes-nodes/shared_renamed.json", 16, {8, 16});
    row("kubernetes-nodes/crowded.json", 160, {80, 160});
    row("kubernetes-nodes/partitions.json", 14, {8, 14});
    row("kubernetes-nodes/not_ready.json", 8, {8, 8});
    row("kubernetes-nodes/nebius.json", 64, {8, 16, 32, 64});
    row("kubernetes-nodes/coreweave.json", 64, {8, 16, 32, 64});
    row("kubernetes-nodes/places.json", 64, {8, 16, 32, 64});
    row("kubernetes-nodes/labels.json", 32, {8, 32});
    row("volcano-hypernode/tree.yaml", 24, {8, 16, 24});
    row("topograph/nvl72.yaml", 288, {8, 144, 288});
    row("topograph/graph.json", 24, {8, 16, 24});
    row("slurm-nodes/slurm.conf", 144, {8, 144});
    row("slurm-nodes/scontrol.txt", 16, {8, 16});
    row("slurm-nodes/scontrol.json", 16, {8, 16});
    row("slurm-nodes/gres.conf", 36, {8, 36});
    row("slurm-nodes/gres_files.conf", 8, {4, 8});
    row("slurm-nodes/gres_types.conf", 15, {6, 15});
    row("sinfo/gres.txt", 144, {8, 144});
    row("sinfo/plain.txt", 16, {8, 16});
    row("infiniband/ibnetdiscover.txt", 24, {8, 16, 24});
    row("infiniband/iblinkinfo.txt", 16, {8, 16});
    row("infiniband/opensm-subnet.lst", 16, {8, 16});
    row("inventory/racks.csv", 32, {8, 16, 24, 32});
    row("inventory/nvl.csv", 144, {4, 72, 144});
    row("ansible/racks.ini", 128, {8, 64, 128});
    row("ansible/roles.ini", 16, {8, 16});
    row("ansible/racks.yaml", 128, {8, 64, 128});
    row("ansible/managers.ini", 16, {8, 16});
    row("ansible/managers.yaml", 16, {8, 16});
    row("infiniband/nameless.txt", 16, {8, 16});
    row("ansible/vars.yaml", 32, {8, 16, 32});
    row("host-list/slots.txt", 16, {8, 16});
    row("host-list/mpich.txt", 20, {8, 20});
    row("host-list/pdsh.txt", 128, {8, 128});
    row("host-list/pbs.txt", 4, {2, 4});
    row("host-list/users.txt", 3, {2, 3});
  }
  void clusters() {
    QFETCH(QString, file);
    QFETCH(int, devices);
    QFETCH(QVector<int>, groups);
    const auto imported = importFiles({listIn(file.toStdString())}, *findDevice("h100-sxm"), {});
    for (const Diagnostic& d : imported.diagnostics)
      if (d.severity == Severity::Error) QFAIL(toText(d).c_str());
    const auto levels = levelsOf(imported);
    QVERIFY(levels);
    QCOMPARE(levels->deviceCount(), devices);
    QVector<int> found;
    for (int l = 0; l < levels->levelCount(); ++l) found.push_back(levels->largestGroupSize(l));
    QCOMPARE(found, groups);
    // Drawn and written, it is the same cluster, also where groups differ in size.
    for (const char* key : {"graphml", "dot"}) {
      const auto written = findFormat(key)->write(*imported->cluster, *levels);
      QVERIFY(written);
      const auto again =
          importFiles({{std::string("again.") + key, *written, {}}}, *findDevice("h100-sxm"), {});
      for (const Diagnostic& d : again.diagnostics)
        if (d.severity == Severity::Error) QFAIL(toText(d).c_str());
      QVERIFY(levelsOf(again));
      QCOMPARE(levelsOf(again)->deviceCount(), devices);
    }
  }

  // A GB200 rack is one NVLink domain: 18 hosts of 4 devices at the devices' own rate, and 50 GB/s beyond.
  void anNvlinkDomainSpansItsHosts() {
    const DeviceSpec& device = *findDevice("gb200");
    const auto opened = importFiles({listIn("topograph/nvl72.yaml")}, device, {});
    const auto alone = levelsOf(opened);
    QVERIFY(alone);
    QCOMPARE(alone->deviceCount(), 144);
    QCOMPARE(alone->level(1).bandwidth, device.linkBandwidth.value);
    QCOMPARE(alone->level(alone->levelCount() - 1).bandwidth, device.hostLinkBandwidth.value);
    NamedText host = listIn("nvidia-topo/gb200.txt");
    const auto imported = importFiles({listIn("topograph/nvl72.yaml"), host}, device, {});
    for (const Diagnostic& d : imported.diagnostics)
      if (d.severity == Severity::Error) QFAIL(toText(d).c_str());
    QVERIFY(says(imported.diagnostics, "join-nvlink-domain"));
    const auto joined = levelsOf(imported);
    QVERIFY(joined);
    QCOMPARE(joined->deviceCount(), 144);
    // The devices of a rack see one another at NVLink's rate; between racks the adapters count.
    double within = 0, beyond = 0;
    for (int l = 0; l < joined->levelCount(); ++l)
      (joined->largestGroupSize(l) <= 72 ? within : beyond) = joined->level(l).bandwidth.value();
    QVERIFY2(within > 800e9, std::to_string(within).c_str());
    QVERIFY2(beyond < 100e9, std::to_string(beyond).c_str());
  }
  // What --level 1=900GB/s asked for of a Slurm block stayed at the adapters' rate.
  void aTypedLevelBeyondAdaptersIsNvlink() {
    ImportOptions options;
    options.levels[1] = {BytesPerSecond(900e9), Seconds(1e-6)};
    const NamedText blocks{"topology.conf", "BlockName=a Nodes=g[01-04]\nBlockName=b Nodes=g[05-08]\n", {}};
    const auto joined =
        levelsOf(importFiles({blocks, listIn("nvidia-topo/gb200.txt")}, *findDevice("b200"), {}, options));
    QVERIFY(joined);
    double within = 0;
    for (int l = 0; l < joined->levelCount(); ++l)
      if (joined->largestGroupSize(l) <= 16) within = joined->level(l).bandwidth.value();
    QVERIFY2(within > 800e9, std::to_string(within).c_str());
    options.levels.clear();
    const auto plain =
        levelsOf(importFiles({blocks, listIn("nvidia-topo/gb200.txt")}, *findDevice("b200"), {}, options));
    QVERIFY(plain);
    QVERIFY(plain->level(plain->levelCount() - 1).bandwidth.value() < 100e9);
  }

  void listsTellATreesDevices() {
    const NamedText tree{"topology.conf",
                         "SwitchName=l0 Nodes=gpu[00-01]\nSwitchName=l1 Nodes=gpu[02-03]\nSwitchName=s "
                         "Switches=l[0-1]\n",
                         {}};
    const DeviceSpec& device = *findDevice("h100-sxm");
    const NamedText sizes{"gres.conf", "NodeName=gpu[00-03] Name=gpu File=/dev/nvidia[0-3]\n", {}};
    const auto told = importFiles({tree, sizes}, device, {});
    QVERIFY(told && levelsOf(told));
    QCOMPARE(levelsOf(told)->deviceCount(), 16);
    QVERIFY(!says(told.diagnostics, "host-size-assumed") && !says(told.diagnostics, "hosts-not-connected"));
    const auto everywhere = importFiles({listIn("slurm-nodes/gres_everywhere.conf"), tree}, device, {});
    QVERIFY(everywhere);
    QCOMPARE(levelsOf(everywhere)->deviceCount(), 32);
    // The option is for what files do not say.
    ImportOptions options;
    options.devicesPerHost = 2;
    QVERIFY(says(importFiles({tree, sizes}, device, {}, options).diagnostics, "host-size-known"));
    QCOMPARE(levelsOf(importFiles({tree}, device, {}, options))->deviceCount(), 8);
    const auto strange = importFiles({tree, {"h", "gpu00 slots=4\nnode9 slots=4\n", {}}}, device, {});
    QVERIFY(says(strange.diagnostics, "join-host-unknown"));
    QVERIFY(says(importFiles({{"h", "gpu00 slots=4\n", {}}}, device, {}).diagnostics, "hosts-not-connected"));
    QVERIFY(says(importFiles({listIn("slurm-nodes/gres_everywhere.conf")}, device, {}).diagnostics,
                 "slurm-no-hosts"));
  }
  // A subnet manager sees storage and login hosts, too.
  void aListKeepsAFabricsHosts() {
    const DeviceSpec& device = *findDevice("h100-sxm");
    const auto imported = importFiles(
        {listIn("infiniband/ibnetdiscover.txt"), {"hosts", "gpu00:4\ngpu02:4\n", {}}}, device, {});
    QVERIFY(imported && says(imported.diagnostics, "fabric-host-unlisted"));
    QVERIFY(!says(imported.diagnostics, "host-size-assumed"));
    QCOMPARE(levelsOf(imported)->deviceCount(), 8);
    const auto& graph = std::get<GraphSource>(imported->cluster->network).graph;
    QVERIFY(std::any_of(graph.links.begin(), graph.links.end(),
                        [](const NetworkLink& l) { return l.count == 2 && l.bandwidth.value() == 25e9; }));
    const auto none =
        importFiles({listIn("infiniband/ibnetdiscover.txt"), {"hosts", "n1:4\nn2:4\n", {}}}, device, {});
    QVERIFY(!none && says(none.diagnostics, "no-devices"));
  }
  /// Each host is within the limit, and all together are not.
  void aFabricOfTooManyDevicesIsRefused() {
    DeviceSpec device = *findDevice("h100-sxm");
    device.usualHostSize = 600'000;
    const auto imported = importFiles({listIn("infiniband/ibnetdiscover.txt")}, device, {});
    QVERIFY(!imported && says(imported.diagnostics, "network-too-large"));
  }

  void gres_data() {
    QTest::addColumn<QString>("gres");
    QTest::addColumn<int>("devices");  // −1: not readable
    QTest::newRow("typed") << "gpu:h100:8" << 8;
    QTest::newRow("sockets") << "gpu:h100:8(S:0-1)" << 8;
    QTest::newRow("sockets apart") << "gpu:h100:8(S:0,2),shard:16" << 8;
    QTest::newRow("untyped") << "gpu:4" << 4;
    QTest::newRow("one") << "gpu" << 1;
    QTest::newRow("one of a type") << "gpu:tesla" << 1;
    QTest::newRow("two types") << "gpu:a100:4,gpu:h100:2,nvme:1" << 6;
    QTest::newRow("partitions") << "gpu:a100:3,gpu:1g.10gb:7" << 3;
    QTest::newRow("none") << "(null)" << 0;
    QTest::newRow("others") << "craynetwork:4" << 0;
    QTest::newRow("wrong") << "gpu:h100:many" << -1;
  }
  void gres() {
    QFETCH(QString, gres);
    QFETCH(int, devices);
    const auto read = readGres(gres.toStdString());
    QCOMPARE(read ? read->devices : -1, devices);
  }

  void instanceTypes_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<int>("devices");
    QTest::addColumn<QString>("device");
    const auto row = [](const char* type, int devices, const char* device) {
      QTest::newRow(type) << type << devices << device;
    };
    row("p5.48xlarge", 8, "h100-sxm-efa");
    row("p6e-gb200.36xlarge", 4, "gb200");
    row("trn2.48xlarge", 16, "trainium2");
    row("a2-megagpu-16g", 16, "a100-40");
    row("a3-highgpu-8g", 8, "h100-sxm");
    row("a4x-highgpu-4g", 4, "gb200");
    row("a4x-maxgpu-4g-metal", 4, "gb300");
    row("BM.GPU.H100.8", 8, "h100-sxm");
    row("BM.GPU.A100-v2.8", 8, "a100-80");
    row("BM.GPU4.8", 8, "a100-40");
    row("BM.GPU.GB200.4", 4, "gb200");
    row("BM.GPU.GB200-v2.4", 4, "");
    row("Standard_ND96isr_H100_v5", 8, "h100-sxm");
    row("Standard_ND128isr_NDR_GB200_v6", 4, "gb200");
    row("n2-standard-8", 0, "");
    row("hpc7a.96xlarge", 0, "");
    row("", 0, "");
  }
  void instanceTypes() {
    QFETCH(QString, type);
    QFETCH(int, devices);
    QFETCH(QString, device);
    const auto found = findInstanceType(type.toStdString());
    QCOMPARE(found ? found->devices : 0, devices);
    QCOMPARE(found ? QString::fromUtf8(found->device) : QString(), device);
    if (!device.isEmpty()) QVERIFY(findDevice(device.toStdString()));
  }

  /// A host has at most 1,024 devices, whether they are counted or listed as files.
  void devicesAreCountedOrListed() {
    const auto wrong = [](const std::string& devices) {
      const auto read = importFiles({{"gres.conf", "NodeName=a[1-2] Name=gpu " + devices + "\n", {}}},
                                    *findDevice("h100-sxm"), {});
      return says(read.diagnostics, "slurm-gres");
    };
    for (const char* fits : {"Count=8", "Count=1024", "File=/dev/nvidia[0-7]", "File=/dev/nvidia[0-1023]"})
      QVERIFY2(!wrong(fits), fits);
    for (const char* beyond : {"Count=1025", "Count=x", "File=/dev/nvidia[0-4096]", "File=/dev/nvidia[0-"})
      QVERIFY2(wrong(beyond), beyond);
  }
  /// Hosts that only manage, in the right number, and no more than three by name.
  void managersAreLeftOutByName() {
    const auto note = [](int managers) {
      std::string text = "[slurm-master]\n";
      for (int i = 1; i <= managers; ++i) text += "mgmt0" + std::to_string(i) + "\n";
      text += "[slurm-node]\ngpu01 gpus=8\ngpu02 gpus=8\n";
      const auto read = importFiles({{"hosts.ini", text, {}}}, *findDevice("h100-sxm"), {});
      for (const Diagnostic& d : read.diagnostics)
        if (d.code == "ansible-managers") return d.message;
      return std::string(read ? "none" : "unread");
    };
    QCOMPARE(note(1), std::string("1 host stands only in groups of managers and is left out: \"mgmt01\""));
    QCOMPARE(note(2), std::string("2 hosts stand only in groups of managers and are left out: \"mgmt01\", "
                                  "\"mgmt02\""));
    QCOMPARE(note(4), std::string("4 hosts stand only in groups of managers and are left out: \"mgmt01\", "
                                  "\"mgmt02\", \"mgmt03\", …"));
  }
  /// The word that is wrong is the one that is named, and where it stands.
  void wrongWordsOfAHostFileAreNamed() {
    for (const auto& [line, word, column] : {std::tuple{"gpu02:x slots=8", "gpu02:x", 1},
                                             {"gpu02:x port=22", "gpu02:x", 1},
                                             {"gpu02 slots=x", "slots=x", 7},
                                             {"gpu02 slots=8 cpus=4", "cpus=4", 15}}) {
      const auto read = importFiles({{"hostfile", std::string("gpu01 slots=8\n") + line + '\n', {}}},
                                    *findDevice("h100-sxm"), {});
      QVERIFY2(!read, line);
      const Diagnostic& d = read.diagnostics.front();
      QCOMPARE(d.code, std::string("hostfile-line"));
      QVERIFY2(d.message.ends_with(std::string("found \"") + word + '"'), d.message.c_str());
      QCOMPARE(d.where.line, 2);
      QCOMPARE(d.where.column, column);
    }
  }
  // XGMI as the tables tell it: bandwidth, direct links only.
  void amdTablesBecomeLinks() {
    const DeviceSpec& device = *findDevice("mi300x");
    const auto told = importFiles({listIn("amd-topo/amd-smi.txt")}, device, {});
    QVERIFY(told);
    int xgmi = 0;
    for (const NetworkLink& l : std::get<GraphSource>(told->cluster->network).graph.links)
      xgmi += l.bandwidth.value() == 50e9 && l.origin == Origin::Measured ? 1 : 0;
    QCOMPARE(xgmi, 6);
    // What the tables do not show is assumed: half the way of PCIe to each end, the adapter's own, the
    // socket's.
    const HostLinkFigures figures = hostFiguresOf(device);
    const NetworkGraph& drawn = std::get<GraphSource>(told->cluster->network).graph;
    int toAdapter = 0, toSocket = 0;
    for (const NetworkLink& l : drawn.links) {
      const auto is = [&](const char* kind) {
        return drawn.nodes[std::size_t(l.from)].name.find(kind) != std::string::npos ||
               drawn.nodes[std::size_t(l.to)].name.find(kind) != std::string::npos;
      };
      if (l.bandwidth != figures.pcie) continue;
      QCOMPARE(l.latency, figures.pcieLatency * 0.5);
      QCOMPARE(l.origin, Origin::Estimated);
      (is("nic") ? toAdapter : toSocket)++;
    }
    QCOMPARE(toAdapter, 4);
    QCOMPARE(toSocket, 4);
    const auto pairs = importFiles({listIn("amd-topo/rocm-smi.txt")}, device, {});
    QVERIFY(pairs);
    int direct = 0;
    for (const NetworkLink& l : std::get<GraphSource>(pairs->cluster->network).graph.links)
      direct += l.bandwidth == device.linkBandwidth.value ? 1 : 0;
    QCOMPARE(direct, 2);
  }
  void hwlocShowsNvlinkAndAdapters() {
    const auto imported = importFiles({listIn("hwloc/hgx.xml")}, *findDevice("h100-sxm"), {});
    QVERIFY(imported);
    QCOMPARE(levelsOf(imported)->deviceCount(), 2);
    QVERIFY(levelsOf(imported)->level(0).bandwidth.value() > 400e9);
    QVERIFY(!says(imported.diagnostics, "hwloc-no-nvlink"));
    QVERIFY(says(importFiles({listIn("hwloc/pcie.xml")}, *findDevice("l40s"), {}).diagnostics,
                 "hwloc-no-nvlink"));
  }
};
NEST_TEST(TestHostLists)
#include "test_host_lists.moc"
