#include <QtTest/QTest>

#include "evaluation/evaluation.h"
#include "evaluation/unsearched.h"
#include "program/program.h"
#include "schedule/pipeline_schedule.h"
#include "support/hand_problem.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;

namespace {

const Strategy kT2{2, false, 1, 1};

Problem problem() {
  return handProblem(hosts(4, 2), 4, {Strategy{}, kT2});
}

std::string placesOf(const Problem& problem, const Plan& plan) {
  std::string out;
  for (const Diagnostic& d : unsearched(problem, plan)) {
    if (d.severity != Severity::Note || d.code != "not-searched") return "no note";
    out += (out.empty() ? "" : " ") + d.where.pointer;
  }
  return out;
}

}  // namespace

/// Each option of the search that a plan is outside of is named, and no other.
class TestUnsearched : public QObject {
  Q_OBJECT
private slots:
  void init() {
    m_problem = problem();
    m_plan = chainPlan({{0, 1}, {2, 3}}, 2);
  }
  void saysNothingOfASearchedPlan() { QCOMPARE(placesOf(m_problem, m_plan), std::string()); }
  void namesTheZeroStage() {
    m_plan.zero = 1;
    QCOMPARE(placesOf(m_problem, m_plan), std::string());
    m_problem.search.zeroStages = {3};
    QCOMPARE(placesOf(m_problem, m_plan), std::string("/search/zero_stages"));
    QCOMPARE(unsearched(m_problem, m_plan).front().remedy,
             std::string("`search.zero_stages += 1` to search it"));
  }
  void namesARecomputePolicyOnce() {
    m_problem.search.recompute[Recompute::None] = false;
    QCOMPARE(placesOf(m_problem, m_plan), std::string("/search/recompute"));
  }
  void namesChunksAndSchedule() {
    m_problem.search.chunksPerStage = {2};
    QCOMPARE(placesOf(m_problem, m_plan), std::string("/search/chunks_per_stage"));
    m_problem.search.schedules = {ScheduleKind::Interleaved};
    QCOMPARE(placesOf(m_problem, m_plan), std::string("/search/schedules /search/chunks_per_stage"));
  }
  // A plan of one stage runs under 1F1B, which has to be on offer as well.
  void namesTheScheduleOfOneStage() {
    m_plan = chainPlan({{0, 1, 2, 3}}, 1);
    QCOMPARE(placesOf(m_problem, m_plan), std::string());
    m_problem.search.schedules = {ScheduleKind::ZbH1};
    QCOMPARE(placesOf(m_problem, m_plan), std::string("/search/schedules"));
  }
  void namesStrategiesThatDiffer() {
    m_plan.stages[1].strategy = kT2;
    QCOMPARE(placesOf(m_problem, m_plan), std::string("/search/strategy_per_stage"));
    m_problem.search.strategyPerStage = true;
    QCOMPARE(placesOf(m_problem, m_plan), std::string());
  }
  /// Under another goal than the time no option adds stages that differ.
  void namesTheGoalThatKeepsStagesEqual() {
    m_plan.stages[1].strategy = kT2;
    m_problem.search.goal = Goal::Money;
    m_problem.deviceWeights = std::make_shared<const std::vector<double>>(9, 1.0);
    for (const bool isFree : {false, true}) {
      m_problem.search.strategyPerStage = isFree;
      QCOMPARE(placesOf(m_problem, m_plan), std::string("/search/goal"));
      int listed = 0;
      for (const NotSearched& n : notSearched(m_problem, nullptr)) {
        if (n.what != "a strategy per stage") continue;
        ++listed;
        QVERIFY(n.change.empty());
        QCOMPARE(
            noteOn(n).message,
            std::string("the search leaves out a strategy per stage: for the goal money all stages of a plan "
                        "have one strategy"));
      }
      QCOMPARE(listed, 1);
    }
  }
  /// Of a whole search: what a field adds, with the field, and what none does, with the reason.
  void listsWhatASearchLeavesOut() {
    const auto changes = [&] {
      std::string out;
      for (const NotSearched& n : notSearched(m_problem, nullptr))
        if (!n.change.empty()) out += n.change + ' ';
      return out;
    };
    const auto has = [&](const char* change) { return changes().find(change) != std::string::npos; };
    QVERIFY2(has("`search.schedules += zb-h1, "), changes().c_str());
    QVERIFY(has("`search.strategy_per_stage = true`") && has("`search.shard_groups = every`"));
    QVERIFY(!has("zero_stages") && !has("context_parallel") && !has("expert_parallel"));
    m_problem.search.zeroStages = {0, 3};
    QVERIFY2(has("`search.zero_stages += 1, 2`"), changes().c_str());
    m_problem.couldSplitContext = m_problem.couldSplitExperts = true;
    m_problem.search.expertParallel = false;
    QVERIFY(has("`search.context_parallel = true`") && has("`search.expert_parallel = true`"));
    m_problem.constraints.stages = {1, 1};
    QVERIFY(!has("schedules"));
  }
  void namesTheProgramThatDoesNotRunIt() {
    m_problem.search.preset = SearchPreset::Runnable;
    m_problem.constraints.megatronExpressible = true;
    const auto reasonFor = [&](const char* what) {
      for (const NotSearched& n : notSearched(m_problem, nullptr))
        if (n.what.find(what) != std::string::npos) return n.change.empty() ? n.reason : n.change;
      return std::string("not listed");
    };
    QVERIFY(reasonFor("ZB-H1").starts_with("`constraints.megatron_expressible = false`"));
    m_problem.program.program = findProgram("nanotron");
    m_problem.couldSplitContext = true;
    QVERIFY2(reasonFor("ZB-H1").starts_with("nanotron does not run "), reasonFor("ZB-H1").c_str());
    QCOMPARE(reasonFor("CP"), std::string("nanotron does not run them"));
    m_problem.search.zeroStages = {0, 1};
    QVERIFY(reasonFor("ZeRO-2").starts_with("nanotron"));
  }
  /// A schedule that splits the backward pass is only proposed to programs that can.
  void proposesNoScheduleThatTheProgramCannotRun() {
    m_problem.search.preset = SearchPreset::Runnable;
    for (const Program& p : programs()) {
      m_problem.program.program = &p;
      const bool isIdeal = p.id == kIdealProgram;
      for (const PipelineSchedule* s : plannedSchedules()) {
        const bool isTorchTitan = !p.launches.empty() && p.launches.front().starts_with("torchtitan");
        const bool runs =
            (!s->splitsBackward() || p.splitsBackward) && (!isTorchTitan || !s->torchTitanName().empty());
        m_problem.search.schedules = {ScheduleKind::OneForwardOneBackward};
        std::string all;
        for (const NotSearched& n : notSearched(m_problem, nullptr)) all += n.change + '\n';
        if (!runs) QVERIFY2(all.find(s->id()) == std::string::npos, (p.id + ' ' + all).c_str());
        if (isIdeal && s->splitsBackward()) QVERIFY2(all.find(s->id()) != std::string::npos, all.c_str());
        m_plan.schedule = s->kind();
        bool isRefused = false;
        for (const Violation& v : evaluate(m_problem, m_plan).violations)
          isRefused = isRefused || (v.kind == Violation::Kind::Program &&
                                    v.message == p.name + " does not run " + std::string(s->label()));
        if (s->kind() != ScheduleKind::Interleaved) QCOMPARE(isRefused, !runs);
      }
    }
    QVERIFY(!findProgram("deepspeed-2025")->splitsBackward && findProgram("torchtitan-2026")->splitsBackward);
    QVERIFY(!findProgram("megatron-core-2025")->splitsBackward);  // as what it is like
  }
  void saysNothingOfAPlanThatCannotRun() {
    m_problem.search.zeroStages = {3};
    m_plan.stages[1].chunks = {{}};
    QCOMPARE(placesOf(m_problem, m_plan), std::string());
  }

private:
  Problem m_problem;
  Plan m_plan;
};

NEST_TEST(TestUnsearched)
#include "test_unsearched.moc"
