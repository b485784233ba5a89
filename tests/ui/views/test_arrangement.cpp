// What a view shows of itself depends on the room it has and on what there is to show.
#include <QComboBox>
#include <QSettings>
#include <QSortFilterProxyModel>
#include <QTabWidget>
#include <QTableWidget>
#include <QTextBrowser>

#include "../figures/plan_contexts.h"
#include "support/desk.h"
#include "units/text.h"
#include "views/compare/compare_view.h"
#include "views/figure_canvas.h"
#include "views/figure_views.h"
#include "views/search/candidate_model.h"
#include "views/search/search_view.h"
#include "views/study/study_view.h"

using namespace nest;
using test::Desk;

namespace {

/// Of several figures the one in sight.
FigureCanvas* canvasIn(const View& view) {
  for (auto* canvas : view.findChildren<FigureCanvas*>())
    if (canvas->isVisible()) return canvas;
  return nullptr;
}

int heightInSight(const QWidget* w) {
  return w ? w->visibleRegion().boundingRect().height() : 0;
}

}  // namespace

class TestArrangement : public QObject {
  Q_OBJECT
private slots:
  void init() { QSettings().clear(); }

  void theCandidatesAreATabWhereThereIsNoRoom() {
    Desk desk;
    SearchView view(desk.services());
    desk.show(view, {700, 300});
    auto* tabs = view.findChild<QTabWidget*>();
    QTableView* table = nullptr;
    for (auto* t : view.findChildren<QTableView*>())
      if (t->accessibleName().startsWith(QStringLiteral("Candidates"))) table = t;
    QVERIFY(table);
    QCOMPARE(tabs->count(), 5);
    QCOMPARE(tabs->tabText(tabs->currentIndex()), QStringLiteral("Candidates"));
    QTRY_VERIFY(table->isVisible() && table->height() > 90);
    QVERIFY(table->isColumnHidden(CandidateModel::Result));
    view.resize(1100, 700);
    QTRY_COMPARE(tabs->count(), 4);
    QCOMPARE(tabs->currentIndex(), 0);
    QTRY_VERIFY(table->isVisible() && view.findChild<QTextBrowser*>()->isVisible());
    QVERIFY(!table->isColumnHidden(CandidateModel::Result));
    // A tab that was chosen stays.
    tabs->setCurrentIndex(1);
    view.resize(700, 300);
    QTRY_COMPARE(tabs->count(), 5);
    QCOMPARE(tabs->currentIndex(), 1);
    // Every button of the questions is whole.
    tabs->setCurrentIndex(0);
    for (const char* name : {"Ask", "Rank improvements", "Find break-even points", "Rank failures"}) {
      auto* b = test::buttonOf(view, QString::fromLatin1(name));
      QTRY_VERIFY2(b->visibleRegion().boundingRect().height() >= b->sizeHint().height(), name);
    }
  }

  void noBoundIsInfinite() {
    const Desk desk;
    CandidateModel model;
    model.setOutcome(desk.context.outcome);
    int unbounded = 0;
    for (int r = 0; r < model.rowCount(); ++r) {
      const QString time = model.index(r, CandidateModel::Time).data().toString();
      QVERIFY2(!time.contains(QChar(0x221E)), qPrintable(time));
      unbounded += time.isEmpty();
    }
    QVERIFY(unbounded > 0 && unbounded < model.rowCount());
  }

