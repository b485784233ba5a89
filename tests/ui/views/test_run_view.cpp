#include <QComboBox>
#include <QLabel>
#include <QSettings>
#include <QSignalSpy>
#include <QStandardItemModel>
#include <QTest>
#include <cmath>
#include <functional>

#include "export/figure_export.h"
#include "figures/paint/figure.h"
#include "support/desk.h"
#include "views/run/run_view.h"

using namespace nest;
using test::Desk;

namespace {

struct RunDesk {
  Desk desk;
  RunView view;

  explicit RunDesk(const std::function<void(Scenario&)>& edit = {}) : view(desk.services()) {
    if (edit) {
      desk.document.edit({}, QStringLiteral("Describe the run"), edit);
      desk.solveIt();
    }
    desk.show(view);
  }
  QString words() const { return view.figure()->asText(desk.context); }
};

}  // namespace

class TestRunView : public QObject {
  Q_OBJECT
private slots:
  void init() { QSettings().clear(); }

  void asksForFieldsByName() {
    RunDesk d;
    QVERIFY2(d.words().contains(QStringLiteral("Nothing is known about the run")), qPrintable(d.words()));
    QVERIFY2(d.view.asked().contains(QStringLiteral("Device failures")), qPrintable(d.view.asked()));
    QSignalSpy opened(&d.view, &RunView::fieldRequested);
    for (auto* label : d.view.findChildren<QLabel*>())
      if (label->text().contains(QStringLiteral("href")))
        Q_EMIT label->linkActivated(QStringLiteral("/run/device_failures_per_1000h"));
    QCOMPARE(opened.size(), 1);
    // Without a word about failures the run is that of its steps, and its length is not asked for.
    RunDesk steps([](Scenario& s) { s.job.trainingTokens = 1e9; });
    QVERIFY2(steps.words().contains(QStringLiteral("without failures")), qPrintable(steps.words()));
    QVERIFY2(!steps.view.asked().contains(QStringLiteral("Training tokens")), qPrintable(steps.view.asked()));
    RunDesk half([](Scenario& s) {
      Desk::describeRun(s);
      s.run.start.reset();
    });
    QVERIFY2(half.words().contains(QStringLiteral("Start time")), qPrintable(half.words()));
    QVERIFY(!half.view.asked().contains(QStringLiteral("Detection")));
  }

  /// The four parts are a whole in every unit, by formula and by simulation, which agree.
  void partsAddUpToTheWhole() {
    RunDesk d([](Scenario& s) {
      Desk::describeRun(s);
      s.run.pricePerDeviceHour = 2, s.run.devicePower = 700;
    });
    const RunForecast f =
        runForecastOf(*d.desk.context.problem, d.desk.context.plan->plan, d.desk.context.plan->evaluation)
            .value();
    const auto simulated = simulateBriefly(*f.times);
    QVERIFY(simulated);
    QVERIFY2(std::abs(simulated->total / f.prediction->total - 1) < 0.01,
             qPrintable(QString::number(simulated->total / f.prediction->total)));
    const double whole[] = {1, f.total->value() / 86400, f.reservedDevices * f.total->value() / 3600,
                            *f.money, *f.energy / 1000};
    for (int unit = 0; unit < kRunUnitCount; ++unit) {
      double sum = 0;
      for (const Seconds part : partsOf(*f.prediction, f.times->work))
        sum += amountsOf(*d.desk.context.problem, f, d.desk.context.plan->plan.devicesUsed(), part,
                         *f.total)[static_cast<std::size_t>(unit)]
                   .value();
      QVERIFY2(std::abs(sum / whole[unit] - 1) < 1e-9, nameOf(static_cast<RunUnit>(unit)));
      d.view.chooseUnit(static_cast<RunUnit>(unit));
      QVERIFY(d.words().contains(QStringLiteral("Formula: useful time")) &&
              d.words().contains(QStringLiteral("Simulation: restarts")));
      QVERIFY(renderFigure(*d.view.figure(), d.desk.context, ExportFormat::Svg).size() > 1000);
    }
  }

  void unitsWithoutTheirFieldAreOff() {
    RunDesk d(Desk::describeRun);
    auto* units = d.view.findChild<QComboBox*>();
    const auto* rows = qobject_cast<const QStandardItemModel*>(units->model());
    QVERIFY(rows->item(1)->isEnabled() && rows->item(2)->isEnabled());
    QVERIFY(!rows->item(3)->isEnabled() && rows->item(3)->toolTip().contains(QStringLiteral("Price")));
    QVERIFY(!rows->item(4)->isEnabled() && rows->item(4)->toolTip().contains(QStringLiteral("power")));
    // A choice from before stays, and the figure says what it lacks.
    d.view.chooseUnit(RunUnit::Money);
    QVERIFY2(d.words().contains(u'%'), qPrintable(d.words()));
  }

  void impossibleValuesSayWhatFollows() {
    RunDesk d([](Scenario& s) {
      Desk::describeRun(s);
      s.run.deviceFailures = 1e5;
    });
    QVERIFY2(d.words().contains(QStringLiteral("does not get through its failures")), qPrintable(d.words()));
    QVERIFY2(d.words().contains(QStringLiteral("the next failure mostly comes first")),
             qPrintable(d.words()));
  }
};
NEST_TEST(TestRunView)
#include "test_run_view.moc"
