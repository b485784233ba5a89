#include <QtTest/QTest>
#include <cmath>
#include <map>

#include "cluster/devices/device_catalog.h"
#include "lab/run_points.h"
#include "support/test_main.h"
#include "test_paths.h"
#include "units/text.h"

using namespace nest;

namespace {

/// Sixteen H100, a model of 1.2 billion parameters; the figures in the last column are made up.
std::string sweep(const std::string& rows, const std::string& failed = "[]") {
  return R"({"sets":[{"id":"nanotron-h100-own","model":{"model_type":"llama","hidden_size":2048,
    "num_hidden_layers":16,"intermediate_size":8192,"num_attention_heads":32,"vocab_size":32000,
    "max_position_embeddings":4096},"seq":4096,"global_batch":256,
    "columns":["hosts","tp","pp","dp","microbatch","zero","tokens_per_s_per_gpu","memory"],"rows":)" +
         rows + R"(,"failed_columns":["hosts","tp","pp","dp","microbatch","zero"],"failed":)" + failed +
         "}]}";
}

}  // namespace

class TestRanking : public QObject {
  Q_OBJECT
private slots:
  // Data parallelism alone is the fastest of these in truth and by prediction; tensor degree 8 the slowest.
  void ordersAreCompared() {
    const auto right =
        replayRanking(sweep("[[1,1,1,8,1,1,40000,25],[1,2,1,4,1,1,30000,15],[1,8,1,1,1,0,20000,9]]"), "f");
    QVERIFY(right);
    QCOMPARE(right->sweeps.size(), std::size_t(1));
    const Sweep& s = right->sweeps[0];
    QCOMPARE(s.program, std::string("nanotron"));
    QCOMPARE(s.tau, 1.0);
    QCOMPARE(s.pairs, 3);
    QCOMPARE(s.right, 3);
    QVERIFY(s.pickRan);
    QCOMPARE(s.regret, 0.0);
    const auto wrong =
        replayRanking(sweep("[[1,1,1,8,1,1,20000,25],[1,2,1,4,1,1,30000,15],[1,8,1,1,1,0,40000,9]]"), "f");
    QCOMPARE(wrong->sweeps[0].tau, -1.0);
    QCOMPARE(wrong->sweeps[0].right, 0);
    QCOMPARE(wrong->sweeps[0].regret, 1.0);
    QCOMPARE(wrong->sweeps[0].regretOfFive, 0.0);
  }
  void runsAreToldAsSuch() {
    const auto runs = replayRanking(R"({"sets":[{"id":"x","device":"a100-80","seq":2048,
      "columns":["hidden","heads","layers","t","gpus","global_batch","mfu"],
      "rows":[[2048,16,24,1,8,64,0.4]]}]})",
                                    "f");
    QVERIFY(!runs);
    QCOMPARE(runs.diagnostics.size(), std::size_t(1));
    QCOMPARE(runs.diagnostics[0].code, std::string("ranking-runs"));
    QVERIFY(runs.diagnostics[0].remedy.find("study validation") != std::string::npos);
  }
  /// samples/published/README.md: predicted memory of torchtitan's published runs, none of them far below
  /// what was taken.
  void memoryOfTorchtitanIsNearThePublished() {
    const auto r = replayRanking(test::readFile(NEST_SOURCE_DIR "/samples/sweeps/torchtitan_memory.json"),
                                 "torchtitan_memory.json");
    QVERIFY(r);
    QCOMPARE(r->memoryRuns(), 17);
    QVERIFY2(r->memoryError() < 0.04, std::to_string(r->memoryError()).c_str());
    for (const Sweep& s : r->sweeps)
      for (const RankedRun& run : s.runs)
        QVERIFY2(run.predictedMemory > 0.9 * run.measuredMemory, s.name.c_str());
  }
  void aPickThatFailedIsTold() {
    const auto r = replayRanking(sweep("[[1,8,1,1,1,0,20000,9]]", "[[1,1,1,8,1,1]]"), "f");
    QVERIFY(r);
    QVERIFY(r->sweeps[0].hasPick && !r->sweeps[0].pickRan);
    QCOMPARE(r->picks(), 1);
    QCOMPARE(r->picksThatRan(), 0);
    QVERIFY(toText(*r).find("did not run") != std::string::npos);
  }
  // 16 blocks of 67 M weights and a head of 66 M on two stages: nine blocks are more than half, eight are
  // not.
  void programsThatCutByWeightAreReplayedSo() {
    const auto r = replayRanking(sweep("[[1,1,2,4,1,1,40000,25],[1,1,2,4,64,1,40000,25]]"), "f");
    QVERIFY(r && findProgram("nanotron")->cuts == StageCut::ByWeight &&
            findProgram("megatron-core-2025")->cuts == StageCut::Free);
    const Sweep& s = r->sweeps[0];
    const auto plan = planOf(s.runs[0].run, {});
    QVERIFY(plan);
    QCOMPARE(plan->plan.stages[0].layers().size(), std::size_t(10));  // the embedding besides
    // Its log states the first stage's memory, though the one microbatch's logits make the last one fuller.
    const RankedRun& full = s.runs[1];
    const auto filled = planOf(full.run, {});
    const auto& first = filled->evaluation.stages[0].memory;
    QCOMPARE(full.predictedMemory, first.handedOut().value() * 1.04);
    QCOMPARE(full.measuredMemory, 25.0 * 1024 * 1024 * 1024);
    QVERIFY(filled->evaluation.stages[1].memory.total() > first.total());
  }
  // 19 layers in all: ten for the first stage, the embedding among them, nine for the second with the last
  // norm and the head.
  void programsThatDealOutLayersAreReplayedSo() {
    const auto r = replayRanking(R"({"sets":[{"id":"x","program":"scaling-2023","device":"a100-80",
      "model":{"model_type":"llama","hidden_size":2048,"num_hidden_layers":16,"intermediate_size":8192,
      "num_attention_heads":32,"vocab_size":32000,"max_position_embeddings":4096},"seq":4096,
      "global_batch":64,"columns":["tp","pp","dp","microbatch","step_s"],
      "rows":[[1,2,4,1,1],[1,4,2,1,1]]}]})",
                                 "f");
    QVERIFY(r);
    const auto layers = [&](std::size_t run) {
      std::vector<std::size_t> out;
      const auto plan = planOf(r->sweeps[0].runs[run].run, {});
      for (const StagePlan& s : plan->plan.stages) out.push_back(s.layers().size());
      return out;
    };
    QCOMPARE(layers(0), (std::vector<std::size_t>{10, 9}));
    QCOMPARE(layers(1), (std::vector<std::size_t>{5, 5, 5, 4}));
  }
  // Two hidden states of 4096 tokens for each of 16 blocks, where no stage waits for another's messages, and
  // never more than the device has room for.
  void exchangedBuffersStayReserved() {
    const auto r = replayRanking(
        sweep("[[1,1,1,8,1,0,40000,25],[1,8,1,1,1,0,20000,9],[1,4,2,1,1,0,20000,9],[1,8,1,1,64,0,20000,9]]"),
        "f");
    QVERIFY(r && findProgram("nanotron")->holdsExchangeBuffers);
    const auto beyond = [&](int i) {
      const RankedRun& run = r->sweeps[0].runs[std::size_t(i)];
      const auto plan = planOf(run.run, {});
      const auto& first = plan->evaluation.stages[0].memory;
      return run.predictedMemory - first.handedOut().value() * 1.04;
    };
    QCOMPARE(beyond(0), 0.0);
    QVERIFY(std::abs(beyond(1) - 2.0 * 16 * 4096 * 2048 * 2) < 1);
    QCOMPARE(beyond(2), 0.0);
    const DeviceSpec& h100 = *findDevice("h100-sxm");
    QVERIFY(r->sweeps[0].runs[3].predictedMemory <= h100.memory.value.value());
    QVERIFY(beyond(3) > 0 && beyond(3) < 64 * beyond(1));
  }
  // The first stage of a pipeline issues the forward passes of its warm-up, one less than microbatches are in
  // flight, before it waits for a gradient. Whether its devices are behind is known where host times are
  // said.
  void exchangedBuffersStayReservedInPipelines() {
    const auto r = replayRanking(R"({"sets":[{"id":"nanotron-h100-own","model":{"model_type":"llama",
      "hidden_size":2048,"num_hidden_layers":16,"intermediate_size":8192,"num_attention_heads":32,
      "vocab_size":32000,"max_position_embeddings":4096},"seq":4096,"global_batch":256,
      "columns":["hosts","tp","pp","dp","microbatch","zero","tokens_per_s_per_gpu",
      "/model/analytic/host_time_per_block_s"],
      "rows":[[1,2,4,1,1,0,20000,null],[1,4,2,1,1,0,20000,null],[1,2,4,1,1,0,20000,0.05],
              [16,4,8,4,1,1,20000,null],[1,1,8,1,1,0,20000,null]]}]})",
                                 "f");
    QVERIFY(r && r.diagnostics.empty());
    std::vector<RankedRun> runs;
    for (const Sweep& s : r->sweeps) runs.insert(runs.end(), s.runs.begin(), s.runs.end());
    QCOMPARE(runs.size(), std::size_t(5));
    std::map<std::vector<int>, double> states;  // hidden states beyond what is counted, by plan
    for (const RankedRun& run : runs) {
      const auto plan = planOf(run.run, {});
      const auto& first = plan->evaluation.stages[0];
      const double beyond = run.predictedMemory - first.memory.handedOut().value() * 1.04;
      states[{run.run.tensor, run.run.stages, run.run.settings.empty() ? 0 : 1}] =
          beyond / (4096.0 * 2048 * 2);
    }
    const auto isNear = [&](std::vector<int> plan, double expected) {
      return std::abs(states.at(plan) - expected) < 1e-6;
    };
    QVERIFY(isNear({2, 4, 0}, 2.0 * 5 * 3));  // five blocks in the first stage, four microbatches in flight
    QVERIFY(isNear({4, 2, 0}, 2.0 * 9));
    QVERIFY(isNear({2, 4, 1}, 0));  // devices wait for the host
    QVERIFY(isNear({4, 8, 0}, 2.0 * 3 * 7));
    QVERIFY(isNear({1, 8, 0}, 0));
  }
  // What a run's kernels are called says which attention it ran, and whether its softmax or its norms are one
  // kernel.
  void kernelsAreReadFromTheirNames() {
    const auto r = replayRanking(R"({"sets":[{"id":"x","program":"scaling-2023","device":"a100-80",
      "model":{"model_type":"llama","hidden_size":2048,"num_hidden_layers":16,"intermediate_size":8192,
      "num_attention_heads":32,"vocab_size":32000,"max_position_embeddings":4096},"seq":4096,
      "global_batch":64,"columns":["tp","pp","dp","microbatch","kernel","step_s"],
      "rows":[[1,1,8,1,"flash_attention2",1],[1,1,8,1,"flash_attentionv1.0.8",2],
              [1,1,8,1,"flash_attention2 + RMS kernel",1],[1,1,8,1,"torch",3],
              [1,1,8,1,"fused",2]]}]})",
                                 "f");
    QVERIFY(r && r->sweeps.size() == 5);
    std::map<std::string, RankedRun> by;
    for (const Sweep& s : r->sweeps) by[s.name.substr(s.name.find(", ") + 2)] = s.runs[0];
    const RankedRun &second = by["flash_attention2"], &first = by["flash_attentionv1.0.8"],
                    &norms = by["flash_attention2 + RMS kernel"];
    QVERIFY(first.predicted > second.predicted);
    QCOMPARE(first.predictedMemory, second.predictedMemory);
    QVERIFY(norms.predicted < second.predicted && norms.predictedMemory < second.predictedMemory);
    QVERIFY(by["torch"].predictedMemory > second.predictedMemory);
    QVERIFY(by["torch"].predicted > by["fused"].predicted && by["fused"].predicted > first.predicted);
    QCOMPARE(by["torch"].predictedMemory, by["fused"].predictedMemory);
  }
  // A column that is a field of the scenario sets it for its rows: the host takes 10 ms a block in place of
  // 4.4, for 16 blocks and 256 microbatches.
  void columnsMayBeFields() {
    const auto swept = [](const std::string& field) {
      return replayRanking(R"({"sets":[{"id":"nanotron-h100-own","model":{"model_type":"llama",
        "hidden_size":2048,"num_hidden_layers":16,"intermediate_size":8192,"num_attention_heads":32,
        "vocab_size":32000,"max_position_embeddings":4096},"seq":4096,"global_batch":256,
        "columns":["hosts","tp","pp","dp","microbatch","zero","tokens_per_s_per_gpu",")" +
                               field + R"("],"rows":[[1,8,1,1,1,0,20000,null],[1,8,1,1,1,0,20000,0.01]]}]})",
                           "f");
    };
    const auto r = swept("/model/analytic/host_time_per_block_s");
    QVERIFY(r && r.diagnostics.empty());
    const auto& runs = r->sweeps[0].runs;
    QVERIFY(std::abs(runs[1].predicted - runs[0].predicted - 256 * 16 * 0.0056) < 1e-6);
    // Such a host does not run ahead of its devices, so that no exchanged buffers stay reserved.
    QVERIFY(std::abs(runs[0].predictedMemory - runs[1].predictedMemory - 2.0 * 16 * 4096 * 2048 * 2) < 1);
    const auto unknown = swept("/model/analytic/no_such_field");
    QVERIFY(!unknown && unknown.diagnostics.size() == 1);
    QCOMPARE(unknown.diagnostics[0].code, std::string("ranking-field"));
  }
  void whatIsFarSlowerIsNotCompared() {
    const auto r = replayRanking(sweep("[[1,1,1,8,1,1,40000,25],[1,8,1,1,1,0,10000,9]]"), "f");
    QCOMPARE(r->sweeps[0].notCompared, 1);
    QCOMPARE(r->sweeps[0].pairs, 0);
  }
  // A row says what it says or is refused: nothing of it is guessed.
  void faultyRowsAreTold_data() {
    QTest::addColumn<QString>("columns");
    QTest::addColumn<QString>("row");
    QTest::addColumn<QString>("told");  // a code, and a part of the message
    const auto add = [](const char* name, const char* columns, const char* row, const char* told) {
      QTest::newRow(name) << columns << row << told;
    };
    add("good", R"("tp","pp","dp","step_s")", "2,1,4,1.5", "");
    add("one for true", R"("tp","pp","dp","sequence_parallel","step_s")", "2,1,4,1,1.5", "");
    add("did not run", R"("tp","pp","dp","step_s")", R"(2,1,4,"OOM")", "ranking-failed oom (1)");
    add("other error", R"("tp","pp","dp","step_s")", R"(2,1,4,"Other Error")",
        "ranking-failed 1 row counts as a run that did not run: other error (1)");
    add("unknown column", R"("tensor","pp","dp","step_s")", "2,1,4,1.5", "ranking-column tensor");
    add("milliseconds", R"("tp","pp","dp","step_ms")", "2,1,4,1500", "ranking-column what was measured");
    add("both", R"("tp","dp","step_s","tokens_per_s_per_gpu")", "2,4,1,100", "ranking-column not both");
    add("twice", R"("tp","tp","step_s")", "2,4,1", "ranking-column duplicated");
    add("short", R"("tp","pp","dp","step_s")", "2,1,4", "ranking-row 4 columns");
    add("text", R"("tp","pp","dp","step_s")", R"(2,1,4,"1.5")", "ranking-row seconds");
    add("null", R"("tp","pp","dp","step_s")", "2,1,4,null", "ranking-row found null");
    add("negative", R"("tp","pp","dp","step_s")", "2,1,4,-1.5", "ranking-row found -1.5");
    add("half", R"("tp","pp","dp","step_s")", "1.5,1,4,1.5", "ranking-row found 1.5");
    add("no degree", R"("tp","pp","dp","step_s")", "null,1,4,1.5", "ranking-row found null");
    add("zero", R"("tp","dp","zero","step_s")", R"(2,4,"1",1.5)", "ranking-row zero must be");
    add("recompute", R"("tp","dp","recompute","step_s")", R"(2,4,"partial",1.5)", "ranking-row recompute");
    add("memory", R"("tp","dp","memory","step_s")", R"(2,4,"60 GiB",1.5)", "ranking-row memory");
    add("hosts", R"("hosts","tp","dp","step_s")", "2,2,4,1.5",
        "ranking-row 8 devices, but the row has 2 hosts");
    add("gpus", R"("gpus","tp","dp","step_s")", "16,2,4,1.5", "ranking-row 8 devices, not 16");
    add("microbatches", R"("tp","dp","microbatches","step_s")", "2,4,3,1.5",
        "ranking-row global batch of 256");
    add("batch", R"("tp","pp","dp","step_s")", "2,1,3,1.5", "ranking-not-formed 1 of 1 runs");
    add("unit", R"("tp","pp","dp","step_s")", "2,1,4,15000", "ranking-unit as long as predicted");
  }
  void faultyRowsAreTold() {
    QFETCH(QString, columns);
    QFETCH(QString, row);
    QFETCH(QString, told);
    std::string text = sweep("[[" + row.toStdString() + "]]");
    const auto begin = text.find("\"columns\":[") + 11, end = text.find(']', begin);
    text.replace(begin, end - begin, columns.toStdString());
    const auto reading = replayRanking(text, "f");
    if (told.isEmpty()) {
      QVERIFY2(reading && reading.diagnostics.empty(),
               reading.diagnostics.empty() ? "" : reading.diagnostics[0].message.c_str());
      return;
    }
    const std::string code = told.section(QLatin1Char(' '), 0, 0).toStdString(),
                      part = told.section(QLatin1Char(' '), 1).toStdString();
    QVERIFY(std::any_of(reading.diagnostics.begin(), reading.diagnostics.end(), [&](const Diagnostic& d) {
      return d.code == code && d.message.find(part) != std::string::npos;
    }));
    QCOMPARE(reading.value.has_value(), !hasErrors(reading.diagnostics));
  }
  void setsSayWhatTheyRan() {
    const auto faults = [](const std::string& from, const std::string& to) {
      std::string text = sweep("[[1,1,1,8,1,1,40000,25]]");
      text.replace(text.find(from), from.size(), to);
      const auto reading = replayRanking(text, "f");
      return reading ? std::string() : reading.diagnostics[0].message;
    };
    QVERIFY(faults("\"global_batch\":256,", "").find("global_batch") != std::string::npos);
    QVERIFY(faults("\"seq\":4096", "\"seq\":\"4k\"").find("seq") != std::string::npos);
    QVERIFY(faults("\"seq\"", "\"device\":\"Hopper\",\"seq\"").find("no device") != std::string::npos);
    const auto none = replayRanking(R"({"sets":[{"id":"x","columns":["tp"],"rows":[[1]]}]})", "f");
    QVERIFY(!none && none.diagnostics.back().code == "ranking-empty");
    const auto alone = replayRanking(sweep("[[1,1,1,8,1,1,40000,25]]"), "f");
    QVERIFY(toText(*alone).find("none are so far apart") != std::string::npos);
  }
  // Eighty sequences at once need far more than a device has.
  void whatDoesNotFitIsNotPicked() {
    const auto r = replayRanking(sweep("[[1,1,1,8,32,1,40000,25],[1,8,1,1,1,0,30000,9]]"), "f");
    QVERIFY(!r->sweeps[0].runs[0].fits);
    QVERIFY(r->sweeps[0].regret > 0.3);
    QVERIFY(r->memoryRuns() == 2 && r->memoryError() > 0);
  }
  // What is drawn: every run that was predicted, of whichever file.
  void pointsAreOfEitherFile() {
    const auto swept = readRunPoints(
        sweep("[[1,1,1,8,1,1,40000,25],[1,8,1,1,1,0,20000,9]]", "[[1,2,1,4,1,1],[1,1,1,8,32,1]]"), "f");
    QVERIFY(swept);
    QCOMPARE(swept->points.size(), std::size_t(4));
    const auto failed = std::count_if(swept->points.begin(), swept->points.end(),
                                      [](const auto& p) { return p.measured == 0; });
    const auto missed = std::count_if(swept->points.begin(), swept->points.end(),
                                      [](const auto& p) { return p.measured == 0 && p.fits; });
    QCOMPARE(failed, 2);
    const auto slow = readRunPoints(sweep("[[1,1,1,8,1,1,40000,25],[1,8,1,1,1,0,10000,9]]"), "f");
    QVERIFY(slow && slow->points[0].isCompared && !slow->points[1].isCompared);
    QCOMPARE(missed, 1);
    QVERIFY(swept->least() > 0 && swept->least() < swept->largest());
    const auto runs =
        readRunPoints(test::readFile(NEST_SOURCE_DIR "/samples/published/training_runs.json"), "runs.json");
    QVERIFY(runs);
    QVERIFY(runs->points.size() >= 142);
    double sum = 0;
    int unseen = 0;
    for (const RunPoint& p : runs->points)
      if (!p.fitted) sum += std::abs(p.measured / p.predicted - 1), ++unseen;
    QVERIFY(unseen >= 110 && unseen < static_cast<int>(runs->points.size()));
    QVERIFY2(runs->summary.starts_with("Mean absolute error " + text::percent(sum / unseen) + " on " +
                                       std::to_string(unseen) + " runs"),
             runs->summary.c_str());
    QVERIFY(!readRunPoints("[]", "f"));
  }
  void badSweepsAreTold() {
    QCOMPARE(replayRanking("{}", "f").diagnostics[0].code, std::string("ranking-not-sets"));
    const auto none = replayRanking(R"({"sets":[{"id":"x"}]})", "f");
    QVERIFY(!none && none.diagnostics[0].severity == Severity::Warning);
    QVERIFY(!replayRanking(R"({"sets":[{"program":"what","model":{}}]})", "f"));
  }
};
NEST_TEST(TestRanking)
#include "test_ranking.moc"
