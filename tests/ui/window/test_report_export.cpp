// The report of a window: computed on another thread, with a message that can cancel it.
#include <QPushButton>
#include <QTemporaryDir>
#include <QtTest/QTest>

#include "catalogue/report_figures.h"
#include "document/kept_plans.h"
#include "study/study_curve.h"
#include "views/compare/compare_view.h"
#include "views/study/study_view.h"
#include "window/message_bar.h"
#include "window/report_export.h"
#include "window_bench.h"

using namespace nest;
using namespace nest::test;

class TestReportExport : public QObject {
  Q_OBJECT

  static QByteArray read(const QString& path) {
    QFile f(path);
    return f.open(QIODevice::ReadOnly) ? f.readAll() : QByteArray();
  }

private Q_SLOTS:
  void init() { forgetWindows(); }

  void theWindowGoesOnMeanwhile() {
    QTemporaryDir dir;
    WindowBench b;
    QTRY_VERIFY(b.solved());
    auto* report = b.window.findChild<ReportExport*>();
    QVERIFY(report);
    const QString path = dir.filePath("report.html");
    report->start(path, b.window.session().context(), sourcesIn(b.scenario()));
    QVERIFY(report->isBusy() && !QFile::exists(path));
    QVERIFY(b.window.messages().text().contains(QLatin1String("computing improvements")));
    QVERIFY(b.button("Cancel"));
    QTRY_VERIFY_WITH_TIMEOUT(!report->isBusy(), 60000);
    QVERIFY2(b.window.messages().text().contains(path), qPrintable(b.window.messages().text()));
    const QByteArray page = read(path);
    QVERIFY(page.contains("id=\"improvements\"") && page.contains("id=\"figure-study\""));
    QVERIFY(page.contains("<li>Compare: the scenario keeps no other plan"));
    QVERIFY(page.size() < 2'000'000);
  }

  void cancelledItWritesNothing() {
    QTemporaryDir dir;
    WindowBench b;
    QTRY_VERIFY(b.solved());
    auto* report = b.window.findChild<ReportExport*>();
    const QString path = dir.filePath("report.html");
    report->start(path, b.window.session().context(), sourcesIn(b.scenario()));
    QVERIFY(b.button("Cancel"));
    b.button("Cancel")->click();
    QVERIFY(!report->isBusy());
    QCoreApplication::processEvents();
    QTest::qWait(50);
    QVERIFY(!QFile::exists(path));
    QVERIFY(b.window.messages().text().contains(QLatin1String("nothing was written")));
  }

  /// What Study and Compare show goes before what would be computed; a study of other numbers does not.
  void whatViewsShowIsTaken() {
    WindowBench b;
    QTRY_VERIFY(b.solved());
    auto* study = b.window.findChild<StudyView*>();
    QVERIFY(study);
    study->setContext(b.window.session().context());
    study->compute({});
    keepPlan(b.window.document(), *b.window.session().context(), QStringLiteral("As it was"));
    const std::vector<View*> views = b.window.views().views();
    const ReportSources now = sourcesIn(b.scenario(), views);
    QVERIFY(now.study && *now.study == *study->study());
    b.window.document().edit({}, QStringLiteral("Other batch"), [](Scenario& s) { s.job.globalBatch *= 2; });
    QTRY_VERIFY(b.solved());
    const ReportSources later = sourcesIn(b.scenario(), views);
    QVERIFY(!later.study);
    QCOMPARE(later.compared.size(), std::size_t(1));
    QCOMPARE(later.compared.front().name, QStringLiteral("As it was"));
    const ReportFigures shown = reportFigures(b.window.session().context(), later);
    QCOMPARE(shown.figures.back().id, QStringLiteral("compare"));
    QVERIFY(shown.figures.back().table && shown.figures.back().table->rows().size() == 2);
    QVERIFY(!shown.figures.back().finding.isEmpty());
  }

  /// Values without any plan are a line, not an empty picture.
  void aStudyWithoutPlansIsLeftOut() {
    WindowBench b;
    QTRY_VERIFY(b.solved());
    ReportSources sources;
    sources.study = emptyStudy(b.scenario(), *b.window.session().context()->problem, {{}, {}, {2, 4}},
                               nullptr, StudyQuantity::Tokens);
    sources.study->results.resize(2);
    const ReportFigures shown = reportFigures(b.window.session().context(), sources);
    QVERIFY(std::any_of(shown.leftOut.begin(), shown.leftOut.end(),
                        [](const std::string& why) { return why.starts_with("Study: no plan"); }));
    QVERIFY(std::none_of(shown.figures.begin(), shown.figures.end(),
                         [](const ReportFigure& f) { return f.id == QLatin1String("study"); }));
  }
};

NEST_TEST(TestReportExport)
#include "test_report_export.moc"
