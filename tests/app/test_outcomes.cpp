#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest/QTest>

#include "ran.h"
#include "test_paths.h"

using namespace nest::test;

namespace {

const char* const kLarge = "gpt3-175b-h100-1024";
const char* const kTooSmall = "llama3-70b-a100-16-too-small";

/// The least amount of work that is met which gives a plan that is not proven.
QString workForBestSoFar() {
  static const QString found = [] {
    for (double n = 1; n < 1e7; n = n * 1.3 + 1) {
      const QString work = QString::number(qint64(n));
      const QString status =
          run({"solve", sample(kLarge), "--json", "--work-limit", work}).json()["status"].toString();
      if (status == "best-so-far") return work;
      if (status == "optimal") break;
    }
    return QString();
  }();
  return found;
}

/// A sample whose own deadline is over before any search begins.
QByteArray outOfTime() {
  QFile file(sample(kLarge));
  if (!file.open(QIODevice::ReadOnly)) return {};
  QJsonObject scenario = QJsonDocument::fromJson(file.readAll()).object();
  QJsonObject search = scenario["search"].toObject();
  search["deadline_s"] = 1e-12;
  scenario["search"] = search;
  return QJsonDocument(scenario).toJson();
}

/// The model that outOfTime() names, beside a scenario in `dir`.
void bringModelTo(const QTemporaryDir& dir) {
  QDir(dir.path()).mkdir("models");
  QVERIFY(QFile::copy(QString(NEST_SOURCE_DIR) + "/samples/models/gpt3-175b.json",
                      dir.filePath("models/gpt3-175b.json")));
}

bool saysNothingFits(const QString& text) {
  static const QRegularExpression said("(nothing|none|no plan) fits|does not fit",
                                       QRegularExpression::CaseInsensitiveOption);
  return said.match(text).hasMatch();
}

}  // namespace

