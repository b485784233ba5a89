// What the first screen of a scenario asks of the eye: few controls, large figures, nothing that moves them.
#include <QComboBox>
#include <QDir>
#include <QDockWidget>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QTabBar>
#include <QTemporaryDir>
#include <utility>

#include "editors/plan_sentence.h"
#include "views/figure_canvas.h"
#include "views/figure_view.h"
#include "window/figures_export.h"
#include "window/headline.h"
#include "window/message_bar.h"
#include "window_bench.h"

using namespace nest;
using namespace nest::test;

namespace {

std::unique_ptr<MainWindow> firstWindow(const QString& path, const QSize& size = {1600, 1000}) {
  WindowOptions options;
  options.theme = Theme::Kind::Light;
  options.size = size;
  options.remembers = false;
  auto window = std::make_unique<MainWindow>(
      [](const Problem& p, const Control& c, const Plan* start) { return solve(p, c, start); }, options);
  window->openPath(path);
  window->show();
  return window;
}

bool hasPlan(MainWindow& window) {
  return window.session().context()->plan && window.session().context()->current;
}

}  // namespace

class TestCalmShell : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init() { forgetWindows(); }

  void theFirstScreenHasFewControlsAndLargeFigures_data() {
    QTest::addColumn<QString>("path");
    for (const QString& path : samplePaths())
      if (path.contains(QStringLiteral("70b")) || path.contains(QStringLiteral("7b")))
        QTest::newRow(qPrintable(path.section(u'/', -1))) << path;
  }
  void theFirstScreenHasFewControlsAndLargeFigures() {
    QFETCH(QString, path);
    const auto window = firstWindow(path);
    (void)QTest::qWaitFor([&] { return window->session().context()->outcome != nullptr; }, 20000);
    QTest::qWait(80);
    QStringList controls;
    QRegion figures;
    for (const QWidget* w : window->findChildren<QWidget*>()) {
      if (!w->isVisible() || w->visibleRegion().isEmpty()) continue;
      if (qobject_cast<const FigureCanvas*>(w)) {
        const QRegion seen = w->visibleRegion().translated(w->mapTo(window.get(), QPoint()));
        figures += seen;
      }
      const bool clicks = qobject_cast<const QAbstractButton*>(w) || qobject_cast<const QMenuBar*>(w);
      if (!w->isEnabled() || (w->focusPolicy() == Qt::NoFocus && !clicks)) continue;
      controls << QStringLiteral("%1 %2 %3")
                      .arg(QLatin1String(w->metaObject()->className()), w->objectName(), w->accessibleName());
    }
    double area = 0;
    for (const QRect& r : figures) area += double(r.width()) * r.height();
    const double share = area / (double(window->width()) * window->height());
    qInfo("%d controls, figures on %.1f %%", int(controls.size()), 100 * share);
    QVERIFY2(controls.size() <= 40, qPrintable(controls.join(u'\n')));
    QVERIFY2(share >= 0.5, qPrintable(QString::number(share)));
  }

  /// A pane has one line of controls of 36 pixels at most, whatever its width.
  void aPaneHasOneBar() {
    WindowBench b(teachingSample(), false, {1600, 1000});
    QTRY_VERIFY(b.solved());
    for (const int width : {1600, 1410}) {
      b.window.resize(width, 900);
      for (View* view : b.window.views().views()) {
        auto* figure = dynamic_cast<FigureView*>(view);
        if (!figure) continue;
        b.window.views().reveal(view->id());
        QTRY_VERIFY(view->isInSight());
        const auto top = [&] { return figure->canvas()->mapTo(view, QPoint()).y(); };
        QTRY_VERIFY2(top() <= 36, qPrintable(QStringLiteral("%1: %2").arg(view->id()).arg(top())));
      }
    }
  }

  /// What a pane has no room for stands in its menu.
  void whatTheBarHasNoRoomForIsInTheMenu() {
    WindowBench b(teachingSample(), false, {1600, 1000});
    QTRY_VERIFY(b.solved());
    QMenu menu;
    View* topology = b.window.views().view(QStringLiteral("topology"));
    b.window.views().fillPaneMenu(menu, *topology);
    QAction* collapse = nullptr;
    for (QAction* a : menu.actions())
      if (a->menu() && a->text() == QStringLiteral("Collapse identical")) collapse = a;
    QVERIFY(collapse);
    collapse->menu()->actions().last()->trigger();
    auto* box = topology->findChild<QComboBox*>(QStringLiteral("folding"));
    QVERIFY(box && box->isHidden());
    QCOMPARE(box->currentIndex(), box->count() - 1);
    // Alone there is room for all.
    b.window.views().enlarge(topology->id());
    QTRY_VERIFY(box->isVisible());
  }

  void messagesMoveNothing() {
    const auto window = firstWindow(teachingSample());
    QTRY_VERIFY(hasPlan(*window));
    const auto places = [&] {
      QList<QRect> out;
      for (const auto* canvas : window->findChildren<FigureCanvas*>())
        out << QRect(canvas->mapTo(window.get(), QPoint()), canvas->size());
      return out;
    };
    QList<QRect> before;
    QTRY_VERIFY(std::exchange(before, places()) == before && !before.isEmpty());  // laid out
    MessageBar& bar = window->messages();
    bar.show(MessageBar::Tone::Note, QStringLiteral("The picture is on the clipboard"));
    QTest::qWait(20);
    QVERIFY(bar.isVisible());
    QCOMPARE(places(), before);
    QVERIFY(window->rect().contains(bar.geometry()));
    QVERIFY(bar.geometry().right() > window->width() - 40 && bar.geometry().bottom() > window->height() - 40);
    // Another above it.
    window->protection().show(MessageBar::Tone::Warning, QStringLiteral("A crash would lose edits"));
    QTest::qWait(20);
    QVERIFY(!window->protection().geometry().intersects(bar.geometry()));
    QVERIFY(window->protection().y() < bar.y());
    // Buttons that come while it is shown have their room.
    bar.show(MessageBar::Tone::Note, bar.text(), {{QStringLiteral("Open folder"), [] {}}});
    const auto* button = bar.findChild<QPushButton*>(QString(), Qt::FindDirectChildrenOnly);
    QTRY_VERIFY(button && button->isVisible() && button->height() >= button->sizeHint().height());
    bar.show(MessageBar::Tone::Note, bar.text());
    // The note goes by itself, and says later what it was; the warning stays.
    QTRY_VERIFY_WITH_TIMEOUT(!bar.isVisible(), 8000);
    QCOMPARE(bar.text(), QStringLiteral("The picture is on the clipboard"));
    QVERIFY(window->protection().isVisible());
    bar.show(MessageBar::Tone::Error, QStringLiteral("No file"));
    window->resize(1450, 870);
    QTest::qWait(20);
    QVERIFY(window->rect().contains(bar.geometry()));
    bar.dismiss();
    QVERIFY(bar.text().isEmpty());
  }

  /// Notes are no reason to look: the tab counts what may be wrong, and one link adds what is not searched.
  void oneLinkSearchesWider() {
    const auto window = firstWindow(teachingSample());
    QTRY_VERIFY(hasPlan(*window));
    auto* below = window->findChild<QDockWidget*>(QStringLiteral("below"));
    QVERIFY(!below->findChild<QTabBar*>()->tabText(0).contains(u'('));
    QPushButton* wider = nullptr;
    for (auto* b : window->headline().findChildren<QPushButton*>())
      if (b->text().startsWith(QStringLiteral("Search wider"))) wider = b;
    QVERIFY(wider && wider->isVisible());
    const auto leftOut = [&] { return optionsIn(window->session().context()->outcome->notSearched); };
    const int before = leftOut();
    QVERIFY(before > 0);
    const int steps = window->document().history().count();
    wider->click();
    QCOMPARE(window->document().history().count(), steps + 1);
    QTRY_VERIFY_WITH_TIMEOUT(hasPlan(*window) && leftOut() < before, 20000);
    window->document().history().undo();
    QTRY_VERIFY(hasPlan(*window) && leftOut() == before);
  }

  /// Figures are written while the window goes on; a message says how far that is, and ends it.
  void anExportCanBeCancelled() {
    const auto window = firstWindow(teachingSample());
    QTRY_VERIFY(hasPlan(*window));
    const QTemporaryDir dir;
    auto* all = window->findChild<FiguresExport*>();
    all->start(dir.filePath(QStringLiteral("figures")), *window->session().context());
    MessageBar& bar = window->messages();
    QVERIFY(all->isBusy() && bar.isVisible());
    QVERIFY2(bar.text().startsWith(QStringLiteral("Exporting figures: 0 of ")), qPrintable(bar.text()));
    QTRY_VERIFY_WITH_TIMEOUT(QDir(dir.filePath(QStringLiteral("figures"))).count() > 3, 20000);
    QVERIFY(all->isBusy());
    window->document().edit({}, QStringLiteral("x"), [](Scenario& s) { s.job.globalBatch = 20; });
    auto* cancel = bar.findChild<QPushButton*>();
    QCOMPARE(cancel->text(), QStringLiteral("Cancel"));
    cancel->click();
    QVERIFY(!all->isBusy());
    QVERIFY2(bar.text().startsWith(QStringLiteral("The export was cancelled")), qPrintable(bar.text()));
  }

  /// Another plan comes within the blink of an eye: the old one under the new memory is never shown.
  void aPlanThatNoLongerFitsDoesNotFlash() {
    QString sample;
    for (const QString& path : samplePaths())
      if (path.contains(QStringLiteral("llama3-70b-h100"))) sample = path;
    const auto window = firstWindow(sample);
    QTRY_VERIFY_WITH_TIMEOUT(hasPlan(*window), 20000);
    int shown = 0, wrong = 0;
    connect(&window->session(), &PlanningSession::contextChanged, this, [&] {
      const PlanContext& c = *window->session().context();
      ++shown;
      wrong += c.shownEvaluation() && !c.shownEvaluation()->feasible() ? 1 : 0;
    });
    window->document().edit({}, QStringLiteral("Less memory"), [](Scenario& s) {
      s.cluster.device.memory.value = Bytes(40.0 * 1024 * 1024 * 1024);
    });
    QTRY_VERIFY_WITH_TIMEOUT(hasPlan(*window), 20000);
    QVERIFY(shown > 1);
    if (!window->session().search().lasting) QCOMPARE(wrong, 0);
  }

  /// The sentence edits what it says, and says what is edited elsewhere.
  void theSentenceEditsTheScenario() {
    const auto window = firstWindow(samplePaths().value(0));
    QTRY_VERIFY(hasPlan(*window));
    auto* sentence = window->findChild<PlanSentence*>();
    QVERIFY(sentence && sentence->isVisible());
    const QString before = sentence->asText();
    QVERIFY2(before.startsWith(QStringLiteral("Train ")) && before.contains(QStringLiteral("in hosts of")),
             qPrintable(before));
    const auto slot = [&](const char* id) {
      return window->findChild<BoundLine*>(QStringLiteral("sentence") + QLatin1String(id));
    };
    const auto devices = [&] { return window->session().context()->problem->cluster->deviceCount(); };
    BoundLine* count = slot("/cluster/devices");
    QVERIFY(count);
    count->setFocus();
    count->selectAll();
    QTest::keyClicks(count, QStringLiteral("512"));
    QTRY_VERIFY(hasPlan(*window) && devices() == 512);
    count->selectAll();
    QTest::keyClicks(count, QStringLiteral("513"));
    QVERIFY(count->problem().contains(QStringLiteral("multiple of 8")));
    QTest::keyClick(count, Qt::Key_Escape);
    BoundLine* host = slot("/cluster/levels/0/fanout");
    host->setFocus();
    host->selectAll();
    QTest::keyClicks(host, QStringLiteral("4"));
    QTRY_COMPARE(count->text(), QStringLiteral("64"));  // of the 128 that Escape took back to
    window->document().edit({}, QStringLiteral("x"), [](Scenario& s) { s.job.globalBatch = 4096; });
    QCOMPARE(slot("/job/global_batch")->text(), QStringLiteral("4,096"));
    while (window->document().history().canUndo()) window->document().history().undo();
    QCOMPARE(sentence->asText(), before);
  }
};

NEST_TEST(TestCalmShell)
#include "test_calm_shell.moc"
