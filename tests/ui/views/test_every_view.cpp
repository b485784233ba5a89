#include <QAbstractButton>
#include <QAccessible>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QMenu>
#include <QMimeData>
#include <QSettings>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <QTimer>

#include "../figures/plan_contexts.h"
#include "catalogue/registry.h"
#include "editors/network/network_editor.h"
#include "export/figure_export.h"
#include "jobs/study_worker.h"
#include "support/desk.h"
#include "views/figure_canvas.h"
#include "views/figure_pane.h"

using namespace nest;
using test::Desk;

namespace {

/// One view of the registry on a desk of its own, in a window.
struct Opened {
  Desk desk;
  std::unique_ptr<View> view;

  explicit Opened(const QString& id) {
    const ViewPlace place = placeOf(id);
    if (place.view == QStringLiteral("run")) {  // which the sample does not describe
      desk.document.edit({}, QStringLiteral("Describe the run"), Desk::describeRun);
      desk.solveIt();
    }
    if (place.view == QStringLiteral("purchase")) {
      desk.document.edit({}, QStringLiteral("List offers"), Desk::describePurchase);
      desk.solveIt();
    }
    for (const ViewEntry& entry : viewRegistry())
      if (entry.id == place.view) view.reset(entry.make(desk.services(), nullptr));
    view->setState(place.state);
    desk.show(*view);
    if (place.view == QStringLiteral("purchase") || place.view == QStringLiteral("run")) view->compute({});
    for (const auto* worker :
         view->findChildren<StudyWorker*>())  // what a view does by itself, as it appears
      (void)QTest::qWaitFor([worker] { return !worker->isBusy(); });
  }
  /// Its canvases with something on them, each brought to the front of its tabs first.
  void eachCanvas(const std::function<void(FigureCanvas&)>& visit) const {
    for (auto* canvas : view->findChildren<FigureCanvas*>()) {
      for (QWidget* w = canvas; w && w != view.get(); w = w->parentWidget())
        for (auto* tabs : view->findChildren<QTabWidget*>())
          if (const int i = tabs->indexOf(w); i >= 0) tabs->setCurrentIndex(i);
      QApplication::processEvents();
      if (!canvas->isVisible()) continue;
      canvas->grab();
      visit(*canvas);
    }
  }
};

/// What a right click at the middle of a widget offers.
QStringList menuOf(QWidget& widget) {
  QStringList texts;
  QTimer look;
  QObject::connect(&look, &QTimer::timeout, [&] {
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    if (!menu) return;
    for (const QAction* a : menu->actions()) texts << a->text();
    menu->close();
    look.stop();
  });
  look.start(5);
  const QPoint middle = widget.rect().center();
  QContextMenuEvent event(QContextMenuEvent::Mouse, middle, widget.mapToGlobal(middle));
  QApplication::sendEvent(&widget, &event);
  return texts;
}

bool isReached(const QWidget& w) {
  return w.isVisible() && w.isEnabled() && (w.focusPolicy() & Qt::TabFocus) && !w.focusProxy();
}

/// Parts of Qt's own compound widgets are named by the whole.
bool isPartOfAnother(const QWidget& w) {
  const QString name = w.objectName();
  return name.startsWith(QStringLiteral("qt_")) || qobject_cast<QComboBox*>(w.parentWidget()) ||
         QByteArray(w.metaObject()->className()).startsWith("QTabBar") ||
         QByteArray(w.metaObject()->className()).contains("ScrollArea");
}

struct State {
  const char* name;
  PlanContext context;
};

/// What a view may be shown instead of a plan.
std::vector<State> statesWithoutAPlan() {
  std::vector<State> all;
  all.push_back({"nothing open", {}});
  const PlanContext whole = test::contextOf({});
  PlanContext broken;
  broken.scenario = whole.scenario;
  broken.diagnostics = {Diagnostic{}};
  broken.diagnostics[0].severity = Severity::Error;
  broken.diagnostics[0].message = "The global batch is not divisible";
  all.push_back({"broken", broken});
  PlanContext unsolved = whole;
  unsolved.outcome.reset(), unsolved.plan.reset();
  all.push_back({"not solved", unsolved});
  const auto ended = [&](const char* name, OutcomeStatus status) {
    PlanContext c = unsolved;
    auto outcome = std::make_shared<Outcome>();
    outcome->status = status;
    c.outcome = outcome;
    all.push_back({name, c});
  };
  ended("stopped", OutcomeStatus::Stopped);
  ended("no plan fits", OutcomeStatus::Infeasible);
  ended("failed", OutcomeStatus::Failed);
  return all;
}

}  // namespace

/// What every view owes its user, whichever it is: a new view is held to it by standing in the registry.
class TestEveryView : public QObject {
  Q_OBJECT
private slots:
  void init() { QSettings().clear(); }

