#include <QApplication>
#include <QComboBox>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>

#include "document/scenario_files.h"
#include "editors/bound_line.h"
#include "editors/scenario_panel.h"
#include "fields/field.h"
#include "fields/field_slide.h"
#include "fields/field_text.h"
#include "formats/scenario/scenario_json.h"
#include "support/test_main.h"

using namespace nest;

namespace {

QString sample(const char* part) {
  for (const QString& path : samplePaths())
    if (path.contains(QLatin1String(part))) return path;
  return {};
}

}  // namespace

/// What a field takes, the file takes; what it refuses leaves nothing behind.
class TestFieldsAndFiles : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void whateverAFieldTakesCanBeReadAgain() {
    ScenarioDocument document;
    const auto opened = readScenarioFile(sample("llama2"));
    QVERIFY(opened);
    document.reset(*opened.value, {});
    ScenarioPanel panel(document);
    QStringList names;
    for (const BoundLine* line : panel.findChildren<BoundLine*>())
      if (!line->objectName().isEmpty()) names += line->objectName();
    QVERIFY(names.size() > 15);
    QStringList lost;
    for (const QString& name : names)
      for (const char* text : {"0", "-1", "1e99", "1e99 GB", "1e99 GB/s", "1e99 s", "1e-99 GB/s", "1e-99",
                               "99999999", "1e300", "nan", "inf", "\"\\\n"}) {
        auto* line = panel.findChild<BoundLine*>(name);  // levels make their lines anew
        QVERIFY2(line, qPrintable(name));
        line->selectAll();
        line->insert(QString::fromLatin1(text));
        Q_EMIT line->textEdited(line->text());
        if (!line->problem().isEmpty()) continue;
        const auto again = readScenario(writeScenario(document.scenario()), "again.nest.json", {});
        if (!again)
          lost += QStringLiteral("%1 takes %2: %3")
                      .arg(name, QString::fromLatin1(text),
                           QString::fromStdString(toText(again.diagnostics.front())));
        document.reset(*opened.value, {});
      }
    QVERIFY2(lost.isEmpty(), qPrintable(lost.join(u'\n')));
  }

  /// A new group of fields has a place in the panel without anybody thinking of it.
  void everyFieldOfThePanelHasItsRow() {
    ScenarioDocument document;
    const auto opened = readScenarioFile(sample("llama2"));
    QVERIFY(opened);
    document.reset(*opened.value, {});
    ScenarioPanel panel(document);
    QStringList missing;
    int rows = 0;
    for (const Field& f : fields()) {
      if (!f.isInPanel || f.access.count) continue;
      ++rows;
      if (!panel.reveal(QString::fromStdString(f.key))) missing += QString::fromStdString(f.key);
    }
    QVERIFY(rows > 60);
    QVERIFY2(missing.isEmpty(), qPrintable(missing.join(u'\n')));
  }

  /// As one undo step; a link that was typed stays, and a note says so.
  void aDeviceBringsItsLinks() {
    ScenarioDocument document;
    const auto opened = readScenarioFile(sample("llama2"));
    QVERIFY(opened);
    document.reset(*opened.value, {});
    ScenarioPanel panel(document);
    QSignalSpy noticed(&panel, &ScenarioPanel::noticed);
    auto* device = panel.findChild<QComboBox*>(QStringLiteral("/cluster/device"));
    QVERIFY(device);
    const auto hostLink = [&] {
      return std::get<LevelsSource>(document.scenario().cluster.network).levels[0].bandwidth.value();
    };
    const auto choose = [&](const char* name) {
      const int i = device->findText(QLatin1String(name), Qt::MatchStartsWith);
      if (i < 0) qFatal("no such device");
      device->setCurrentIndex(i);
      Q_EMIT device->activated(i);
    };
    QCOMPARE(hostLink(), 450e9);
    choose("B200");
    QCOMPARE(document.scenario().cluster.device.id, std::string("b200"));
    QCOMPARE(hostLink(), 900e9);
    QCOMPARE(noticed.count(), 0);
    document.history().undo();
    QCOMPARE(hostLink(), 450e9);
    QCOMPARE(document.scenario().cluster.device.id, std::string("h100-sxm"));
    document.edit({}, QStringLiteral("Type"), [](Scenario& s) {
      auto& level = std::get<LevelsSource>(s.cluster.network).levels[0];
      level.bandwidth = BytesPerSecond(400e9);
      level.origin = Origin::Typed;
    });
    choose("B200");
    QCOMPARE(hostLink(), 400e9);
    QCOMPARE(noticed.count(), 1);
    QVERIFY(noticed[0][0].value<Diagnostic>().message.find("keeps 400 GB/s, which was typed") !=
            std::string::npos);
  }

  void whateverAWhatIfTakesCanBeReadAgain() {
    const Scenario opened = *readScenarioFile(sample("llama2")).value;
    const auto fields = numericFieldsOf(opened);
    QVERIFY(fields.size() > 40);
    for (const FieldAt& f : fields) {
      // What it prints is read back, at both ends of its slider too.
      const SlideRange range = slideRangeOf(opened, f);
      for (const double v : {numberOf(opened, f).value_or(range.least), range.at(0), range.at(1)})
        QVERIFY2(readNumberText(opened, f, numberText(opened, f, v)),
                 (f.pointer() + ' ' + numberText(opened, f, v)).c_str());
      for (const char* text :
           {"0", "-1", "1e99", "1e99 GB", "1e99 GB/s", "1e99 s", "99999999999", "nan", "inf"}) {
        const auto v = readNumberText(opened, f, text);
        if (!v) continue;
        Scenario s = opened;
        setNumber(s, f, *v);
        QVERIFY2(readScenario(writeScenario(s), "again.nest.json", {}), (f.pointer() + ' ' + text).c_str());
      }
    }
  }

  void anInvalidTextLeavesNothingBehind() {
    ScenarioDocument document;
    document.reset(*readScenarioFile(sample("llama2")).value, {});
    ScenarioPanel panel(document);
    panel.show();
    QApplication::setActiveWindow(&panel);
    auto* line = panel.findChild<BoundLine*>(QStringLiteral("/job/sequence_length"));
    QVERIFY(line);
    const int before = document.scenario().job.sequenceLength;
    line->setFocus();
    line->selectAll();
    QTest::keyClicks(line, QStringLiteral("99999999999"));
    QVERIFY(!line->problem().isEmpty());
    line->clearFocus();
    QCOMPARE(document.scenario().job.sequenceLength, before);
    QCOMPARE(line->text(), QStringLiteral("99999999999"));
    QVERIFY(!line->problem().isEmpty());
  }

  void aFileThatIsGoneIsTold() {
    QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("a.nest.json"));
    ScenarioDocument document;
    ScenarioFiles files(document, dir.filePath(QStringLiteral("unsaved")));
    QVERIFY(files.open(sample("llama2")));
    QVERIFY(files.save(path));
    QSignalSpy gone(&files, &ScenarioFiles::goneOutside);
    QVERIFY(QFile::remove(path));
    QTRY_COMPARE(gone.count(), 1);
    QVERIFY(files.save(path));
    QVERIFY(QFile::exists(path));
  }
};

NEST_TEST(TestFieldsAndFiles)
#include "test_fields_and_files.moc"
