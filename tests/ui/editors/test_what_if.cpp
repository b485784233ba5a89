#include <QListWidget>
#include <QMenu>
#include <QSlider>
#include <QTextBrowser>
#include <QtTest/QTest>
#include <cmath>

#include "cluster/graph/graph_edit.h"
#include "editors/what_if/what_if_field.h"
#include "editors/what_if/what_if_view.h"
#include "figures/plan_pair_figure.h"
#include "support/desk.h"
#include "support/slider_drag.h"
#include "views/figure_pane.h"

#include <QLabel>

#include "support/desk.h"

using namespace nest;

namespace {

const WhatIfField& fieldNamed(const std::vector<WhatIfField>& all, const QString& id) {
  for (const auto& f : all)
    if (f.id == id) return f;
  throw std::runtime_error(id.toStdString());
}

struct Asked : test::Desk {
  WhatIfView view{services()};

  explicit Asked(bool drawn = false) : Desk("teaching-6-layers-2x2.nest.json") {
    if (drawn) {
      document.edit({}, "Draw", [](Scenario& s) {
        GraphSource source;
        source.graph = graph::fromLevels(std::get<LevelsSource>(s.cluster.network));
        s.cluster.network = source;
      });
      solveIt();
    }
    show(view, {1100, 700});
  }
  void solveAgain() {
    solveIt();
    view.setContext(snapshot());
  }
  void drag(QSlider& slider, int pixels) {
    test::dragHandle(slider, pixels, [this] { solveAgain(); });  // as a live session does, in the middle
    solveAgain();
  }
};

}  // namespace

class TestWhatIf : public QObject {
  Q_OBJECT
private slots:
  void slidersStopAtRoundFiguresOfTheirUnit() {
    Asked a;
    Scenario s = a.document.scenario();
    auto& levels = std::get<LevelsSource>(s.cluster.network).levels;
    levels.back().shownAs = text::BandwidthUnit::GigabitsPerSecond;
    levels.back().oversubscription = 4;
    const auto fields = whatIfFields(s);
    const auto isRound = [](double v, double unit) {
      const double digits = v / unit / std::pow(10.0, std::floor(std::log10(v / unit)) - 1);
      return std::abs(digits - std::round(digits)) < 1e-6;
    };
    const QString outer = QStringLiteral("level%1.bandwidth").arg(levels.size() - 1);
    for (int step = 0; step <= WhatIfField::kSteps; step += 7) {
      QVERIFY(isRound(fieldNamed(fields, QStringLiteral("device.memory")).at(step), 1024.0 * 1024 * 1024));
      QVERIFY(isRound(fieldNamed(fields, outer).at(step), 1e9 / 8));
      QVERIFY(isRound(fieldNamed(fields, QStringLiteral("level0.bandwidth")).at(step), 1e9));
    }
    QVERIFY(fieldNamed(fields, outer).name.endsWith(QStringLiteral("÷ 4")));
  }

  void theLargestMicrobatchSetsWhatIsOffered() {
    Scenario s;
    s.model.architecture.emplace();
    s.job.microbatches = {1, 2, 4};
    const auto fields = whatIfFields(s);
    const WhatIfField& f = fieldNamed(fields, QStringLiteral("job.microbatch"));
    QCOMPARE(f.value(s), 4.0);
    const auto offered = [&](double most) {
      Scenario now = s;
      f.set(now, most);
      return now.job.microbatches;
    };
    QCOMPARE(offered(16), (std::vector<int>{1, 2, 4, 8, 16}));
    QCOMPARE(offered(2), (std::vector<int>{1, 2}));
    QCOMPARE(offered(6), (std::vector<int>{1, 2, 4, 6}));
    s.job.microbatches = {3};
    QCOMPARE(offered(12), (std::vector<int>{3, 6, 12}));
    QCOMPARE(offered(2), std::vector<int>{2});
  }

  void linksOfADrawnNetworkHaveSliders() {
    Asked a(true);
    const auto linkSlider = [&]() -> QSlider* {
      for (auto* s : a.view.findChildren<QSlider*>())
        if (s->accessibleName().startsWith(QStringLiteral("Link host0 – ")) &&
            s->accessibleName().contains(QStringLiteral("Bandwidth")))
          return s;
      return nullptr;
    };
    QSlider* slider = linkSlider();
    QVERIFY(slider && slider->width() > 60);
    QVERIFY2(slider->accessibleName().contains(QStringLiteral("and 1 like it")),
             qPrintable(slider->accessibleName()));
    const NetworkGraph before = std::get<GraphSource>(a.document.scenario().cluster.network).graph;
    const int steps = a.document.history().count();
    const Seconds whole = a.context.plan->evaluation.batchTime;
    a.drag(*slider, -slider->width() / 4);
    const NetworkGraph& after = std::get<GraphSource>(a.document.scenario().cluster.network).graph;
    int slower = 0;
    for (std::size_t l = 0; l < before.links.size(); ++l) {
      const bool uplink = before.nodes[std::size_t(before.links[l].to)].kind == NodeKind::Switch;
      slower += after.links[l].bandwidth < before.links[l].bandwidth;
      QCOMPARE(after.links[l].bandwidth < before.links[l].bandwidth, uplink);
    }
    QVERIFY(slower > 1);
    QCOMPARE(a.document.history().count(), steps + 1);
    QCOMPARE(linkSlider(), slider);  // the same, with its range
    QVERIFY(a.context.plan->evaluation.batchTime > whole);
    QVERIFY2(a.view.story().contains(QStringLiteral("→")), qPrintable(a.view.story()));
  }

