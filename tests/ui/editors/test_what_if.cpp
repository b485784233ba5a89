#include <QComboBox>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QSettings>
#include <QSlider>
#include <QTabWidget>
#include <QTextBrowser>
#include <QtTest/QTest>
#include <cmath>

#include "cluster/graph/graph_edit.h"
#include "editors/what_if/what_if_form.h"
#include "editors/what_if/what_if_view.h"
#include "fields/field_slide.h"
#include "figures/plan/waterfall_figure.h"
#include "support/desk.h"
#include "support/slider_drag.h"
#include "views/figure_pane.h"

#include <QLabel>

#include "support/desk.h"

using namespace nest;

namespace {

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
  /// Beside other panes the form is 440 pixels wide and less: a slider of 60 could not be aimed with.
  void aNarrowFormPutsSlidersBelowTheirNames() {
    test::Desk desk;
    WhatIfForm form(&desk.document);
    form.rebuild();
    form.resize(440, 900);
    form.show();
    QVERIFY(QTest::qWaitForWindowExposed(&form));
    const QSlider* slider = form.sliderOf(QStringLiteral("/cluster/device/memory_bytes"));
    const auto figureOf = [&] {
      for (const auto* f : form.findChildren<QLineEdit*>())
        if (f->accessibleName() == slider->accessibleName()) return f->geometry();
      return QRect();
    };
    QTRY_VERIFY2(slider->width() > 400, qPrintable(QString::number(slider->width())));
    QTRY_VERIFY(slider->geometry().top() >= figureOf().bottom());
    for (const int width : {300, 440, 500, 560, 620, 700}) {
      form.resize(width, 900);
      QTRY_VERIFY2(slider->width() >= WhatIfForm::kLeastSlider, qPrintable(QString::number(slider->width())));
    }
    form.resize(900, 900);
    QTRY_VERIFY(figureOf().intersects(QRect(0, slider->geometry().center().y(), 900, 1)));
  }
  void slidersStopAtRoundFiguresOfTheirUnit() {
    Asked a;
    Scenario s = a.document.scenario();
    auto& levels = std::get<LevelsSource>(s.cluster.network).levels;
    levels.back().shownAs = text::BandwidthUnit::GigabitsPerSecond;
    const auto isRound = [](double v, double unit) {
      const double digits = v / unit / std::pow(10.0, std::floor(std::log10(v / unit)) - 1);
      return std::abs(digits - std::round(digits)) < 1e-6;
    };
    const std::string outer = "cluster.levels." + std::to_string(levels.size() - 1) + ".bandwidth";
    const auto stops = [&](const std::string& key, double unit) {
      const SlideRange range = slideRangeOf(s, fieldAt(s, key).value());
      for (int step = 1; step < 100; step += 7) QVERIFY2(isRound(range.at(step / 100.0), unit), key.c_str());
    };
    stops("cluster.device.memory", 1024.0 * 1024 * 1024);
    stops(outer, 1e9 / 8);
    stops("cluster.levels.0.bandwidth", 1e9);
  }

  /// Ctrl+Z behind a value that was typed and applied takes the value back, as everywhere else.
  void undoIsTheDocumentsOnceATypedValueIsApplied() {
    Asked a;
    QLineEdit* box = nullptr;
    for (auto* e : a.view.findChildren<QLineEdit*>())
      if (e->accessibleName().contains(QStringLiteral("Device memory"))) box = e;
    QVERIFY(box);
    const auto takes = [&](Qt::KeyboardModifiers modifiers) {
      QKeyEvent key(QEvent::ShortcutOverride, Qt::Key_Z, modifiers);
      key.ignore();
      QCoreApplication::sendEvent(box, &key);
      return key.isAccepted();
    };
    QVERIFY(!takes(Qt::ControlModifier));
    box->setFocus();
    box->selectAll();
    QTest::keyClicks(box, QStringLiteral("70 GiB"));
    QVERIFY(takes(Qt::ControlModifier));  // the typing
    QTest::keyClick(box, Qt::Key_Return);
    QVERIFY(a.document.history().canUndo());
    QVERIFY(!takes(Qt::ControlModifier));
    QVERIFY(!takes(Qt::ControlModifier | Qt::ShiftModifier));
  }

