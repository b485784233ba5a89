#include <QtTest/QTest>

#include "cluster/graph/graph_edit.h"
#include "core/formats/launch_fixture.h"
#include "formats/launch/launch_hosts.h"

using namespace nest;
using namespace nest::test;

class TestLaunchHosts : public QObject {
  Q_OBJECT
private slots:
  void ranksFollowTheFrameworksOrder() {
    const Fixture f = teaching();
    // d_in = 2: stage 0 on devices 0 and 1, stage 1 on 2 and 3. d_in = 1: the blocks {0, 1} and {2, 3} hold a
    // pipeline each.
    const auto inner = writeLaunch(to("slurm-hostfile"), f.source(), plan(2, 1));
    const auto outer = writeLaunch(to("slurm-hostfile"), f.source(), plan(1, 2));
    QVERIFY(inner && outer);
    QCOMPARE(*inner, std::string("host0\nhost0\nhost1\nhost1\n"));
    QCOMPARE(*outer, std::string("host0\nhost1\nhost0\nhost1\n"));
    QCOMPARE(
        *writeLaunch(to("rankfile"), f.source(), plan(1, 2)),
        std::string("rank 0=host0 slot=0\nrank 1=host1 slot=0\nrank 2=host0 slot=1\nrank 3=host1 slot=1\n"));
    // A slot of that file is no device, and is said to be none.
    QCOMPARE(codes(writeLaunch(to("rankfile"), f.source(), plan(1, 2)).diagnostics, Severity::Warning),
             std::string("rankfile-slot"));
    const auto shared = writeLaunch(to("rankfile"), f.source(), plan(1, 2), 29);
    QVERIFY(shared && shared.diagnostics.empty());
    QCOMPARE(*shared, std::string("rank 0=host0 slot=0-13\nrank 1=host1 slot=0-13\nrank 2=host0 slot=14-28\n"
                                  "rank 3=host1 slot=14-28\n"));
    QVERIFY(to("rankfile").about.find("CPU core") != std::string_view::npos);
    QCOMPARE(*writeLaunch(to("hostfile"), f.source(), plan(2, 1)),
             std::string("host0 slots=2\nhost1 slots=2\n"));
    const auto refused = writeLaunch(to("hostfile"), f.source(), plan(1, 2));
    QVERIFY(!refused);
    QCOMPARE(codes(refused.diagnostics, Severity::Error), std::string("hosts-interleave"));
    QVERIFY(codes(writeLaunch(to("megatron"), f.source(), plan(1, 2)).diagnostics, Severity::Warning)
                .find("placement") != std::string::npos);
  }
  void aPlanBeyondTheClusterIsRefused() {
    const Fixture f = teaching();
    for (const LaunchTarget& t : {to("hostfile"), to("slurm-hostfile"), to("rankfile")})
      QVERIFY(!writeLaunch(t, f.source(), plan(8, 1)));
  }
  void aDeviceThatIsOutStaysOut() {
    const Fixture f = teaching([](Scenario& s) {
      auto& levels = std::get<LevelsSource>(s.cluster.network);
      levels.levels[0].fanout = 4;
      s.constraints.excludedDevices = {1};
    });
    Plan p = plan(1, 1);  // stages on the first two devices left of the smaller host
    p.deviceOrder = {DeviceIndex(4), DeviceIndex(5), DeviceIndex(0), DeviceIndex(1)};
    const auto map = mapRanks(f.source(), p);
    QVERIFY(map);
    QCOMPARE(map->hosts.size(), std::size_t(1));
    QCOMPARE(joinedNumbers(map->hosts[0].devices), std::string("0,2"));
    const auto script = writeLaunch(to("visible-devices"), f.source(), p);
    QVERIFY(has(script, "(\"host0\") devices=0,2 ;;"));
    QVERIFY(has(script, "export CUDA_VISIBLE_DEVICES="));
    for (const LaunchTarget& t :
         {to("hostfile"), to("slurm-hostfile"), to("rankfile"), to("megatron"), to("deepspeed")}) {
      const auto r = writeLaunch(t, f.source(), p);
      QVERIFY2(codes(r.diagnostics, Severity::Warning).find("visible-devices") != std::string::npos,
               t.id.data());
    }
    QVERIFY(has(writeLaunch(to("hostfile"), f.source(), p), "--exclude host0:1\n"));
    QVERIFY(!has(writeLaunch(to("hostfile"), f.source(), plan(1, 1)), "#"));  // a whole host's first two
  }
  void aFailedDeviceOfADrawingLeavesTheOthersTheirNumbers() {
    const Fixture f = teaching([](Scenario& s) {
      GraphSource drawn{graph::fromLevels(std::get<LevelsSource>(s.cluster.network)), {}, {}};
      for (NetworkNode& n : drawn.graph.nodes)
        if (n.kind == NodeKind::Device) {
          n.failed = true;
          break;
        }
      s.cluster.network = drawn;
    });
    std::string places;
    for (int d = 0; d < f.problem.cluster->deviceCount(); ++d) {
      const DeviceIdentity who = f.problem.cluster->identity(DeviceIndex(d));
      places += who.host + ':' + std::to_string(who.slot) + ' ';
    }
    QCOMPARE(places, std::string("host1:0 host1:1 host0:1 "));
  }
  void hostNamesThatNoFileCanHoldAreRefused_data() {
    QTest::addColumn<QString>("name");
    for (const char* name :
         {"evil slots=8\nattacker", "#c", "", "a b", "-x", "\x1b]0;x\x07", "x;y", "h\xc3\xb6st"})
      QTest::newRow(QByteArray("name ") + QByteArray(name).toHex()) << QString::fromUtf8(name);
  }
  void hostNamesThatNoFileCanHoldAreRefused() {
    QFETCH(QString, name);
    const Fixture f = teaching([&](Scenario& s) {
      std::get<LevelsSource>(s.cluster.network).hostNames = {"gpu-1.rack_2", name.toStdString()};
    });
    for (const LaunchTarget& t :
         {to("hostfile"), to("slurm-hostfile"), to("rankfile"), to("visible-devices")}) {
      ReportSource source = f.source();
      source.cluster = &f.scenario.cluster;
      const auto r = writeLaunch(t, source, plan(2, 1));
      QVERIFY(!r);
      QCOMPARE(codes(r.diagnostics, Severity::Error), std::string("host-name"));
      QCOMPARE(r.diagnostics[0].where.pointer, std::string("/cluster/host_names/1"));
      QVERIFY(!r.diagnostics[0].remedy.empty());
    }
  }
  void hostsOfOneNameAreRefused() {
    const Fixture f = teaching([](Scenario& s) {
      std::get<LevelsSource>(s.cluster.network).hostNames = {"same", "same"};
    });
    Fixture drawn = teaching();
    GraphSource twins{graph::fromLevels(std::get<LevelsSource>(drawn.scenario.cluster.network)), {}, {}};
    for (NetworkNode& n : twins.graph.nodes)
      if (n.kind == NodeKind::Host) n.name = "same";
    drawn.scenario.cluster.network = twins;
    drawn.problem = *buildProblem(drawn.scenario).value;
    // Devices may name their host by the name that both have: their links tell them apart.
    Fixture named = teaching();
    for (NetworkNode& n : twins.graph.nodes)
      if (n.kind == NodeKind::Device) n.host = "same";
    named.scenario.cluster.network = twins;
    named.problem = *buildProblem(named.scenario).value;
    const Fixture cases = teaching([](Scenario& s) {
      std::get<LevelsSource>(s.cluster.network).hostNames = {"gpu-a", "GPU-A"};
    });
    for (const Fixture* x : std::initializer_list<const Fixture*>{&f, &drawn, &named, &cases})
      QCOMPARE(codes(writeLaunch(to("hostfile"), x->source(), plan(2, 1)).diagnostics, Severity::Error),
               std::string("host-name-duplicate"));
  }
};
NEST_TEST(TestLaunchHosts)
#include "test_launch_hosts.moc"
