#include <QtTest/QTest>

#include "measurement_fixture.h"
#include "solver/solve.h"

using namespace nest;
using namespace nest::test;

namespace {

/// The output of a test of nccl-tests on whole hosts, with times of a latency (µs) and a bus bandwidth
/// (GB/s).
std::string benchmark(const char* program, double factor, int hosts, int perHost, double latency,
                      double bus) {
  std::string out = std::string("# Collective test starting: ") + program + "\n# Using devices\n";
  const int ranks = hosts * perHost;
  char line[200];
  for (int r = 0; r < ranks; ++r) {
    std::snprintf(line, sizeof line, "#  Rank %2d Group  0 Pid  %d on  n%d device  %d [0x18] NVIDIA H100\n",
                  r, 1000 + r, r / perHost, r % perHost);
    out += line;
  }
  out += "#       size         count      type   redop    root     time   algbw   busbw #wrong\n";
  const double share = factor > 0 ? factor * (ranks - 1) / ranks : 1;
  for (double size = 8; size <= 8589934592.0; size *= 8) {
    const double time = latency + size * share / bus * 1e-3;
    std::snprintf(line, sizeof line, " %.0f %.0f float sum -1 %.2f %.2f %.2f 0\n", size, size / 4, time,
                  size / time * 1e-3, size * share / time * 1e-3);
    out += line;
  }
  return out;
}

}  // namespace