  /// What is no number of the field stays to be mended, with what can be typed beneath.
  void nonsenseIsAnswered() {
    Asked a;
    QLineEdit* box = nullptr;
    for (auto* e : a.view.findChildren<QLineEdit*>())
      if (e->accessibleName().contains(QStringLiteral("Device memory"))) box = e;
    QVERIFY(box);
    const auto complaint = [&]() -> QString {
      for (const auto* l : a.view.findChildren<QLabel*>())
        if (l->property("role") == QStringLiteral("error") && l->isVisible()) return l->text();
      return {};
    };
    const QString before = box->text();
    box->setFocus();
    for (const char* nonsense : {"banana", "-5 GiB", "1e999"}) {
      box->selectAll();
      QTest::keyClicks(box, QLatin1String(nonsense));
      QVERIFY(complaint().isEmpty());
      QTest::keyClick(box, Qt::Key_Return);
      QVERIFY2(complaint().contains(QStringLiteral("from ")), qPrintable(complaint()));
      QCOMPARE(box->text(), QLatin1String(nonsense));
    }
    QVERIFY(!a.document.history().canUndo());
    box->selectAll();
    QTest::keyClicks(box, QStringLiteral("70 GiB"));
    QTest::keyClick(box, Qt::Key_Return);
    QVERIFY(complaint().isEmpty());
    a.document.history().undo();
    QTRY_COMPARE(box->text(), before);
  }

  /// Any number of the scenario gets a slider from the list, and keeps it.
  void anyNumberCanBeSlid() {
    QSettings().remove(QStringLiteral("views/whatif/fields"));
    Asked a;
    const auto others = [&] {
      for (auto* box : a.view.findChildren<QComboBox*>())
        if (box->accessibleName() == QStringLiteral("Add a slider")) return box;
      return static_cast<QComboBox*>(nullptr);
    };
    QVERIFY(others());
    const int before = others()->count();
    QVERIFY(before > 15);
    const QString overlap = QStringLiteral("/assumptions/overlap/data");
    QVERIFY(!a.view.sliderOf(overlap));
    const int row = others()->findData(overlap);
    QVERIFY(row >= 0);
    Q_EMIT others()->activated(row);
    QTRY_VERIFY(a.view.sliderOf(overlap));
    QTRY_COMPARE(others()->count(), before - 1);
    QSlider* slider = a.view.sliderOf(overlap);
    slider->setValue(slider->maximum() / 2);
    QCOMPARE(a.document.scenario().assumptions.overlap[std::size_t(Exchange::Data)], 0.5);
    QCOMPARE(a.document.history().undoText(), QStringLiteral("Set Data overlap to 50 %"));
    WhatIfView again(a.services());
    a.show(again, {900, 600});
    QVERIFY(again.sliderOf(overlap));
    QSettings().remove(QStringLiteral("views/whatif/fields"));
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
    auto* plans = a.view.findChild<QTabWidget*>();
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
    a.drag(*a.view.sliderOf(QStringLiteral("/job/global_batch")), 60);
    a.view.keep();
    a.solveAgain();
    QCOMPARE(strip->count(), 2);
    // Of different batches it is not the seconds that tell which is faster.
    QVERIFY(strip->item(0)->data(Qt::UserRole + 1).toString().endsWith(QStringLiteral("tokens/s")));
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
    const auto& pair = static_cast<const WaterfallFigure&>(*a.view.figure());
    compareWith(1);
    QCOMPARE(pair.side(0).name, strip->item(1)->text());
    QVERIFY2(!a.view.story().contains(QStringLiteral("→")), qPrintable(a.view.story()));
    compareWith(0);
    QCOMPARE(pair.side(0).name, QStringLiteral("What-if 1"));
    QCOMPARE(pair.side(0).plan->plan, kept->plan);
    QVERIFY2(a.view.story().contains(QStringLiteral("→")), qPrintable(a.view.story()));
    QVERIFY2(a.view.story().contains(QStringLiteral("tokens/s")), qPrintable(a.view.story()));
    QVERIFY2(a.view.story().contains(QStringLiteral("Changed: global batch")), qPrintable(a.view.story()));
    QVERIFY(pair.asText(a.context).contains(QStringLiteral("per token")));
    QVERIFY(pair.asText(a.context).contains(QStringLiteral("Global batch")));
  }

  /// Its list is filled anew while the menu is open, as when the file is read again or the theme changes.
  void aMenuOutlivesItsItem() {
    Asked a;
    a.view.keep();
    auto* strip = a.view.findChild<QListWidget*>();
    QCOMPARE(strip->count(), 1);
    Q_EMIT strip->customContextMenuRequested(strip->visualItemRect(strip->item(0)).center());
    auto* menu = strip->findChild<QMenu*>();
    QVERIFY(menu);
    a.view.setTheme(Theme::Kind::Dark);
    for (QAction* action : menu->actions())
      if (action->text() == QStringLiteral("Rename")) action->trigger();
    QVERIFY(strip->findChild<QLineEdit*>());
    for (QAction* action : menu->actions())
      if (action->text() == QStringLiteral("Return to it")) action->trigger();
    strip->clear();
    for (QAction* action : menu->actions())
      if (action->text() == QStringLiteral("Remove")) action->trigger();
    QVERIFY(a.document.scenario().keptPlans.empty());
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