  void namesAllThatTheKeyboardReaches_data() { rows(); }
  void namesAllThatTheKeyboardReaches() {
    QFETCH(QString, id);
    const Opened o(id);
    QVERIFY(!o.view->accessibleName().isEmpty());
    int reached = 0;
    for (auto* w : o.view->findChildren<QWidget*>()) {
      if (!isReached(*w) || isPartOfAnother(*w)) continue;
      ++reached;
      QAccessibleInterface* a = QAccessible::queryAccessibleInterface(w);
      QVERIFY(a);
      const QString what = QStringLiteral("%1 “%2”").arg(QLatin1String(w->metaObject()->className()),
                                                         a->text(QAccessible::Name));
      QVERIFY2(!a->text(QAccessible::Name).isEmpty(), qPrintable(what));
      QVERIFY2(a->role() != QAccessible::NoRole && a->role() != QAccessible::Client, qPrintable(what));
    }
    QVERIFY(reached > 0);
  }

  void saysWhatItsButtonsDo_data() { rows(); }
  void saysWhatItsButtonsDo() {
    QFETCH(QString, id);
    const Opened o(id);
    for (auto* b : o.view->findChildren<QAbstractButton*>()) {
      if (b->objectName().startsWith(QStringLiteral("qt_")) || b->text().isEmpty()) continue;
      // A tooltip is only a tooltip if it says more than the text (buttons of actions repeat it by default).
      QVERIFY2(!b->toolTip().isEmpty() && b->toolTip() != b->text(), qPrintable(b->text()));
    }
  }

  void walksByKeysAndTellsWhatItReached_data() { rows(); }
  void walksByKeysAndTellsWhatItReached() {
    QFETCH(QString, id);
    const Opened o(id);
    int walked = 0;
    o.eachCanvas([&](FigureCanvas& canvas) {
      const InteractiveFigure& figure = canvas.figure();
      const auto first = figure.step(std::nullopt, InteractiveFigure::Step::First, o.desk.context);
      if (!first) return;  // shows its empty state
      ++walked;
      QTest::keyClick(&canvas, Qt::Key_Home);
      QVERIFY2(canvas.selection().selected(), qPrintable(figure.id()));
      QVERIFY2(!canvas.currentText().isEmpty(), qPrintable(figure.id()));
      QAccessibleInterface* a = QAccessible::queryAccessibleInterface(&canvas);
      QCOMPARE(a->role(), QAccessible::Graphic);
      QCOMPARE(a->text(QAccessible::Value), canvas.currentText());
      const auto hit = figure.locate(*canvas.selection().selected(), QRectF(canvas.rect()), o.desk.context);
      QVERIFY2(hit && !hit->tip.isEmpty(), qPrintable(figure.id()));
      QTest::keyClick(&canvas, Qt::Key_Escape);
      QVERIFY2(!canvas.selection().selected(), qPrintable(figure.id()));
    });
    const bool drawsOrLists = !o.view->findChildren<QTableView*>().isEmpty();
    QVERIFY(walked > 0 || drawsOrLists);
  }

  void hoversAndSelectsBothWays_data() { rows(); }
  void hoversAndSelectsBothWays() {
    QFETCH(QString, id);
    const Opened o(id);
    o.eachCanvas([&](FigureCanvas& canvas) {
      const InteractiveFigure& figure = canvas.figure();
      const auto first = figure.step(std::nullopt, InteractiveFigure::Step::First, o.desk.context);
      if (!first) return;
      const QImage before = canvas.grab().toImage();
      const QPoint at = canvas.placeOf(*first).center().toPoint();
      QVERIFY(!at.isNull());
      QTest::mouseMove(&canvas, at + QPoint(1, 0));
      QTest::mouseMove(&canvas, at);
      QTRY_VERIFY2(canvas.selection().hovered(), qPrintable(figure.id()));
      QTest::mouseClick(&canvas, Qt::LeftButton, {}, at);
      if (id != QStringLiteral("cuts"))  // a press there may take the cut
        QVERIFY2(canvas.selection().selected(), qPrintable(figure.id()));
      // What is selected elsewhere shows here.
      canvas.selection().setHovered(std::nullopt);
      canvas.selection().setSelected(first);
      QVERIFY2(canvas.grab().toImage() != before, qPrintable(figure.id()));
      canvas.selection().setSelected(std::nullopt);
    });
  }

  void offersWhatWorksInItsMenu_data() { rows(); }
  void offersWhatWorksInItsMenu() {
    QFETCH(QString, id);
    const Opened o(id);
    int menus = 0;
    o.eachCanvas([&](FigureCanvas& canvas) {
      const QStringList menu = menuOf(canvas);
      for (const char* wanted : {"Copy as image", "Copy as text", "Export…", "Show as text"})
        QVERIFY2(menu.contains(QString::fromUtf8(wanted)), qPrintable(menu.join(u';')));
      ++menus;
    });
    for (auto* table : o.view->findChildren<QTableView*>())
      if (table->isVisible()) {
        const QStringList menu = menuOf(*table->viewport());
        QVERIFY2(!menu.filter(QStringLiteral("Copy")).isEmpty(),
                 qPrintable(table->accessibleName() + menu.join(u';')));
        ++menus;
      }
    if (auto* editor = o.view->findChild<NetworkEditor*>(); editor && editor->isVisible()) {
      QVERIFY(menuOf(editor->canvas()).contains(QStringLiteral("Copy as image")));
      ++menus;
    }
    QVERIFY(menus > 0);
  }

