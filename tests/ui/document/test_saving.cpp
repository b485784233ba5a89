#include <sys/stat.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>

#include "document/file_path.h"
#include "document/scenario_files.h"
#include "files/file_reader.h"
#include "files/file_writer.h"
#include "support/own_folder.h"
#include "support/test_main.h"

using namespace nest;

namespace {

void changeBatch(ScenarioDocument& d, int batch) {
  d.edit(QStringLiteral("/job/global_batch"), QStringLiteral("Change global batch"),
         [batch](Scenario& s) { s.job.globalBatch = batch; });
}

/// A sample that names no other file.
std::string smallScenario() {
  for (const QString& path : samplePaths())
    if (path.contains(QLatin1String("teaching"))) return *readTextOf(path);
  qFatal("the teaching sample is gone");
}

/// A scenario in a file of its own, open in a program of its own.
struct Desk {
  QTemporaryDir dir;
  QString journals = dir.filePath(QStringLiteral("journals")),
          path = dir.filePath(QStringLiteral("a.nest.json"));
  ScenarioDocument document;
  ScenarioFiles files{document, journals};
  QSignalSpy failed{&files, &ScenarioFiles::failed};

  Desk() {
    if (!files.open(samplePaths().value(0)) || !files.save(path)) qFatal("the sample cannot be saved");
  }
  std::string onDisk() const { return *readText(path.toStdString()); }
  void writeOutside(int batch) const {
    Scenario other = document.scenario();
    other.job.globalBatch = batch;
    if (!writeFile(path.toStdString(), writeScenario(other)).empty()) qFatal("cannot write");
  }
  std::string why() const { return failed.last().at(1).value<Diagnostics>().at(0).code; }
  QStringList journalFiles() const {
    return QDir(journals).entryList({QStringLiteral("*.journal")}, QDir::Files);
  }
};

mode_t modeOf(const QString& path) {
  struct stat status {};
  return stat(path.toLocal8Bit(), &status) == 0 ? status.st_mode & 07777 : 0;
}

}  // namespace

