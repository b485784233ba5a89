#include <QPushButton>
#include <QSettings>
#include <QTest>

#include "export/figure_export.h"
#include "figures/study/purchase_figure.h"
#include "support/desk.h"
#include "views/figure_canvas.h"
#include "views/purchase/purchase_view.h"

using namespace nest;
using test::Desk;

namespace {

struct PurchaseDesk {
  Desk desk;
  PurchaseView view;

  explicit PurchaseDesk(const std::function<void(Scenario&)>& edit) : view(desk.services()) {
    if (edit) {
      desk.document.edit({}, QStringLiteral("List offers"), edit);
      desk.solveIt();
    }
    desk.show(view);
    view.choose(PurchaseQuantity::Money);
  }
  QString words() const { return view.figure()->asText(desk.context); }
};

}  // namespace

class TestPurchaseView : public QObject {
  Q_OBJECT
private slots:
  void init() { QSettings().clear(); }

  void saysHowOffersAreListed() {
    PurchaseDesk d(nullptr);
    QVERIFY2(d.words().contains(QStringLiteral("section \"purchase\"")), qPrintable(d.words()));
    QVERIFY(!test::buttonOf(d.view, QStringLiteral("Compare offers"))->isEnabled());
    QVERIFY(!d.view.whyNotKept().isEmpty() && d.view.csv().isEmpty());
  }

  /// The same cluster at two prices: the cheaper one is best by money, none by days, and energy asks again.
  void comparesInTheBackground() {
    PurchaseDesk d(Desk::describePurchase);
    QVERIFY2(d.words().contains(QStringLiteral("2 jobs on 2 clusters")), qPrintable(d.words()));
    test::buttonOf(d.view, QStringLiteral("Compare offers"))->click();
    QTRY_VERIFY_WITH_TIMEOUT(!d.view.isBusy() && d.view.board().solved() == 4, 30000);
    using Mark = PurchaseBoard::Mark;
    QVERIFY(d.view.board().cell(0, 0).mark == Mark::Best && d.view.board().cell(0, 1).mark == Mark::None);
    const auto value = [&](int job, int cluster, PurchaseQuantity q) {
      return d.view.board().cell(job, cluster).values[static_cast<std::size_t>(q)].value();
    };
    QVERIFY(std::abs(value(0, 1, PurchaseQuantity::Money) / value(0, 0, PurchaseQuantity::Money) - 1.5) <
            1e-9);
    QVERIFY(value(1, 0, PurchaseQuantity::Days) > 1.9 * value(0, 0, PurchaseQuantity::Days));
    QVERIFY2(d.words().contains(QStringLiteral("as it is is best for all 2 jobs")), qPrintable(d.words()));
    QVERIFY2(d.words().contains(QStringLiteral("a device-hour")), qPrintable(d.words()));

    QVERIFY2(d.words().contains(QStringLiteral("falls behind dear")), qPrintable(d.words()));

    d.view.choose(PurchaseQuantity::Days);
    QVERIFY(d.view.board().cell(0, 1).mark == Mark::TooClose);
    QVERIFY2(d.words().contains(QStringLiteral("too close to call for all 2 jobs, with as it is ahead")),
             qPrintable(d.words()));
    QVERIFY2(!d.words().contains(QStringLiteral("best")), qPrintable(d.words()));
    const QString csv = d.view.csv();
    QVERIFY2(csv.startsWith(QStringLiteral("job,cluster,status,days,money")) && csv.count(u'\n') == 5,
             qPrintable(csv));
    const View::NamedPlan plan = d.view.namedPlan(1);
    QCOMPARE(plan.name, QStringLiteral("the job on dear"));
    QVERIFY(plan.context && plan.context->plan && plan.context->problem);
    QCOMPARE(plan.context->problem->run.pricePerDeviceHour.value(), 3.0);
    for (const auto format : {ExportFormat::Svg, ExportFormat::Pdf})
      QVERIFY(renderFigure(*d.view.figure(), d.desk.context, format).size() > 1000);

    d.view.choose(PurchaseQuantity::Energy);
    QVERIFY(d.view.board().empty());
    QVERIFY2(d.words().contains(QStringLiteral("least energy")), qPrintable(d.words()));
    d.view.compute({});
    QVERIFY(d.view.board().cell(0, 1).mark == Mark::Best);
  }

  /// By double click and by Return, as rows of tables do; a cell without a plan says so.
  void cellsOpenTheirPlans() {
    PurchaseDesk d(Desk::describePurchase);
    d.view.compute({});
    QStringList shown;
    connect(&d.view, &View::planRequested, &d.view, [&](View::PlanUse use, const View::NamedPlan& plan) {
      QVERIFY(use == View::PlanUse::Show && plan.context && plan.context->plan);
      // What shows it says how well it is proven.
      QVERIFY(plan.context->outcome && plan.context->outcome->best()->plan == plan.context->plan->plan);
      shown << plan.name;
    });
    auto* canvas = d.view.findChild<FigureCanvas*>();
    const QPoint second = canvas->placeOf(ListFigure::itemOf(1)).center().toPoint();
    QTest::mouseClick(canvas, Qt::LeftButton, {}, second);
    QVERIFY(shown.isEmpty());
    QTest::mouseDClick(canvas, Qt::LeftButton, {}, second);
    QCOMPARE(shown, QStringList{QStringLiteral("the job on dear")});
    canvas->setFocus();
    QTest::keyClick(canvas, Qt::Key_Down);
    QTest::keyClick(canvas, Qt::Key_Return);
    QCOMPARE(shown.last(), QStringLiteral("twice the tokens on dear"));
    QTest::mouseDClick(canvas, Qt::LeftButton, {}, {2, 2});
    QCOMPARE(shown.size(), 2);
    // A button does the same, and is off where no cell with a plan is chosen.
    auto* button = test::buttonOf(d.view, QStringLiteral("Show plan"));
    QTest::keyClick(canvas, Qt::Key_Home);
    QVERIFY(button->isEnabled());
    button->click();
    QCOMPARE(shown.last(), QStringLiteral("the job on as it is"));
    QTest::keyClick(canvas, Qt::Key_Escape);
    QVERIFY(!button->isEnabled());
  }

  void slidesKeepWhatTheyShow() {
    PurchaseDesk d(Desk::describePurchase);
    d.view.compute({});
    const auto table = d.view.table();
    QVERIFY(table);
    QVERIFY(boardIn(*table) == d.view.board());
    PurchaseDesk other(nullptr);
    other.view.showTable(*table);
    other.view.bringUpToDate();
    QCOMPARE(other.words(), d.words());
  }

  void wrongOffersAreNamed() {
    PurchaseDesk d([](Scenario& s) {
      Desk::describePurchase(s);
      s.purchase.clusters[1].changes = R"({"cluster": {"device": "no such device"}})";
    });
    d.view.compute({});
    QVERIFY2(d.words().contains(QStringLiteral("cannot be compared")), qPrintable(d.words()));
    QVERIFY2(d.words().contains(QStringLiteral("dear")), qPrintable(d.words()));
  }

  /// Another scenario, another purchase.
  void isForgottenWithItsScenario() {
    PurchaseDesk d(Desk::describePurchase);
    d.view.compute({});
    QVERIFY(!d.view.board().empty());
    d.desk.document.reset(*d.desk.context.scenario, {});
    QVERIFY(d.view.board().empty());
  }
};
NEST_TEST(TestPurchaseView)
#include "test_purchase_view.moc"
