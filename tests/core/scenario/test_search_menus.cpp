#include <QtTest/QTest>

#include "core/model/analytic_fixture.h"
#include "evaluation/unsearched.h"
#include "fields/program_setting.h"
#include "formats/networks/cluster_text.h"
#include "scenario/scenario.h"
#include "scenario/search_menus.h"
#include "solver/solve.h"
#include "study/conflicts.h"

using namespace nest;

namespace {

Scenario scenario(const char* model, const char* program, int sequence, int batch,
                  const char* network = "host:8@450GB/s,2us rack:8@50GB/s,4us") {
  Scenario s;
  s.cluster.device = *findDevice("h100-sxm");
  s.cluster.network = *readClusterText(network).value;
  setModel(s, test::sample(model));
  setProgram(s, *findProgram(program));
  s.job.sequenceLength = sequence;
  s.job.globalBatch = batch;
  return s;
}

std::vector<int> powers(int most) {
  std::vector<int> out;
  for (int v = 1; v <= most; v *= 2) out.push_back(v);
  return out;
}

double stepTime(const Setting& s) {
  const auto problem = buildProblem(s);
  return problem ? solve(*problem).best()->evaluation.batchTime.value() : 0;
}

/// What the search of a setting leaves out of degrees and schedules and a field would add, by its fields.
std::string leftOut(const Setting& s, const Plan& best) {
  std::string out;
  for (const NotSearched& n : notSearched(*buildProblem(s), &best))
    if (n.kind != NotSearched::Kind::Option && !n.change.empty() && n.field != "/search/preset")
      out += (out.empty() ? "" : " ") + n.field;
  return out;
}

}  // namespace

