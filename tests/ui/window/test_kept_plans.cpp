// Kept what-ifs belong to the scenario: saved, undone and shown again like everything else in it.
#include <QListWidget>

#include "cluster/graph/graph_edit.h"
#include "document/kept_plans.h"
#include "figures/paint/frame.h"
#include "figures/plan/waterfall_figure.h"
#include "formats/scenario/scenario_json.h"
#include "slides/slide_edits.h"
#include "views/compare/compare_view.h"
#include "window_bench.h"

using namespace nest;
using namespace nest::test;

namespace {

struct KeptBench : WindowBench {
  explicit KeptBench(const QString& path = teachingSample()) : WindowBench(path) {
    window.views().reveal(QStringLiteral("whatif"));
  }
  QListWidget* strip() { return window.views().view(QStringLiteral("whatif"))->findChild<QListWidget*>(); }
};

}  // namespace

class TestKeptPlans : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void keepingIsOneUndoStepAndIsSaved() {
    QTemporaryDir dir;
    const QString path = ownCopy(dir);
    QByteArray saved;
    {
      KeptBench b(path);
      QTRY_VERIFY(b.solved());
      QTest::mouseClick(b.button(QStringLiteral("Keep this what-if")), Qt::LeftButton);
      QCOMPARE(b.strip()->count(), 1);
      QCOMPARE(b.window.document().history().count(), 1);
      const double before = b.window.session().context()->plan->evaluation.batchTime.value();
      // Another batch, kept as well; the same plan is not kept twice.
      b.window.document().edit({}, QStringLiteral("Double the batch"),
                               [](Scenario& s) { s.job.globalBatch *= 2; });
      QTRY_VERIFY(b.solved());
      QTest::mouseClick(b.button(QStringLiteral("Keep this what-if")), Qt::LeftButton);
      QTest::mouseClick(b.button(QStringLiteral("Keep this what-if")), Qt::LeftButton);
      QCOMPARE(b.strip()->count(), 2);
      QVERIFY(b.solved());  // keeping does not ask for a new plan
      // Return to the first by a click: its figures, and nothing kept is lost.
      const QRect first = b.strip()->visualItemRect(b.strip()->item(0));
      QTest::mouseClick(b.strip()->viewport(), Qt::LeftButton, {}, first.center());
      QTRY_VERIFY(b.solved());
      QCOMPARE(b.window.session().context()->plan->evaluation.batchTime.value(), before);
      QCOMPARE(b.scenario().keptPlans.size(), std::size_t(2));
      // Undo everything, redo everything.
      const Scenario now = b.scenario();
      QUndoStack& history = b.window.document().history();
      while (history.canUndo()) history.undo();
      QVERIFY(b.scenario().keptPlans.empty());
      QCOMPARE(b.strip()->count(), 0);
      while (history.canRedo()) history.redo();
      QVERIFY(b.scenario() == now);
      b.window.actions().find(QStringLiteral("file.save"))->trigger();
      QVERIFY(!b.window.document().isModified());
      QFile file(path);
      QVERIFY(file.open(QIODevice::ReadOnly));
      saved = file.readAll();
    }
    KeptBench again(path);
    QTRY_VERIFY(again.solved());
    QCOMPARE(again.strip()->count(), 2);
    for (int i = 0; i < 2; ++i) QVERIFY(!again.strip()->item(i)->icon().isNull());
    QCOMPARE(QByteArray::fromStdString(writeScenario(again.scenario())), saved);
    auto* compare = qobject_cast<CompareView*>(again.window.views().view(QStringLiteral("compare")));
    again.window.views().reveal(QStringLiteral("compare"));
    QTRY_COMPARE(compare->rowCount(), 3);
  }

  void aNameCanBeChangedAndAPlanRemoved() {
    KeptBench b;
    QTRY_VERIFY(b.solved());
    QTest::mouseClick(b.button(QStringLiteral("Keep this what-if")), Qt::LeftButton);
    QListWidget* strip = b.strip();
    strip->setFocus();
    strip->setCurrentRow(0);
    QTest::keyClick(strip, Qt::Key_F2);
    QWidget* editor = QApplication::focusWidget();
    QVERIFY(editor && strip->isAncestorOf(editor));
    QTest::keyClick(editor, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(editor, QStringLiteral("As it was"));
    QTest::keyClick(editor, Qt::Key_Return);
    QTRY_COMPARE(b.scenario().keptPlans.at(0).name, std::string("As it was"));
    QTRY_COMPARE(strip->item(0)->text(), QStringLiteral("As it was"));
    strip->setFocus();
    strip->setCurrentRow(0);
    QTest::keyClick(strip, Qt::Key_Delete);
    QVERIFY(b.scenario().keptPlans.empty());
    QTRY_COMPARE(strip->count(), 0);
    b.window.document().history().undo();
    QTRY_COMPARE(strip->count(), 1);
  }

  /// A plan that a view names is shown everywhere, compared, kept and pinned from where it is named.
  void aNamedPlanIsShownComparedKeptAndPinned() {
    KeptBench b;
    QTRY_VERIFY(b.solved());
    const auto best = b.window.session().context();
    QVERIFY(best->outcome->plans.size() > 1);
    auto other = std::make_shared<PlanContext>(*best);
    other->plan = std::make_shared<const RankedPlan>(best->outcome->plans[1]);
    View* search = b.window.views().view(QStringLiteral("search"));
    const View::NamedPlan named{QStringLiteral("Second best"), other, {}};
    Q_EMIT search->planRequested(View::PlanUse::Show, named);
    View* memory = b.window.views().view(QStringLiteral("memory"));
    QCOMPARE(memory->context().plan, other->plan);
    QCOMPARE(memory->context().shownAs, std::string("Second best"));
    QVERIFY(bannerOf(memory->context()).startsWith(QStringLiteral("Second best: ")));
    // An edit brings the plan of the scenario back.
    b.window.document().edit({}, QStringLiteral("x"), [](Scenario& s) { s.job.globalBatch *= 2; });
    QTRY_VERIFY(b.solved());
    QCOMPARE(memory->context().plan, b.window.session().context()->plan);
    b.window.document().history().undo();
    QTRY_VERIFY(b.solved());

    Q_EMIT search->planRequested(View::PlanUse::Compare, named);
    auto* compare = qobject_cast<CompareView*>(b.window.views().view(QStringLiteral("compare")));
    QTRY_VERIFY(compare->figure()
                    ->asText(compare->context())
                    .startsWith(QStringLiteral("This plan and Second best")));
    const auto& waterfall = static_cast<const WaterfallFigure&>(*compare->figure());
    QCOMPARE(waterfall.side(1).plan->plan, other->plan->plan);

    Q_EMIT search->planRequested(View::PlanUse::Keep, named);
    QCOMPARE(b.scenario().keptPlans.size(), std::size_t(1));
    QCOMPARE(*b.scenario().keptPlans[0].plan, other->plan->plan);

    Q_EMIT search->planRequested(View::PlanUse::Pin, named);
    QCOMPARE(b.scenario().constraints.stages,
             (Bound{other->plan->plan.stageCount(), other->plan->plan.stageCount()}));
    QTRY_VERIFY(b.solved());
    QCOMPARE(b.window.session().context()->plan->plan.dataDegree(), other->plan->plan.dataDegree());
  }

  /// A slide shows its plan whether or not that is kept elsewhere, too.
  void slidesStayWhenAKeptPlanGoes() {
    KeptBench b;
    QTRY_VERIFY(b.solved());
    QTest::mouseClick(b.button(QStringLiteral("Keep this what-if")), Qt::LeftButton);
    b.window.views().reveal(QStringLiteral("stages"));
    QTest::keyClick(&b.window, Qt::Key_M, Qt::ControlModifier);
    b.window.views().reveal(QStringLiteral("whatif"));
    QListWidget* strip = b.strip();
    QTRY_COMPARE(strip->count(), 1);
    strip->setFocus();
    strip->setCurrentRow(0);
    QTest::keyClick(strip, Qt::Key_Delete);
    QVERIFY(b.scenario().keptPlans.empty());
    QCOMPARE(b.scenario().slides.size(), std::size_t(1));
    QVERIFY(b.scenario().slides[0].shown->plan == b.window.session().context()->plan->plan);
  }

  /// Fields, slides, kept plans, returns to them, a drawing and its moves, in turns: all of it is taken back
  /// and done again, and the file counts as modified exactly where it differs.
  void twoHundredEditsAreTakenBack() {
    QTemporaryDir dir;
    KeptBench b(ownCopy(dir));
    QTRY_VERIFY(b.solved());
    ScenarioDocument& document = b.window.document();
    QUndoStack& history = document.history();
    const Scenario start = b.scenario();
    std::vector<Scenario> states{start};
    GraphSource drawn;
    drawn.graph = graph::fromLevels(std::get<LevelsSource>(start.cluster.network));
    for (int k = 0; history.index() < 200; ++k) {
      const int before = history.index();
      document.closeStep();
      const auto edit = [&](const auto& change) {
        document.edit({}, QStringLiteral("Edit %1").arg(k), change);
      };
      switch (k % 8) {
        case 0:
          edit([&](Scenario& s) { s.job.globalBatch = 16 * (1 + k % 5); });
          break;
        case 1:
          edit([&](Scenario& s) { s.cluster.network = drawn; });
          break;
        case 2:
        case 3:
          edit([&](Scenario& s) {
            auto* g = std::get_if<GraphSource>(&s.cluster.network);
            if (g && !g->graph.nodes.empty()) graph::move(g->graph, {k % int(g->graph.nodes.size())}, 10, k);
          });
          break;
        case 4:
          keepPlan(document, *b.window.session().context(), QStringLiteral("Kept %1").arg(k));
          break;
        case 5:
          b.window.views().reveal(k % 16 < 8 ? QStringLiteral("stages") : QStringLiteral("memory"));
          QTest::keyClick(&b.window, Qt::Key_M, Qt::ControlModifier);
          break;
        case 6:
          if (b.scenario().slides.size() > 3)
            removeSlide(document, 0);
          else if (b.scenario().slides.size() > 1)
            moveSlide(document, 0, 1);
          break;
        default:
          if (!b.scenario().keptPlans.empty())
            returnToKeptPlan(document, QString::fromStdString(b.scenario().keptPlans.front().name));
          edit([&](Scenario& s) { s.name = "Edit " + std::to_string(k); });
      }
      if (k % 10 == 0) QTRY_VERIFY(b.solved());
      // A step for each edit; two where a plan was returned to first.
      for (int i = before + 1; i < history.index(); ++i) states.emplace_back();
      if (history.index() > before) states.push_back(b.scenario());
    }
    const auto check = [&](int at) {
      const Scenario& expected = states[std::size_t(at)];
      if (expected == Scenario{}) return true;  // amid an edit
      return b.scenario() == expected && b.window.isWindowModified() == !(expected == start);
    };
    QCOMPARE(states.size(), std::size_t(history.index()) + 1);
    const int steps = history.index();
    for (int at = steps; at > 0; --at) {
      QVERIFY2(check(at), qPrintable(QString::number(at)));
      history.undo();
    }
    QVERIFY(b.scenario() == start);
    QVERIFY(!document.isModified());
    QVERIFY(!b.window.isWindowModified());
    QTRY_VERIFY(b.solved());
    for (int at = 1; at <= steps; ++at) {
      history.redo();
      QVERIFY2(check(at), qPrintable(QString::number(at)));
    }
    QTRY_VERIFY(b.solved());
  }
};

NEST_TEST(TestKeptPlans)
#include "test_kept_plans.moc"
