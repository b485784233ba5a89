// Slides and exports of the views that hold tables: Search and Compare.
#include <QPainter>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>

#include "figures/paint/figure.h"
#include "slides/slide_renderer.h"
#include "slides/slide_show.h"
#include "slides/slides_export.h"
#include "support/desk.h"
#include "views/background_run.h"
#include "views/compare/compare_view.h"
#include "views/figure_canvas.h"
#include "views/view.h"
#include "window_bench.h"

using namespace nest;
using namespace nest::test;

class TestSlidesOfTables : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void searchShowsThePartInFront_data() {
    QTest::addColumn<QString>("tab");
    QTest::addColumn<QString>("figure");
    QTest::newRow("candidates") << "candidates"
                                << "candidates";
    QTest::newRow("questions") << "questions"
                               << "candidates";
    QTest::newRow("best plans") << "best"
                                << "best-plans";
    QTest::newRow("front") << "front"
                           << "front";
    QTest::newRow("table") << "dp"
                           << "dp-table";
  }
  void searchShowsThePartInFront() {
    QFETCH(QString, tab);
    QFETCH(QString, figure);
    WindowBench b;
    QTRY_VERIFY(b.solved());
    QSettings().setValue(QStringLiteral("views/search/tab"), 1);  // what was used last does not matter
    SavedSlide slide;
    slide.view = "search";
    slide.state["tab"] = tab.toStdString();
    const SlideRenderer sight(slide, b.window.session().context(), b.scenario(), Theme::Kind::Print);
    QCOMPARE(sight.view()->figure() ? sight.view()->figure()->id() : QString(), figure);
    QSettings().remove(QStringLiteral("views/search/tab"));
  }

  /// Text of a table is text on paper, not a picture of the screen.
  void tablesArePrintedAsText_data() {
    QTest::addColumn<QString>("view");
    QTest::addColumn<QString>("tab");
    for (const char* tab : {"candidates", "best", "questions"}) QTest::newRow(tab) << "search" << tab;
    QTest::newRow("compare") << "compare"
                             << "table";
  }
  void tablesArePrintedAsText() {
    QFETCH(QString, view);
    QFETCH(QString, tab);
    WindowBench b;
    QTRY_VERIFY(b.solved());
    SavedSlide slide;
    slide.view = view.toStdString();
    slide.state["tab"] = tab.toStdString();
    Scenario one = b.scenario();
    one.slides = {slide};
    const QByteArray pdf = slidesAsPdf(one, b.window.session().context());
    QVERIFY(pdf.startsWith("%PDF"));
    QVERIFY(!pdf.contains("/Subtype /Image"));
  }

  /// With Search or Compare in front, what is exported and copied is the table that is seen.
  void theTableSeenIsExported() {
    WindowBench b;
    QTRY_VERIFY(b.solved());
    b.window.views().reveal(QStringLiteral("search"));
    View* search = b.window.views().view(QStringLiteral("search"));
    auto* tabs = search->findChild<QTabWidget*>();
    const auto idWith = [&](QWidget* front) {
      tabs->setCurrentWidget(front);
      return search->figure()->id();
    };
    QCOMPARE(idWith(search->findChild<QWidget*>(QStringLiteral("questions"))), QStringLiteral("candidates"));
    QCOMPARE(idWith(search->findChild<QWidget*>(QStringLiteral("best"))), QStringLiteral("best-plans"));
    QCOMPARE(idWith(search->findChild<QWidget*>(QStringLiteral("front"))), QStringLiteral("front"));
    View* compare = b.window.views().view(QStringLiteral("compare"));
    b.window.views().reveal(QStringLiteral("compare"));
    auto* parts = compare->findChild<QTabWidget*>();
    parts->setCurrentWidget(compare->findChild<QWidget*>(QStringLiteral("table")));
    QCOMPARE(compare->figure()->id(), QStringLiteral("compared-plans"));
    const QString text = compare->figure()->asText(compare->context());
    QVERIFY2(text.contains(QStringLiteral("This plan\t")), qPrintable(text));
    QSettings().remove(QStringLiteral("views/compare/tab"));
    QSettings().remove(QStringLiteral("views/search/tab"));
  }

  /// What Run and Purchase compute begins by itself in a window, is kept by Ctrl+M, reopened and presented.
  void whatARunTakesIsKept_data() {
    QTest::addColumn<QString>("view");
    QTest::addColumn<QString>("tab");
    for (const char* tab : {"time", "failures", "improvements", "spares"}) QTest::newRow(tab) << "run" << tab;
    QTest::newRow("purchase") << "purchase"
                              << "";
  }
  void whatARunTakesIsKept() {
    QFETCH(QString, view);
    QFETCH(QString, tab);
    WindowBench b;
    QTRY_VERIFY(b.solved());
    b.window.document().edit({}, QStringLiteral("Describe the run"), [](Scenario& s) {
      Desk::describePurchase(s);
      s.run.repair = Seconds(7200);
    });
    QTRY_VERIFY_WITH_TIMEOUT(b.solved() && b.window.session().context()->scenario->run.repair, 30000);
    b.window.views().reveal(view);
    View* shown = b.window.views().view(view);
    if (!tab.isEmpty()) shown->findChild<QTabWidget*>()->setCurrentWidget(shown->findChild<QWidget*>(tab));
    QTRY_VERIFY_WITH_TIMEOUT(shown->whyNotKept().isEmpty(), 60000);
    const QString words = shown->figure()->asText(shown->context());
    QTest::keyClick(&b.window, Qt::Key_M, Qt::ControlModifier);
    QCOMPARE(b.scenario().slides.size(), std::size_t(1));

    QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("deck.nest.json"));
    QFile file(path);
    QVERIFY(file.open(QFile::WriteOnly));
    file.write(QByteArray::fromStdString(writeScenario(b.scenario())));
    file.close();
    WindowBench again(path);
    QTRY_VERIFY(again.solved());
    QCOMPARE(again.scenario().slides.size(), std::size_t(1));
    SlideShow show(std::make_shared<const Scenario>(again.scenario()), again.window.session().context(),
                   Theme::Kind::Light);
    show.resize(1280, 800);
    show.show();
    const View* kept = show.sight()->view();
    QCOMPARE(kept->figure()->asText(*kept->drawnContext()), words);
    QVERIFY(slidesAsPdf(again.scenario(), again.window.session().context()).size() > 2000);
  }

  /// The plan that a slide keeps for itself is not one of those that it is compared with.
  void aSlideOfCompareHasTheBarsThatWereSeen() {
    WindowBench b;
    QTRY_VERIFY(b.solved());
    b.window.views().reveal(QStringLiteral("compare"));
    auto* compare = qobject_cast<CompareView*>(b.window.views().view(QStringLiteral("compare")));
    compare->runBaselines();
    QTRY_VERIFY_WITH_TIMEOUT(!compare->findChild<BackgroundRun*>()->isBusy() && compare->rowCount() > 3,
                             60000);
    const int bars = compare->rowCount();
    QTest::keyClick(&b.window, Qt::Key_M, Qt::ControlModifier);
    QCOMPARE(b.scenario().slides.size(), std::size_t(1));
    SlideShow show(std::make_shared<const Scenario>(b.scenario()), b.window.session().context(),
                   Theme::Kind::Light);
    show.resize(1280, 800);
    show.show();
    QCOMPARE(qobject_cast<CompareView*>(show.sight()->view())->rowCount(), bars);
  }
};

NEST_TEST(TestSlidesOfTables)
#include "test_slides_of_tables.moc"
