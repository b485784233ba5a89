#include <QAbstractButton>
#include <QApplication>
#include <QFile>
#include <QMessageBox>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTimer>
#include <algorithm>

#include "document/scenario_files.h"
#include "files/file_reader.h"
#include "files/file_writer.h"
#include "lessons/lesson_library.h"
#include "lessons/lessons_pane.h"
#include "panes/issue_model.h"
#include "solver/solve.h"
#include "support/test_main.h"
#include "window/main_window.h"
#include "window/message_bar.h"
#include "window/recovery.h"

using namespace nest;

namespace {

Outcome solveIt(const Problem& p, const Control& c, const Plan* start) {
  return solve(p, c, start);
}

/// Answers the next modal question with the button of this text; false if none was asked.
class Answer {
public:
  explicit Answer(const QString& button) {
    m_timer.setInterval(10);
    QObject::connect(&m_timer, &QTimer::timeout, [this, button] {
      auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      if (!box) return;
      m_timer.stop();
      m_asked = true;
      m_question = box->text();
      for (QAbstractButton* b : box->buttons())
        if (b->text().remove(u'&') == button) return b->click();
      box->reject();
    });
    m_timer.start();
  }
  bool wasAsked() const { return m_asked; }
  const QString& question() const { return m_question; }

private:
  QTimer m_timer;
  bool m_asked = false;
  QString m_question;
};

struct Desk {
  QTemporaryDir dir;
  QString path = dir.filePath(QStringLiteral("a.nest.json"));
  MainWindow window{solveIt};

  Desk() {
    QFile::copy(QStringLiteral(":/samples/teaching-6-layers-2x2.nest.json"), path);
    QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner);
    window.resize(1280, 800);
    window.show();
    if (!window.openPath(path)) qFatal("the sample does not open");
  }
  void edit(int batch) {
    window.document().edit({}, QStringLiteral("x"), [batch](Scenario& s) { s.job.globalBatch = batch; });
  }
  std::string onDisk() const { return *readText(path.toStdString()); }
  void writeOutside() {
    Scenario other = window.document().scenario();
    other.name = "theirs";
    if (!writeFile(path.toStdString(), writeScenario(other)).empty()) qFatal("cannot write");
  }
  void save() { window.actions().find(QStringLiteral("file.save"))->trigger(); }
};

}  // namespace

/// What the window asks and tells about the file.
class TestSavingAsks : public QObject {
  Q_OBJECT
private Q_SLOTS:
  /// Saved to a file, a lesson's scenario is the user's own: edits of it do not go unasked.
  void aLessonThatWasSavedAsksBeforeItGoes() {
    Desk desk;
    desk.edit(24);
    const auto tour = [](std::size_t i) {
      std::vector<LibraryLesson> tours;
      for (const LibraryLesson& l : builtInLessons())
        if (!l.asks()) tours.push_back(l);
      return tours[i];
    };
    auto* pane = desk.window.findChild<LessonsPane*>();
    Q_EMIT pane->startRequested(tour(1).key);
    QTRY_VERIFY(pane->lesson());
    const QString copy = desk.dir.filePath(QStringLiteral("copy.nest.json"));
    QVERIFY(desk.window.findChild<ScenarioFiles*>()->save(copy));
    desk.edit(28);
    for (const bool leaves : {true, false}) {
      const Answer cancel(QStringLiteral("Cancel"));
      leaves ? Q_EMIT pane->leaveRequested() : Q_EMIT pane->startRequested(tour(2).key);
      QTRY_VERIFY(cancel.wasAsked());
      QCOMPARE(desk.window.document().scenario().job.globalBatch, 28);
      QVERIFY(pane->lesson() == tour(1).lesson.get());
    }
    {
      const Answer save(QStringLiteral("Save"));
      Q_EMIT pane->leaveRequested();
      QTRY_VERIFY(save.wasAsked());
    }
    QTRY_COMPARE(desk.window.document().scenario().job.globalBatch, 24);
    QVERIFY(desk.window.isWindowModified());
    const auto saved = readScenarioFile(copy);
    QVERIFY(saved);
    QCOMPARE(saved->job.globalBatch, 28);
  }