/// Optimal, best so far, stopped without a plan, does not fit: told apart by every command that searches.
class TestOutcomes : public QObject {
  Q_OBJECT
private slots:
  void everyCommandTellsFourOutcomesApart_data() {
    QTest::addColumn<QStringList>("before");
    QTest::addColumn<QStringList>("behind");
    QTest::addColumn<int>("whenInfeasible");  ///< exit code; −1: the command goes on to what does fit
    QTest::newRow("solve") << QStringList{"solve"} << QStringList{} << 1;
    QTest::newRow("why") << QStringList{"why"} << QStringList{} << 1;
    QTest::newRow("why a demand") << QStringList{"why"} << QStringList{"t=2"} << 1;
    QTest::newRow("improve") << QStringList{"improve"} << QStringList{} << 1;
    QTest::newRow("export") << QStringList{"export"} << QStringList{"--as", "plan"} << 1;
    QTest::newRow("compare") << QStringList{"compare"} << QStringList{"--walks", "1", "--steps", "20"} << 1;
    QTest::newRow("fewest devices") << QStringList{"inverse"} << QStringList{"--time", "20 s"} << 1;
    QTest::newRow("devices") << QStringList{"inverse"} << QStringList{"--devices", "--time", "1 ms"} << 1;
    QTest::newRow("scaling") << QStringList{"study", "scaling"} << QStringList{"--from", "16", "--to", "16"}
                             << 0;
  }
  void everyCommandTellsFourOutcomesApart() {
    QFETCH(QStringList, before);
    QFETCH(QStringList, behind);
    QFETCH(int, whenInfeasible);
    const Ran stopped = run(before + QStringList{sample(kLarge)} + behind + QStringList{"--work-limit", "0"});
    QVERIFY2(stopped.code == 3, qPrintable(stopped.all()));
    QVERIFY2(stopped.all().contains("stopped", Qt::CaseInsensitive), qPrintable(stopped.all()));
    QVERIFY2(!saysNothingFits(stopped.all()), qPrintable(stopped.all()));

    const Ran none = run(before + QStringList{sample(kTooSmall)} + behind);
    QVERIFY2(none.code == whenInfeasible, qPrintable(none.all()));
    QVERIFY2(saysNothingFits(none.all()), qPrintable(none.all()));
    QVERIFY2(!none.all().contains("stopped", Qt::CaseInsensitive), qPrintable(none.all()));
  }
  void aSolveSaysWhatStoppedIt() {
    const QString work = workForBestSoFar();
    QVERIFY2(!work.isEmpty(), "no amount of work gives a plan that is not proven");
    const Ran early = run({"solve", sample(kLarge), "--work-limit", work});
    QCOMPARE(early.code, 0);
    QVERIFY2(early.out.contains("Best so far, stopped at the work limit"), qPrintable(early.out));
    const QJsonObject best = run({"solve", sample(kLarge), "--work-limit", work, "--json"}).json();
    QCOMPARE(best["status"].toString(), QString("best-so-far"));
    QCOMPARE(best["stopped_by"].toString(), QString("work-limit"));
    QVERIFY(best["batch_time_s"].toDouble() > 0);
    if (!best["gap"].isNull()) QVERIFY(best["gap"].toDouble() > 0 && best["lower_bound_s"].toDouble() > 0);

    const QJsonObject none = run({"solve", sample(kLarge), "--work-limit", "0", "--json"}).json();
    QCOMPARE(none["status"].toString(), QString("stopped"));
    QVERIFY(none["gap"].isNull());
    QVERIFY(!none.contains("nearest_miss"));
    QVERIFY(none["lower_bound_s"].isNull() || none["lower_bound_s"].toDouble() > 0);

    const QJsonObject whole = run({"solve", sample(kLarge), "--json"}).json();
    QCOMPARE(whole["status"].toString(), QString("optimal"));
    QVERIFY(!whole.contains("stopped_by"));
    QCOMPARE(whole["gap"].toDouble(-1), 0.0);

    const Ran late = run({"solve", "-", "--json"}, outOfTime());
    QCOMPARE(late.code, 3);
    QCOMPARE(late.json()["stopped_by"].toString(), QString("deadline"));
  }
  void equalWorkGivesEqualPlans() {
    const QStringList words{"solve", sample(kLarge), "--json", "--work-limit", workForBestSoFar()};
    QCOMPARE(run(words).json()["plan"], run(words).json()["plan"]);
  }
  void devicesThatWereNotTriedAreNamed() {
    const Ran r = run({"inverse", sample(kLarge), "--devices", "--work-limit", "0", "--json"});
    QCOMPARE(r.code, 3);
    const QJsonArray all = r.json()["devices"].toArray();
    QVERIFY(all.size() > 10);
    for (const auto& one : all) {
      QVERIFY(one.toObject()["meets"].isNull());
      QCOMPARE(one.toObject()["outcome"].toObject()["status"].toString(), QString("stopped"));
    }
  }
  /// Every command plans on even hosts besides where hosts differ in size, and none calls that all there is.
  void unevenHostsArePlannedAlikeEverywhere() {
    QFile file(sample("llama3-70b-h100-1024"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QJsonObject scenario = QJsonDocument::fromJson(file.readAll()).object();
    QJsonObject cluster = scenario["cluster"].toObject();
    QJsonArray sizes;
    for (int h = 0; h < 128; ++h) sizes.append(h % 8 == 0 ? 7 : 8);
    cluster["host_sizes"] = sizes;
    scenario["cluster"] = cluster;
    const QByteArray text = QJsonDocument(scenario).toJson();
    const QJsonObject solved = run({"solve", "-", "--free", "--json"}, text).json();
    const double time = solved["batch_time_s"].toDouble();
    QVERIFY(time > 0);
    QVERIFY(!solved["plan"].toObject()["device_order"].toArray().isEmpty());
    QVERIFY(solved["free"].toObject()["batch_time_s"].toDouble() <= time);
    const QJsonObject compared = run({"compare", "-", "--only", "Manual", "--json"}, text).json();
    QCOMPARE(compared["exact"].toObject()["batch_time_s"].toDouble(), time);
    const Ran told = run({"solve", "-"}, text);
    // It is optimal over all sets and orders of hosts, or says how much they may save; headline, status and
    // the list of what was left out agree.
    const bool isOptimal = solved["status"].toString() == "optimal";
    QVERIFY2(isOptimal ? solved["gap"].toDouble() < 1e-9
                       : solved["status"].toString() == "within-gap" && solved["gap"].toDouble() > 0,
             qPrintable(told.out));
    QCOMPARE(solved["proven_over"].toString(), QString("every-line"));
    const QString verdict = isOptimal ? "Optimal in .*, \\d+ options not searched"
                                      : "Within .* % of the best set and order of hosts, in .*, \\d+ options";
    QVERIFY2(told.out.contains(QRegularExpression(verdict)) &&
                 told.out.contains("\nOptions not searched, and how to add them\n"),
             qPrintable(told.out));
    QVERIFY2(told.out.contains("  - other sets of idle devices: ") != isOptimal &&
                 told.out.contains("no other set and no other order of hosts is faster") == isOptimal,
             qPrintable(told.out));
    QStringList kinds;
    for (const auto& one : solved["not_searched"].toArray()) kinds << one.toObject()["kind"].toString();
    QVERIFY2(kinds.contains("schedule") && kinds.contains("rank-order") &&
                 kinds.contains("device-set") == told.out.contains("  - other sets of idle devices: "),
             qPrintable(kinds.join(' ')));
  }
  void baselinesThatWereCutOffSaySo() {
    const Ran r = run({"compare", sample(kLarge), "--work-limit", "0", "--json"});
    QCOMPARE(r.code, 3);
    const QJsonArray all = r.json()["baselines"].toArray();
    QCOMPARE(all.size(), 5);
    for (const auto& one : all) {
      QCOMPARE(one.toObject()["complete"].toBool(true), false);
      QCOMPARE(one.toObject()["status"].toString(), QString("stopped"));
    }
    // Where only the exact search is cut off, what the others found still counts.
    const Ran table = run({"compare", "-", "--only", "Manual"}, outOfTime());
    QCOMPARE(table.code, 3);
    QVERIFY2(!saysNothingFits(table.out), qPrintable(table.out));
    QVERIFY(table.out.contains(QRegularExpression("Manual +[0-9.]+ m?s ")));
  }
  void sweepsTellThemApart() {
    QTemporaryDir dir;
    const QString path = dir.filePath("s.nest.json");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(outOfTime());
    file.close();
    bringModelTo(dir);
    const Ran r = run({"sweep", path, "--set", "search.deadline_s=1e-12,0", "--json"});
    const QJsonArray rows = r.json()["rows"].toArray();
    QVERIFY2(rows.size() == 2, qPrintable(r.all()));
    QCOMPARE(rows[0].toObject()["status"].toString(), QString("stopped"));
    QCOMPARE(rows[1].toObject()["status"].toString(), QString("optimal"));
  }
  void theExportSaysIt() {
    if (!QFileInfo::exists(QString(NEST_BINARY_DIR) + "/nest-explorer")) QSKIP("nest-explorer is not built");
    QTemporaryDir dir;
    const QString path = dir.filePath("s.nest.json");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(outOfTime());
    file.close();
    bringModelTo(dir);
    const Ran stopped = runProgram("nest-explorer", {"--export", dir.filePath("a"), path});
    QCOMPARE(stopped.code, 3);
    QVERIFY2(stopped.out.startsWith("Stopped without a plan"), qPrintable(stopped.out));
    QVERIFY(!saysNothingFits(stopped.out));
    const Ran none = runProgram("nest-explorer", {"--export", dir.filePath("b"), sample(kTooSmall)});
    QCOMPARE(none.code, 1);
    QVERIFY2(none.out.startsWith("Does not fit. Closest plan: stage 1 needs"), qPrintable(none.out));
  }
  void whenNothingDividesTheRemedyStandsThere() {
    QFile file(sample("llama2-7b-h100-128"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QJsonObject scenario = QJsonDocument::fromJson(file.readAll()).object();
    QJsonObject job = scenario["job"].toObject();
    job["global_batch"] = 1537;
    job["microbatches"] = QJsonArray{3, 5, 7};
    scenario["job"] = job;
    const Ran r = run({"solve", "-"}, QJsonDocument(scenario).toJson());
    QCOMPARE(r.code, 1);
    QVERIFY2(
        r.out.contains(
            "Batch not divisible. No microbatch size to try (3, 5 or 7) divides the global batch of 1,537; "
            "change the global batch or the microbatch sizes, or set search.pad_last_microbatch to true."),
        qPrintable(r.out));
  }
  void aMultipleOfTheDevicesIsTheLeastThatFits() {
    const Ran r = run({"solve", sample(kTooSmall), "--json"});
    const QJsonArray remedies = r.json()["nearest_miss"].toObject()["remedies"].toArray();
    int times = 0;
    for (const auto& one : remedies)
      if (const auto m = QRegularExpression("^(\\d+) times the devices").match(one.toString()); m.hasMatch())
        times = m.captured(1).toInt();
    QVERIFY2(times > 2, qPrintable(r.out));
    const auto fits = [](int factor) {
      const Ran one = run({"study", "scaling", sample(kTooSmall), "--from", QString::number(16 * factor),
                           "--to", QString::number(16 * factor)});
      return !saysNothingFits(one.out);
    };
    QVERIFY(fits(times));
    QVERIFY(!fits(times - 1));
  }
  /// Whatever reads --json gets JSON, also where there is no answer and where the words are wrong.
  void withoutAnAnswerThereIsJsonAllTheSame_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("format");
    const QString small = sample(kTooSmall);
    QTest::newRow("why") << QStringList{"why", small, "--json"} << 1 << "nest-outcome";
    QTest::newRow("why not") << QStringList{"why", small, "tp=8", "--json"} << 1 << "nest-outcome";
    QTest::newRow("improve") << QStringList{"improve", small, "--json"} << 1 << "nest-outcome";
    QTest::newRow("unknown program") << QStringList{"solve", small, "--json", "--program", "foo"} << 2
                                     << "nest-diagnostics";
    QTest::newRow("no file") << QStringList{"why", "--json"} << 2 << "nest-diagnostics";
  }
  void withoutAnAnswerThereIsJsonAllTheSame() {
    QFETCH(QStringList, arguments);
    QFETCH(int, code);
    QFETCH(QString, format);
    const Ran ran = run(arguments);
    QCOMPARE(ran.code, code);
    QCOMPARE(ran.json()["format"].toString(), format);
  }
  void aPlanOutsideTheSearchSpaceIsToldSo() {
    QTemporaryDir dir;
    const QString plan = dir.filePath("plan.json");
    QCOMPARE(run({"solve", sample(kLarge), "-o", plan}).code, 0);
    QFile file(plan);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QJsonObject edited = QJsonDocument::fromJson(file.readAll()).object();
    file.close();
    QVERIFY(edited.contains("zero"));
    QVERIFY(!run({"evaluate", sample(kLarge), plan}).out.contains("not-searched"));
    QFile scenario(sample(kLarge));
    QVERIFY(scenario.open(QIODevice::ReadOnly));
    QJsonObject fewer = QJsonDocument::fromJson(scenario.readAll()).object();
    QJsonObject search = fewer["search"].toObject();
    search["zero_stages"] = QJsonArray{(edited["zero"].toInt() + 1) % 4};
    fewer["search"] = search;
    bringModelTo(dir);
    QFile other(dir.filePath("fewer.nest.json"));
    QVERIFY(other.open(QIODevice::WriteOnly));
    other.write(QJsonDocument(fewer).toJson());
    other.close();
    const Ran text = run({"evaluate", other.fileName(), plan});
    QVERIFY2(text.out.contains("/search/zero_stages: the search does not try ZeRO-"), qPrintable(text.out));
    const QJsonObject json = run({"evaluate", other.fileName(), plan, "--json"}).json();
    QCOMPARE(json["diagnostics"].toArray().at(0).toObject()["code"].toString(), QString("not-searched"));
  }
};
NEST_TEST(TestOutcomes)
#include "test_outcomes.moc"
