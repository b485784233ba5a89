// What stands in Issues: how it reads, where it is, and what a click mends.
#include <QAbstractItemModelTester>
#include <QDockWidget>

#include "document/scenario_files.h"
#include "fields/field.h"
#include "panes/issue_model.h"
#include "panes/issue_view.h"
#include "scenario/search_menus.h"
#include "solver/solve.h"
#include "window_bench.h"

using namespace nest;
using namespace nest::test;

class TestIssues : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void issuesSayWhereAFieldStandsByItsLabel() {
    IssueModel model;
    const char* key = "/search/context_parallel";
    model.setScenarioDiagnostics({note("not-tried", {"", 0, 0, key}, "CP is not searched")});
    const QString where = model.index(0, IssueModel::Where).data().toString();
    QVERIFY2(where.endsWith(QString::fromStdString(findField(key)->label)), qPrintable(where));
    QVERIFY(!where.contains(u'/'));
  }

  /// A long path took the room of what is wrong and what to do.
  void issuesNameAFileWithoutItsFolders() {
    IssueModel model;
    model.setScenarioDiagnostics(
        {warning("cut-off", {"/data/runs/2026/log.txt", 12, 0, ""}, "it ends early")});
    const QModelIndex where = model.index(0, IssueModel::Where);
    QCOMPARE(where.data().toString(), QStringLiteral("log.txt:12"));
    QVERIFY(where.data(Qt::ToolTipRole).toString().contains(QStringLiteral("/data/runs/2026/log.txt:12")));
  }

  /// A message was cut off beside an empty "What to do".
  void aMessageWithoutARemedyHasItsRoom() {
    IssueModel model;
    IssueView view;
    view.setModel(&model);
    model.setScenarioDiagnostics({note("short", {}, "stage 1 needs more"),
                                  note("not-tried", {}, "CP is not searched", "set it to true")});
    QCOMPARE(model.rowCount(), 2);
    for (int row = 0; row < 2; ++row) {
      const bool says = !model.index(row, IssueModel::Remedy).data().toString().isEmpty();
      QCOMPARE(view.columnSpan(row, IssueModel::Message), says ? 1 : 2);
    }
    model.setScenarioDiagnostics({note("not-tried", {}, "CP is not searched", "set it to true")});
    QCOMPARE(view.columnSpan(0, IssueModel::Message), 1);
  }

  /// A remedy that names a field and its value is done with a click, while it makes a difference.
  void remediesAreDone() {
    IssueModel model;
    model.setScenarioDiagnostics(
        {note("not-tried", {}, "CP is not searched", "`search.context_parallel = true` to search it"),
         note("other", {}, "Something", "offer others in `search.schedules`")});
    PlanContext context;
    Scenario scenario;
    context.scenario = std::make_shared<const Scenario>(scenario);
    model.setPlan(context);
    QCOMPARE(model.index(0, IssueModel::Remedy).data().toString(),
             QStringLiteral("Select \"Offer context degrees\" to search it"));
    QCOMPARE(model.index(1, IssueModel::Remedy).data().toString(),
             QStringLiteral("Offer others in \"Schedules\""));
    QVERIFY(!model.fixFor(model.index(1, 0)));
    const IssueModel::Fix* fix = model.fixFor(model.index(0, 0));
    QVERIFY(fix);
    QCOMPARE(fix->verb, QStringLiteral("Select \"Offer context degrees\""));
    QVERIFY(!scenario.search.contextParallel);
    fix->edit(scenario);
    QVERIFY(scenario.search.contextParallel);
    context.scenario = std::make_shared<const Scenario>(scenario);
    model.setPlan(context);
    QVERIFY(!model.fixFor(model.index(0, 0)));
  }

  /// Each change that would make a plan fit is done with a click, and then one fits.
  void whatDoesNotFitIsMadeToFit() {
    PlanContext context;
    auto scarce = std::make_shared<Scenario>(*readScenarioFile(samplePaths().value(0)));
    scarce->search.zeroStages = {0};
    scarce->search.recompute = {true, false, false};
    scarce->constraints.tensor = {1, 1}, scarce->constraints.stages = {1, 1};
    context.scenario = scarce;
    context.problem = std::make_shared<const Problem>(*buildProblem(*scarce));
    context.outcome = std::make_shared<const Outcome>(solve(*context.problem));
    QVERIFY(context.isNearestMiss());
    IssueModel model;
    model.setPlan(context);
    QStringList done;
    for (int row = 0; row < model.rowCount(); ++row) {
      const IssueModel::Fix* fix = model.fixFor(model.index(row, 0));
      if (!fix || !model.index(row, IssueModel::Message).data().toString().startsWith(u"Fix")) continue;
      Scenario mended = *scarce;
      fix->edit(mended);
      QVERIFY2(solve(*buildProblem(mended)).best(), qPrintable(fix->verb));
      done += fix->verb;
    }
    QCOMPARE(done, QStringList({QStringLiteral("Change the device to H200 141 GB SXM"),
                                QStringLiteral("Add 1 to \"ZeRO\"")}));
  }

  /// What an import proposed does not follow the sequences by itself; one click lets it.
  void aSearchForOtherSequencesIsProposedAgain() {
    WindowBench b;
    QTRY_VERIFY(b.solved());
    auto* issues = b.window.findChild<IssueModel*>();
    IssueView* pane = nullptr;
    for (auto* v : b.window.findChildren<IssueView*>())
      if (v->model() == issues) pane = v;
    QVERIFY(issues && pane);
    QAbstractItemModelTester tester(issues, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const auto repair = [&] {
      for (int row = 0; row < issues->rowCount(); ++row)
        if (const auto* fix = issues->fixFor(issues->index(row, 0));
            fix && fix->verb == QStringLiteral("Propose search options again"))
          return issues->index(row, int(IssueModel::Repair));
      return QModelIndex();
    };
    ScenarioDocument& document = b.window.document();
    const auto edit = [&](int length, bool proposes) {
      document.closeStep();
      document.edit({}, QStringLiteral("x"), [&](Scenario& s) {
        s.job.sequenceLength = length;
        if (proposes) proposeSearch(s);
      });
    };
    edit(16384, true);
    QVERIFY(!repair().isValid());
    edit(2048, false);
    QVERIFY(repair().isValid());
    QVERIFY(issues->index(repair().row(), IssueModel::Remedy).data().toString().contains("2,048 tokens"));
    b.window.findChild<QDockWidget*>(QStringLiteral("below"))->show();
    QTRY_VERIFY(!pane->isColumnHidden(IssueModel::Repair));
    pane->scrollTo(repair());
    QTest::mouseClick(pane->viewport(), Qt::LeftButton, {}, pane->visualRect(repair()).center());
    QVERIFY(!repair().isValid());
    QVERIFY(isSearchAsProposed(document.scenario()));
    document.history().undo();
    QVERIFY(repair().isValid());
    document.history().undo();
    QTRY_VERIFY(!repair().isValid());  // once there is a plan that fits
    document.history().redo();
    QVERIFY(repair().isValid());
  }
};

NEST_TEST(TestIssues)
#include "test_issues.moc"
