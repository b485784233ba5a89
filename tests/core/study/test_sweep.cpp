#include <QtTest/QTest>
#include <set>

#include "study/sweep.h"
#include "support/test_main.h"

using namespace nest;

namespace {

std::string scenarioText() {
  return nest::test::readFile(std::string(NEST_SOURCE_DIR) + "/samples/teaching-6-layers-2x2.nest.json");
}

SweepGrid grid(const std::vector<const char*>& fields) {
  std::vector<SweepField> all;
  for (const char* f : fields) all.push_back(*readSweepField(f).value);
  return *SweepGrid::build(scenarioText(), "teaching.nest.json", all, {}).value;
}

/// Times differ from run to run; nothing else may.
std::vector<SweepRow> timeless(std::vector<SweepRow> rows) {
  for (SweepRow& r : rows) r.elapsedSeconds = 0;
  return rows;
}

}  // namespace

class TestSweep : public QObject {
  Q_OBJECT
private slots:
  void fieldsAreReadAsTyped() {
    const auto f = readSweepField("job.microbatches=[1, 2],[4]");
    QVERIFY(f);
    QCOMPARE(f->pointer, std::string("/job/microbatches"));
    QCOMPARE(f->values, (std::vector<std::string>{"[1,2]", "[4]"}));
    QCOMPARE(readSweepField("a=8..64x2")->values, (std::vector<std::string>{"8", "16", "32", "64"}));
    QCOMPARE(readSweepField("a=1..2+0.5")->values, (std::vector<std::string>{"1", "1.5", "2"}));
    QCOMPARE(readSweepField("a=50 GB/s, \"x, y\"")->values,
             (std::vector<std::string>{"\"50 GB/s\"", "\"x, y\""}));
    for (const char* bad : {"", "=1", "a", "a=", "a=1,,2"}) QVERIFY2(!readSweepField(bad), bad);
  }
  void theGridHoldsEveryCombinationOnce() {
    const SweepGrid g = grid({"job.global_batch=8,16,32", "cluster.levels.1.bandwidth=5 GB/s,10 GB/s"});
    QCOMPARE(g.size(), std::size_t(6));
    std::set<std::vector<std::string>> seen;
    for (std::size_t i = 0; i < g.size(); ++i) {
      QVERIFY(seen.insert(g.valuesAt(i)).second);
      const auto s = g.scenarioAt(i);
      QVERIFY(s);
      QCOMPARE(std::to_string(s->job.globalBatch), g.valuesAt(i)[0]);
    }
    QCOMPARE(std::get<LevelsSource>(g.scenarioAt(0)->cluster.network).levels[1].bandwidth.value(), 5e9);
    QCOMPARE(std::get<LevelsSource>(g.scenarioAt(1)->cluster.network).levels[1].bandwidth.value(), 10e9);
  }
  void wrongFieldsAreRefused() {
    for (const char* bad :
         {"job.gobal_batch=1", "cluster.levels.9.fanout=2", "name.first=1", "a~b.c=1", "x.y.z=1"})
      QVERIFY2(!SweepGrid::build(scenarioText(), "t", {*readSweepField(bad).value}, {}), bad);
    QVERIFY(!SweepGrid::build(scenarioText(), "t",
                              {*readSweepField("name=1,2").value, *readSweepField("name=3").value}, {}));
    QVERIFY(!SweepGrid::build("{}", "t", {}, {}));
  }
  void badValuesAreRowsNotFailures() {
    const SweepGrid g = grid({"job.global_batch=16,-1"});
    const SweepRow good = solveSweepRow(g, 0), bad = solveSweepRow(g, 1);
    QCOMPARE(good.status, std::string("optimal"));
    QVERIFY(good.batchSeconds > 0 && good.mfu);
    QCOMPARE(bad.status, std::string("invalid"));
    QVERIFY(bad.problem.find("/job/global_batch") != std::string::npos);
  }
  void shardsAndResumingGiveTheWholeTable() {
    const SweepGrid g = grid({"job.global_batch=8..64x2", "constraints.tensor=1,2"});
    const auto whole = timeless(runSweep(g, {2, {}, {}}, {}));
    QCOMPARE(whole.size(), std::size_t(8));
    std::vector<SweepJournal> journals;
    for (int i = 1; i <= 3; ++i) {
      std::string text = journalHead(g);
      for (const SweepRow& r : runSweep(g, {1, {i, 3}, {}}, {})) text += journalLine(r);
      journals.push_back(*readJournal(text, "j").value);
    }
    const auto merged = mergeJournals(journals);
    QVERIFY(merged);
    QVERIFY(merged.diagnostics.empty());
    QVERIFY(timeless(merged->rows) == whole);

    int solved = 0;
    const auto rest =
        runSweep(g, {1, {}, journals[0].rows}, [&](const SweepRow&, std::size_t, std::size_t) { ++solved; });
    QCOMPARE(solved, 8 - static_cast<int>(journals[0].rows.size()));
    QVERIFY(timeless(rest) == whole);
    journals.pop_back();
    QCOMPARE(mergeJournals(journals).diagnostics[0].code, std::string("sweep-incomplete"));
  }
  void aCutOffLineIsSolvedAgain() {
    const SweepGrid g = grid({"job.global_batch=8,16"});
    std::string text = journalHead(g);
    for (const SweepRow& r : runSweep(g, {}, {})) text += journalLine(r);
    const auto torn = readJournal(text.substr(0, text.size() - 20), "j");
    QVERIFY(torn);
    QCOMPARE(torn->rows.size(), std::size_t(1));
    QCOMPARE(torn.diagnostics[0].code, std::string("sweep-cut-off"));
    for (const std::string& bad :
         {std::string(), std::string("x"), std::string("{}\n"), text.substr(0, 30), text + "{}\n"})
      QVERIFY(!readJournal(bad, "j"));
  }
  void journalsOfOtherSweepsDoNotMix() {
    const auto a = *readJournal(journalHead(grid({"job.global_batch=8"})), "a").value;
    const auto b = *readJournal(journalHead(grid({"job.global_batch=16"})), "b").value;
    QVERIFY(!mergeJournals({a, b}));
  }
  void aStopEndsTheSweep() {
    const SweepGrid g = grid({"job.global_batch=8..64x2"});
    std::stop_source stop;
    Control control;
    control.stop = stop.get_token();
    const auto rows = runSweep(
        g, {}, [&](const SweepRow&, std::size_t, std::size_t) { stop.request_stop(); }, control);
    QCOMPARE(rows.size(), std::size_t(1));
  }
  void tablesHaveAColumnPerField() {
    const SweepGrid g = grid({"job.global_batch=8,16"});
    const auto rows = runSweep(g, {}, {});
    const std::string csv = sweepCsv(g.fields(), rows);
    QVERIFY(csv.starts_with("job/global_batch,status,plan,batch_time_s,"));
    QCOMPARE(std::count(csv.begin(), csv.end(), '\n'), std::ptrdiff_t(3));
    QVERIFY(sweepJson(g.fields(), rows).find("\"job/global_batch\": 16") != std::string::npos);
  }
};
NEST_TEST(TestSweep)
#include "test_sweep.moc"