  /// A bound is no time: plans that were found come first, however low the bound of another lies.
  void boundsStandBehindTimes() {
    auto outcome = std::make_shared<Outcome>();
    const auto row = [&](CandidateResult result, std::optional<double> best, double bound, double lack) {
      Candidate c;
      c.result = result, c.lowerBound = Seconds(bound), c.shortfall = Bytes(lack);
      if (best) c.best = Seconds(*best);
      outcome->log.candidates.push_back(c);
    };
    row(CandidateResult::OutOfMemory, {}, 1, 12.5 * (1 << 30));
    row(CandidateResult::Bounded, {}, 7.74, 0);
    row(CandidateResult::Solved, 8.5, 7.7, 0);
    row(CandidateResult::Won, 7.74, 7.7, 0);
    row(CandidateResult::Solved, 7.9, 7.7, 0);
    outcome->plans.resize(1);
    outcome->plans[0].evaluation.batchTime = Seconds(7.74);
    CandidateModel model;
    model.setOutcome(outcome);
    QSortFilterProxyModel sorted;
    sorted.setSourceModel(&model);
    sorted.setSortRole(CandidateModel::kSortRole);
    sorted.sort(CandidateModel::Time);
    QStringList times, reasons;
    for (int r = 0; r < sorted.rowCount(); ++r) {
      times << sorted.index(r, CandidateModel::Time).data().toString();
      reasons << sorted.index(r, CandidateModel::Why).data().toString();
    }
    QCOMPARE(times.mid(0, 4), (QStringList{"7.74 s", "7.9 s", "8.5 s", "at least 7.74 s"}));
    QVERIFY2(reasons[3].startsWith(QStringLiteral("pruned: at least 7.74 s")), qPrintable(reasons[3]));
    QVERIFY2(reasons[4].contains(QStringLiteral("a stage lacks at least 12.5 GiB")), qPrintable(reasons[4]));
  }
  /// Every candidate that does not fit says by how much.
  void shortOfMemoryNamesTheAmount() {
    const Desk desk("llama3-70b-a100-16-too-small.nest.json");
    int short_ = 0;
    for (const Candidate& c : desk.context.outcome->log.candidates) {
      if (c.result != CandidateResult::OutOfMemory) continue;
      ++short_;
      QVERIFY2(c.shortfall.value() > 0,
               qPrintable(CandidateModel::reason(c, *desk.context.outcome, nullptr)));
    }
    QVERIFY(short_ > 10);
  }
  void theNextBestPlansAreListed() {
    Desk desk("llama2-7b-h100-128.nest.json");
    SearchView view(desk.services());
    desk.show(view);
    auto* list = view.findChild<QTableWidget*>(QStringLiteral("plans"));
    QVERIFY(list);
    const auto& plans = desk.context.outcome->plans;
    QVERIFY(plans.size() > 2);
    QCOMPARE(list->rowCount(), static_cast<int>(plans.size()));
    QCOMPARE(list->item(0, 1)->text(), QString::fromStdString(text::time(plans[0].evaluation.batchTime)));
    QVERIFY(list->item(1, 3)->text().endsWith(QStringLiteral("%")) ||
            list->item(1, 3)->text() == QStringLiteral("as fast"));
    list->selectRow(1);
    QTest::mouseClick(test::buttonOf(view, QStringLiteral("Keep this plan")), Qt::LeftButton);
    QCOMPARE(desk.document.scenario().keptPlans.size(), std::size_t(1));
    QVERIFY(*desk.document.scenario().keptPlans[0].plan == plans[1].plan);
  }

  void anEmptyStudyShowsNoTable() {
    Desk desk;
    StudyView view(desk.services());
    desk.show(view, {900, 300});
    auto* table = view.findChild<QTableWidget*>();
    QVERIFY(!table->isVisible());
    QTRY_VERIFY(heightInSight(canvasIn(view)) > 200);
    QTest::mouseClick(test::buttonOf(view, QStringLiteral("Run study")), Qt::LeftButton);
    QTRY_VERIFY(view.pointCount() > 1 && !view.isBusy());
    QVERIFY(table->isVisible());
    // A low view has both side by side, each of its full height.
    QTRY_VERIFY(heightInSight(canvasIn(view)) > 200 && table->height() > 200);
    view.resize(900, 800);
    QTRY_VERIFY(table->width() > 800 && table->y() >= heightInSight(canvasIn(view)));
  }

  void onePlanLeavesTheWholeViewToTheChart() {
    Desk desk;
    CompareView view(desk.services());
    desk.show(view, {900, 340});
    auto* differences = view.findChild<QTextBrowser*>();
    QVERIFY(!differences->isVisible());
    view.addPlan(desk.context.plan->plan, QStringLiteral("Kept"));
    QTRY_VERIFY(differences->isVisible());
    QTRY_VERIFY(heightInSight(canvasIn(view)) > 230);
    QVERIFY(canvasIn(view)->width() > 400 && differences->width() > 200);
  }

  void levelsAreChosenByName() {
    Desk desk;
    CommunicationView view(desk.services());
    desk.show(view);
    auto* level = view.findChild<QComboBox*>(QStringLiteral("level"));
    QCOMPARE(level->count(), 3);
    QCOMPARE(level->itemText(2), QStringLiteral("cluster"));
    level->setCurrentIndex(2);
    QCOMPARE(*view.state().at("level").name(), std::string("level1"));
    // A cluster without that level: every level again.
    test::ContextShape flat;
    flat.fanouts = {8}, flat.stages = 1;
    view.setContext(std::make_shared<PlanContext>(test::contextOf(flat)));
    QCOMPARE(level->currentIndex(), 0);
    QCOMPARE(level->itemText(1), QStringLiteral("host"));
  }
};
NEST_TEST(TestArrangement)
#include "test_arrangement.moc"
