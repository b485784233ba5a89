#include <QtTest/QTest>

#include "hand_problem.h"
#include "plan/evaluation.h"
#include "plan/unsearched.h"
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
