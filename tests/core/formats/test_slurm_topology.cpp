#include <QtTest/QTest>
#include <cmath>

#include "formats/networks/slurm_hostlist.h"
#include "formats/networks/slurm_topology.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;

namespace {

DeviceSpec h100() {
  DeviceSpec d;
  d.memory.value = Bytes(80e9);
  d.linkBandwidth.value = BytesPerSecond(450e9);
  d.hostLinkBandwidth.value = BytesPerSecond(50e9);
  d.usualHostSize = 8;
  return d;
}

SlurmTopology topologyOf(const std::string& name) {
  const std::string text = nest::test::readFile(std::string(NEST_TEST_DATA) + '/' + name);
  const auto t =
      name.find(".yaml") == std::string::npos ? readSlurmTopologyConf(text) : readSlurmTopologyYaml(text);
  if (!t) qFatal("%s", toText(t.diagnostics.front()).c_str());
  return *t;
}

Hierarchy hierarchyOf(const SlurmTopology& t, std::vector<double> gigabytes) {
  auto figures = defaultFigures(t, h100());
  if (figures.levels.size() != gigabytes.size()) qFatal("%zu levels", figures.levels.size());
  for (std::size_t l = 0; l < gigabytes.size(); ++l)
    figures.levels[l].bandwidth = BytesPerSecond(gigabytes[l] * 1e9);
  auto network = networkOf(t, figures);
  if (!network) qFatal("%s", toText(network.diagnostics.front()).c_str());
  auto h = deriveHierarchy({h100(), *network});
  if (!h) qFatal("%s", toText(h.diagnostics.front()).c_str());
  return *h;
}

/// "8 450, 32 50": largest group and GB/s of each level.
QString inWords(const Hierarchy& h) {
  QString out;
  for (int l = 0; l < h.levelCount(); ++l)
    out += QString("%1%2 %3")
               .arg(l ? ", " : "")
               .arg(h.largestGroupSize(l))
               .arg(h.level(l).bandwidth.value() / 1e9);
  return out;
}

}  // namespace

class TestSlurmTopology : public QObject {
  Q_OBJECT
private slots:
  // A job of Slurm never lies in both; what is assumed above them is told.
  void treesThatNothingJoinsAreTold() {
    const auto two = readSlurmTopologyConf("SwitchName=a Nodes=n[0-1]\nSwitchName=b Nodes=n[2-3]\n");
    QVERIFY(two);
    QCOMPARE(two.diagnostics.size(), std::size_t(1));
    QCOMPARE(two.diagnostics[0].code, std::string("slurm-many-tops"));
    QVERIFY(two.diagnostics[0].message.find("joins \"a\" and \"b\"") != std::string::npos);
    const auto joined = readSlurmTopologyConf(
        "SwitchName=a Nodes=n[0-1]\nSwitchName=b Nodes=n[2-3]\nSwitchName=top Switches=a,b\n");
    QVERIFY(joined && joined.diagnostics.empty());
  }
  void hostlists_data() {
    QTest::addColumn<QString>("list");
    QTest::addColumn<QString>("names");
    QTest::newRow("plain") << "tux"
                           << "tux";
    QTest::newRow("range") << "tux[0-3,12,18-20]"
                           << "tux0 tux1 tux2 tux3 tux12 tux18 tux19 tux20";
    QTest::newRow("padded") << "n[08-11]"
                            << "n08 n09 n10 n11";
    QTest::newRow("wider than padding") << "n[8-11]"
                                        << "n8 n9 n10 n11";
    QTest::newRow("several") << "a[1-2],b7,c"
                             << "a1 a2 b7 c";
    QTest::newRow("two brackets") << "r[0-1]n[1-2]"
                                  << "r0n1 r0n2 r1n1 r1n2";
    QTest::newRow("suffix") << "n[1-2]-ib"
                            << "n1-ib n2-ib";
    QTest::newRow("downwards") << "n2,n1"
                               << "n2 n1";
  }
  void hostlists() {
    QFETCH(QString, list);
    QFETCH(QString, names);
    const auto l = expandHostlist(list.toStdString());
    QStringList got;
    for (const auto& n : l.names) got << QString::fromStdString(n);
    QCOMPARE(got.join(' '), names);
  }

  /// Whatever a list names before its first mistake, nothing of it is kept.
  void brokenHostlists_data() {
    QTest::addColumn<QString>("list");
    QTest::addColumn<int>("offset");
    QTest::newRow("open bracket") << "a[0-99],b[0-99],c[1" << 17;
    QTest::newRow("comma at the end") << "a[0-99]," << 8;
    QTest::newRow("blank") << "a[0-99],b c" << 9;
    QTest::newRow("backwards") << "a[0-99]b[9-1]" << 12;
    QTest::newRow("too many in one") << "a[0-999]b[0-999]" << 16;
    QTest::newRow("too many in all") << "a[0-99],b[0-899],c" << 18;
    QTest::newRow("too long") << QString(250, 'x') + "[0-1]" + QString(7, 'y') << 262;
    QTest::newRow("too long by padding") << QString(250, 'x') + "[0000001-2]" << 261;
  }
  void brokenHostlists() {
    QFETCH(QString, list);
    QFETCH(int, offset);
    const auto l = expandHostlist(list.toStdString(), 1000);
    QVERIFY(l.names.empty());
    QVERIFY(!l.error.empty());
    QCOMPARE(int(l.offset), offset);
  }

