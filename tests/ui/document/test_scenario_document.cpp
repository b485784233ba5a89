#include "document/scenario_document.h"

#include <QDir>
#include <QFile>
#include <QFileSystemWatcher>
#include <QObject>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTimer>

#include "cluster/devices/device_catalog.h"
#include "document/scenario_files.h"
#include "fields/program_setting.h"
#include "formats/import_files.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;

namespace {

Scenario sample() {
  auto reading = readScenarioFile(samplePaths().value(0));
  if (!reading) qFatal("the default sample does not read");
  return std::move(*reading.value);
}

void setBatch(ScenarioDocument& d, int batch) {
  d.edit(QStringLiteral("/job/global_batch"), QStringLiteral("Change global batch"),
         [batch](Scenario& s) { s.job.globalBatch = batch; });
}

/// Whether the files will look at the disk again, or write a journal, by themselves.
bool looksAgain(const ScenarioFiles& files) {
  for (const auto* timer : files.findChildren<QTimer*>())
    if (timer->isActive()) return true;
  return false;
}

}  // namespace

class TestScenarioDocument : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void undoAllAndRedoAllGiveTheSameBytes() {
    ScenarioDocument d;
    d.reset(sample(), {});
    const std::string before = writeScenario(d.scenario());
    setBatch(d, 96);
    d.edit({}, QStringLiteral("Widen"),
           [](Scenario& s) { std::get<LevelsSource>(s.cluster.network).levels[1].bandwidth *= 1.0 / 3; });
    d.edit({}, QStringLiteral("Bound"), [](Scenario& s) { s.constraints.tensor = {2, 8}; });
    const std::string after = writeScenario(d.scenario());
    QVERIFY(before != after);
    while (d.history().canUndo()) d.history().undo();
    QCOMPARE(writeScenario(d.scenario()), before);
    QVERIFY(!d.isModified());
    while (d.history().canRedo()) d.history().redo();
    QCOMPARE(writeScenario(d.scenario()), after);
    QVERIFY(d.isModified());
  }

  void whatIsOpenHasATitle() {
    ScenarioDocument d;
    QCOMPARE(d.displayName(), QString());
    d.reset(sample(), {});
    QCOMPARE(d.displayName(), QString::fromStdString(d.scenario().name));
    d.edit({}, QStringLiteral("Rename"), [](Scenario& s) { s.name.clear(); });
    QCOMPARE(d.displayName(), QStringLiteral("Untitled"));
    d.reset(sample(), QStringLiteral("/tmp/mine.nest.json"));
    QCOMPARE(d.displayName(), QStringLiteral("mine.nest.json"));
  }

  void editsOfOneFieldAreOneStepUntilItIsLeft() {
    ScenarioDocument d;
    d.reset(sample(), {});
    const int before = d.scenario().job.globalBatch;
    setBatch(d, 5);
    setBatch(d, 51);
    setBatch(d, 512);
    QCOMPARE(d.history().count(), 1);
    d.closeStep();
    setBatch(d, 640);
    QCOMPARE(d.history().count(), 2);
    d.history().undo();
    QCOMPARE(d.scenario().job.globalBatch, 512);
    d.history().undo();
    QCOMPARE(d.scenario().job.globalBatch, before);
    QCOMPARE(d.history().redoText(), QStringLiteral("Change global batch"));
  }

  void anEditThatReturnsLeavesNoStep() {
    ScenarioDocument d;
    d.reset(sample(), {});
    const int before = d.scenario().job.globalBatch;
    setBatch(d, before);
    QCOMPARE(d.history().count(), 0);
    setBatch(d, before + 1);
    setBatch(d, before);
    QCOMPARE(d.history().count(), 0);
    QVERIFY(!d.isModified());
  }

  void previewShowsWithoutAStepAndCommitReplacesIt() {
    ScenarioDocument d;
    d.reset(sample(), {});
    QSignalSpy changes(&d, &ScenarioDocument::changed);
    const int before = d.scenario().job.sequenceLength;
    d.preview([](Scenario& s) { s.job.sequenceLength = 128; });
    d.preview([](Scenario& s) { s.job.sequenceLength = 256; });
    QCOMPARE(d.scenario().job.sequenceLength, 256);
    QVERIFY(d.isPreviewing());
    QCOMPARE(d.history().count(), 0);
    QCOMPARE(changes.count(), 2);
    QVERIFY(changes.last().at(1).toBool());
    d.cancelPreview();
    QCOMPARE(d.scenario().job.sequenceLength, before);
    d.preview([](Scenario& s) { s.job.sequenceLength = 256; });
    d.edit(QStringLiteral("s"), QStringLiteral("Change"), [](Scenario& s) { s.job.sequenceLength = 512; });
    QVERIFY(!d.isPreviewing());
    QCOMPARE(d.history().count(), 1);
    d.history().undo();
    QCOMPARE(d.scenario().job.sequenceLength, before);
  }

  void changesNameTheirPart() {
    ScenarioDocument d;
    d.reset(sample(), {});
    ScenarioParts seen;
    connect(&d, &ScenarioDocument::changed, this, [&](ScenarioParts parts, bool) { seen = parts; });
    setBatch(d, 48);
    QCOMPARE(seen, ScenarioParts(ScenarioPart::Job));
    d.edit({}, QStringLiteral("x"), [](Scenario& s) { s.search.topPlans = 3; });
    QCOMPARE(seen, ScenarioParts(ScenarioPart::Search));
    const int generation = d.generation();
    d.history().undo();
    QVERIFY(d.generation() > generation);
  }

  void savesAtomicallyAndOpensTheSame() {
    QTemporaryDir dir;
    ScenarioDocument d;
    ScenarioFiles files(d, dir.filePath(QStringLiteral("journal")));
    QVERIFY(files.open(samplePaths().value(0)));
    QVERIFY(d.path().isEmpty());
    setBatch(d, 320);
    const QString path = dir.filePath(QStringLiteral("a.nest.json"));
    QVERIFY(files.save(path));
    QVERIFY(!d.isModified());
    QCOMPARE(files.recent().value(0), path);
    const std::string text = writeScenario(d.scenario());
    ScenarioDocument other;
    ScenarioFiles otherFiles(other, dir.filePath(QStringLiteral("journal2")));
    QVERIFY(otherFiles.open(path));
    QCOMPARE(writeScenario(other.scenario()), text);
    QCOMPARE(other.path(), path);

    QSignalSpy failures(&files, &ScenarioFiles::failed);
    QVERIFY(!files.save(dir.filePath(QStringLiteral("absent/b.nest.json"))));
    QCOMPARE(failures.count(), 1);
    QCOMPARE(d.path(), path);
  }

  void aBrokenFileChangesNothingAndSaysWhere() {
    QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("broken.nest.json"));
    QFile out(path);
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write("{\n  \"version\": 1,\n  \"job\": {\"global_batch\": -3}\n}\n");
    out.close();
    ScenarioDocument d;
    ScenarioFiles files(d, dir.filePath(QStringLiteral("journal")));
    Diagnostics found;
    connect(&files, &ScenarioFiles::failed, this,
            [&](const QString&, const Diagnostics& all) { found = all; });
    QVERIFY(!files.open(path));
    QVERIFY(d.isEmpty());
    QVERIFY(hasErrors(found));
    QVERIFY(
        std::any_of(found.begin(), found.end(), [](const Diagnostic& one) { return one.where.line == 3; }));
  }

  /// What nobody chose is named with its value: in an empty window, of a new scenario, and of the open one.
  void whatAnImportAssumesIsSaid() {
    const QString config = QStringLiteral(NEST_SOURCE_DIR "/samples/models/llama-3-8b.json");
    const QString network = QStringLiteral(NEST_TEST_DATA "/nccl-xml/hgx.xml");
    const auto told = [](const QStringList& paths, bool open) {
      QTemporaryDir dir;
      ScenarioDocument d;
      ScenarioFiles files(d, dir.path());
      QSignalSpy recognised(&files, &ScenarioFiles::recognised), read(&files, &ScenarioFiles::read);
      if (open) d.reset(sample(), {});
      if (!files.openAll(paths)) qFatal("not read");
      const Diagnostics& notes = files.assumptions().notes();
      if (notes.size() != 1) qFatal("one note is expected");
      const QString issue = QString::fromStdString(notes.front().message);
      for (const Diagnostic& one : read[0][0].value<Diagnostics>())
        if (one.code == notes.front().code) qFatal("said twice");
      const QString message = recognised[0][0].toString().section(u'\n', 1);
      if (message.toLower() != (open ? issue.toLower() + u'.' : QString())) qFatal("said twice, or not");
      return issue;
    };
    const QString alone = told({config}, false);
    QVERIFY2(alone.startsWith(
                 QStringLiteral("assumed: 128 H100 80 GB SXM, the program Ideal, a global batch of ")) &&
                 alone.contains(QStringLiteral(" tokens, 2 T training tokens")),
             qPrintable(alone));
    const QString whole = told({config, network}, false);  // the network names the device
    QVERIFY2(whole.startsWith(QStringLiteral("assumed: a global batch of 1,024, sequences of ")),
             qPrintable(whole));
    const QString kept = told({config}, true);
    QVERIFY2(kept.startsWith(QStringLiteral("kept from the open scenario: ")) &&
                 kept.contains(QStringLiteral("a global batch of ")) &&
                 !kept.contains(QStringLiteral("the model")),
             qPrintable(kept));
    const QString drawn = told({network}, true);
    QVERIFY2(drawn.contains(QStringLiteral("the model ")) && !drawn.contains(QStringLiteral("GB SXM")),
             qPrintable(drawn));
  }

  /// What was assumed is named until the user has set it, each value on its own.
  void anAssumptionEndsWhenItsValueIsSet() {
    const QString config = QStringLiteral(NEST_SOURCE_DIR "/samples/models/llama-3-8b.json");
    QTemporaryDir dir;
    ScenarioDocument d;
    ScenarioFiles files(d, dir.path());
    QVERIFY(files.openAll({config}));
    // It is called what it is, and has nothing else of the sample that lends it a cluster.
    QCOMPARE(d.scenario().name, "Llama-3-8B on 128 H100");
    QVERIFY(d.scenario().description.empty());
    const auto edit = [&](const ScenarioDocument::Edit& change) {
      d.closeStep();
      d.edit({}, QStringLiteral("Edit"), change);
    };
    const auto said = [&] { return files.assumptions().sentence(); };
    QSignalSpy changes(&files.assumptions(), &ImportAssumptions::changed);
    QVERIFY2(said().startsWith(QStringLiteral("Assumed: 128 H100 80 GB SXM, the program Ideal, ")),
             qPrintable(said()));
    edit([](Scenario& s) { s.name = "Another"; });
    QCOMPARE(changes.count(), 0);
    const int batch = d.scenario().job.globalBatch;
    edit([&](Scenario& s) { s.job.globalBatch = 2 * batch; });
    QVERIFY2(
        !said().contains(QStringLiteral("global batch")) && said().contains(QStringLiteral("sequences of ")),
        qPrintable(said()));
    d.history().undo();
    QVERIFY(said().contains(QStringLiteral("global batch")));
    // It survives that the scenario is saved and opened again.
    const QString all = said(), file = dir.filePath(QStringLiteral("imported.nest.json"));
    QVERIFY(files.save(file));
    d.reset(sample(), {});
    QVERIFY(said().isEmpty());
    QVERIFY(files.openAll({file}));
    QCOMPARE(said(), all);
    edit([](Scenario& s) { s.cluster.device = *findDevice("h200"); });
    QVERIFY2(said().startsWith(QStringLiteral("Assumed: 128 devices, ")), qPrintable(said()));
    edit([](Scenario& s) { std::get<LevelsSource>(s.cluster.network).levels.back().fanout *= 2; });
    edit([](Scenario& s) { setProgram(s, *findProgram("nanotron")); });
    edit(
        [](Scenario& s) { s.job.sequenceLength /= 2, s.job.globalBatch *= 2, s.job.trainingTokens.reset(); });
    QVERIFY2(said().isEmpty() && files.assumptions().notes().empty(), qPrintable(said()));
  }
  /// Into an open scenario: what is kept of it is noted, until the import is undone, or another is opened.
  void whatAnImportKeepsIsNotedWhileItStands() {
    const QString config = QStringLiteral(NEST_SOURCE_DIR "/samples/models/llama-3-8b.json");
    QTemporaryDir dir;
    ScenarioDocument d;
    ScenarioFiles files(d, dir.path());
    d.reset(sample(), {});
    QVERIFY(files.openAll({config}));
    QCOMPARE(files.assumptions().notes().size(), std::size_t(1));
    QVERIFY(files.assumptions().sentence().isEmpty());  // the user's own values are none that was assumed
    d.history().undo();
    QVERIFY(files.assumptions().notes().empty());
    d.history().redo();
    QCOMPARE(files.assumptions().notes().size(), std::size_t(1));
    d.reset(sample(), {});
    QVERIFY(files.assumptions().notes().empty());
  }

  void filesOfAllKindsAreTakenIntoTheScenario_data() {
    QTest::addColumn<QString>("file");
    for (const char* f :
         {"slurm-conf/tree.conf", "slurm-yaml/tree.yaml", "nccl-xml/hgx.xml", "nvidia-topo/hgx.txt",
          "astra-sim/h100.yml", "simgrid/fat_tree.xml", "graphml/small.graphml", "dot/small.dot"})
      QTest::newRow(f) << QStringLiteral(NEST_TEST_DATA "/") + QLatin1String(f);
  }

  void filesOfAllKindsAreTakenIntoTheScenario() {
    QFETCH(QString, file);
    QTemporaryDir dir;
    ScenarioDocument d;
    ScenarioFiles files(d, dir.path());
    QSignalSpy recognised(&files, &ScenarioFiles::recognised);
    const Scenario before = sample();
    d.reset(before, {});
    QVERIFY(files.openAll({file}));
    QCOMPARE(recognised.count(), 1);
    QVERIFY(recognised[0][0].toString().contains(QStringLiteral("device")));
    QCOMPARE(d.history().count(), 1);
    QVERIFY(!(d.scenario().cluster == before.cluster));
    QVERIFY(d.scenario().model == before.model);
    QVERIFY(d.scenario().job == before.job);
    d.history().undo();
    QVERIFY(d.scenario() == before);
  }

  /// It is saved under another name, the model inside: nobody expects plain text in a file called ".gz".
  void aCompressedScenarioHasNoFileOfItsOwn() {
    QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("a.nest.json"));
    QDir().mkpath(dir.filePath(QStringLiteral("models")));
    for (const char* name : {"llama2-7b-h100-128.nest.json", "models/llama-2-7b.json"})
      QVERIFY(QFile::copy(QStringLiteral(":/samples/") + QLatin1String(name),
                          name[0] == 'm' ? dir.filePath(QLatin1String(name)) : path));
    ScenarioDocument d;
    ScenarioFiles files(d, dir.path());
    QVERIFY(files.openAll({path}));
    QCOMPARE(d.path(), path);
    Scenario plain = d.scenario();
    QCOMPARE(plain.model.reference, std::string("models/llama-2-7b.json"));
    QCOMPARE(QProcess::execute(QStringLiteral("gzip"), {path}), 0);
    QVERIFY(files.openAll({path + QStringLiteral(".gz")}));
    QCOMPARE(d.path(), QString());
    plain.model.reference.clear();
    QVERIFY(d.scenario() == plain);
  }

  void networkAndModelTogetherAreOneStep() {
    QTemporaryDir dir;
    const QString config = dir.filePath(QStringLiteral("config.json"));
    QVERIFY(QFile::copy(QStringLiteral(":/samples/models/llama-3-70b.json"), config));
    ScenarioDocument d;
    ScenarioFiles files(d, dir.path());
    const Scenario before = sample();
    d.reset(before, {});
    QVERIFY(files.openAll({QStringLiteral(NEST_TEST_DATA "/graphml/small.graphml"), config}));
    QCOMPARE(d.history().count(), 1);
    QVERIFY(!(d.scenario().cluster == before.cluster));
    QVERIFY(!(d.scenario().model == before.model));
  }

  void aBrokenNetworkChangesNothingAndSaysEverything() {
    QTemporaryDir dir;
    ScenarioDocument d;
    ScenarioFiles files(d, dir.path());
    QSignalSpy failed(&files, &ScenarioFiles::failed);
    d.reset(sample(), {});
    const auto generation = d.generation();
    QVERIFY(!files.openAll({QStringLiteral(NEST_TEST_DATA "/graphml/bad_values.graphml"),
                            QStringLiteral("/nowhere/absent.xml")}));
    QCOMPARE(d.generation(), generation);
    QCOMPARE(failed.count(), 1);
    const auto diagnostics = failed[0][1].value<Diagnostics>();
    QVERIFY(diagnostics.size() >= 2);
    for (const Diagnostic& problem : diagnostics) QVERIFY(!problem.where.file.empty());
  }

  void unsavedWorkSurvivesItsProgram() {
    QTemporaryDir dir;
    const QString folder = dir.filePath(QStringLiteral("journal"));
    const QString path = dir.filePath(QStringLiteral("a.nest.json"));
    const auto journalHolds = [&folder](const char* what) {
      const QDir all(folder);
      for (const QString& name : all.entryList(QDir::Files)) {
        QFile in(all.filePath(name));
        if (in.open(QIODevice::ReadOnly) && in.readAll().contains(what)) return true;
      }
      return false;
    };
    std::string text;
    {
      ScenarioDocument d;
      ScenarioFiles files(d, folder);
      QVERIFY(files.open(samplePaths().value(0)));
      QVERIFY(files.save(path));
      setBatch(d, 352);
      text = writeScenario(d.scenario());
      QTRY_VERIFY(journalHolds("352"));
      ScenarioDocument second;
      ScenarioFiles living(second, folder);
      QVERIFY(living.recoverable().empty());  // its program lives
    }
    ScenarioDocument d;
    ScenarioFiles files(d, folder);
    const auto entries = files.recoverable();
    QCOMPARE(entries.size(), std::size_t{1});
    QCOMPARE(entries[0].path, path);
    QCOMPARE(ScenarioFiles::differencesOf(entries[0]).value().size(), 1);
    QVERIFY(ScenarioFiles::differencesOf(entries[0]).value().at(0).contains(QStringLiteral("352")));
    QVERIFY(files.restore(entries[0]));
    QVERIFY(d.isModified());
    QCOMPARE(d.path(), path);
    QCOMPARE(writeScenario(d.scenario()), text);
    QVERIFY(files.recoverable().empty());
    QVERIFY(files.save(path));
    QTRY_VERIFY(!journalHolds("352"));
    ScenarioDocument third;
    ScenarioFiles after(third, folder);
    QVERIFY(after.recoverable().empty());
  }

  void aChangeFromOutsideIsNoticedOnce() {
    QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("a.nest.json"));
    ScenarioDocument d;
    ScenarioFiles files(d, dir.filePath(QStringLiteral("journal")));
    QVERIFY(files.open(samplePaths().value(0)));
    QVERIFY(files.save(path));
    QSignalSpy outside(&files, &ScenarioFiles::changedOutside);
    Scenario other = d.scenario();
    other.job.globalBatch = 2048;
    QFile out(path);
    QVERIFY(out.open(QIODevice::WriteOnly | QIODevice::Truncate));
    out.write(QByteArray::fromStdString(writeScenario(other)));
    out.close();
    QTRY_COMPARE(outside.count(), 1);
    // Our own: the watcher hears of it, too, and the look that follows finds nothing new.
    QFileSystemWatcher watcher({path});
    QSignalSpy written(&watcher, &QFileSystemWatcher::fileChanged);
    QVERIFY(files.save(path, ScenarioFiles::IfChanged::Overwrite));
    QTRY_VERIFY(written.count() > 0);
    QCoreApplication::processEvents();
    QTRY_VERIFY(!looksAgain(files));
    QCOMPARE(outside.count(), 1);
  }
};

NEST_TEST(TestScenarioDocument)
#include "test_scenario_document.moc"
