// "I have 512 H100 and this model": from the start page to a plan of one's own.
#include <QComboBox>

#include "cluster/graph/generators.h"
#include "editors/plan_sentence.h"
#include "test_paths.h"
#include "window/gallery.h"
#include "window/headline.h"
#include "window_bench.h"

using namespace nest;
using namespace nest::test;

namespace {

struct NewBench : WindowBench {
  explicit NewBench(const QSize& size = {1600, 1000}) : WindowBench(QString(), false, size) {}
  PlanSentence* sentence() { return window.findChild<PlanSentence*>(); }
  QWidget* slot(const char* id) {
    return window.findChild<QWidget*>(QStringLiteral("sentence") + QLatin1String(id));
  }
  bool isAssumed(const char* id) { return slot(id)->property("assumed").toBool(); }
  void type(const char* id, const char* text) {
    auto* line = qobject_cast<QLineEdit*>(slot(id));
    line->setFocus();
    line->selectAll();
    QTest::keyClicks(line, QLatin1String(text));
  }
  std::string name() { return scenario().name; }
};

}  // namespace

class TestNewPlan : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init() { forgetWindows(); }

  void aNetworkIsDrawnFromTheStart() {
    NewBench b;
    QTRY_VERIFY(b.button(QStringLiteral("Draw a network")));
    QTest::mouseClick(b.button(QStringLiteral("Draw a network")), Qt::LeftButton);
    QVERIFY(!b.window.document().isEmpty());
    const View* view = b.window.views().view(QStringLiteral("topology"));
    QTRY_VERIFY(view->isVisible());
    QTRY_VERIFY(b.button(QStringLiteral("Start empty")));  // the editor is in front
    QVERIFY(b.button(QStringLiteral("Start empty"))->isVisible());
  }

  void aSentenceBecomesAPlan() {
    NewBench b;
    auto* gallery = b.window.findChild<Gallery*>();
    QTRY_VERIFY(gallery && gallery->isVisible());
    QTest::mouseClick(b.button(QStringLiteral("New plan")), Qt::LeftButton);
    QTRY_VERIFY(b.solved());
    QVERIFY(b.sentence()->isVisible());
    QVERIFY(b.sentence()->isAncestorOf(b.window.focusWidget()));
    for (const char* id : {"/model", "/cluster/devices", "/cluster/device", "/job/sequence_length",
                           "/job/global_batch", "/program"})
      QVERIFY2(b.isAssumed(id), id);
    QVERIFY(b.window.document().path().isEmpty());
    // Solved while one types, each value one's own from then on, and the name says what it is.
    b.type("/cluster/devices", "512");
    QTRY_VERIFY(b.solved() && b.window.session().context()->problem->cluster->deviceCount() == 512);
    QVERIFY(!b.isAssumed("/cluster/devices") && b.isAssumed("/cluster/device"));
    auto* model = qobject_cast<QComboBox*>(b.slot("/model"));
    const int at = model->findText(QStringLiteral("Llama-3-70B"));
    QVERIFY(at >= 0);
    model->setCurrentIndex(at);
    Q_EMIT model->activated(at);
    QTRY_VERIFY(b.solved());
    QVERIFY(!b.isAssumed("/model"));
    QCOMPARE(b.name(), std::string("Llama-3-70B on 512 H100"));
    QCOMPARE(b.window.document().displayName(), QStringLiteral("Llama-3-70B on 512 H100"));
    // Enter accepts what stands there; undo takes the acceptance back.
    b.type("/job/global_batch", "");
    auto* batch = qobject_cast<QLineEdit*>(b.slot("/job/global_batch"));
    QTest::keyClick(batch, Qt::Key_Escape);
    QVERIFY(b.isAssumed("/job/global_batch"));
    QTest::keyClick(batch, Qt::Key_Return);
    QVERIFY(!b.isAssumed("/job/global_batch"));
    b.trigger("edit.undo");
    QVERIFY(b.isAssumed("/job/global_batch"));
    QTest::mouseClick(b.button(QStringLiteral("Accept all")), Qt::LeftButton);
    QVERIFY(b.scenario().unstated.empty());
    QVERIFY(!b.button(QStringLiteral("Accept all")));
    // A name that is typed stays.
    b.window.document().edit({}, QStringLiteral("Rename"), [](Scenario& s) { s.name = "Mine"; });
    b.type("/cluster/devices", "1024");
    QCOMPARE(b.name(), std::string("Mine"));
    while (b.window.document().history().canUndo()) b.window.document().history().undo();
    QCOMPARE(b.scenario().unstated.size(), std::size_t(7));
  }

  /// From a scenario by Ctrl+N, in a small window too.
  void fromAScenarioByKey() {
    for (const QSize& size : {QSize(1500, 950), QSize(800, 540)}) {
      WindowBench b(teachingSample(), false, size);
      QTRY_VERIFY(b.solved());
      QVERIFY(QTest::qWaitForWindowActive(&b.window));
      QTest::keyClick(&b.window, Qt::Key_N, Qt::ControlModifier);
      QTRY_VERIFY(b.solved() && !b.scenario().unstated.empty());
      auto* sentence = b.window.findChild<PlanSentence*>();
      QVERIFY(sentence->isVisible());
      QVERIFY(sentence->width() <= b.window.width());
      QTest::mouseClick(b.button(QStringLiteral("Accept all")), Qt::LeftButton);
      QTRY_COMPARE(sentence->isVisible(), size.width() > 1400);
    }
  }

  /// A config.json brings the model; what it does not say is marked in the same slots.
  void anImportMarksWhatNoFileSays() {
    NewBench b;
    QVERIFY(b.window.openPath(QStringLiteral(NEST_SOURCE_DIR "/samples/models/llama-3-8b.json")));
    QTRY_VERIFY(b.solved());
    QVERIFY(!b.isAssumed("/model"));
    for (const char* id : {"/cluster/devices", "/cluster/device", "/job/global_batch", "/program"})
      QVERIFY2(b.isAssumed(id), id);
    QCOMPARE(b.name(), std::string("Llama-3-8B on 128 H100"));
    b.type("/cluster/devices", "64");
    QCOMPARE(b.name(), std::string("Llama-3-8B on 64 H100"));
  }

  /// A drawing fills the same slot, which leads there.
  void aDrawingFillsTheSlot() {
    NewBench b;
    QVERIFY(b.window.openPath(QStringLiteral(NEST_SOURCE_DIR "/samples/models/llama-3-8b.json")));
    b.window.document().edit({}, QStringLiteral("Draw"), [](Scenario& s) {
      const auto network = generateNetwork(
          "dragonfly",
          {{"groups", 4}, {"hosts_per_router", 1}, {"global_links", 1}, {"devices_per_host", 4}});
      if (network) s.cluster.network = GraphSource{*network, {}, {}};
    });
    QVERIFY(b.slot("/cluster/devices")->isHidden());
    QVERIFY2(b.sentence()->asText().contains(QStringLiteral("a drawn network of")),
             qPrintable(b.sentence()->asText()));
  }
};

NEST_TEST(TestNewPlan)
#include "test_new_plan.moc"