  void hasATextTwin_data() { rows(); }
  void hasATextTwin() {
    QFETCH(QString, id);
    const Opened o(id);
    o.eachCanvas([&](FigureCanvas& canvas) {
      FigurePane* pane = nullptr;
      for (QWidget* w = canvas.parentWidget(); w && !pane; w = w->parentWidget())
        pane = qobject_cast<FigurePane*>(w);
      QVERIFY(pane);
      pane->copyText();
      const QString copied = QApplication::clipboard()->text();
      QVERIFY2(!copied.trimmed().isEmpty(), qPrintable(canvas.figure().id()));
      pane->setShowsText(true);
      QVERIFY(pane->showsText() && !canvas.isVisible());
      pane->setShowsText(false);
      pane->copyImage();
      QVERIFY(QApplication::clipboard()->mimeData()->hasImage());
    });
  }

  void exportsItsFigure_data() { rows(); }
  void exportsItsFigure() {
    QFETCH(QString, id);
    const Opened o(id);
    const Figure* figure = o.view->figure();
    QVERIFY(figure);
    QVERIFY(!figure->asText(o.view->context()).trimmed().isEmpty());
    const QByteArray svg = renderFigure(*figure, o.view->context(), ExportFormat::Svg);
    QVERIFY(svg.contains("<title>" + figure->title().toHtmlEscaped().toUtf8()));
    QVERIFY(svg.contains("<text") && svg.contains("@font-face"));
    QVERIFY(renderFigure(*figure, o.view->context(), ExportFormat::Pdf).startsWith("%PDF"));
    QVERIFY(renderFigure(*figure, o.view->context(), ExportFormat::Png).size() > 1000);
  }

  void saysWhyThereIsNothing_data() { rows(); }
  void saysWhyThereIsNothing() {
    QFETCH(QString, id);
    const Opened o(id);
    for (const State& state : statesWithoutAPlan()) {
      o.view->setContext(std::make_shared<PlanContext>(state.context));
      const QImage picture = o.view->grab().toImage();
      QVERIFY(!picture.isNull());
      o.eachCanvas([&](FigureCanvas& canvas) {
        const QString words = canvas.figure().asText(state.context).trimmed();
        QVERIFY2(
            words.size() > 10,
            qPrintable(
                QStringLiteral("%1, %2: “%3”").arg(canvas.figure().id(), QLatin1String(state.name), words)));
        if (state.context.problem || id == QStringLiteral("accuracy")) return;  // runs are of no scenario
        QVERIFY(!canvas.figure().step(std::nullopt, InteractiveFigure::Step::First, state.context));
        QTest::keyClick(&canvas, Qt::Key_Home);
        QTest::mouseMove(&canvas, canvas.rect().center());
      });
    }
  }

  void takesOneAndManyOfEverything_data() { rows(); }
  void takesOneAndManyOfEverything() {
    QFETCH(QString, id);
    const Opened o(id);
    struct Size {
      std::vector<int> fanouts;
      int stages, tensor;
    };
    for (const Size& size : {Size{{1}, 1, 1}, Size{{4, 4}, 2, 4}, Size{{8, 4, 32}, 64, 8},
                             Size{{8, 4, 16, 20}, 8, 8}, Size{{8, 8, 64, 32}, 8, 8}}) {
      test::ContextShape shape;
      shape.fanouts = size.fanouts, shape.stages = size.stages, shape.tensor = size.tensor;
      shape.blocks = std::max(6, size.stages * 2 - 2), shape.microbatches = 8;
      if (size.stages == 1) shape.parametersPerBlock = 1e8;
      o.view->setContext(std::make_shared<PlanContext>(test::contextOf(shape)));
      for (const QSize& window : {QSize(600, 400), QSize(1920, 1200)}) {
        o.view->resize(window);
        QVERIFY(!o.view->grab().isNull());
        // It must fit the smallest window that it is offered in.
        QVERIFY2(o.view->width() <= std::max(window.width(), o.view->minimumSizeHint().width()),
                 qPrintable(QString::number(o.view->width())));
      }
    }
  }

  void fitsASmallWindow_data() { rows(); }
  void fitsASmallWindow() {
    QFETCH(QString, id);
    const Opened o(id);
    const QSize least = o.view->minimumSizeHint();
    QVERIFY2(least.width() <= 600 && least.height() <= 400,
             qPrintable(QStringLiteral("%1 × %2").arg(least.width()).arg(least.height())));
  }

private:
  static void rows() {
    QTest::addColumn<QString>("id");
    for (const ViewEntry& entry : viewRegistry()) QTest::newRow(qPrintable(entry.id)) << entry.id;
    for (const ViewMode& mode : viewModes()) QTest::newRow(qPrintable(mode.id)) << mode.id;
  }
};
NEST_TEST(TestEveryView)
#include "test_every_view.moc"
