#include <QtTest/QTest>

#include "formats/networks/cluster_text.h"
#include "support/test_main.h"

using namespace nest;

class TestClusterText : public QObject {
  Q_OBJECT
private slots:
  /// However many there are: each would cost the reader, and nobody reads them all.
  void remarksAreCounted() {
    std::string text;
    for (int i = 0; i < 2000; ++i) text += "host:8x3+7@450GB/s rack:4@50GB/s !5*0.8,40GiB\n";
    const auto r = readClusterText(text);
    QVERIFY(!r);
    QCOMPARE(r.diagnostics.size(), std::size_t(101));
    QCOMPARE(r.diagnostics.back().code, std::string("more-diagnostics"));
    QCOMPARE(r.diagnostics[99].where.line > 20, true);
    const auto one = readClusterText(std::string(3000, 'x'));
    QVERIFY(!one && one.diagnostics.front().message.size() < 100);
  }
  void commentsAndLines() {
    const auto l = readClusterText("# a pod\nhost:8@450GB/s,1us  # NVLink\nrack:4@50GB/s,2us\n");
    QVERIFY(l);
    QCOMPARE(l->levels.size(), std::size_t(2));
    const auto bad = readClusterText("# a pod\nhost:8@450GB/s\n  rack:x@50GB/s\n");
    QVERIFY(!bad);
    const auto at = std::find_if(bad.diagnostics.begin(), bad.diagnostics.end(),
                                 [](const Diagnostic& d) { return d.severity == Severity::Error; });
    QCOMPARE(at->where.line, 3);
    QCOMPARE(at->where.column, 8);
  }
  void levelsAreReadWithTheirUnits() {
    const auto r = readClusterText("host:8@450GB/s,1us rack:4@400Gb/s,2us pod:32@12.5GB/s,5us,2:1");
    QVERIFY(r);
    QCOMPARE(r->levels.size(), std::size_t(3));
    QCOMPARE(r->levels[0].fanout, 8);
    QCOMPARE(r->levels[0].bandwidth.value(), 450e9);
    QCOMPARE(r->levels[1].bandwidth.value(), 50e9);
    QVERIFY(r->levels[1].shownAs == text::BandwidthUnit::GigabitsPerSecond);
    QCOMPARE(r->levels[1].latency.value(), 2e-6);
    QCOMPARE(r->levels[2].oversubscription, 2.0);
    QCOMPARE(r->levels[2].name, std::string("pod"));
  }
  void aMissingLatencyIsFilledInAndSaid() {
    const auto r = readClusterText("host:8@450GB/s");
    QVERIFY(r);
    QCOMPARE(r->levels[0].latency, defaultLatency(0));
    QCOMPARE(r.diagnostics.size(), std::size_t(1));
    QCOMPARE(r.diagnostics[0].code, std::string("latency-default"));
  }
  // 400 may be meant as Gb/s.
  void aMissingUnitIsSaid() {
    const auto r = readClusterText("host:8@400,1us");
    QVERIFY(r);
    QCOMPARE(r->levels[0].bandwidth.value(), 400e9);
    QCOMPARE(r.diagnostics.size(), std::size_t(1));
    QCOMPARE(r.diagnostics[0].code, std::string("bandwidth-unit"));
    QCOMPARE(r.diagnostics[0].where.column, 8);
  }
  void roundTrip_data() {
    QTest::addColumn<QString>("line");
    QTest::newRow("regular") << "host:8@450GB/s,1us rack:4@50GB/s,2us pod:32@12.5GB/s,5us";
    QTest::newRow("odd figures") << "a:3@0.1Gb/s,0.3us b:7@33.333333333333336GB/s,1e-07us,1.5:1";
    QTest::newRow("hosts of different sizes") << "host:8x2+7x1+0x1@450GB/s,1us rack:4@50GB/s,2us";
    QTest::newRow("exceptions") << "host:8@450GB/s,1us !3*0.5 !5*1,40GiB";
  }
  void roundTrip() {
    QFETCH(QString, line);
    const auto once = readClusterText(line.toStdString());
    QVERIFY(once);
    const std::string written = writeClusterText(*once);
    const auto twice = readClusterText(written);
    QVERIFY(twice);
    QVERIFY(*once == *twice);
    QCOMPARE(writeClusterText(*twice), written);
  }
  void everyLatencyIsWrittenInMicroseconds() {
    LevelsSource s = *readClusterText("host:8@450GB/s,1us");
    for (int tenths = 1; tenths < 3000; ++tenths) {
      const std::string number = std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10);
      s.levels[0].latency = Seconds(std::stod(number + "e-6"));  // as a file has it
      const std::string whole = tenths % 10 == 0 ? std::to_string(tenths / 10) : number;
      QCOMPARE(writeClusterText(s), "host:8@450GB/s," + whole + "us");
    }
  }
  void aNameThatWouldBeginACommentIsWrittenAsNone() {
    LevelsSource s = *readClusterText("host:8@450GB/s,1us rack:2@1GB/s,1us");
    s.levels[1].name = "#2";
    const auto again = readClusterText(writeClusterText(s));
    QVERIFY(again);
    QCOMPARE(again->levels.size(), std::size_t(2));
  }
  void everyErrorIsReportedAtItsColumn() {
    const auto r = readClusterText("host:0@450GB/s,1us rack:4@fast,2us pod:2@1GB/s,soon !x");
    QVERIFY(!r);
    QCOMPARE(r.diagnostics.size(), std::size_t(4));
    QCOMPARE(r.diagnostics[0].where.column, 6);
    QCOMPARE(r.diagnostics[1].where.column, 27);
    QCOMPARE(r.diagnostics[2].code, std::string("latency-form"));
    QCOMPARE(r.diagnostics[3].code, std::string("exception-form"));
  }
  void nonsenseIsRefused_data() {
    QTest::addColumn<QString>("line");
    for (const char* bad : {"",
                            "   ",
                            "host",
                            "host:8",
                            ":8@1GB/s",
                            "host:8@",
                            "host:8@-1GB/s",
                            "host:8@nanGB/s",
                            "host:8@1e999GB/s",
                            "host:99999999999@1GB/s",
                            "host:8@1GB/s,",
                            "host:8@1GB/s,0.5:1",
                            "a:2@1GB/s b:2+1@1GB/s",
                            "host:8x@1GB/s",
                            "host:8x99999999@1GB/s",
                            "!",
                            "!1",
                            "!1*2",
                            "!1*0.5,",
                            "host:8@1GB/s,5",
                            "host:8@1GB/s,2us,3us",
                            "host:8@1GB/s,2:1,3:1"})
      QTest::newRow(bad) << QString(bad);
  }
  void nonsenseIsRefused() {
    QFETCH(QString, line);
    const auto r = readClusterText(line.toStdString());
    QVERIFY(!r);
    QVERIFY(hasErrors(r.diagnostics));
  }
};
NEST_TEST(TestClusterText)
#include "test_cluster_text.moc"
