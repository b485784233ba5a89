#include <QtTest/QTest>
#include <set>

#include "support/test_main.h"
#include "words/outcome_words.h"

using namespace nest;

namespace {

Outcome ended(OutcomeStatus status, StopCause cause = StopCause::None) {
  Outcome o;
  o.status = status;
  o.stopCause = cause;
  o.statistics.elapsed = Seconds(0.25);
  return o;
}

}  // namespace

class TestOutcomeWords : public QObject {
  Q_OBJECT
private slots:
  void everyOutcomeHasWordsOfItsOwn() {
    const OutcomeStatus all[] = {OutcomeStatus::Optimal, OutcomeStatus::WithinGap,  OutcomeStatus::BestSoFar,
                                 OutcomeStatus::Stopped, OutcomeStatus::Infeasible, OutcomeStatus::Failed};
    std::set<std::string> words, names, verdicts;
    for (const OutcomeStatus s : all) {
      words.insert(words::of(s));
      names.insert(nameOf(s));
      verdicts.insert(words::verdict(ended(s, StopCause::Deadline)));
    }
    QCOMPARE(words.size(), std::size(all));
    QCOMPARE(names.size(), std::size(all));
    QCOMPARE(verdicts.size(), std::size(all));
  }
  void saysWhatStoppedIt_data() {
    QTest::addColumn<int>("cause");
    QTest::addColumn<QString>("says");
    QTest::newRow("request") << int(StopCause::Request) << "by request";
    QTest::newRow("deadline") << int(StopCause::Deadline) << "at the deadline";
    QTest::newRow("memory") << int(StopCause::MemoryLimit) << "at the memory limit of the search";
    QTest::newRow("work") << int(StopCause::WorkLimit) << "at the work limit";
  }
  void saysWhatStoppedIt() {
    QFETCH(int, cause);
    QFETCH(QString, says);
    const Outcome none = ended(OutcomeStatus::Stopped, StopCause(cause));
    QCOMPARE(QString::fromStdString(words::verdict(none)),
             QString("Stopped without a plan, %1 after 250 ms").arg(says));
    QCOMPARE(
        QString::fromStdString(words::noPlan(none).detail),
        QString("The search ended %1 after 250 ms, before it found a plan; whether one fits is not known. %2")
            .arg(says, cause == int(StopCause::MemoryLimit)
                           ? "Bound the degrees, or give all stages one strategy"
                           : "Allow more time"));
    Outcome best = ended(OutcomeStatus::BestSoFar, StopCause(cause));
    best.plans.resize(1);
    best.plans[0].evaluation.batchTime = Seconds(10);
    QCOMPARE(QString::fromStdString(words::verdict(best)),
             QString("Best so far, stopped %1 after 250 ms").arg(says));
    best.lowerBound = Seconds(8);
    QCOMPARE(QString::fromStdString(words::verdict(best)),
             QString("Best so far, stopped %1 after 250 ms, gap 20 %").arg(says));
  }
  /// Where another set or order of hosts may be faster, verdict and proof say by how much; "optimal" is not
  /// said.
  void otherHostsMaySaveTheGap() {
    Outcome o = ended(OutcomeStatus::WithinGap);
    o.range = ProofRange::EveryLine;
    o.plans.resize(1);
    o.plans[0].evaluation.batchTime = Seconds(10);
    QCOMPARE(words::verdict(o),
             std::string("Best found, no bound on other sets and orders of hosts, in 250 ms"));
    QCOMPARE(words::proof(o), std::string("how much other sets and orders of hosts would save is not known"));
    o.lowerBound = Seconds(9.8);
    QCOMPARE(words::verdict(o), std::string("Within 2 % of the best set and order of hosts, in 250 ms"));
    QCOMPARE(words::proof(o), std::string("other sets and orders of hosts, of which not all were tried, save "
                                          "2 % at most"));
    o.status = OutcomeStatus::Optimal;
    QCOMPARE(words::verdict(o), std::string("Optimal in 250 ms"));
    QCOMPARE(words::proof(o), std::string("no other set and no other order of hosts is faster"));
    o.range = ProofRange::NetworkOrder;
    QCOMPARE(words::proof(o), std::string());
    o = ended(OutcomeStatus::Infeasible);
    o.diagnostics.push_back(note(kOtherLinesOpen, {}, "a plan may fit elsewhere"));
    QCOMPARE(
        words::noPlan(o).detail,
        std::string("No plan meets the batch size, the device count and the constraints together. A plan "
                    "may fit elsewhere"));
  }
  void theClosestPlanAndItsRemedy() {
    Outcome o = ended(OutcomeStatus::Infeasible);
    o.nearestMiss = NearestMiss{};
    o.nearestMiss->stage = 0;
    o.nearestMiss->shortfall = Bytes(37.6 * 1073741824.0);
    QCOMPARE(words::noPlan(o).detail, std::string("Closest plan: stage 1 needs 37.6 GiB more"));
    o.nearestMiss->remedies = {"devices with at least 78 GiB of memory"};
    QCOMPARE(words::noPlan(o).detail,
             std::string("Closest plan: stage 1 needs 37.6 GiB more. Fix: devices with at "
                         "least 78 GiB of memory"));
  }
  void optimalSaysHowMuchIsLeftOut() {
    Outcome o = ended(OutcomeStatus::Optimal);
    QCOMPARE(words::verdict(o), std::string("Optimal in 250 ms"));
    using Kind = NotSearched::Kind;
    o.notSearched = {{Kind::RankOrder, "", "orders", "", "the planner knows one"}};
    QCOMPARE(words::verdict(o), std::string("Optimal in 250 ms"));
    o.notSearched.push_back(
        {Kind::Schedule, "/search/schedules", "ZB-H1", "`search.schedules += zb-h1`", ""});
    QCOMPARE(words::verdict(o), std::string("Optimal in 250 ms, 1 option not searched"));
    o.notSearched.push_back(
        {Kind::Degree, "/search/context_parallel", "CP", "`search.context_parallel = true`", ""});
    QCOMPARE(words::verdict(o), std::string("Optimal in 250 ms, 2 options not searched"));
  }
  /// "Does not fit" is said of memory alone.
  void noPlanHasTheWordOfItsReason_data() {
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("title");
    QTest::newRow("batch") << "nothing-divides"
                           << "Batch not divisible";
    QTest::newRow("blocks") << "chunks-refuse"
                            << "Blocks not divisible";
    QTest::newRow("devices") << "too-few-devices"
                             << "Too few devices";
    QTest::newRow("schedule") << "schedule-refuses"
                              << "No schedule runs";
    QTest::newRow("constraint") << "constraint-conflict"
                                << "Constraints conflict";
    QTest::newRow("profile") << "profile-incomplete"
                             << "Profile incomplete";
    QTest::newRow("program") << "program-refuses"
                             << "Program cannot run it";
    QTest::newRow("strategy") << "no-strategy"
                              << "No strategy to try";
    QTest::newRow("else") << "another"
                          << "No plan";
  }
  void noPlanHasTheWordOfItsReason() {
    QFETCH(QString, code);
    QFETCH(QString, title);
    Outcome o = ended(OutcomeStatus::Infeasible);
    o.diagnostics = {note("nothing-allowed", {}, "no plan"), warning(code.toStdString(), {}, "why")};
    QCOMPARE(QString::fromStdString(words::noPlan(o).title), title);
    QCOMPARE(QString::fromStdString(words::verdict(o)), title);
    o.nearestMiss = NearestMiss{};
    QCOMPARE(words::noPlan(o).title, std::string("Does not fit"));
    QCOMPARE(std::string(words::of(o)), std::string("does not fit"));
  }
  void whatStandsInTheWayIsTold() {
    Outcome o = ended(OutcomeStatus::Infeasible);
    QCOMPARE(words::noPlan(o).detail,
             std::string("No plan meets the batch size, the device count and the constraints together"));
    o.diagnostics = {note("nothing-allowed", {}, "no plan"),
                     warning("nothing-divides", {}, "nothing divides", "pad")};
    QCOMPARE(words::noPlan(o).detail, std::string("Nothing divides; pad"));
  }
};
NEST_TEST(TestOutcomeWords)
#include "test_outcome_words.moc"
