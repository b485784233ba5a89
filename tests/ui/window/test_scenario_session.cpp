// A file comes back as it was left: panes, views, their choices and zoom, what was selected.
#include <QComboBox>
#include <QDir>
#include <QDockWidget>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSettings>
#include <QStandardPaths>

#include "views/figure_canvas.h"
#include "views/figure_view.h"
#include "window_bench.h"

using namespace nest;
using namespace nest::test;

namespace {

FigureView* figureView(WindowBench& b, const char* id) {
  return qobject_cast<FigureView*>(b.window.views().view(QLatin1String(id)));
}

}  // namespace

class TestScenarioSession : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init() { forgetWindows(); }
  void cleanup() { init(); }

  void aNarrowWindowKeepsThePanelThatWasOpened() {
    QTemporaryDir dir;
    const QString path = ownCopy(dir);
    const auto panelAfter = [&](const QSize& size, const std::function<void(QDockWidget*)>& act) {
      WindowOptions o;
      o.theme = Theme::Kind::Light;
      o.size = size;
      o.remembers = true;
      MainWindow window(
          [](const Problem& p, const Control& c, const Plan* start) { return solve(p, c, start); }, o);
      window.openPath(path);
      window.show();
      auto* panel = window.findChild<QDockWidget*>(QStringLiteral("panel"));
      const bool shown = !panel->isHidden();
      if (act) act(panel);
      window.close();
      return shown;
    };
    const QSize narrow(800, 600), wide(1500, 950);
    QVERIFY(!panelAfter(wide, [](QDockWidget* panel) { panel->show(); }));
    QVERIFY(panelAfter(wide, {}));
    QVERIFY(
        !panelAfter(narrow, [](QDockWidget* panel) { panel->show(); }));  // the first time there is no room
    QVERIFY(panelAfter(narrow, {}));
    QVERIFY(panelAfter(narrow, [](QDockWidget* panel) { panel->hide(); }));
    QVERIFY(!panelAfter(narrow, {}));
  }

  void aFileComesBackAsItWasLeft() {
    QTemporaryDir dir;
    const QString path = ownCopy(dir), other = ownCopy(dir, QStringLiteral("other.nest.json"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray content = file.readAll();
    file.close();
    View::State zoomed;
    {
      WindowBench b(path, true);
      QTRY_VERIFY(b.solved());
      QTest::keyClick(&b.window, Qt::Key_F7);  // the inspector goes
      b.window.views().reveal(QStringLiteral("timeline"));
      FigureView* timeline = figureView(b, "timeline");
      QTRY_VERIFY(timeline->isVisible());
      timeline->canvas()->zoomIn();
      timeline->canvas()->zoomIn();
      auto* box = b.window.views()
                      .view(QStringLiteral("communication"))
                      ->findChild<QComboBox*>(QStringLiteral("value"));
      QVERIFY(box);
      box->setCurrentIndex(2);
      zoomed = timeline->state();
      QVERIFY(*zoomed.at("span").number() < 1);
      b.window.selection().setSelected(SelectionItem{ItemKind::Stage, 1});
      // Another file, arranged otherwise, in the same window.
      QVERIFY(b.window.openPath(other));
      QTRY_VERIFY(b.solved());
      timeline->canvas()->fit();
      box->setCurrentIndex(0);
      b.window.findChild<QDockWidget*>(QStringLiteral("inspector"))->show();
      QVERIFY(b.window.close());
    }
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), content);  // the scenario knows nothing of it
    WindowBench b(path, true);
    QTRY_VERIFY(b.solved());
    QVERIFY(b.window.findChild<QDockWidget*>(QStringLiteral("inspector"))->isHidden());
    QCOMPARE(figureView(b, "timeline")->state(), zoomed);
    QCOMPARE(*figureView(b, "communication")->state().at("value").name(), std::string("time"));
    QVERIFY(b.window.views().current());
    QTRY_COMPARE(b.window.views().current()->id(), QStringLiteral("timeline"));
    QVERIFY(b.window.selection().selected());
    QCOMPARE(*b.window.selection().selected(), (SelectionItem{ItemKind::Stage, 1}));
    QVERIFY(b.window.openPath(other));
    QTRY_VERIFY(b.solved());
    QVERIFY(!b.window.findChild<QDockWidget*>(QStringLiteral("inspector"))->isHidden());
    QCOMPARE(*figureView(b, "communication")->state().at("value").name(), std::string("level"));
    QVERIFY(!b.window.selection().selected());
  }

  /// What is restored without looking is not restored in part.
  void aDamagedSessionLeavesTheWindowWhole() {
    QTemporaryDir dir;
    const QString path = ownCopy(dir);
    QRect inspector;
    {
      WindowBench b(path, true);
      QTRY_VERIFY(b.solved());
      inspector = b.window.findChild<QDockWidget*>(QStringLiteral("inspector"))->geometry();
      b.window.close();
    }
    const QDir sessions(QStandardPaths::writableLocation(QStandardPaths::AppConfigLocation) +
                        QStringLiteral("/sessions"));
    QFile file(sessions.filePath(sessions.entryList({QStringLiteral("*.json")}).value(0)));
    QVERIFY(file.open(QIODevice::ReadWrite));
    QJsonObject o = QJsonDocument::fromJson(file.readAll()).object();
    for (const char* key : {"panels", "views"}) {
      const QString whole = o.value(QLatin1String(key)).toString();
      QVERIFY(whole.size() > 200);
      o.insert(QLatin1String(key), whole.left(200));
    }
    file.resize(0);
    file.write(QJsonDocument(o).toJson());
    file.close();
    WindowBench b(path, true);
    QTRY_VERIFY(b.solved());
    QTRY_COMPARE(b.window.findChild<QDockWidget*>(QStringLiteral("inspector"))->geometry(), inspector);
  }

  void aSelectionThatIsNoLongerThereDoesNoHarm() {
    QTemporaryDir dir;
    const QString path = ownCopy(dir);
    {
      WindowBench b(path, true);
      QTRY_VERIFY(b.solved());
      b.window.selection().setSelected(SelectionItem{ItemKind::Stage, 4711});
      b.window.close();
    }
    WindowBench b(path, true);
    QTRY_VERIFY(b.solved());
    QTRY_VERIFY(!b.window.selection().selected());
    for (View* view : b.window.views().views()) {
      b.window.views().reveal(view->id());
      QTRY_VERIFY(view->isInSight());
    }
  }
};

NEST_TEST(TestScenarioSession)
#include "test_scenario_session.moc"