/// nccl-tests and what else times exchanges: which level they are of, and what they tell of it.
class TestCollectiveTimes : public QObject {
  Q_OBJECT
private slots:
  void benchmarksAreReadInAllTheirShapes() {
    const auto two = read<CollectiveTimes>("nccl-tests/all_reduce_2x8.txt");
    QVERIFY(two.kind == CollectiveTimes::Kind::AllReduce && two.ranks() == 16 && two.hosts() == 2);
    QCOMPARE(two.device, std::string("NVIDIA H100 80GB HBM3"));
    QCOMPARE(two.rows.size(), std::size_t(16));
    QVERIFY(two.rows.back().size == Bytes(8589934592.0) && two.rows.back().bus > BytesPerSecond(240e9));
    // Told by the command line above it.
    QVERIFY(read<CollectiveTimes>("nccl-tests/all_gather_8.txt").kind == CollectiveTimes::Kind::AllGather);
    // Told by the ratio of its bandwidths, in a table without a column for the root.
    const auto old = read<CollectiveTimes>("nccl-tests/older_4.txt");
    QVERIFY(old.kind == CollectiveTimes::Kind::AllReduce && old.ranks() == 4 && old.hosts() == 1);
    QVERIFY(isNear(old.rows.front().time.value(), 28.1e-6));
    QVERIFY(readText(fileOf("nccl-tests/older_4.txt")).diagnostics.empty());
  }
  // NCCL_DEBUG=INFO prints into the table; launchers put moments before lines; a killed test ends in a row.
  void whatOthersPrintIsNoRow() {
    const std::string whole = fileOf("nccl-tests/all_reduce_2x8.txt");
    const auto rows = read<CollectiveTimes>("nccl-tests/all_reduce_2x8.txt").rows.size();
    std::string chatty, stamped;
    for (std::size_t at = 0, end; at < whole.size(); at = end + 1) {
      end = std::min(whole.find('\n', at), whole.size());
      const std::string line = whole.substr(at, end - at) + '\n';
      chatty += line +
                "worker-1:3713:3713 [0] NCCL INFO Channel 00/16 : 0[0] -> 1[1] via P2P/CUMEM\n"
                "worker-1:3713:3713 [0] NCCL WARN NET/IB : no device 4096 1024 512 found\n";
      stamped += "2025-03-02 10:11:12.345 " + line;
    }
    for (const std::string& text : {chatty, stamped}) {
      const auto reading = readText(text);
      QVERIFY2(reading, reading.diagnostics.empty() ? "" : reading.diagnostics.front().message.c_str());
      const auto& times = std::get<std::vector<CollectiveTimes>>(reading->of).front();
      QVERIFY(times.rows.size() == rows && times.ranks() == 16);
    }
    const auto last = whole.find("8589934592  ");
    for (const std::size_t length : {30, 50, 56, 70}) {
      const auto cut = readText(whole.substr(0, last + length));
      QVERIFY2(cut, qPrintable(QString::number(length)));
      QCOMPARE(std::get<std::vector<CollectiveTimes>>(cut->of).front().rows.size(), rows - 1);
    }
    const auto failed =
        readText(whole.substr(0, whole.rfind('\n', last) + 1) +
                 "worker-1: Test NCCL failure common.cu:958 'remote process exited or there was a network "
                 "error / '\n .. worker-1 pid 3713: Test failure common.cu:1080\n");
    QVERIFY(findCode(failed.diagnostics, "nccl-tests-failed"));
  }
  // The times are those of the cost model with 44 GB/s and 9 µs between hosts, 360 GB/s and 3 µs inside.
  void theFitGivesBackWhatTheTimesWereMadeOf() {
    const NamedText times{"nccl.txt", fileOf("nccl-tests/all_reduce_2x8.txt")};
    const auto s = imported("host:8@360GB/s,3us rack:4@50GB/s,5us", {times});
    QVERIFY(s);
    const auto& levels = std::get<LevelsSource>(s.value->cluster.network).levels;
    QVERIFY(isNear(levels[1].bandwidth.value(), 44e9, 1e-3));
    QVERIFY(isNear(levels[1].latency.value(), 9e-6, 1e-3));
    QCOMPARE(levels[1].origin, Origin::Measured);
    QCOMPARE(levels[0].origin, Origin::Typed);
    QVERIFY(findCode(s.diagnostics, "link-measured"));
  }
  // Rows of up to 8 KiB tell the latency; the bandwidth stays what it was, link efficiency included.
  void smallMessagesTellNoBandwidth() {
    const std::string whole = fileOf("nccl-tests/all_gather_8.txt");
    const auto between = [&](long long least, long long most) {
      std::string text;
      for (std::size_t at = 0, end; at < whole.size(); at = end + 1) {
        end = whole.find('\n', at);
        const std::string line = whole.substr(at, end - at);
        const long long size = std::strtoll(line.c_str(), nullptr, 10);
        if (size == 0 || (size >= least && size <= most)) text += line + '\n';
      }
      return imported("host:8@450GB/s,3us", {{"nccl.txt", text}});
    };
    const auto s = between(1, 8192);
    QVERIFY2(s, s.diagnostics.empty() ? "" : s.diagnostics.front().message.c_str());
    const auto& host = std::get<LevelsSource>(s.value->cluster.network).levels[0];
    QCOMPARE(host.bandwidth, BytesPerSecond(450e9));
    QCOMPARE(host.origin, Origin::Typed);
    QVERIFY2(isNear(host.latency.value(), 4e-6, 0.02), qPrintable(QString::number(host.latency.value())));
    const auto& all = s.diagnostics;
    QVERIFY(std::any_of(all.begin(), all.end(), [](const Diagnostic& d) {
      return d.message.find("a bandwidth takes 1 MiB or more") != std::string::npos;
    }));
    QVERIFY(!between(131072, 1000000));  // neither
  }
  void timesThatContradictBandwidthsAreRefused() {
    const std::string whole = fileOf("nccl-tests/all_reduce_2x8.txt");
    for (const char* wrong : {"66195800.", "66.1958"}) {
      std::string text = whole;
      text.replace(text.find("66195.8"), 7, wrong);
      const auto reading = readText(text);
      QVERIFY(!reading);
      const Diagnostic* d = findCode(reading.diagnostics, "nccl-tests-unit");
      QVERIFY(d && d->where.line > 0 && d->message.find("but algbw says 130 GB/s") != std::string::npos);
    }
  }
  // Whichever way round they are given: what is inside a host is told before what joins hosts is fitted.
  void severalLevelsAreFittedFromTheInside() {
    const NamedText outer{"o.txt", fileOf("nccl-tests/all_reduce_2x8.txt")},
        inner{"i.txt", fileOf("nccl-tests/all_gather_8.txt")};
    const auto a = imported("host:8@450GB/s,3us rack:4@50GB/s,5us", {outer, inner});
    const auto b = imported("host:8@450GB/s,3us rack:4@50GB/s,5us", {inner, outer});
    QVERIFY(a && b);
    QVERIFY(a.value->cluster == b.value->cluster);
    const auto& levels = std::get<LevelsSource>(a.value->cluster.network).levels;
    QVERIFY(isNear(levels[0].bandwidth.value(), 330e9, 1e-3) &&
            isNear(levels[0].latency.value(), 4e-6, 1e-2));
    // One after the other gives the same.
    const auto first = imported("host:8@450GB/s,3us rack:4@50GB/s,5us", {inner});
    QVERIFY(first);
    Imported rest;
    rest.measured.push_back({*readText(outer.text).value, "o.txt", {}});
    const auto then = assemble(rest, &*first.value);
    QVERIFY(then);
    QVERIFY(then.value->cluster == a.value->cluster);
    // With nothing known of the hosts the level around them would get more.
    const auto alone = imported("host:8@450GB/s,3us rack:4@50GB/s,5us", {outer});
    QVERIFY(alone);
    QVERIFY(!isNear(std::get<LevelsSource>(alone.value->cluster.network).levels[1].bandwidth.value(),
                    levels[1].bandwidth.value(), 1e-3));
  }
  // NCCL runs levels side by side, the model one after another: what is fast needs more than the line has.
  void aLevelGetsNoMoreThanItsLine_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<double>("factor");
    QTest::addColumn<int>("hosts");
    QTest::addColumn<double>("bus");
    QTest::addColumn<double>("gets");  // GB/s; 0: it keeps its 50
    QTest::newRow("a tree of two hosts") << "all_reduce_perf" << 2. << 2 << 440. << 0.;
    QTest::newRow("a faster tree") << "all_reduce_perf" << 2. << 2 << 483. << 0.;
    QTest::newRow("a ring of four hosts") << "all_reduce_perf" << 2. << 4 << 320. << 40.;
    QTest::newRow("a ring of eight hosts") << "all_reduce_perf" << 2. << 8 << 360. << 45.;
    QTest::newRow("an all-gather of two hosts") << "all_gather_perf" << 1. << 2 << 368. << 46.;
    QTest::newRow("beyond the adapters") << "all_gather_perf" << 1. << 2 << 440. << 0.;
    QTest::newRow("an exchange beyond the line") << "sendrecv_perf" << 0. << 2 << 80. << 0.;
    QTest::newRow("an exchange at the line") << "sendrecv_perf" << 0. << 2 << 51. << 50.;
  }
  void aLevelGetsNoMoreThanItsLine() {
    QFETCH(QString, program);
    QFETCH(double, factor);
    QFETCH(int, hosts);
    QFETCH(double, bus);
    QFETCH(double, gets);
    const std::string text = benchmark(program.toUtf8().constData(), factor, hosts, 8, 30, bus);
    const auto s = imported("host:8@450GB/s,2us rack:64@50GB/s,5us", {{"nccl.txt", text}});
    QVERIFY2(s, s.diagnostics.empty() ? "" : s.diagnostics.back().message.c_str());
    const LevelSpec& rack = std::get<LevelsSource>(s.value->cluster.network).levels[1];
    QVERIFY2(isNear(rack.bandwidth.value() / 1e9, gets > 0 ? gets : 50, 5e-3),
             qPrintable(QString::number(rack.bandwidth.value())));
    QCOMPARE(rack.origin, gets > 0 ? Origin::Measured : Origin::Typed);
    const Diagnostic* d = findCode(s.diagnostics, "link-above-line");
    QCOMPARE(d != nullptr, bus != 51);
    if (d) {
      QCOMPARE(d->severity, Severity::Warning);
      QVERIFY(d->message.find("50 GB/s") != std::string::npos &&
              d->remedy.find("--level 1=") != std::string::npos);
    }
  }
  // A switch that reduces halves what an all-reduce sends inside a host, too.
  void theLinksInsideAHostAreNoFasterEither() {
    const auto s =
        imported("host:8@450GB/s,2us", {{"nccl.txt", benchmark("all_reduce_perf", 2, 1, 8, 12, 480)}});
    QVERIFY(s && findCode(s.diagnostics, "link-above-line"));
    QCOMPARE(std::get<LevelsSource>(s.value->cluster.network).levels[0].bandwidth, BytesPerSecond(450e9));
  }
  void aLineThatWasMeasuredMayBeMeasuredAgain() {
    auto first = imported("host:8@450GB/s,2us rack:64@50GB/s,5us",
                          {{"nccl.txt", benchmark("sendrecv_perf", 0, 2, 8, 10, 38)}});
    QVERIFY(first);
    Imported parts;
    parts.measured.push_back({*readText(benchmark("sendrecv_perf", 0, 2, 8, 10, 44)).value, "nccl.txt", {}});
    const auto again = assemble(parts, &*first.value);
    QVERIFY(again && !findCode(again.diagnostics, "link-above-line"));
    QVERIFY(
        isNear(std::get<LevelsSource>(again.value->cluster.network).levels[1].bandwidth.value(), 44e9, 1e-2));
  }
  // An all-reduce over racks of NVLink says little of what one device sends alone.
  void aFitThatExplainsNothingIsNotTaken() {
    const std::string text = benchmark("all_reduce_perf", 2, 36, 4, 60, 200);
    const auto s = imported("tray:4@900GB/s,1us nvl:18@900GB/s,2us pod:32@50GB/s,5us", {{"nccl.txt", text}});
    QVERIFY2(s, s.diagnostics.empty() ? "" : s.diagnostics.back().message.c_str());
    const LevelSpec& pod = std::get<LevelsSource>(s.value->cluster.network).levels[2];
    const Diagnostic* useless = findCode(s.diagnostics, "link-fit-useless");
    const Diagnostic* low = findCode(s.diagnostics, "link-below-line");
    QVERIFY(useless || low);
    if (useless) {
      QCOMPARE(pod.bandwidth, BytesPerSecond(50e9));
      QVERIFY(useless->remedy.find("sendrecv_perf") != std::string::npos);
    }
    // One that does, of a slow network, is taken with a warning.
    const auto slow = imported("host:8@450GB/s,2us rack:64@50GB/s,5us",
                               {{"nccl.txt", benchmark("sendrecv_perf", 0, 2, 8, 20, 5)}});
    QVERIFY(slow && findCode(slow.diagnostics, "link-below-line"));
    QVERIFY(
        isNear(std::get<LevelsSource>(slow.value->cluster.network).levels[1].bandwidth.value(), 5e9, 1e-2));
  }
  // The table tells the test where no line names it.
  void theTableTellsWhichExchangeItIs_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("kind");
    using Kind = CollectiveTimes::Kind;
    const auto row = [](const char* file, Kind kind) { QTest::newRow(file) << file << int(kind); };
    row("two_ranks_unnamed.txt", Kind::AllReduce);
    row("sendrecv_unnamed.txt", Kind::SendReceive);
    row("alltoall_unnamed.txt", Kind::AllToAll);
    row("all_gather_unnamed.txt", Kind::AllGather);
    row("several_names.txt", Kind::AllGather);
    for (const char* log : {"container.txt", "mpirun_tagged.txt", "kubectl_prefixed.txt", "compose.txt"})
      row(log, Kind::AllReduce);
  }
  void theTableTellsWhichExchangeItIs() {
    QFETCH(QString, file);
    QFETCH(int, kind);
    const auto times = read<CollectiveTimes>("nccl-tests/" + file.toStdString());
    QCOMPARE(int(times.kind), kind);
    QVERIFY(times.hosts() == (file == "all_gather_unnamed.txt" ? 1 : 2) && times.rows.size() >= 3);
  }

  void whereSeveralLevelsAreMeantOneIsAskedFor() {
    const char* line = "host:8@360GB/s,3us rack:4@50GB/s,5us spine:4@50GB/s,9us";
    NamedText times{"nccl.txt", fileOf("nccl-tests/all_reduce_2x8.txt")};
    const auto open = imported(line, {times});
    QVERIFY(!open);
    QVERIFY(findCode(open.diagnostics, "link-level")->remedy.find("1 (rack) or 2 (spine)") !=
            std::string::npos);
    for (const int level : {1, 2}) {
      times.level = level;
      const auto s = imported(line, {times});
      QVERIFY(s);
      const auto& levels = std::get<LevelsSource>(s.value->cluster.network).levels;
      QVERIFY(isNear(levels[level].bandwidth.value(), 44e9, 1e-3));
    }
  }
  void hostsOfTheSameNamesTellTheLevel() {
    auto s = imported("host:8@360GB/s,3us rack:2@50GB/s,5us spine:2@50GB/s,9us", {});
    QVERIFY(s);
    auto& levels = std::get<LevelsSource>(s.value->cluster.network);
    levels.hostNames = {"worker-1", "x", "worker-0", "y"};
    Imported parts;
    parts.measured.push_back({*readText(fileOf("nccl-tests/all_reduce_2x8.txt")).value, "nccl.txt", {}});
    const auto made = assemble(parts, &*s.value);
    QVERIFY(made);
    QCOMPARE(std::get<LevelsSource>(made.value->cluster.network).levels[2].origin, Origin::Measured);
  }
  void whatFitsNowhereIsRefused_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("word");
    QTest::newRow("small hosts") << "host:4@360GB/s rack:4@50GB/s"
                                 << "8 ranks";
    QTest::newRow("one host") << "host:8@360GB/s"
                              << "1 host";
    QTest::newRow("slow inside") << "host:8@10GB/s rack:4@5GB/s"
                                 << "faster than";
  }
  void whatFitsNowhereIsRefused() {
    QFETCH(QString, line);
    QFETCH(QString, word);
    const auto s =
        imported(line.toUtf8().constData(), {{"nccl.txt", fileOf("nccl-tests/all_reduce_2x8.txt")}});
    QVERIFY(!s);
    const Diagnostic* d = findCode(s.diagnostics, "link-fit");
    QVERIFY(d && !d->remedy.empty() && d->where.file == "nccl.txt");
    QVERIFY2(d->message.find(word.toStdString()) != std::string::npos, d->message.c_str());
  }

  void exchangesOfAnotherFamilyAreRefused() {
    for (const char* file : {"aiconfigurator/nccl_perf.txt", "nccl-tests/all_gather_8.txt"}) {
      const auto named = [&](const char* device) {
        std::string text = fileOf(file);
        for (std::size_t at = 0; (at = text.find("NVIDIA H100", at)) != std::string::npos;)
          text.replace(at, 11, device);
        return imported("host:8@450GB/s,3us", {{"nccl.txt", text}});
      };
      QVERIFY(named("NVIDIA H200"));
      for (const char* other : {"NVIDIA A100-SXM4", "NVIDIA L4"}) {
        const auto s = named(other);
        QVERIFY(!s);
        QVERIFY(findCode(s.diagnostics, "link-fit")->message.find(other) != std::string::npos);
      }
    }
  }
};
NEST_TEST(TestCollectiveTimes)
#include "test_collective_times.moc"