  /// A folder that takes no file is no dead end: nothing is lost, and another place is offered.
  void aSaveThatFailsOffersAnotherPlace() {
    Desk desk;
    desk.edit(64);
    QVERIFY(desk.dir.remove());
    desk.save();
    QVERIFY2(desk.window.messages().text().contains(QStringLiteral("was not saved")),
             qPrintable(desk.window.messages().text()));
    QVERIFY(desk.window.document().isModified());
    const auto offers = [&](const QString& text) {
      const auto buttons = desk.window.messages().findChildren<QPushButton*>();
      return std::any_of(buttons.begin(), buttons.end(),
                         [&](const QPushButton* b) { return b->isVisible() && b->text() == text; });
    };
    QTRY_VERIFY(offers(QStringLiteral("Save as…")));
    QVERIFY(!desk.window.openPath(desk.path));  // reading is not saving
    QTRY_VERIFY(!offers(QStringLiteral("Save as…")));
  }

  void savingOverAnotherProgramsChangeAsks() {
    Desk desk;
    desk.edit(24);
    desk.writeOutside();
    const std::string theirs = desk.onDisk();
    {
      const Answer cancel(QStringLiteral("Cancel"));
      desk.save();
      QVERIFY(cancel.wasAsked());
    }
    QCOMPARE(desk.onDisk(), theirs);
    QVERIFY(desk.window.isWindowModified());
    {
      const Answer overwrite(QStringLiteral("Overwrite"));
      desk.save();
      QVERIFY(overwrite.wasAsked());
    }
    QCOMPARE(desk.onDisk(), writeScenario(desk.window.document().scenario()));
    QVERIFY(!desk.window.isWindowModified());
    desk.edit(48);
    const Answer none(QStringLiteral("Cancel"));
    desk.save();
    QVERIFY(!none.wasAsked());
    QVERIFY(!desk.window.isWindowModified());
  }

  void theWarningGoesWhenItIsNoLongerTrue() {
    Desk desk;
    desk.edit(24);
    desk.writeOutside();
    QTRY_VERIFY(desk.window.messages().text().contains(QStringLiteral("changed by another program")));
    const Answer overwrite(QStringLiteral("Overwrite"));
    desk.save();
    QVERIFY(overwrite.wasAsked());
    QCOMPARE(desk.window.messages().text(), QString());
  }

  /// What stands at the place, though nobody can read it, is another program's work all the same.
  void whatCannotBeReadIsNotOverwrittenUnasked() {
    Desk desk;
    const std::string damaged = "\x1f\x8b\x08 no archive";
    QVERIFY(writeFile(desk.path.toStdString(), damaged).empty());
    QTRY_VERIFY_WITH_TIMEOUT(!desk.window.messages().text().isEmpty(), 5000);
    QVERIFY2(desk.window.messages().text().contains(QStringLiteral("cannot be opened")),
             qPrintable(desk.window.messages().text()));
    {
      const Answer cancel(QStringLiteral("Cancel"));
      desk.save();
      QVERIFY(cancel.wasAsked());
    }
    QVERIFY(!readText(desk.path.toStdString()));
    const Answer overwrite(QStringLiteral("Overwrite"));
    desk.save();
    QVERIFY(overwrite.wasAsked());
    QCOMPARE(desk.onDisk(), writeScenario(desk.window.document().scenario()));
  }

  /// With the file gone, or replaced by what is no scenario, the window holds the only copy.
  void theOnlyCopyDoesNotGoUnasked() {
    for (const bool isGone : {true, false}) {
      Desk desk;
      const std::string before = desk.onDisk();
      if (isGone)
        QVERIFY(QFile::remove(desk.path));
      else  // a network, which would go into the open scenario
        QVERIFY(writeFile(desk.path.toStdString(), "SwitchName=s0 Nodes=n[0-7]\n").empty());
      QTRY_VERIFY_WITH_TIMEOUT(desk.window.isWindowModified(), 5000);
      QVERIFY(!desk.window.document().history().canUndo());
      QVERIFY(!desk.window.messages().text().isEmpty());
      {
        const Answer cancel(QStringLiteral("Cancel"));
        desk.window.actions().find(QStringLiteral("file.close"))->trigger();
        QVERIFY(cancel.wasAsked());
        QVERIFY2(cancel.question().contains(QStringLiteral("no longer holds")),
                 qPrintable(cancel.question()));
      }
      QVERIFY(!desk.window.document().isEmpty());
      QVERIFY(writeFile(desk.path.toStdString(), before).empty());  // it is back
      QTRY_VERIFY_WITH_TIMEOUT(!desk.window.isWindowModified(), 5000);
      QTRY_COMPARE(desk.window.messages().text(), QString());  // nor is there anything to tell
      QCOMPARE(desk.window.findChild<IssueModel*>()->errorCount(), 0);
    }
  }

