#include <QtTest/QTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cluster/devices/device_catalog.h"
#include "cluster/levels/device_change.h"
#include "fields/program_setting.h"
#include "files/file_writer.h"
#include "study/parameter.h"
#include "study/quiet_solve.h"
#include "study/sweep.h"
#include "support/own_folder.h"
#include "support/test_main.h"
#include "test_paths.h"
#include "text/json_layout.h"
#include "units/text.h"

using namespace nest;

namespace {

std::string scenarioText() {
  return nest::test::readFile(std::string(NEST_SOURCE_DIR) + "/samples/teaching-6-layers-2x2.nest.json");
}

Reading<SweepJournal> journalOf(const std::string& text) {
  const nest::test::OwnFolder dir;
  if (!writeFile(dir / "j.jsonl", text).empty()) qFatal("the journal cannot be written");
  return readJournal(dir / "j.jsonl");
}

std::string tableOf(const SweepGrid& g, const std::vector<SweepRow>& rows,
                    void (*write)(const std::vector<SweepField>&, const std::vector<SweepRow>&,
                                  const TextSink&)) {
  std::string text;
  write(g.fields(), rows, [&](std::string_view piece) { text += piece; });
  return text;
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
  /// A sweep edits the file and a study the setting: both mean the same by a field and a value.
  void sweepsAndStudiesVaryTheSame() {
    int fields = 0;
    const std::string text = scenarioText(), path = "teaching.nest.json";
    const auto scenario = readScenario(text, path, {});
    QVERIFY2(scenario, path.c_str());
    const auto problem = buildProblem(scenario->setting());
    QVERIFY2(problem, path.c_str());
    for (const Parameter& p : parametersOf(scenario->setting())) {
      // A study offers a list up to the value; a sweep sets the list.
      if (p.isDevices() || p.field->at.size() > 1 || p.field->field->kind() == FieldKind::Wholes) continue;
      const auto values = studyValues(scenario->setting(), *problem.value, p, false);
      const auto now = valueOf(scenario->setting(), *problem.value, p);
      const auto other = std::find_if(values.begin(), values.end(), [&](double v) { return v != now; });
      if (other == values.end()) continue;
      const auto studied = problemAt(scenario->setting(), *problem.value, p, *other);
      const auto grid = SweepGrid::build(text, path, {{p.field->pointer(), {text::exact(*other)}}}, {});
      QVERIFY2(grid, p.field->pointer().c_str());
      const auto varied = grid->scenarioAt(0);
      const auto swept = varied ? buildProblem(varied->setting()) : Reading<Problem>();
      QVERIFY2(bool(studied) == bool(swept), p.field->pointer().c_str());
      ++fields;
      if (!studied) continue;
      const Outcome a = quietSolve(*studied, {}), b = quietSolve(*swept.value, {});
      QVERIFY2(a.status == b.status, p.field->pointer().c_str());
      if (!a.best()) continue;
      const double x = a.best()->evaluation.batchTime.value(), y = b.best()->evaluation.batchTime.value();
      QVERIFY2(std::abs(x - y) <= 1e-12 * x, (p.field->pointer() + " = " + text::exact(*other) +
                                              ": studied " + text::exact(x) + ", swept " + text::exact(y))
                                                 .c_str());
    }
    QVERIFY2(fields > 30, std::to_string(fields).c_str());
  }
  /// Which hosts may be planned on is a value like any other; a list of hosts that is wrong fails its row.
  void hostsAreVaried() {
    auto base = *readScenario(scenarioText(), "teaching.nest.json", {}).value;
    base.cluster.states = {{"host1", {}, HostState::Busy, "alloc"}};
    const auto devices = [&](const std::vector<const char*>& fields) {
      std::vector<SweepField> all;
      for (const char* f : fields) all.push_back(*readSweepField(f).value);
      const auto g = SweepGrid::build(writeScenario(base), "s.nest.json", all, {});
      std::string out;
      for (std::size_t i = 0; g && i < g->size(); ++i) {
        const auto s = g->scenarioAt(i);
        const auto problem = s ? buildProblem(s->setting()) : Reading<Problem>();
        out +=
            (out.empty() ? "" : " ") + (problem ? std::to_string(problem->cluster->deviceCount()) : "none");
      }
      return g ? out : "no grid";
    };
    QCOMPARE(devices({"cluster.plan_on=free,all"}), std::string("2 4"));
    QCOMPARE(devices({"cluster.free_hosts=host1"}), std::string("4"));
    QCOMPARE(devices({"cluster.taken_hosts=\"\",host[0-1]", "cluster.plan_on=free,working"}),
             std::string("2 4 none 4"));
    QCOMPARE(devices({"cluster.free_hosts=host1,host7"}), std::string("4 none"));
  }
  void fieldsAreReadAsTyped() {
    const auto f = readSweepField("job.microbatches=[1, 2],[4]");
    QVERIFY(f);
    QCOMPARE(f->pointer, std::string("/job/microbatches"));
    QCOMPARE(f->values, (std::vector<std::string>{"[1,2]", "[4]"}));
    QCOMPARE(readSweepField("a=8..64x2")->values, (std::vector<std::string>{"8", "16", "32", "64"}));
    QCOMPARE(readSweepField("a=-3..-1+1")->values, (std::vector<std::string>{"-3", "-2", "-1"}));
    QCOMPARE(readSweepField("a=1..2+0.5")->values, (std::vector<std::string>{"1", "1.5", "2"}));
    QCOMPARE(readSweepField("a=10..40/4")->values, (std::vector<std::string>{"10", "20", "30", "40"}));
    QCOMPARE(readSweepField("a=1..1000/4log")->values, (std::vector<std::string>{"1", "10", "100", "1000"}));
    QCOMPARE(readSweepField("a=25 GB/s..100 GB/s/4")->values,
             (std::vector<std::string>{"\"25 GB/s\"", "\"50 GB/s\"", "\"75 GB/s\"", "\"100 GB/s\""}));
    for (const char* bad : {"a=10..40/1", "a=40..10/4", "a=0..10/3log", "a=1 s..2 ms/3"})
      QVERIFY2(!readSweepField(bad), bad);
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
  /// Where the level had the link of the device before; a bandwidth that is swept as well counts.
  void aDeviceBringsItsLinks() {
    const auto hostLink = [](const SweepGrid& g, std::size_t i) {
      return std::get<LevelsSource>(g.scenarioAt(i)->cluster.network).levels[0].bandwidth.value();
    };
    auto base = *readScenario(scenarioText(), "teaching.nest.json", {}).value;
    changeDevice(base.cluster, *findDevice("h100-sxm"));
    auto& level = std::get<LevelsSource>(base.cluster.network).levels[0];
    level.bandwidth = base.cluster.device.linkBandwidth.value;
    level.origin = Origin::Typed;
    const auto build = [&](const std::vector<const char*>& fields) {
      std::vector<SweepField> all;
      for (const char* f : fields) all.push_back(*readSweepField(f).value);
      return *SweepGrid::build(writeScenario(base), "s.nest.json", all, {}).value;
    };
    const SweepGrid devices = build({"cluster.device=h100-sxm,b200"});
    QCOMPARE(hostLink(devices, 0), 450e9);
    QCOMPARE(hostLink(devices, 1), 900e9);
    QCOMPARE(devices.scenarioAt(1)->cluster.device.id, std::string("b200"));
    QCOMPARE(hostLink(build({"cluster.levels.0.bandwidth=1 GB/s", "cluster.device=b200"}), 0), 1e9);
    level.bandwidth = BytesPerSecond(400e9);
    QCOMPARE(hostLink(build({"cluster.device=b200"}), 0), 400e9);
  }
  /// The one way in which commands name fields.
  void unitsMayBeLeftOut() {
    const SweepGrid g = grid({"cluster.levels.1.latency=3 us", "cluster.device.peak=4e14,5e14"});
    QCOMPARE(g.size(), std::size_t(2));
    const auto s = g.scenarioAt(1);
    QVERIFY2(s, s.diagnostics.empty() ? "" : toText(s.diagnostics.front()).c_str());
    QCOMPARE(s->cluster.device.peak.value.value(), 5e14);
    QCOMPARE(std::get<LevelsSource>(s->cluster.network).levels[1].latency.value(), 3e-6);
  }
  /// A device and an optimizer may be named by their ids; their values are fields all the same.
  void idsOpenIntoTheirValues() {
    const std::string samples = std::string(NEST_SOURCE_DIR) + "/samples/";
    const std::string text = nest::test::readFile(samples + "llama3-70b-h100-1024.nest.json");
    QVERIFY(text.find("\"device\": \"h100-sxm\"") != std::string::npos);
    const auto g = SweepGrid::build(text, "s",
                                    {*readSweepField("cluster.device.memory_bytes=80 GiB,96 GiB").value,
                                     *readSweepField("job.optimizer.weight_bytes_per_parameter=2,4").value},
                                    [&](const std::string& path) {
                                      return Reading<std::string>{nest::test::readFile(samples + path), {}};
                                    });
    QVERIFY2(g, g.diagnostics.empty() ? "" : toText(g.diagnostics.front()).c_str());
    const auto first = g->scenarioAt(0), last = g->scenarioAt(3);
    QVERIFY(first && last);
    QCOMPARE(last->cluster.device.memory.value.value(), 96.0 * (1 << 30));
    QCOMPARE(last->cluster.device.peak, first->cluster.device.peak);
    QCOMPARE(last->cluster.device.linkBandwidth, first->cluster.device.linkBandwidth);
    QCOMPARE(last->job.optimizer, (OptimizerRegime{"custom", 4, 4, 12}));
    QCOMPARE(first->job.optimizer, OptimizerRegime::megatron());
  }
  void valuesAreReadAsFieldsShowThem() {
    const SweepGrid g =
        grid({"assumptions.overlap.data=0 %..50 %+25", "cluster.levels.1.bandwidth=5..20 GB/sx2"});
    QCOMPARE(g.size(), std::size_t(9));
    const auto s = g.scenarioAt(8);
    QVERIFY(s);
    QCOMPARE(s->assumptions.overlap[Exchange::Data], 0.5);
    QCOMPARE(std::get<LevelsSource>(s->cluster.network).levels[1].bandwidth.value(), 20e9);
    QVERIFY(!readSweepField("a=25 GB/s..100 MB/sx2"));
    const auto bare = SweepGrid::build(scenarioText(), "t",
                                       {*readSweepField("cluster.levels.1.bandwidth=25..100x2").value}, {});
    QVERIFY(bare);
    QVERIFY2(
        bare.diagnostics.size() == 1 && bare.diagnostics.front().message.find("25 B/s") != std::string::npos,
        "bytes per second are probably not meant");
  }
  /// Another file in place of a model that the scenario holds.
  void aModelFileReplacesTheModel() {
    const std::string config =
        nest::test::readFile(std::string(NEST_SOURCE_DIR) + "/samples/models/llama-3-8b.json");
    const auto load = [&](const std::string&) { return Reading<std::string>{config, {}}; };
    const auto g = SweepGrid::build(scenarioText(), "t", {*readSweepField("model.path=a.json").value}, load);
    QVERIFY2(g, g.diagnostics.empty() ? "" : toText(g.diagnostics.front()).c_str());
    const auto s = g->scenarioAt(0);
    QVERIFY2(s, s.diagnostics.empty() ? "" : toText(s.diagnostics.front()).c_str());
    QCOMPARE(s->model.architecture->layers, 32);
  }
  /// Nothing is 0 that is not there.
  void rowsWithoutAPlanHaveNoFigures() {
    const SweepGrid g = grid({"cluster.device.memory=2.01 GiB,80 GiB"});
    const auto rows = runSweep(g, {}, {});
    QCOMPARE(rows[0].status, std::string("infeasible"));
    const auto table = nlohmann::json::parse(tableOf(g, rows, writeSweepJson))["rows"];
    for (const char* key :
         {"batch_time_s", "simulated_time_s", "samples_per_s", "tokens_per_s", "mfu", "devices_used",
          "peak_memory_bytes", "device_hours", "bound_by", "largest_overhead", "lower_bound_s", "gap"})
      QVERIFY2(table[0][key].is_null(), key);
    QVERIFY(table[1]["batch_time_s"] > 0 && table[1]["gap"] == 0);
    QVERIFY(table[1]["bound_by"].is_string() && table[1]["largest_overhead"].is_string());
    const std::string csv = tableOf(g, rows, writeSweepCsv);
    QVERIFY2(csv.find(",infeasible,,,,,,,,,,,,,,") != std::string::npos, csv.c_str());
  }
  /// As --program does: what the scenario writes out of its own program's values is not carried to another.
  void aProgramBringsItsValues() {
    const SweepGrid g = grid({"assumptions.overlap.tensor=0.25", "program=ideal,megatron-core-2025"});
    const auto base = readScenario(scenarioText(), "teaching.nest.json", {});
    QVERIFY(base && base->program == "ideal");
    for (std::size_t i = 0; i < 2; ++i) {
      Setting wanted = base->setting();
      setProgram(wanted, *findProgram(i == 0 ? "ideal" : "megatron-core-2025"));
      wanted.assumptions.overlap[Exchange::Tensor] = 0.25;
      const auto s = g.scenarioAt(i);
      QVERIFY(s);
      QCOMPARE(s->program, wanted.program);
      QVERIFY(s->assumptions == wanted.assumptions);
    }
  }
  void aListTakesSingleValues() {
    const SweepGrid g = grid({"job.microbatches=2,[1,4]", "search.recompute=full"});
    QCOMPARE(g.valuesAt(0), (std::vector<std::string>{"[2]", "[\"full\"]"}));
    QCOMPARE(g.scenarioAt(0)->job.microbatches, (std::vector<int>{2}));
    QCOMPARE(g.scenarioAt(1)->job.microbatches, (std::vector<int>{1, 4}));
  }
  void wrongFieldsAreRefused() {
    for (const char* bad :
         {"job.gobal_batch=1", "cluster.levels.9.fanout=2", "name.first=1", "a~b.c=1", "x.y.z=1"})
      QVERIFY2(!SweepGrid::build(scenarioText(), "t", {*readSweepField(bad).value}, {}), bad);
    QVERIFY(!SweepGrid::build(scenarioText(), "t",
                              {*readSweepField("name=1,2").value, *readSweepField("name=3").value}, {}));
    QVERIFY(!SweepGrid::build(scenarioText(), "t", {{"/job/global_batch", {}}}, {}));
    QVERIFY(!SweepGrid::build("{}", "t", {}, {}));
  }
  void rangesWithoutValuesAreRefused_data() {
    QTest::addColumn<QString>("range");
    QTest::addColumn<QString>("why");
    QTest::newRow("backwards") << "8..1x2"
                               << "runs backwards";
    QTest::newRow("by nothing") << "1..10+0"
                                << "adds no more than 0";
    QTest::newRow("times one") << "1..3x1"
                               << "multiplies by no more than 1";
    QTest::newRow("from nothing") << "0..8x2"
                                  << "multiplies from";
    QTest::newRow("no step") << "1..8"
                             << "has no step";
    QTest::newRow("half a step") << "1..8+"
                                 << "has no step";
  }
  void rangesWithoutValuesAreRefused() {
    QFETCH(QString, range);
    QFETCH(QString, why);
    const auto field = readSweepField("job.global_batch=" + range.toStdString());
    QVERIFY(!field);
    QVERIFY(field.diagnostics.front().message.find(why.toStdString()) != std::string::npos);
    QVERIFY(readSweepField("model.path=../other.json"));
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
      journals.push_back(*journalOf(text).value);
    }
    const auto merged = mergeJournals(journals);
    QVERIFY(merged);
    QVERIFY(merged.diagnostics.empty());
    QVERIFY(timeless(merged->rows) == whole);
    for (const auto write : {writeSweepCsv, writeSweepJson})
      QCOMPARE(tableOf(g, merged->rows, write), tableOf(g, runSweep(g, {2, {}, {}}, {}), write));

    int solved = 0;
    const auto rest =
        runSweep(g, {1, {}, journals[0].rows}, [&](const SweepRow&, std::size_t, std::size_t) { ++solved; });
    QCOMPARE(solved, 8 - static_cast<int>(journals[0].rows.size()));
    QVERIFY(timeless(rest) == whole);
    journals.pop_back();
    QCOMPARE(mergeJournals(journals).diagnostics[0].code, std::string("sweep-incomplete"));
  }
  /// A column that promises bytes per second holds numbers, however they were typed.
  void columnsHoldWhatTheirHeadsSay() {
    const SweepGrid g = grid({"cluster.levels.1.bandwidth=5 GB/s,40 Gb/s,none GB/s", "name=a b,5 GB/s"});
    QCOMPARE(g.fields()[0].values[0], g.fields()[0].values[1]);
    QCOMPARE(std::stod(g.fields()[0].values[0]), 5e9);
    QCOMPARE(g.fields()[0].values[2], std::string("\"none GB/s\""));
    QCOMPARE(g.fields()[1].values[1], std::string("\"5 GB/s\""));
    const std::string csv = tableOf(g, runSweep(g, {}, {}), writeSweepCsv);
    QVERIFY(csv.starts_with("cluster/levels/1/bandwidth_bytes_per_s,name,status,"));
    QVERIFY(csv.find("\n" + g.fields()[0].values[0] + ",a b,optimal,") != std::string::npos);
    QVERIFY(csv.find("\nnone GB/s,a b,invalid,") != std::string::npos);
    QCOMPARE(grid({"cluster.levels.1.bandwidth=5 GB/s"}).key(),
             grid({"cluster.levels.1.bandwidth=40 Gb/s"}).key());
  }
  void aCutOffLineIsSolvedAgain() {
    const SweepGrid g = grid({"job.global_batch=8,16"});
    std::string text = journalHead(g);
    for (const SweepRow& r : runSweep(g, {}, {})) text += journalLine(r);
    const auto torn = journalOf(text.substr(0, text.size() - 20));
    QVERIFY(torn);
    QCOMPARE(torn->rows.size(), std::size_t(1));
    QCOMPARE(torn.diagnostics[0].code, std::string("sweep-cut-off"));
    // What is to be cut off before more rows follow; a row without its line feed is none.
    QCOMPARE(torn->bytes, text.rfind('\n', text.size() - 2) + 1);
    QCOMPARE(journalOf(text)->bytes, text.size());
    QCOMPARE(journalOf(text.substr(0, text.size() - 1))->bytes, torn->bytes);
    for (const std::string& bad :
         {std::string(), std::string("x"), std::string("{}\n"), text.substr(0, 30), text + "{}\n"})
      QVERIFY(!journalOf(bad));
  }
  void journalsOfOtherSweepsDoNotMix() {
    const auto a = *journalOf(journalHead(grid({"job.global_batch=8"}))).value;
    const auto b = *journalOf(journalHead(grid({"job.global_batch=16"}))).value;
    QVERIFY(!mergeJournals({a, b}));
  }
  void rowsBelongToTheFilesTheyWereSolvedWith() {
    std::map<std::string, std::string> disk;
    for (const char* name : {"llama-2-7b", "llama-3-8b"})
      disk[std::string("models/") + name + ".json"] =
          nest::test::readFile(std::string(NEST_SOURCE_DIR) + "/samples/models/" + name + ".json");
    const std::string scenario =
        nest::test::readFile(std::string(NEST_SOURCE_DIR) + "/samples/llama2-7b-h100-128.nest.json");
    int reads = 0;
    const ReferenceLoader load = [&](const std::string& path) {
      ++reads;
      return disk.contains(path) ? Reading<std::string>{disk[path], {}}
                                 : Reading<std::string>{std::nullopt, {error("file-missing", {}, "absent")}};
    };
    const auto build = [&](const char* field) {
      return *SweepGrid::build(scenario, "s", {*readSweepField(field).value}, load).value;
    };
    const SweepGrid before = build("job.global_batch=512,1024");
    const auto journal = *journalOf(journalHead(before)).value;
    QVERIFY(belongsTo(journal, before).empty());
    QVERIFY(belongsTo(journal, build("job.global_batch=512,1024")).empty());
    QCOMPARE(belongsTo(journal, build("job.global_batch=512")).at(0).code, std::string("sweep-different"));
    const auto merged =
        mergeJournals({journal, *journalOf(journalHead(build("job.global_batch=512"))).value});
    QVERIFY(!merged);
    QCOMPARE(merged.diagnostics.front().code, std::string("sweep-different"));
    QCOMPARE(merged.diagnostics.front().where.line, 1);
    QCOMPARE(merged.diagnostics.front().where.column, 0);

    const SweepGrid models =
        build("model.path=models/llama-2-7b.json,models/llama-3-8b.json,models/absent.json");
    QCOMPARE(models.files().size(), std::size_t(3));
    const auto swept = *journalOf(journalHead(models)).value;

    // All rows see what build() has read.
    const int sofar = reads;
    std::string& model = disk["models/llama-3-8b.json"];
    model.replace(model.find("32"), 2, "16");
    QVERIFY(before.scenarioAt(1));
    QVERIFY(models.scenarioAt(1) && !models.scenarioAt(2));
    QCOMPARE(reads, sofar);

    const Diagnostics stale = belongsTo(
        swept, build("model.path=models/llama-2-7b.json,models/llama-3-8b.json,models/absent.json"));
    QCOMPARE(stale.at(0).code, std::string("sweep-stale"));
    QVERIFY(stale[0].message.ends_with(" of models/llama-3-8b.json"));
    QVERIFY(belongsTo(journal, build("job.global_batch=512,1024")).empty());
    disk["models/llama-2-7b.json"] += ' ';
    const SweepGrid after = build("job.global_batch=512,1024");
    QCOMPARE(belongsTo(journal, after).at(0).code, std::string("sweep-stale"));
    QCOMPARE(mergeJournals({journal, *journalOf(journalHead(after)).value}).diagnostics.at(0).code,
             std::string("sweep-stale"));
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
    const std::string csv = tableOf(g, rows, writeSweepCsv);
    QVERIFY(csv.starts_with("job/global_batch,status,plan,batch_time_s,"));
    QCOMPARE(std::count(csv.begin(), csv.end(), '\n'), std::ptrdiff_t(3));
    const std::string json = tableOf(g, rows, writeSweepJson);
    QVERIFY(json.find("\"job/global_batch\": 16") != std::string::npos);
    QCOMPARE(json, layOut(nlohmann::ordered_json::parse(json)));
    const std::string none = tableOf(g, {}, writeSweepJson);
    QCOMPARE(none, layOut(nlohmann::ordered_json::parse(none)));
  }
};
NEST_TEST(TestSweep)
#include "test_sweep.moc"
