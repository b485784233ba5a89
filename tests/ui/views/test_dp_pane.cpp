// The DP table as a person uses it: ratios, steps, the recurrence, and configurations where no cut is open.
#include <QLabel>
#include <QPainter>
#include <QTableWidget>
#include <QTest>
#include <QToolButton>
#include <cmath>

#include "figures/paint/phrases.h"
#include "figures/plan/dp_words.h"
#include "support/desk.h"
#include "views/figure_canvas.h"
#include "views/search/candidate_model.h"
#include "views/search/dp_pane.h"

using namespace nest;
using test::Desk;

namespace {

/// The teaching sample in four stages of one device each.
struct FourStages : Desk {
  explicit FourStages(double memoryGiB = 0) {
    document.edit({}, QStringLiteral("x"), [&](Scenario& s) {
      s.constraints.tensor = {1, 1};
      s.constraints.stages = {4, 4};
      s.constraints.microbatch = {1, 1};
      if (memoryGiB > 0) s.cluster.device.memory.value = Bytes(memoryGiB * 1024 * 1024 * 1024);
    });
    solveIt();
  }
};

/// The pane with a context, in sight.
struct Shown {
  DpPane pane;
  FigureCanvas* canvas;
  QTableWidget* table;
  QLabel* recurrence;

  explicit Shown(const Desk& desk) {
    pane.resize(900, 700);
    pane.show();
    (void)QTest::qWaitForWindowExposed(&pane);
    pane.setContext(desk.snapshot(), Theme::of(Theme::Kind::Light));
    canvas = pane.findChild<FigureCanvas*>();
    table = pane.findChild<QTableWidget*>();
    recurrence = pane.findChild<QLabel*>(QStringLiteral("recurrence"));
  }
  QString text() const { return pane.figure().asText(canvas->context()); }
  QString column(int c) const {
    QString all;
    for (int r = 0; r < table->rowCount(); ++r) all += table->item(r, c)->text() + u'\n';
    return all;
  }
};

}  // namespace

