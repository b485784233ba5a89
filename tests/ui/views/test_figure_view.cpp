#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QSettings>
#include <QTableView>
#include <QTest>

#include "../figures/plan_contexts.h"
#include "catalogue/registry.h"
#include "document/scenario_document.h"
#include "figures/plan/memory_figure.h"
#include "support/test_main.h"
#include "views/figure_canvas.h"
#include "views/figure_view.h"
#include "views/placement_view.h"

using namespace nest;

class TestFigureView : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    QCoreApplication::setOrganizationName(QStringLiteral("nest-explorer-test"));
    QCoreApplication::setApplicationName(QStringLiteral("test_figure_view"));
  }
  void init() { QSettings().clear(); }
  void cleanupTestCase() { QSettings().clear(); }

  void everyViewHasItsNameAndStates() {
    Selection selection;
    QStringList ids;
    for (const ViewEntry& entry : viewRegistry()) {
      std::unique_ptr<View> view(entry.make({&selection}, nullptr));
      QCOMPARE(view->id(), entry.id);
      QCOMPARE(view->title(), entry.title);
      QVERIFY(!ids.contains(entry.id));
      ids << entry.id;
      view->resize(800, 500);
      view->show();
      QVERIFY(!view->grab().isNull());
      view->setContext(std::make_shared<PlanContext>(test::contextOf({})));
      view->setTheme(Theme::Kind::Dark);
      const QPixmap picture = view->grab();
      QVERIFY(!picture.isNull());
      if (const QString dir = qEnvironmentVariable("NEST_PICTURES"); !dir.isEmpty())
        picture.save(QStringLiteral("%1/view_%2.png").arg(dir, entry.id));
    }
    QVERIFY(ids.contains(QStringLiteral("topology")));
    QVERIFY(ids.contains(QStringLiteral("placement")));
  }

  /// On a canvas that is larger than a screen the figure is enlarged: what is pointed at is what is seen.
  void figuresGrowOnLargeCanvases() {
    QCOMPARE(FigureCanvas::enlargementOf({500, 300}), 1.0);
    QCOMPARE(FigureCanvas::enlargementOf({1000, 300}), 1.0);
    QCOMPARE(FigureCanvas::enlargementOf({1600, 1000}), 15 / 11.0);
    QCOMPARE(FigureCanvas::enlargementOf({3840, 2160}), 2.16 * 15 / 11);
    const PlanContext c = test::contextOf({});
    MemoryFigure figure;
    Selection selection;
    FigureCanvas canvas(figure, selection);
    canvas.resize(3200, 2000);
    canvas.show(c, Theme::of(Theme::Kind::Light));
    canvas.QWidget::show();
    const double by = 2 * 15 / 11.0;
    const auto second = figure.locate({ItemKind::Stage, 1}, QRectF(QPointF(), QSizeF(3200, 2000) / by), c);
    QVERIFY(second);
    QTest::mouseClick(&canvas, Qt::LeftButton, {}, (second->area.center() * by).toPoint());
    QVERIFY(selection.selected() && selection.selected()->index == 1);
  }

  /// Under a mouse at rest, too: nothing is left to be picked out.
  void escapePutsNothingInFront() {
    const PlanContext c = test::contextOf({});
    MemoryFigure figure;
    Selection selection;
    FigureCanvas canvas(figure, selection);
    canvas.resize(800, 500);
    canvas.show(c, Theme::of(Theme::Kind::Light));
    canvas.QWidget::show();
    const QPoint bar = canvas.placeOf({ItemKind::Stage, 1}).center().toPoint();
    QVERIFY(!bar.isNull());
    QTest::mouseMove(&canvas, bar);
    QTest::mouseClick(&canvas, Qt::LeftButton, {}, bar);
    QVERIFY(selection.selected());
    selection.setHovered(selection.selected());
    QTest::keyClick(&canvas, Qt::Key_Escape);
    QVERIFY(!selection.selected() && !selection.hovered());
  }

  void arrowKeysWalkAndAreTold() {
    for (const ViewEntry& entry : viewRegistry()) {
      Selection selection;
      std::unique_ptr<View> view(entry.make({&selection}, nullptr));
      auto* figureView = qobject_cast<FigureView*>(view.get());
      if (!figureView) continue;
      view->setContext(std::make_shared<PlanContext>(test::contextOf({})));
      view->resize(900, 600);
      view->show();
      FigureCanvas* canvas = figureView->canvas();
      QTest::keyClick(canvas, Qt::Key_Home);
      QVERIFY2(selection.selected(), qPrintable(entry.id));
      const SelectionItem first = *selection.selected();
      QVERIFY(!canvas->currentText().isEmpty());
      const Qt::Key on = entry.id == QStringLiteral("timeline") ? Qt::Key_Down : Qt::Key_Right;
      QTest::keyClick(canvas, on);
      QVERIFY2(*selection.selected() != first, qPrintable(entry.id));
      QTest::keyClick(canvas, Qt::Key_End);
      const SelectionItem last = *selection.selected();
      QTest::keyClick(canvas, on);
      QCOMPARE(*selection.selected(), last);
      auto* accessible = QAccessible::queryAccessibleInterface(canvas);
      QVERIFY(accessible);
      QCOMPARE(accessible->role(), QAccessible::Graphic);
      QVERIFY(!accessible->text(QAccessible::Name).isEmpty());
      QCOMPARE(accessible->text(QAccessible::Value), canvas->currentText());
      QTest::keyClick(canvas, Qt::Key_Escape);
      QVERIFY(!selection.selected());
    }
  }

  void hoverAndClickReachTheSelection() {
    Selection selection;
    FigureView view(std::make_unique<MemoryFigure>(), {&selection});
    auto context = std::make_shared<PlanContext>(test::contextOf({}));
    view.setContext(context);
    view.resize(900, 600);
    view.show();
    FigureCanvas* canvas = view.canvas();
    const QPoint at = canvas->placeOf({ItemKind::Stage, 2}).center().toPoint();
    QVERIFY(!at.isNull());
    QTest::mouseMove(canvas, at);
    QTRY_VERIFY(selection.hovered());
    QCOMPARE(selection.hovered()->index, 2);
    QTest::mouseClick(canvas, Qt::LeftButton, {}, at);
    QCOMPARE(*selection.selected(), (SelectionItem{ItemKind::Stage, 2}));
    QTest::mouseClick(canvas, Qt::LeftButton, {}, QPoint(3, 3));
    QVERIFY(!selection.selected());
  }

  void optionsAreRemembered() {
    Selection selection;
    const auto make = [&] {
      for (const ViewEntry& entry : viewRegistry())
        if (entry.id == QStringLiteral("memory"))
          return std::unique_ptr<View>(entry.make({&selection}, nullptr));
      return std::unique_ptr<View>();
    };
    {
      auto view = make();
      auto* box = view->findChild<QComboBox*>(QStringLiteral("by"));
      QVERIFY(box);
      QCOMPARE(box->currentIndex(), 0);
      box->setCurrentIndex(1);
      QCOMPARE(static_cast<const MemoryFigure*>(view->figure())->by(), MemoryFigure::By::Device);
    }
    QCOMPARE(static_cast<const MemoryFigure*>(make()->figure())->by(), MemoryFigure::By::Device);
  }

  void copiesImageAndText() {
    Selection selection;
    FigureView view(std::make_unique<MemoryFigure>(), {&selection});
    view.setContext(std::make_shared<PlanContext>(test::contextOf({})));
    view.copyImage();
    const QMimeData* data = QApplication::clipboard()->mimeData();
    QVERIFY(data->hasImage());
    QVERIFY(data->data(QStringLiteral("image/svg+xml")).contains("<svg"));
    view.copyText();
    QVERIFY(QApplication::clipboard()->text().contains(QStringLiteral("Stage 3")));
    std::unique_ptr<QMenu> menu(view.makeMenu(nullptr));
    QVERIFY(menu->actions().size() >= 4);
  }

  void showsTheSameAsText() {
    Selection selection;
    FigureView view(std::make_unique<MemoryFigure>(), {&selection});
    view.setContext(std::make_shared<PlanContext>(test::contextOf({})));
    view.show();
    view.setShowsText(true);
    QVERIFY(view.findChild<QPlainTextEdit*>()->toPlainText().contains(QStringLiteral("Stage 1")));
    view.setShowsText(false);
    QVERIFY(!view.showsText());
  }

  void placementFollowsAndLeadsTheSelection() {
    Selection selection;
    PlacementView view({&selection});
    view.setContext(std::make_shared<PlanContext>(test::contextOf({})));
    view.resize(600, 400);
    view.show();
    selection.setSelected(SelectionItem{ItemKind::Device, 77});
    QCOMPARE(view.tableView()->currentIndex().row(), 77);
    view.tableView()->selectRow(12);
    QCOMPARE(*selection.selected(), (SelectionItem{ItemKind::Device, 12}));
    selection.setSelected(SelectionItem{ItemKind::Stage, 1});
    QCOMPARE(view.tableView()->currentIndex().row(), 8);
  }

  /// A search moves as it is typed, the table has the width of its view, and another scenario is not searched
  /// for what was found in this one.
  void placementIsFoundAsOneTypes() {
    ScenarioDocument document;
    document.reset({}, {});
    Selection selection;
    PlacementView view({&selection, &document});
    view.setContext(std::make_shared<PlanContext>(test::contextOf({})));
    view.resize(1400, 400);
    view.show();
    auto* find = view.findChild<QLineEdit*>();
    QTest::keyClicks(find, QStringLiteral("host1"));
    QCOMPARE(view.tableView()->currentIndex().row(), 8);
    QTest::keyClicks(find, QStringLiteral("2"));
    QCOMPARE(view.tableView()->currentIndex().row(), 96);
    QTRY_VERIFY(view.tableView()->horizontalHeader()->length() > view.tableView()->viewport()->width() - 20);
    document.reset({}, {});
    QVERIFY(find->text().isEmpty());
  }
};
NEST_TEST(TestFigureView)
#include "test_figure_view.moc"
