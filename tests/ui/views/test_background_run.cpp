// A question in the background: one at a time, told in words, cancelled or dropped without a late answer.
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QVBoxLayout>
#include <atomic>
#include <stdexcept>
#include <thread>

#include "study/quiet_solve.h"
#include "support/desk.h"
#include "support/test_main.h"
#include "views/background_run.h"

using namespace nest;
using test::buttonOf;

namespace {

/// A question on a page of its own, and who asks it.
struct Asked {
  QWidget page;
  QPushButton asker{&page};
  BackgroundRun run{QStringLiteral("Stop"), &page};
  QSignalSpy ended{&run, &BackgroundRun::ended};
  int answers = 0;

  Asked() {
    auto* column = new QVBoxLayout(&page);
    column->addWidget(&asker);
    column->addWidget(&run);
    run.addTrigger(&asker);
    page.resize(500, 100);
    page.show();
  }
  /// Half done, it waits until it is told to stop, and answers even then.
  void askAtLength() {
    run.start(QStringLiteral("Solving …"),
              [this](const Control& control, const BackgroundTask::Deliver& deliver) {
                reportStudy(control, "half", 1, 2);
                while (!control.stopRequested()) std::this_thread::yield();
                deliver([this] { ++answers; });
              });
  }
  bool isWorking() {
    const auto* bar = run.findChild<QProgressBar*>();
    return run.isBusy() && !asker.isEnabled() && bar->isVisible() &&
           buttonOf(run, QStringLiteral("Cancel"))->isVisible() && run.text() == QStringLiteral("Solving …");
  }
  bool isAtRest() {
    return !run.isBusy() && asker.isEnabled() && !run.findChild<QProgressBar*>()->isVisible() &&
           !buttonOf(run, QStringLiteral("Cancel"))->isVisible();
  }
};

}  // namespace

class TestBackgroundRun : public QObject {
  Q_OBJECT
private slots:
  void anAnswerArrives() {
    Asked o;
    QVERIFY(o.isAtRest());
    o.run.start(QStringLiteral("Solving …"), [&o](const Control&, const BackgroundTask::Deliver& deliver) {
      deliver([&o] { ++o.answers; });
    });
    QVERIFY(o.isWorking());
    QTRY_COMPARE(o.ended.size(), 1);
    QCOMPARE(o.answers, 1);
    QVERIFY(o.isAtRest() && o.run.text().isEmpty());
  }

  void nothingToSayTakesNoRoom() {
    Asked o;
    QCOMPARE(o.run.sizeHint().height(), 0);
    o.run.say(QStringLiteral("Cancelled."));
    QVERIFY(o.run.sizeHint().height() > 0);
    o.run.say({});
    QCOMPARE(o.run.sizeHint().height(), 0);
  }

  void itIsCancelled() {
    Asked o;
    o.askAtLength();
    QTRY_COMPARE(o.run.findChild<QProgressBar*>()->value(), 50);
    QVERIFY(o.isWorking());
    QTest::mouseClick(buttonOf(o.run, QStringLiteral("Cancel")), Qt::LeftButton);
    QVERIFY(o.isAtRest());
    QCOMPARE(o.run.text(), QStringLiteral("Cancelled."));
    QCOMPARE(o.ended.size(), 1);
    QCoreApplication::processEvents();
    QCOMPARE(o.answers, 0);
    // The next one begins anew.
    o.askAtLength();
    QVERIFY(o.isWorking());
  }

  void aStaleAnswerIsDropped() {
    Asked o;
    o.askAtLength();
    o.run.drop();
    QVERIFY(o.isAtRest() && o.run.text().isEmpty());
    QCoreApplication::processEvents();
    QCOMPARE(o.answers, 0);
    QCOMPARE(o.ended.size(), 0);
    // Another question takes its place: the answer is that one's alone.
    o.askAtLength();
    o.run.start(QStringLiteral("Solving …"), [&o](const Control&, const BackgroundTask::Deliver& deliver) {
      deliver([&o] { o.answers += 10; });
    });
    QTRY_COMPARE(o.ended.size(), 1);
    QCOMPARE(o.answers, 10);
    // Found, but not yet handed over.
    std::atomic<bool> found = false;
    o.run.start(QStringLiteral("Solving …"), [&](const Control&, const BackgroundTask::Deliver& deliver) {
      deliver([&o] { o.answers += 100; });
      found = true;
    });
    while (!found) std::this_thread::yield();
    o.run.drop();
    QCoreApplication::processEvents();
    QCOMPARE(o.answers, 10);
    QVERIFY(o.isAtRest());
  }

  void whatGoesWrongIsSaid() {
    Asked o;
    o.run.start(QStringLiteral("Solving …"), [](const Control&, const BackgroundTask::Deliver&) {
      throw std::runtime_error("no memory left");
    });
    QTRY_COMPARE(o.ended.size(), 1);
    QVERIFY(o.isAtRest());
    QVERIFY(o.run.text().contains(QStringLiteral("no memory left")));
    // It is not said of the next one.
    o.askAtLength();
    o.run.drop();
    QVERIFY(o.run.text().isEmpty());
  }

  void withoutAnythingToAskAboutItSaysWhy() {
    Asked o;
    o.run.setReady(false, QStringLiteral("Open a scenario."));
    QVERIFY(!o.asker.isEnabled());
    QCOMPARE(o.run.text(), QStringLiteral("Open a scenario."));
    o.run.setReady(true);
    QVERIFY(o.isAtRest() && o.run.text().isEmpty());
  }

  void theKeyboardStaysWithIt() {
    Asked o;
    QApplication::setActiveWindow(&o.page);
    o.asker.setFocus();
    QTRY_VERIFY(o.asker.hasFocus());
    o.askAtLength();
    auto* cancel = buttonOf(o.run, QStringLiteral("Cancel"));
    QVERIFY(cancel->hasFocus());
    QTest::keyClick(cancel, Qt::Key_Space);
    QVERIFY(o.isAtRest() && o.asker.hasFocus());
  }

  void itGoesWithItsView() {
    auto o = std::make_unique<Asked>();
    o->askAtLength();
    QTRY_VERIFY(o->isWorking());
    o.reset();  // stops; nothing is delivered to what is gone
    QCoreApplication::processEvents();
  }
};
NEST_TEST(TestBackgroundRun)
#include "test_background_run.moc"