class TestDpPane : public QObject {
  Q_OBJECT
private slots:
  void cellsAreMultiplesOfTheBest() {
    const FourStages desk(4);
    Shown s(desk);
    QVERIFY(s.pane.figure().isTable());
    QTRY_VERIFY(s.pane.figure().knowsThrough());
    const auto& f = s.pane.figure();
    int slower = 0, lacking = 0;
    for (int i = 0; i < f.probe()->stageCount(); ++i)
      for (int x = 0; x < f.probe()->cutCount(); ++x) {
        if (f.probe()->cell(i, x).onPath) QCOMPARE(dp::ratioText(f.through()->ratio(i, x)), "1.00");
        slower += f.through()->cell(i, x).fits() && f.through()->ratio(i, x) > 1.01;
        lacking += !f.through()->cell(i, x).fits() && std::isfinite(f.through()->cell(i, x).shortfall);
      }
    QVERIFY(slower > 0 && lacking > 0);
    const QString text = s.text();
    QVERIFY2(text.contains(QStringLiteral("\t1.00")) && text.contains(QStringLiteral("\t×")),
             qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("Best time from there to the end")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("The plan: stage 1 begins with layer 1, ")), qPrintable(text));
  }

  /// By button and by key, from the last row to the first, then to the whole and round again.
  void stepsFillTheTable() {
    const FourStages desk;
    Shown s(desk);
    QTRY_VERIFY(s.pane.figure().knowsThrough());
    auto* step = s.pane.findChild<QToolButton*>(QStringLiteral("dp-step"));
    QTest::mouseClick(step, Qt::LeftButton);
    QVERIFY(s.pane.figure().isFilling());
    QCOMPARE(s.pane.figure().filled(), 0);
    s.canvas->setFocus();
    QTest::keyClick(s.canvas, Qt::Key_Period);
    QCOMPARE(s.pane.figure().filled(), 1);
    QCOMPARE(s.pane.chosenStage(), 3);
    QVERIFY2(s.text().contains(QStringLiteral("Filled from stage 4 on")), qPrintable(s.text()));
    for (int k = 0; k < 3; ++k) QTest::keyClick(s.canvas, Qt::Key_Period);
    QCOMPARE(s.pane.figure().filled(), 4);
    QCOMPARE(s.pane.chosenStage(), 0);
    const QString best = timeText(desk.context.plan->evaluation.batchTime);
    QVERIFY2(s.text().contains(QStringLiteral("The first cell has the best time of all: ") + best),
             qPrintable(s.text()));
    QTest::keyClick(s.canvas, Qt::Key_Comma);
    QCOMPARE(s.pane.figure().filled(), 3);
    QTest::keyClick(s.canvas, Qt::Key_Slash);
    QVERIFY(!s.pane.figure().isFilling());
    QVERIFY2(s.text().contains(QStringLiteral("as a multiple of the best of all")), qPrintable(s.text()));
  }

  void theRecurrenceHasNumbers() {
    const FourStages desk(4);
    Shown s(desk);
    QTRY_VERIFY(s.pane.figure().knowsThrough());
    const QString text = s.recurrence->text();
    const int m = desk.context.plan->evaluation.microbatchCount;
    QVERIFY2(text.startsWith(QStringLiteral("best(1…9) = min over ")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral(" + %1 × max(").arg(m - 1)), qPrintable(text));
    QVERIFY2(text.contains(timeText(desk.context.plan->evaluation.batchTime)), qPrintable(text));
    QVERIFY2(s.column(3).contains(QStringLiteral("1.00 × the best")), qPrintable(s.column(3)));
    // The last stage has one end, and a cell of too few layers says so.
    const int last = s.pane.figure().probe()->stageCount() - 1;
    s.pane.cell().setSelected(DpFigure::itemOf(last, 8));
    QCOMPARE(s.table->rowCount(), 1);
    QVERIFY2(!s.recurrence->text().contains(QStringLiteral("max(")), qPrintable(s.recurrence->text()));
    s.pane.cell().setSelected(DpFigure::itemOf(last, 1));
    QVERIFY2(s.recurrence->text().contains(QStringLiteral("the stages before need a layer each")),
             qPrintable(s.recurrence->text()));
  }

  void anEmptyCellSaysHowMuchMemoryItLacks() {
    const FourStages desk;
    Shown s(desk);
    QTRY_VERIFY(s.pane.figure().knowsThrough());
    s.pane.cell().setSelected(DpFigure::itemOf(2, 3));  // four blocks and the head for two stages
    const QString text = s.recurrence->text();
    const auto& cell = s.pane.figure().through()->cell(2, 3);
    QVERIFY(!cell.fits() && cell.shortfall > 0);
    QVERIFY2(text.contains(QStringLiteral("is empty")) && text.contains(memoryText(Bytes(cell.shortfall))),
             qPrintable(text));
    QVERIFY2(s.column(2).contains(QStringLiteral("lacks ")), qPrintable(s.column(2)));
  }

  void nothingFits() {
    const FourStages desk(0.5);
    QVERIFY(desk.context.isNearestMiss());
    Shown s(desk);
    QVERIFY(s.pane.figure().isTable());
    QTRY_VERIFY(s.pane.figure().knowsThrough());
    QVERIFY2(s.text().contains(QStringLiteral("However the layers are cut, some stage lacks memory")),
             qPrintable(s.text()));
    QVERIFY2(s.recurrence->text().contains(QStringLiteral("lacks at least")),
             qPrintable(s.recurrence->text()));
  }

  void oneStageShowsTheConfigurations() {
    Desk desk;
    desk.document.edit({}, QStringLiteral("x"), [](Scenario& s) {
      s.constraints.stages = {1, 1};
      s.cluster.device.memory.value = Bytes(64.0 * 1024 * 1024 * 1024);
    });
    desk.solveIt();
    QVERIFY(desk.context.plan);
    Shown s(desk);
    QVERIFY(s.pane.figure().configurations() && !s.pane.figure().isTable());
    QVERIFY2(s.text().contains(QStringLiteral("One stage holds every layer")), qPrintable(s.text()));
    QVERIFY2(s.text().contains(QStringLiteral("\t1.00")), qPrintable(s.text()));
    QCOMPARE(s.pane.chosenStage(), -1);
    QVERIFY2(s.column(4).contains(QStringLiteral("the best plan")), qPrintable(s.column(4)));
    QVERIFY(!s.pane.findChild<QToolButton*>(QStringLiteral("dp-step"))->isVisible());
  }

  void chunksShowTheConfigurations() {
    Desk desk;
    desk.document.edit({}, QStringLiteral("x"), [](Scenario& s) {
      s.search.chunksPerStage = {1, 3};
      s.constraints.chunks = {3, 3};
      s.cluster.device.memory.value = Bytes(64.0 * 1024 * 1024 * 1024);
    });
    desk.solveIt();
    QVERIFY(desk.context.plan);
    QVERIFY(desk.context.plan->plan.chunksPerStage() > 1);
    Shown s(desk);
    QVERIFY(s.pane.figure().configurations());
    QVERIFY2(s.text().contains(QStringLiteral("With 3 chunks per stage")), qPrintable(s.text()));
  }

  /// On paper nothing is left for later.
  void onPaperItIsComplete() {
    const FourStages desk;
    std::string why;
    DpFigure figure;
    figure.setTable(DpProbe::of(*desk.context.problem, desk.context.plan->plan, why), {},
                    desk.context.outcome);
    QVERIFY(!figure.knowsThrough());
    QVERIFY(figure.hasContent(desk.context));
    QVERIFY(figure.knowsThrough());
    QVERIFY(figure.asText(desk.context).contains(QStringLiteral("\t1.00")));
  }

  /// A slower candidate says which term grew.
  void slowerCandidatesSayWhy() {
    const Desk desk;
    CandidateModel model;
    model.setOutcome(desk.context.outcome, desk.context.problem);
    int explained = 0;
    for (int r = 0; r < model.rowCount(); ++r) {
      const QString why = model.index(r, CandidateModel::Why).data().toString();
      explained += why.contains(QStringLiteral(" slower: ")) && why.contains(u'+');
    }
    QVERIFY(explained > 0);
  }
};

NEST_TEST(TestDpPane)
#include "test_dp_pane.moc"