class TestSearchMenus : public QObject {
  Q_OBJECT
private slots:
  void longSequencesAreSplit() {
    Scenario s = scenario("llama-3.1-405b", "llama3-2024", 131072, 128);
    const Diagnostics told = proposeSearch(s);
    QCOMPARE(told.size(), std::size_t(1));
    QVERIFY2(told.front().message.find("VPP 1, 2, 4, 8 and CP") != std::string::npos,
             told.front().message.c_str());
    QVERIFY(s.search.contextParallel);
    QCOMPARE(s.search.chunksPerStage, powers(8));
    QCOMPARE(s.job.microbatches, powers(4));
  }
  void shortSequencesMakeLargeMicrobatches() {
    Scenario s = scenario("bert-large", "megatron-core-2025", 128, 1024);
    proposeSearch(s);
    QVERIFY(!s.search.contextParallel);
    QCOMPARE(s.job.microbatches, powers(256));
    s.job.globalBatch = 8;
    proposeSearch(s);
    QCOMPARE(s.job.microbatches, powers(8));
  }
  void whatTheProgramCannotRunIsLeftOut() {
    Scenario s = scenario("llama-3-8b", "nanotron", 32768, 64);
    const Diagnostics told = proposeSearch(s);
    QVERIFY(!s.search.contextParallel);
    QCOMPARE(s.search.chunksPerStage, powers(1));
    QVERIFY2(told.front().message.find("no CP: nanotron does not run it") != std::string::npos,
             told.front().message.c_str());
  }
  /// Whatever follows the proposal, so long as nobody makes up another.
  void aProposalForOtherSequencesIsTold() {
    Scenario s = scenario("llama-3-8b", "megatron-core-2025", 131072, 64);
    QVERIFY(outgrownSearch(s).empty());  // the search of every other scenario
    proposeSearch(s);
    for (const int length : {2048, 4096, 8000}) {
      s.job.sequenceLength = length;
      QVERIFY(!isSearchAsProposed(s));
      const Diagnostics told = outgrownSearch(s);
      QCOMPARE(told.size(), std::size_t(1));
      QVERIFY2(
          told.front().remedy.find(length == 2048 ? "MBS 1, 2, 4, 8, 16" : "without CP") != std::string::npos,
          told.front().remedy.c_str());
      Scenario again = s;
      proposeSearch(again);
      QVERIFY(isSearchAsProposed(again) && outgrownSearch(again).empty());
      again.job.sequenceLength = 131072;
      QCOMPARE(outgrownSearch(again).size(), std::size_t(1));
      again.search.chunksPerStage = {1, 3};  // made up
      QVERIFY(outgrownSearch(again).empty());
    }
    s.job.sequenceLength = 16384;
    QVERIFY(outgrownSearch(s).empty());  // as proposed for these, too
  }
  /// Menus only grow the space of a program that runs what they hold.
  void proposalsAreNeverSlower() {
    int faster = 0;
    for (const char* program : {"ideal", "megatron-core-2025", "torchtitan-2026", "deepspeed-2025"}) {
      Scenario s = scenario("llama-3-70b", program, 8192, 128);
      const double before = stepTime(s);
      proposeSearch(s);
      const double after = stepTime(s);
      QVERIFY2(after <= before * (1 + 1e-9), program);
      faster += after < before * (1 - 1e-3);
    }
    QVERIFY(faster > 0);
  }
  void whatIsNotTriedIsNamed() {
    Scenario s = scenario("llama-3-70b", "megatron-core-2025", 8192, 64);
    Plan plan;
    plan.stages.resize(4);
    for (StagePlan& stage : plan.stages) stage.chunks.resize(1), stage.strategy.tensor = 8;
    plan.dataInner = 2;
    plan.microbatch = 4;
    QCOMPARE(leftOut(s, plan),
             std::string("/search/chunks_per_stage /search/context_parallel /job/microbatches"));
    plan.microbatch = 2;
    QCOMPARE(leftOut(s, plan), std::string("/search/chunks_per_stage /search/context_parallel"));
    proposeSearch(s);
    QCOMPARE(leftOut(s, plan), std::string());
    setProgram(s, *findProgram("nanotron"));
    s.search.contextParallel = false;
    s.search.chunksPerStage = {1};
    QCOMPARE(leftOut(s, plan), std::string());
    s.search.schedules = {ScheduleKind::ZbH1};
    QCOMPARE(leftOut(s, plan), std::string("/search/schedules"));
    s.search.schedules = {ScheduleKind::OneForwardOneBackward, ScheduleKind::Interleaved};
    s.search.chunksPerStage = {2};
    QCOMPARE(leftOut(s, plan), std::string("/search/chunks_per_stage"));
  }
  /// A program that does not run it keeps it out of the preset "runnable" alone.
  void presetFreeIsNotKeptToTheProgram() {
    Scenario s = scenario("mixtral-8x7b", "nanotron", 8192, 64);
    QVERIFY(!s.search.expertParallel);
    s.search.contextParallel = false;
    s.search.chunksPerStage = {1};
    Plan plan;
    plan.stages.resize(4);
    for (StagePlan& stage : plan.stages) stage.chunks.resize(1);
    plan.dataInner = 2;
    QCOMPARE(leftOut(s, plan), std::string());
    s.search.preset = SearchPreset::Free;
    QCOMPARE(leftOut(s, plan), std::string("/constraints/megatron_expressible /search/chunks_per_stage "
                                           "/search/context_parallel /search/expert_parallel"));
    QVERIFY(proposeSearch(s).front().message.find("VPP 1, 2, 4, 8 and CP") != std::string::npos);
    setProgram(s, *findProgram("megatron-core-2023"));
    QVERIFY(s.search.expertParallel);
  }
  /// The remedy at hand comes before the one that is bought.
  void switchesThatWouldFitAreRemedies() {
    Scenario s =
        scenario("llama-3-8b", "megatron-core-2025", 1 << 20, 8, "host:8@450GB/s,2us fabric:8@50GB/s,4us");
    s.search.contextParallel = false;
    Outcome o = solveAndExplain(*buildProblem(s));
    QVERIFY(o.nearestMiss && !o.nearestMiss->remedies.empty());
    lookBeyond(s, o);
    const std::string& first = o.nearestMiss->remedies.front();
    QVERIFY2(first.starts_with("context parallelism (`search.context_parallel = true`): "), first.c_str());
    s.search.contextParallel = true;
    QVERIFY(solve(*buildProblem(s)).best());
  }
  /// A constraint never switches on what the search leaves out, fixed or as a range.
  void constraintsNarrowAndNothingElse() {
    Scenario s = scenario("llama-3-8b", "megatron-core-2025", 8192, 64);
    s.search.contextParallel = false;
    for (const Bound bound : {Bound{2, 2}, Bound{2, 4}}) {
      s.constraints.context = bound;
      const auto problem = buildProblem(s);
      QVERIFY(!problem);
      QCOMPARE(problem.diagnostics.back().where.pointer, std::string("/search/context_parallel"));
      QVERIFY(problem.diagnostics.back().remedy.find("`search.context_parallel = true`") !=
              std::string::npos);
    }
    s.constraints.context = {1, 4};
    QVERIFY(buildProblem(s));
    s.constraints = {};
    setModel(s, test::sample("mixtral-8x7b"));
    s.search.expertParallel = false;
    s.constraints.expert = {2, 2};
    QCOMPARE(buildProblem(s).diagnostics.back().where.pointer, std::string("/search/expert_parallel"));
    s.search.expertParallel = true;
    QVERIFY(buildProblem(s));
  }
};
NEST_TEST(TestSearchMenus)
#include "test_search_menus.moc"
