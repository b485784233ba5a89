#include <QComboBox>
#include <QLabel>
#include <QSettings>
#include <QSignalSpy>
#include <QStandardItemModel>
#include <QTest>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <functional>

#include "export/figure_export.h"
#include "figures/paint/figure_report.h"
#include "figures/study/failure_figure.h"
#include "figures/study/improvement_figure.h"
#include "figures/study/spare_figure.h"
#include "support/desk.h"
#include "units/text.h"
#include "views/figure_canvas.h"
#include "views/run/failure_pane.h"
#include "views/run/improvement_pane.h"
#include "views/run/run_view.h"
#include "views/run/spare_pane.h"

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

  /// In a low window the lines below the bars are scrolled to, none is left out.
  void allLinesAreReached() {
    RunDesk d([](Scenario& s) {
      Desk::describeRun(s);
      s.run.pricePerDeviceHour = 2, s.run.devicePower = 700;
    });
    d.desk.show(d.view, {1600, 300});
    const auto* canvas = d.view.findChild<QWidget*>(QStringLiteral("time"))->findChild<FigureCanvas*>();
    const FigureReport report = figureReport(*d.view.figure(), canvas->area().size(), d.desk.context);
    QVERIFY(!report.leftOut);
  }

  /// Without the useful time the losses span the figure.
  void lossesAlone() {
    RunDesk d([](Scenario& s) {
      Desk::describeRun(s);
      s.run.deviceFailures = 1;
    });
    const auto& figure = static_cast<const InteractiveFigure&>(*d.view.figure());
    const QRectF area(0, 0, 900, 420);
    const auto widthOf = [&](int item) {
      return figure.locate(ListFigure::itemOf(item), area, d.desk.context).value().area.width();
    };
    QVERIFY(widthOf(1) < 40);
    for (auto* b : d.view.findChildren<QToolButton*>())
      if (b->text() == QStringLiteral("Losses alone")) b->click();
    QVERIFY2(widthOf(0) + widthOf(1) + widthOf(2) > 500, qPrintable(QString::number(widthOf(0))));
    QVERIFY2(!d.words().contains(QStringLiteral("Formula: useful time")), qPrintable(d.words()));
    QVERIFY(d.words().contains(QStringLiteral("Formula: checkpoints")));
    // The same amounts as in the whole.
    const QString line = d.words().section(QStringLiteral("Formula: checkpoints"), 1).section(u'\n', 0, 0);
    const View::State state = d.view.state();
    QCOMPARE(state.at("losses"), OptionValue(1));
    d.view.setState({{"losses", 0}});
    QCOMPARE(d.words().section(QStringLiteral("Formula: checkpoints"), 1).section(u'\n', 0, 0), line);
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

  /// Each failure under each answer, ranked, in every unit that the scenario knows.
  void ranksFailuresInTheBackground() {
    RunDesk d([](Scenario& s) {
      Desk::describeRun(s);
      s.run.pricePerDeviceHour = 2, s.run.devicePower = 700;
    });
    d.view.showPart(RunView::Part::Failures);
    QVERIFY2(d.words().contains(QStringLiteral("not ranked yet")), qPrintable(d.words()));
    QVERIFY(!d.view.whyNotKept().isEmpty() && !d.view.table());
    test::buttonOf(d.view, QStringLiteral("Rank failures"))->click();
    const FailureFigure& figure = d.view.failures().figure();
    QTRY_VERIFY_WITH_TIMEOUT(!d.view.failures().isBusy() && !figure.ranking().empty(), 30000);
    QVERIFY(figure.ranking().isWhole && d.view.whyNotKept().isEmpty());
    // Without one of four devices no plan fits, and no spare stands by.
    QVERIFY2(d.words().contains(QStringLiteral("no plan fits; with 1 spare host it costs nothing")),
             qPrintable(d.words()));
    int bests = 0;
    for (const QString& line : d.words().split(u'\n'))
      bests += line.endsWith(QStringLiteral(", best")) ? 1 : 0;
    const auto& rows = figure.ranking().rows;
    QCOMPARE(bests,
             static_cast<int>(std::count_if(rows.begin(), rows.end(), [](const FailureRanking::Row& row) {
               return row.answers.back().hasPlan;
             })));
    // A run that goes on with a share 1 + change of its tokens/s takes 1 ÷ (1 + change) of its days.
    const auto shrunk = std::find_if(figure.ranking().rows.begin(), figure.ranking().rows.end(),
                                     [](const FailureRanking::Row& row) {
                                       return row.answers.back().hasPlan && row.answers.back().change < 0;
                                     });
    QVERIFY(shrunk != figure.ranking().rows.end());
    const RunForecast f =
        runForecastOf(*d.desk.context.problem, d.desk.context.plan->plan, d.desk.context.plan->evaluation)
            .value();
    const Seconds more = *f.total * (1 / (1 + shrunk->answers.back().change) - 1);
    d.view.chooseUnit(RunUnit::Days);
    const QString cost = QStringLiteral(", re-plan: +") + QString::fromStdString(text::time(more));
    QVERIFY2(d.words().contains(cost), qPrintable(d.words() + cost));
    for (int unit = 0; unit < kRunUnitCount; ++unit) {
      d.view.chooseUnit(static_cast<RunUnit>(unit));
      QVERIFY(renderFigure(*d.view.figure(), d.desk.context, ExportFormat::Svg).size() > 1000);
    }
    // A slide has the same without ranking again.
    QVERIFY(rankingIn(*d.view.table()) == figure.ranking());
    RunDesk slide(Desk::describeRun);
    slide.view.showPart(RunView::Part::Failures);
    slide.view.showTable(*d.view.table());
    d.view.chooseUnit(RunUnit::Share);
    QCOMPARE(slide.words().section(u'\n', 2), d.words().section(u'\n', 2));
  }

  /// What each spare host saves, in the days of core, and how likely so many are enough.
  void countsSpareHosts() {
    RunDesk blank(Desk::describeRun);
    blank.view.showPart(RunView::Part::Spares);
    QVERIFY2(blank.words().contains(QStringLiteral("Not counted yet")), qPrintable(blank.words()));
    QVERIFY(!blank.view.whyNotKept().isEmpty());
    blank.view.compute({});
    QVERIFY2(blank.words().contains(QStringLiteral("Give ")), qPrintable(blank.words()));
    RunDesk d([](Scenario& s) {
      Desk::describeRun(s);
      s.run.deviceFailures = 20, s.run.repair = Seconds(7200), s.run.pricePerDeviceHour = 2;
    });
    d.view.showPart(RunView::Part::Spares);
    test::buttonOf(d.view, QStringLiteral("Count spare hosts"))->click();
    const SpareFigure& figure = d.view.spares().figure();
    QTRY_VERIFY_WITH_TIMEOUT(!d.view.spares().isBusy() && !figure.curve().empty(), 30000);
    const auto& points = figure.curve().points;
    QVERIFY(points.size() > 1);
    for (std::size_t i = 1; i < points.size(); ++i)
      QVERIFY(points[i].enough > points[i - 1].enough && *points[i].days <= *points[i - 1].days);
    const SpareBenefit b = spareBenefit(*d.desk.context.problem, *d.desk.context.plan, 0.999);
    QVERIFY(curveOf(b) == figure.curve());
    QVERIFY2(d.words().contains(QString::fromStdString(text::time(*b.choices[1].total))),
             qPrintable(d.words()));
    for (int unit = 0; unit < kRunUnitCount; ++unit) {
      d.view.chooseUnit(static_cast<RunUnit>(unit));
      QVERIFY(renderFigure(*d.view.figure(), d.desk.context, ExportFormat::Svg).size() > 1000);
    }
    QVERIFY(curveIn(*d.view.table()) == figure.curve());
    d.desk.solveIt();
    d.desk.show(d.view);
    QVERIFY(figure.curve().empty());
  }

  /// What hosts that are away take of the energy, where the power of what is in use is known.
  void sparesAreCountedInEnergy() {
    RunDesk d([](Scenario& s) {
      Desk::describeRun(s);
      s.run.deviceFailures = 20, s.run.repair = Seconds(7200), s.run.devicePower = 700;
    });
    d.view.showPart(RunView::Part::Spares);
    d.view.compute({});
    d.view.chooseUnit(RunUnit::Energy);
    const auto& points = d.view.spares().figure().curve().points;
    QVERIFY(points.size() > 1 && points[0].energy && *points[0].energy > *points[1].energy);
    QVERIFY(std::abs(*points[0].energy / *points[1].energy / (*points[0].days / *points[1].days) - 1) < 1e-9);
    QVERIFY2(d.words().contains(QStringLiteral("MWh more")), qPrintable(d.words()));
    // A slide of an earlier version has no energy.
    SavedTable old = *d.view.table();
    for (auto& row : old.rows) row.pop_back();
    const SpareCurve kept = curveIn(old);
    QCOMPARE(kept.points.size(), points.size());
    QVERIFY(!kept.points[0].energy && kept.points[0].days == points[0].days);
  }

  /// Each parameter 25 % better, the largest gain first, in every unit that the scenario knows.
  void ranksImprovements() {
    RunDesk d([](Scenario& s) {
      Desk::describeRun(s);
      s.run.pricePerDeviceHour = 2;
    });
    d.view.showPart(RunView::Part::Improvements);
    QVERIFY2(d.words().contains(QStringLiteral("not ranked yet")), qPrintable(d.words()));
    QVERIFY(!d.view.whyNotKept().isEmpty() && !d.view.table());
    test::buttonOf(d.view, QStringLiteral("Rank improvements"))->click();
    const ImprovementFigure& figure = d.view.improvements().figure();
    QTRY_VERIFY_WITH_TIMEOUT(!d.view.improvements().isBusy() && !figure.ranking().empty(), 30000);
    const auto all =
        rankImprovements(*d.desk.context.scenario, *d.desk.context.problem, *d.desk.context.plan);
    QVERIFY(rankingOf(all) == figure.ranking());
    const Improvement& best = all.front();
    const QString name = QString::fromStdString(best.what);
    QVERIFY2(d.words().contains(name + QStringLiteral(" saves most: ") +
                                QString::fromStdString(text::signedPercent(best.change))),
             qPrintable(d.words()));
    QVERIFY2(d.words().contains(QStringLiteral("No effect: ")), qPrintable(d.words()));
    // Of the days of the run, the share that is saved.
    const RunForecast f =
        runForecastOf(*d.desk.context.problem, d.desk.context.plan->plan, d.desk.context.plan->evaluation)
            .value();
    const auto timed = std::find_if(all.begin(), all.end(), [](const Improvement& i) {
      return !i.parameter.isDevices() && i.change < 0;
    });
    QVERIFY(timed != all.end());
    d.view.chooseUnit(RunUnit::Days);
    const QString days = QString::fromStdString(timed->what) + QStringLiteral(": −") +
                         QString::fromStdString(text::time(*f.total * -timed->change));
    QVERIFY2(d.words().contains(days), qPrintable(days + u'\n' + d.words()));
    for (int unit = 0; unit < kRunUnitCount; ++unit) {
      d.view.chooseUnit(static_cast<RunUnit>(unit));
      for (const auto format : {ExportFormat::Svg, ExportFormat::Pdf})
        QVERIFY(renderFigure(*d.view.figure(), d.desk.context, format).size() > 1000);
    }
    // A slide has the same without ranking again, and nothing to try.
    d.view.chooseUnit(RunUnit::Share);
    QVERIFY(improvementsIn(*d.view.table()) == figure.ranking());
    RunDesk slide(Desk::describeRun);
    slide.view.showPart(RunView::Part::Improvements);
    slide.view.showTable(*d.view.table());
    QCOMPARE(slide.words(), d.words());
    QVERIFY(!slide.view.improvements().toTry());
    // What was ranked goes with its plan.
    d.desk.solveIt();
    d.desk.show(d.view);
    QVERIFY(figure.ranking().empty());
  }

  /// By double click and by Return, as what is asked in Search by a link.
  void triesAnImprovementInWhatIf() {
    RunDesk d(Desk::describeRun);
    d.view.showPart(RunView::Part::Improvements);
    d.view.compute({});
    QSignalSpy tried(&d.view, &RunView::tryRequested);
    auto* canvas = d.view.improvements().findChild<FigureCanvas*>();
    auto* button = test::buttonOf(d.view.improvements(), QStringLiteral("Try in What-if"));
    QVERIFY(!button->isEnabled());
    const auto all =
        rankImprovements(*d.desk.context.scenario, *d.desk.context.problem, *d.desk.context.plan);
    QTest::keyClick(canvas, Qt::Key_Home);
    for (int i = 0; i < d.view.improvements().figure().count(d.desk.context); ++i) {
      const auto& one = all[static_cast<std::size_t>(d.view.improvements().figure().rowOfItem(i))];
      const auto field = fieldToTry(*d.desk.context.scenario, *d.desk.context.problem, one);
      QCOMPARE(button->isEnabled(), field.has_value());
      QTest::keyClick(canvas, Qt::Key_Return);
      if (field) {
        QCOMPARE(tried.last()[0].toString(), QString::fromStdString(field->pointer));
        QCOMPARE(tried.last()[1].toDouble(), field->value);
        QVERIFY(one.parameter.isDevices() || field->value == one.to);
      }
      QTest::keyClick(canvas, Qt::Key_Right);
    }
    QVERIFY(tried.size() > 2);
  }

  /// Little work begins without being asked, once for a plan; much waits for its button.
  void littleWorkStartsItself() {
    RunDesk d(Desk::describeRun);
    for (RunPane* pane : std::initializer_list<RunPane*>{&d.view.failures(), &d.view.improvements()}) {
      pane->setStartsItself(true);
      QVERIFY(!pane->isVisible() && !pane->isBusy());
    }
    const auto showAfter = [&d](double seconds) {
      auto outcome = std::make_shared<Outcome>(*d.desk.context.outcome);
      outcome->statistics.elapsed = Seconds(seconds);
      d.desk.context.outcome = outcome;
      d.desk.context.plan = std::shared_ptr<const RankedPlan>(outcome, outcome->best());
      d.desk.show(d.view);
    };
    showAfter(1000);
    d.view.showPart(RunView::Part::Failures);
    QTest::qWait(500);
    QVERIFY(!d.view.failures().isBusy() && d.view.failures().isEmpty());
    showAfter(0.001);
    QTRY_VERIFY_WITH_TIMEOUT(!d.view.failures().isBusy() && !d.view.failures().isEmpty(), 30000);
    QVERIFY(d.view.improvements().isEmpty());
    d.view.showPart(RunView::Part::Improvements);
    QTRY_VERIFY_WITH_TIMEOUT(!d.view.improvements().isEmpty(), 30000);
  }

  void triesAFailureInWhatIf() {
    RunDesk d(Desk::describeRun);
    d.view.showPart(RunView::Part::Failures);
    d.view.compute({});
    const FailureFigure& figure = d.view.failures().figure();
    QSignalSpy fields(&d.view, &RunView::tryRequested), parts(&d.view, &RunView::whatIfRequested);
    auto* canvas = d.view.failures().findChild<FigureCanvas*>();
    QTest::keyClick(canvas, Qt::Key_Home);
    for (int i = 0; i < figure.count(d.desk.context); ++i, QTest::keyClick(canvas, Qt::Key_Right)) {
      const Failure* f = d.view.failures().failure();
      QVERIFY(f);
      if (figure.placeOfItem(i).second > 0) continue;
      d.view.tryFailure();
      if (f->degradedLevel < 0) d.desk.document.history().undo();
    }
    QVERIFY(!parts.isEmpty());
    QVERIFY(d.desk.document.scenario().constraints.excludedDevices.empty());
    // What was ranked goes with its plan.
    d.desk.solveIt();
    d.desk.show(d.view);
    QVERIFY(figure.ranking().empty());
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
