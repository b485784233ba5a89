// What a view shows of itself depends on the room it has and on what there is to show.
#include <QComboBox>
#include <QSettings>
#include <QTabWidget>
#include <QTableWidget>
#include <QTextBrowser>

#include "../figures/plan_contexts.h"
#include "support/desk.h"
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
    QCOMPARE(tabs->count(), 4);
    QCOMPARE(tabs->tabText(tabs->currentIndex()), QStringLiteral("Candidates"));
    QTRY_VERIFY(table->isVisible() && table->height() > 90);
    QVERIFY(table->isColumnHidden(CandidateModel::Fate));
    view.resize(1100, 700);
    QTRY_COMPARE(tabs->count(), 3);
    QCOMPARE(tabs->currentIndex(), 0);
    QTRY_VERIFY(table->isVisible() && view.findChild<QTextBrowser*>()->isVisible());
    QVERIFY(!table->isColumnHidden(CandidateModel::Fate));
    // A tab that was chosen stays.
    tabs->setCurrentIndex(1);
    view.resize(700, 300);
    QTRY_COMPARE(tabs->count(), 4);
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
    QCOMPARE(view.state().at("level"), 2.0);
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
