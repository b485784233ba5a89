// Predictions beside measured runs, in the window.
#include <QComboBox>
#include <QLabel>
#include <QRegularExpression>
#include <QSettings>
#include <QTableWidget>
#include <QTemporaryDir>

#include "fields/program_setting.h"
#include "solver/solve.h"
#include "support/desk.h"
#include "views/accuracy/accuracy_view.h"
#include "views/search/plans_pane.h"

using namespace nest;
using test::Desk;

class TestAccuracy : public QObject {
  Q_OBJECT
private slots:
  void init() { QSettings().clear(); }

  void publishedRunsAreShownFromTheStart() {
    Desk desk;
    AccuracyView view(desk.services());
    desk.show(view, {800, 600});
    QTRY_COMPARE(view.figure()->hasContent(view.context()), true);
    const QString text = view.figure()->asText(view.context());
    QVERIFY2(text.contains(QStringLiteral(" runs that no constant was fitted on")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("llama3-405b")), qPrintable(text));
    static const QRegularExpression ungrouped(QStringLiteral("[^,.0-9][0-9]{4,} device"));
    QVERIFY2(text.contains(QStringLiteral("16,384 devices")) && !text.contains(ungrouped), qPrintable(text));
  }
  void anotherProgramErrsMore() {
    Desk desk;
    AccuracyView view(desk.services());
    const auto meanError = [&] {
      view.compute({});
      const auto& runs = static_cast<const AccuracyFigure*>(view.figure())->runs();
      double sum = 0;
      for (const RunPoint& p : runs.points) sum += std::abs(p.error());
      return sum / double(runs.points.size());
    };
    const double asRun = meanError();
    QComboBox* program = nullptr;
    for (auto* box : view.findChildren<QComboBox*>())
      if (box->accessibleName() == QStringLiteral("Program")) program = box;
    QVERIFY(program && program->currentData().toString().isEmpty());
    program->setCurrentIndex(program->findData(QStringLiteral("ideal")));
    QVERIFY(meanError() > 1.3 * asRun);
  }
  void aFileThatHoldsNoRunsSaysSo() {
    QTemporaryDir dir;
    QFile file(dir.filePath(QStringLiteral("none.json")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("{}");
    file.close();
    Desk desk;
    AccuracyView view(desk.services());
    desk.show(view, {800, 600});
    view.openFile(file.fileName());
    QTRY_VERIFY(!view.isBusy() && !view.figure()->hasContent(view.context()));
    const QString text = view.figure()->asText(view.context());
    QVERIFY2(text.startsWith(QStringLiteral("No runs in none.json")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("sets")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("study validation --help")), qPrintable(text));
  }
  /// Plans that are closer to each other than predictions are to runs.
  void tiesAreTold() {
    const auto told = [](const char* program) {
      Desk desk("llama2-7b-h100-128.nest.json");
      Scenario scenario = desk.document.scenario();
      setProgram(scenario, *findProgram(program));
      desk.document.reset(scenario, {});
      desk.solveIt();
      PlansPane pane;
      pane.setContext(desk.snapshot());
      QString all;
      for (const auto* label : pane.findChildren<QLabel*>()) all += label->text();
      const auto* table = pane.findChild<QTableWidget*>();
      for (int r = 0; r < table->rowCount(); ++r) all += QLatin1Char('|') + table->item(r, 7)->text();
      return all;
    };
    const QString nemo = told("nemo-2024"), ideal = told("ideal");
    QVERIFY2(nemo.contains(QStringLiteral("in practice they are ties")), qPrintable(nemo));
    QVERIFY2(nemo.contains(QStringLiteral("|within the error")), qPrintable(nemo));
    QVERIFY2(!ideal.contains(QStringLiteral("ties")) && !ideal.contains(QStringLiteral("error")),
             qPrintable(ideal));
  }
  /// A row of the best plans is a plan, not a rank: what is kept is what was chosen.
  void theChosenPlanStaysChosen() {
    Desk desk("llama2-7b-h100-128.nest.json");
    desk.solveIt();
    PlansPane pane;
    const PlanContextPtr first = desk.snapshot();
    pane.setContext(first);
    auto* table = pane.findChild<QTableWidget*>();
    table->setCurrentCell(2, 0);
    auto turned = std::make_shared<PlanContext>(*first);
    auto outcome = std::make_shared<Outcome>(*first->outcome);
    QVERIFY(outcome->plans.size() > 3);
    std::swap(outcome->plans[1], outcome->plans[2]);
    turned->outcome = outcome;
    pane.setContext(turned);
    QCOMPARE(table->currentRow(), 1);
    outcome = std::make_shared<Outcome>(*outcome);
    outcome->plans.erase(outcome->plans.begin() + 1);
    turned = std::make_shared<PlanContext>(*turned);
    turned->outcome = outcome;
    pane.setContext(turned);
    QCOMPARE(table->currentRow(), -1);
    QVERIFY(table->selectedItems().isEmpty());
  }
};
NEST_TEST(TestAccuracy)
#include "test_accuracy.moc"