  void filesBecomeLevels_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("figures");
    QTest::addColumn<QString>("levels");
    QTest::addColumn<bool>("typed");
    QTest::newRow("tree") << "slurm-conf/tree.conf"
                          << "450 50 12.5"
                          << "8 450, 32 50, 64 12.5" << true;
    QTest::newRow("yaml tree") << "slurm-yaml/tree.yaml"
                               << "450 50 12.5"
                               << "8 450, 32 50, 64 12.5" << true;
    QTest::newRow("fat tree") << "slurm-conf/fat_tree.conf"
                              << "450 50 25 12.5"
                              << "8 450, 32 50, 64 25, 128 12.5" << true;
    QTest::newRow("leaves of 4, 4, 2") << "slurm-conf/irregular.conf"
                                       << "450 50 12.5"
                                       << "8 450, 32 50, 80 12.5" << true;
    QTest::newRow("a leaf beside a spine") << "slurm-conf/uneven_depth.conf"
                                           << "450 50 25 12.5"
                                           << "8 450, 16 50, 32 25, 48 12.5" << false;
    QTest::newRow("blocks, joined in twos") << "slurm-conf/block.conf"
                                            << "450 200 100 50"
                                            << "8 450, 144 200, 288 100, 576 50" << true;
    QTest::newRow("yaml blocks") << "slurm-yaml/several.yaml"
                                 << "450 200 50"
                                 << "8 450, 32 200, 64 50" << true;
    QTest::newRow("torus") << "slurm-yaml/torus.yaml"
                           << "450 50"
                           << "8 450, 16 50, 48 50, 192 50" << false;
  }
  void filesBecomeLevels() {
    QFETCH(QString, file);
    QFETCH(QString, figures);
    QFETCH(QString, levels);
    QFETCH(bool, typed);
    std::vector<double> f;
    for (const QString& s : figures.split(' ')) f.push_back(s.toDouble());
    const auto t = topologyOf(file.toStdString());
    QCOMPARE(inWords(hierarchyOf(t, f)), levels);
    QCOMPARE(std::holds_alternative<LevelsSource>(*networkOf(t, defaultFigures(t, h100()))), typed);
  }

  void hostNamesSurvive() {
    const auto h = hierarchyOf(topologyOf("slurm-conf/irregular.conf"), {450, 50, 12.5});
    QStringList hosts;
    for (int d = 0; d < h.deviceCount(); d += 8)
      hosts << QString::fromStdString(h.identity(DeviceIndex(d)).host);
    QCOMPARE(hosts.join(' '), QString("a1 a2 a3 a4 b1 b2 b3 c9 d1 d2"));
    QCOMPARE(h.identity(DeviceIndex(79)).slot, 7);
    const auto uneven = hierarchyOf(topologyOf("slurm-conf/uneven_depth.conf"), {450, 50, 25, 12.5});
    QCOMPARE(uneven.identity(DeviceIndex(0)).host.size(), std::size_t(2));
  }

  void assumedFiguresAreSaid() {
    const auto t = topologyOf("slurm-conf/tree.conf");
    auto figures = defaultFigures(t, h100());
    QCOMPARE(figures.levels[0].bandwidth.value(), 450e9);
    QCOMPARE(figures.levels[2].bandwidth.value(), 50e9);
    QCOMPARE(networkOf(t, figures).diagnostics.size(), std::size_t(1));
    for (auto& l : figures.levels) l.origin = Origin::Typed;
    QVERIFY(networkOf(t, figures).diagnostics.empty());
    figures.levels[1].bandwidth = BytesPerSecond(0);
    QVERIFY(!networkOf(t, figures));
    figures.levels.pop_back();
    QVERIFY(!networkOf(t, figures));
  }

  void bothFormatsSayTheSame() {
    auto conf = topologyOf("slurm-conf/tree.conf"), yaml = topologyOf("slurm-yaml/tree.yaml");
    QCOMPARE(yaml.name, std::string("fabric"));
    const auto a = hierarchyOf(conf, {450, 50, 12.5}), b = hierarchyOf(yaml, {450, 50, 12.5});
    for (int d = 0; d < a.deviceCount(); ++d)
      QCOMPARE(a.identity(DeviceIndex(d)).host, b.identity(DeviceIndex(d)).host);
  }
};
NEST_TEST(TestSlurmTopology)
#include "test_slurm_topology.moc"
