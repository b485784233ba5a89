// Views as narrow as a window of 1,024 pixels leaves them beside the panels: what is offered can be read.
#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QSplitter>
#include <QVBoxLayout>

#include "../figures/plan_contexts.h"
#include "catalogue/registry.h"
#include "figures/paint/frame.h"
#include "support/desk.h"
#include "views/chip_box.h"
#include "views/figure_canvas.h"
#include "views/figure_view.h"
#include "views/plan_banner.h"

using namespace nest;
using test::Desk;

class TestNarrow : public QObject {
  Q_OBJECT
private slots:
  void init() { QSettings().clear(); }

  void buttonsShowTheirWords_data() {
    QTest::addColumn<QString>("id");
    for (const ViewEntry& entry : viewRegistry()) QTest::newRow(qPrintable(entry.id)) << entry.id;
    for (const ViewMode& mode : viewModes()) QTest::newRow(qPrintable(mode.id)) << mode.id;
  }
  void buttonsShowTheirWords() {
    QFETCH(QString, id);
    Desk desk;
    const ViewPlace place = placeOf(id);
    std::unique_ptr<View> view;
    for (const ViewEntry& entry : viewRegistry())
      if (entry.id == place.view) view.reset(entry.make(desk.services(), nullptr));
    view->setState(place.state);
    view->setMinimumSize(130, 100);  // as in the window
    desk.show(*view, {440, 400});
    QApplication::processEvents();
    QCOMPARE(view->width(), 440);
    for (const auto* button : view->findChildren<QAbstractButton*>()) {
      if (button->visibleRegion().isEmpty() || button->text().isEmpty()) continue;
      QVERIFY2(button->width() >= button->sizeHint().width(), qPrintable(button->text()));
      QVERIFY2(button->visibleRegion().boundingRect().width() == button->width(), qPrintable(button->text()));
    }
  }

  /// A pane of 200 pixels is the figure's for the most part.
  void toolsLeaveRoomForTheFigure() {
    Desk desk;
    for (const ViewEntry& entry : viewRegistry()) {
      std::unique_ptr<View> view(entry.make(desk.services(), nullptr));
      const auto* canvas = view->findChild<FigureCanvas*>();
      if (!canvas || !qobject_cast<FigureView*>(view.get())) continue;
      desk.show(*view, {200, 400});
      QApplication::processEvents();
      const int height = canvas->visibleRegion().boundingRect().height();
      QVERIFY2(height >= 240, qPrintable(QStringLiteral("%1: %2").arg(entry.id).arg(height)));
      desk.show(*view, {600, 400});
      QApplication::processEvents();
      for (const auto* chip : view->findChildren<QComboBox*>()) {
        const auto* named = dynamic_cast<const ChipBox*>(chip);
        if (!named || !named->isVisible()) continue;
        QVERIFY2(named->shownText().startsWith(named->accessibleName()), qPrintable(entry.id));
        QVERIFY2(named->width() > named->fontMetrics().horizontalAdvance(named->shownText()),
                 qPrintable(entry.id));
      }
    }
  }

  /// Below the banner a figure has the height that it has without one: it is scrolled, not squeezed.
  void figuresKeepTheirHeightBelowTheBanner() {
    int least[2];
    for (const bool fits : {true, false}) {
      Desk desk;
      test::ContextShape shape;
      if (!fits) shape.memoryGiB = 12;
      desk.context = test::contextOf(shape);
      QCOMPARE(desk.context.isNearestMiss(), !fits);
      std::unique_ptr<View> view;
      for (const ViewEntry& entry : viewRegistry())
        if (entry.id == placeOf(QStringLiteral("memory")).view)
          view.reset(entry.make(desk.services(), nullptr));
      desk.show(*view, {320, 240});
      QApplication::processEvents();
      const auto* canvas = view->findChild<FigureCanvas*>();
      QVERIFY(canvas);
      least[fits] = canvas->minimumHeight();
      QVERIFY(canvas->height() >= least[fits]);
    }
    QVERIFY2(least[false] >= least[true] + 30, qPrintable(QString::number(least[false])));
  }

  /// In a splitter, where no layout asks for the height of a width.
  void theBannerShowsAllLines() {
    test::ContextShape shape;
    shape.memoryGiB = 12;
    const auto context = std::make_shared<PlanContext>(test::contextOf(shape));
    QVERIFY(context->isNearestMiss());
    QSplitter split;
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    auto* banner = new PlanBanner;
    column->addWidget(banner);
    column->addWidget(new QWidget, 1);
    split.addWidget(page);
    split.resize(900, 300);
    split.show();
    banner->show(context, Theme::of(Theme::Kind::Light));
    for (const int width : {900, 260, 500}) {
      split.resize(width, 300);
      QApplication::processEvents();
      QTRY_VERIFY2(banner->height() >= bannerHeight(bannerOf(*context), banner->width()),
                   qPrintable(QString::number(width)));
    }
  }
};
NEST_TEST(TestNarrow)
#include "test_narrow.moc"