  void recoverySaysWhyNothingIsCompared() {
    struct Case {
      bool saved, stands;
      int batch;
      const char* says;
    };
    for (const Case& c : {Case{true, true, 24, "makes these changes"}, Case{true, true, 0, "nothing differs"},
                          Case{true, false, 24, "cannot be read"}, Case{false, false, 24, "never saved"}}) {
      QTemporaryDir dir;
      const QString path = dir.filePath(QStringLiteral("a.nest.json")), journals = dir.filePath("journals");
      const std::string sample = *readTextOf(QStringLiteral(":/samples/teaching-6-layers-2x2.nest.json"));
      if (c.stands) QVERIFY(writeFile(path.toStdString(), sample).empty());
      auto reading = readScenarioText(QByteArray::fromStdString(sample), path);
      QVERIFY(reading);
      if (c.batch > 0) reading->job.globalBatch = c.batch;
      {
        Journal left(journals);
        left.record([&] { return QByteArray::fromStdString(writeScenario(*reading)); }, QStringLiteral("x"),
                    c.saved ? path : QString(), {});
        QVERIFY(left.settle());
      }
      ScenarioDocument document;
      ScenarioFiles files(document, journals);
      QWidget window;
      MessageBar offers(&window), protection(&window);
      window.show();
      Recovery recovery(files, offers, protection, [] { return true; });
      recovery.offer();
      QString said;
      QTimer::singleShot(50, [&] {
        auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
        if (!box) return;
        said = box->text();
        box->reject();
      });
      for (auto* b : offers.findChildren<QPushButton*>())
        if (b->text() == QStringLiteral("Show what differs")) {
          b->click();
          break;
        }
      QVERIFY2(said.contains(QLatin1String(c.says)), qPrintable(said));
    }
  }

  /// One click beside Restore is no way to lose it all.
  void unsavedWorkIsNotDiscardedUnasked() {
    QTemporaryDir dir;
    const QString journals = dir.filePath(QStringLiteral("journals"));
    {
      Journal left(journals);
      left.record(
          [] {
            return QByteArray::fromStdString(
                *readTextOf(QStringLiteral(":/samples/teaching-6-layers-2x2.nest.json")));
          },
          QStringLiteral("mine"), {}, {});
      QVERIFY(left.settle());
    }
    ScenarioDocument document;
    ScenarioFiles files(document, journals);
    QWidget window;
    MessageBar offers(&window), protection(&window);
    window.show();
    Recovery recovery(files, offers, protection, [] { return true; });
    recovery.offer();
    for (const char* answer : {"Cancel", "Discard"}) {
      QCOMPARE(files.recoverable().size(), 1u);
      QVERIFY(offers.isVisible());
      const Answer given{QLatin1String(answer)};
      for (auto* b : offers.findChildren<QPushButton*>())
        if (b->isVisible() && b->text().startsWith(QStringLiteral("Discard"))) {
          b->click();
          break;
        }
      QVERIFY(given.wasAsked());
      QVERIFY(given.question().contains(QStringLiteral("mine")));
      QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }
    QVERIFY(files.recoverable().empty());
    QVERIFY(!offers.isVisible());
  }

  void protectionThatFailsShows() {
    const QByteArray before = qgetenv("XDG_DATA_HOME");
    QTemporaryDir dir;
    const QString blocked = dir.filePath(QStringLiteral("data"));
    QVERIFY(writeFile(blocked.toStdString(), "no folder").empty());
    qputenv("XDG_DATA_HOME", blocked.toUtf8());
    Desk desk;
    QTRY_VERIFY(
        desk.window.protection().text().contains(QStringLiteral("A crash would lose your unsaved edits")));
    QVERIFY(desk.window.logText().contains(QStringLiteral("A crash would lose")));
    QVERIFY(QFile::remove(blocked));
    desk.edit(24);
    QTRY_COMPARE(desk.window.protection().text(), QString());
    qputenv("XDG_DATA_HOME", before);
    desk.save();
  }
};

NEST_TEST(TestSavingAsks)
#include "test_saving_asks.moc"