/// Saving, and what protects unsaved work.
class TestSaving : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void whatAnotherProgramWroteIsNotOverwrittenUnasked() {
    Desk desk;
    changeBatch(desk.document, 96);
    QVERIFY(!desk.files.differsOnDisk());
    desk.writeOutside(2048);  // saved at once, before any watcher can know
    const std::string theirs = desk.onDisk();
    QVERIFY(desk.files.differsOnDisk());
    QVERIFY(!desk.files.save(desk.path));
    QCOMPARE(desk.why(), std::string("file-changed"));
    QCOMPARE(desk.onDisk(), theirs);
    QVERIFY(desk.document.isModified());
    QVERIFY(desk.files.save(desk.path, ScenarioFiles::IfChanged::Overwrite));
    QCOMPARE(desk.onDisk(), writeScenario(desk.document.scenario()));
    QVERIFY(!desk.files.differsOnDisk());
  }

  void knowingOfAChangeIsEnough() {
    Desk desk;
    changeBatch(desk.document, 96);
    QSignalSpy changed(&desk.files, &ScenarioFiles::changedOutside);
    QSignalSpy settled(&desk.files, &ScenarioFiles::outsideSettled);
    desk.writeOutside(2048);
    QTRY_COMPARE(changed.count(), 1);
    QVERIFY(desk.files.differsOnDisk());  // told is not agreed to
    desk.files.ignoreExternalChange();
    QVERIFY(!desk.files.differsOnDisk());
    desk.writeOutside(4096);  // another one
    QTRY_COMPARE(changed.count(), 2);
    QVERIFY(!desk.files.save(desk.path));
    QCOMPARE(settled.count(), 0);
    QVERIFY(desk.files.save(desk.path, ScenarioFiles::IfChanged::Overwrite));
    QCOMPARE(settled.count(), 1);
  }

  void aChangeThatIsTakenBackIsNoChange() {
    Desk desk;
    changeBatch(desk.document, 96);
    const std::string before = desk.onDisk();
    QSignalSpy changed(&desk.files, &ScenarioFiles::changedOutside);
    QSignalSpy settled(&desk.files, &ScenarioFiles::outsideSettled);
    desk.writeOutside(2048);
    QTRY_COMPARE(changed.count(), 1);
    QVERIFY(writeFile(desk.path.toStdString(), before).empty());
    QTRY_COMPARE(settled.count(), 1);
    QVERIFY(desk.files.save(desk.path));
  }

  void whatCannotBeReadAgainIsNotSaved() {
    Desk desk;
    changeBatch(desk.document, 96);
    QVERIFY(!desk.files.save(QStringLiteral("/dev/null")));
    QVERIFY(desk.document.isModified());
    QCOMPARE(desk.document.path(), desk.path);
    QTRY_COMPARE(desk.journalFiles().size(), 1);
    QVERIFY(desk.files.save(desk.path));
    QTRY_COMPARE(desk.journalFiles().size(), 0);
  }

  /// Another scenario may be tried, edited and even saved meanwhile.
  void whatWasSetAsideStaysProtected() {
    Desk desk;
    changeBatch(desk.document, 96);
    const auto aside = desk.document.setAside();  // before the journal was written
    const QByteArray known = desk.files.known();
    desk.files.setAside();
    QVERIFY(desk.files.open(samplePaths().value(1)));
    desk.document.beScratch();
    changeBatch(desk.document, 97);
    QVERIFY(desk.files.save(desk.dir.filePath(QStringLiteral("other.nest.json"))));
    QTRY_COMPARE(desk.journalFiles().size(), 1);
    changeBatch(desk.document, 98);
    QTRY_COMPARE(desk.journalFiles().size(), 2);
    desk.files.forgetUnsaved();
    QTRY_COMPARE(desk.journalFiles().size(), 1);
    const auto held = readText((desk.journals + u'/' + desk.journalFiles().front()).toStdString());
    QVERIFY(held && held->find("\\\"global_batch\\\": 96") != std::string::npos);
    desk.files.resume(aside, known);
    QCOMPARE(desk.document.scenario().job.globalBatch, 96);
    QTRY_COMPARE(desk.journalFiles().size(), 1);
    QVERIFY(desk.files.save(desk.path));
    QTRY_COMPARE(desk.journalFiles().size(), 0);
  }

  void aLinkAndTheModeOfAFileAreKept() {
    Desk desk;
    const QString link = desk.dir.filePath(QStringLiteral("link.nest.json"));
    QVERIFY(QFile::link(desk.path, link));
    QCOMPARE(chmod(desk.path.toLocal8Bit(), 0600), 0);
    QVERIFY(desk.files.open(link));
    changeBatch(desk.document, 96);
    QVERIFY(desk.files.save(link));
    QVERIFY(QFileInfo(link).isSymLink());
    QCOMPARE(modeOf(desk.path), mode_t(0600));
    QCOMPARE(desk.onDisk(), writeScenario(desk.document.scenario()));
  }

  void namesThatAreNoTextAndTheLongestOnesWork() {
    const nest::test::OwnFolder dir;
    const std::string sample = smallScenario();
    const std::string odd = dir / "caf\xe9.nest.json";
    QVERIFY(writeFile(odd, sample).empty());
    const QString shown = QFile::decodeName(odd.c_str());
    QVERIFY(shown.contains(QChar::ReplacementCharacter));
    QCOMPARE(bytesOf(shown), odd);
    ScenarioDocument document;
    ScenarioFiles files(document, QString::fromStdString(dir / "journals"));
    QVERIFY(files.open(shown));
    changeBatch(document, 24);
    QVERIFY(files.save(shown));
    QVERIFY(readText(odd)->find("24") != std::string::npos);
    // Two that look alike: neither is taken for the other.
    QVERIFY(writeFile(dir / "caf\xe8.nest.json", sample).empty());
    QVERIFY(!files.open(shown));

    const std::string longest = dir / (std::string(245, 'n') + ".nest.json");
    QVERIFY(files.save(QString::fromStdString(longest)));
    QCOMPARE(*readText(longest), writeScenario(document.scenario()));
    changeBatch(document, 48);
    QVERIFY(files.save(QString::fromStdString(longest)));
  }

  void devicesAndPipesAreNoScenarios() {
    const nest::test::OwnFolder dir;
    QCOMPARE(mkfifo((dir / "pipe").c_str(), 0600), 0);
    ScenarioDocument document;
    ScenarioFiles files(document, QString::fromStdString(dir / "journals"));
    QSignalSpy failed(&files, &ScenarioFiles::failed);
    std::string scenario = *readTextOf(samplePaths().value(0));
    const std::string model = "models/llama-2-7b.json";
    scenario.replace(scenario.find(model), model.size(), "/dev/zero");
    QVERIFY(writeFile(dir / "s.nest.json", scenario).empty());
    for (const std::string& path : {std::string("/dev/zero"), std::string("/dev/urandom"), dir / "pipe",
                                    dir / "s.nest.json", dir.path()}) {
      QVERIFY2(!files.open(QString::fromStdString(path)), path.c_str());
      QVERIFY2(!files.openAll({QString::fromStdString(path)}), path.c_str());
    }
    QCOMPARE(failed.count(), 10);
  }

  void theModelComesAlong() {
    const nest::test::OwnFolder dir;
    const auto at = [&](const char* name) { return QString::fromStdString(dir / name); };
    QVERIFY(QDir().mkpath(at("here/models")) && QDir().mkpath(at("elsewhere")));
    QVERIFY(QFile::copy(samplePaths().value(0), at("here/s.nest.json")));
    QVERIFY(
        QFile::copy(QStringLiteral(":/samples/models/llama-2-7b.json"), at("here/models/llama-2-7b.json")));
    ScenarioDocument document;
    ScenarioFiles files(document, at("journals"));
    QVERIFY(files.open(at("here/s.nest.json")));
    const auto architecture = document.scenario().model.architecture;
    const auto opens = [&](const char* name, const char* reference) {
      QVERIFY(files.save(at(name)));
      const auto again = readScenarioFile(at(name));
      QVERIFY2(again, again ? "" : toText(again.diagnostics.at(0)).c_str());
      QCOMPARE(again->model.reference, std::string(reference));
      QVERIFY(again->model.architecture == architecture);
    };
    opens("here/t.nest.json", "models/llama-2-7b.json");
    opens("u.nest.json", "here/models/llama-2-7b.json");
    opens("elsewhere/v.nest.json", "");  // not below that folder: it goes into the scenario
  }

  /// Where a model stands is not forgotten with a save that failed, with undo or with the model's file.
  void whatIsSavedFindsItsModel() {
    const nest::test::OwnFolder dir;
    const auto at = [&](const char* name) { return QString::fromStdString(dir / name); };
    QVERIFY(QDir().mkpath(at("here/models")));
    QVERIFY(QFile::copy(samplePaths().value(0), at("here/s.nest.json")));
    QVERIFY(QFile::setPermissions(at("here/s.nest.json"), QFile::ReadOwner | QFile::WriteOwner));
    QVERIFY(
        QFile::copy(QStringLiteral(":/samples/models/llama-2-7b.json"), at("here/models/llama-2-7b.json")));
    ScenarioDocument document;
    ScenarioFiles files(document, at("journals"));
    QVERIFY(files.open(at("here/s.nest.json")));
    const auto architecture = document.scenario().model.architecture;
    const auto opens = [&](const char* name) {
      QVERIFY(files.save(at(name)));
      const auto again = readScenarioFile(at(name));
      QVERIFY2(again, again ? "" : toText(again.diagnostics.at(0)).c_str());
      QVERIFY(again->model.architecture == architecture);
    };
    QVERIFY(!files.save(at("absent/t.nest.json")));
    QVERIFY(!document.isModified());
    QCOMPARE(document.history().count(), 0);
    changeBatch(document, 96);
    opens("here/s.nest.json");
    QCOMPARE(document.scenario().model.reference, std::string("models/llama-2-7b.json"));
    opens("u.nest.json");
    document.history().undo();
    opens("u.nest.json");
    QVERIFY(files.open(at("here/s.nest.json")));
    QVERIFY(QFile::remove(at("here/models/llama-2-7b.json")));
    changeBatch(document, 192);
    opens("here/s.nest.json");
  }

  // What a drag shows is in no step, so it is not what the file says was saved.
  void aDragIsNotSaved() {
    Desk desk;
    const std::string before = desk.onDisk();
    desk.document.preview([](Scenario& s) { s.job.globalBatch = 4096; });
    QVERIFY(desk.files.save(desk.path));
    QCOMPARE(desk.onDisk(), before);
    QVERIFY(!desk.document.isPreviewing() && !desk.document.isModified());
    changeBatch(desk.document, 4096);
    QVERIFY(desk.document.isModified());
  }
  void journalsAreForTheirOwnersEyes() {
    Desk desk;
    changeBatch(desk.document, 96);
    QTRY_COMPARE(desk.journalFiles().size(), 1);
    QCOMPARE(modeOf(desk.journals), mode_t(0700));
    QCOMPARE(modeOf(desk.journals + u'/' + desk.journalFiles().at(0)), mode_t(0600));
  }

  void protectionThatFailsIsToldAtOnceAndWhenItIsBack() {
    QTemporaryDir dir;
    const QString blocked = dir.filePath(QStringLiteral("data"));
    QVERIFY(writeFile(blocked.toStdString(), "a file where a folder is to be").empty());
    ScenarioDocument document;
    ScenarioFiles files(document, blocked + QStringLiteral("/unsaved"));
    QSignalSpy told(&files, &ScenarioFiles::protectionChanged);
    QTRY_COMPARE(told.count(), 1);  // before there is anything to lose
    QVERIFY(!told.at(0).at(0).value<Diagnostics>().empty());
    QVERIFY(files.open(samplePaths().value(0)));
    changeBatch(document, 96);
    QTest::qWait(50);
    QCOMPARE(told.count(), 1);
    QVERIFY(QFile::remove(blocked));
    changeBatch(document, 192);
    QTRY_COMPARE(told.count(), 2);
    QVERIFY(told.at(1).at(0).value<Diagnostics>().empty());
    QCOMPARE(QDir(blocked + QStringLiteral("/unsaved"))
                 .entryList({QStringLiteral("*.journal")}, QDir::Files)
                 .size(),
             1);
  }

  void workThatCannotBeKeptAgainStaysWhereItIs() {
    QTemporaryDir dir;
    const QString journals = dir.filePath(QStringLiteral("unsaved"));
    {
      Journal old(journals);
      old.record([] { return QByteArray::fromStdString(smallScenario()); }, QStringLiteral("left behind"), {},
                 {});
      QVERIFY(old.settle());
    }
    ScenarioDocument document;
    const QString blocked = dir.filePath(QStringLiteral("blocked"));
    QVERIFY(writeFile(blocked.toStdString(), "").empty());
    ScenarioFiles files(document, blocked + QStringLiteral("/unsaved"));
    const auto entries = Journal(journals).orphans();
    QCOMPARE(entries.size(), std::size_t(1));
    QVERIFY(files.restore(entries[0]));
    QVERIFY(document.isModified());
    QVERIFY(QFile::exists(entries[0].file));  // the only copy on a disk
  }

  void restoredWorkDoesNotOverwriteANewerFile() {
    for (const bool changes : {false, true}) {
      Desk desk;
      const QString journals = desk.dir.filePath(QStringLiteral("of another"));
      {
        ScenarioDocument document;
        ScenarioFiles files(document, journals);
        QVERIFY(files.open(desk.path));
        changeBatch(document, 96);
        QTest::qWait(1);  // the journal is written when the event loop turns
      }
      if (changes) desk.writeOutside(2048);
      ScenarioDocument document;
      ScenarioFiles files(document, journals);
      const auto entries = files.recoverable();
      QCOMPARE(entries.size(), std::size_t(1));
      QVERIFY(files.restore(entries[0]));
      QCOMPARE(document.scenario().job.globalBatch, 96);
      QCOMPARE(files.differsOnDisk(), changes);
      QCOMPARE(files.save(desk.path), !changes);
    }
  }
};

NEST_TEST(TestSaving)
#include "test_saving.moc"