  void wordsKeepTheirRoomInALowView() {
    Asked a;
    a.view.resize(900, 280);
    a.view.show();
    auto* words = a.view.findChild<QTextBrowser*>();
    auto* plans = a.view.findChild<FigurePane*>();
    QVERIFY(plans->isVisible());
    a.view.keep();
    a.solveAgain();
    auto* strip = a.view.findChild<QListWidget*>();
    QTRY_VERIFY(strip->isVisible());
    QVERIFY(!plans->isVisible());
    QTRY_VERIFY(words->height() >= words->fontMetrics().lineSpacing() * 5);
    QVERIFY(strip->visualItemRect(strip->item(0)).bottom() <= strip->viewport()->height());
    a.view.resize(900, 700);
    QTRY_VERIFY(plans->isVisible());
  }

  void keptOnesShowTheirTimeAndAreComparedWith() {
    Asked a;
    a.view.keep();
    const auto kept = a.context.plan;
    auto* strip = a.view.findChild<QListWidget*>();
    a.drag(*a.view.sliderOf(QStringLiteral("job.batch")), 60);
    a.view.keep();
    a.solveAgain();
    QCOMPARE(strip->count(), 2);
    // Of different batches it is not the seconds that tell which is faster.
    QVERIFY(strip->item(0)->data(Qt::UserRole + 1).toString().endsWith(QStringLiteral("samples/s")));
    QVERIFY2(strip->item(1)->text().startsWith(QStringLiteral("global batch")),
             qPrintable(strip->item(1)->text()));
    QVERIFY(strip->item(0)->data(Qt::UserRole + 1) != strip->item(1)->data(Qt::UserRole + 1));
    const auto compareWith = [&](int i) {
      Q_EMIT strip->customContextMenuRequested(strip->visualItemRect(strip->item(i)).center());
      auto* menu = strip->findChild<QMenu*>();
      for (QAction* action : menu->actions())
        if (action->text() == QStringLiteral("Compare with it")) action->trigger();
      delete menu;
    };
    const auto& pair = static_cast<const PlanPairFigure&>(*a.view.figure());
    compareWith(1);
    QCOMPARE(pair.side(0).name, strip->item(1)->text());
    QVERIFY2(!a.view.story().contains(QStringLiteral("→")), qPrintable(a.view.story()));
    compareWith(0);
    QCOMPARE(pair.side(0).name, QStringLiteral("What-if 1"));
    QCOMPARE(pair.side(0).plan->plan, kept->plan);
    QVERIFY2(a.view.story().contains(QStringLiteral("→")), qPrintable(a.view.story()));
    QVERIFY2(a.view.story().contains(QStringLiteral("samples/s")), qPrintable(a.view.story()));
    QVERIFY2(a.view.story().contains(QStringLiteral("Changed: global batch")), qPrintable(a.view.story()));
    QVERIFY(pair.asText(a.context).contains(QStringLiteral("samples/s")));
  }

  /// What is told is told against the scenario that is open, also where nothing fits in it.
  void nothingFitsIsAReferenceToo() {
    test::Desk desk("llama3-70b-a100-16-too-small.nest.json");
    WhatIfView view(desk.services());
    desk.show(view, {1100, 700});
    QVERIFY(desk.context.isNearestMiss());
    QVERIFY2(view.story().startsWith(QStringLiteral("Does not fit")), qPrintable(view.story()));
    const auto figure = [&] { return view.figure()->asText(desk.context); };
    QVERIFY2(!figure().contains(QStringLiteral("baselines")), qPrintable(figure()));
    QVERIFY(!view.whyNotKept().isEmpty());
    desk.document.edit({}, QStringLiteral("Enlarge"), [](Scenario& s) {
      s.cluster.device.memory.value = Bytes(160.0 * 1024 * 1024 * 1024);
    });
    desk.solveIt();
    view.setContext(desk.snapshot());
    QVERIFY(desk.context.plan);
    QVERIFY2(view.story().contains(QStringLiteral("GiB more")) && view.story().contains(QStringLiteral("→")),
             qPrintable(view.story()));
    QVERIFY2(view.story().contains(QStringLiteral("emory")), qPrintable(view.story()));
    // Another scenario: nothing of the one before is a reference.
    test::Desk other;
    desk.document.reset(other.document.scenario(), {});
    desk.solveIt();
    view.setContext(desk.snapshot());
    QVERIFY2(!view.story().contains(QStringLiteral("→")), qPrintable(view.story()));
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    for (const QLabel* l : view.findChildren<QLabel*>())
      QVERIFY2(!l->text().contains(u'%'), qPrintable(l->text()));
  }
};
NEST_TEST(TestWhatIf)
#include "test_what_if.moc"
