#include <QtTest/QTest>
#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "jobs/background_task.h"
#include "support/test_main.h"

using namespace nest;

namespace {
/// Drains until the study has ended.
void finish(BackgroundTask& task) {
  while (!task.drain()) std::this_thread::yield();
}
}  // namespace

class TestBackgroundTask : public QObject {
  Q_OBJECT
private slots:
  void deliversInOrderOnTheOwnerThread() {
    std::atomic<int> wakes = 0;
    BackgroundTask task([&] { ++wakes; });
    const auto owner = std::this_thread::get_id();
    std::vector<int> got;
    task.start([&](const Control&, const BackgroundTask::Deliver& deliver) {
      for (int i = 0; i < 100; ++i)
        deliver([&got, owner, i] {
          QVERIFY(std::this_thread::get_id() == owner);
          got.push_back(i);
        });
    });
    finish(task);
    QCOMPARE(got.size(), std::size_t(100));
    QVERIFY(std::is_sorted(got.begin(), got.end()));
    QVERIFY(wakes >= 1);
    QVERIFY(!task.isBusy());
  }
  void aNewStudyReplacesTheOld() {
    BackgroundTask task([] {});
    int old = 0, fresh = 0;
    std::atomic<bool> running = false;
    task.start([&](const Control& control, const BackgroundTask::Deliver& deliver) {
      running = true;
      while (!control.stopRequested()) std::this_thread::yield();
      deliver([&old] { ++old; });
    });
    while (!running) std::this_thread::yield();
    task.start(
        [&](const Control&, const BackgroundTask::Deliver& deliver) { deliver([&fresh] { ++fresh; }); });
    finish(task);
    QCOMPARE(old, 0);
    QCOMPARE(fresh, 1);
  }
  void stopDropsWhatWaits() {
    BackgroundTask task([] {});
    int got = 0;
    std::atomic<bool> delivered = false;
    task.start([&](const Control& control, const BackgroundTask::Deliver& deliver) {
      deliver([&got] { ++got; });
      delivered = true;
      while (!control.stopRequested()) std::this_thread::yield();
    });
    while (!delivered) std::this_thread::yield();
    task.stop();
    task.drain();
    QCOMPARE(got, 0);
    QVERIFY(!task.isBusy());
  }
  void toItsOwnerItEndsWithWhatItDelivered() {
    std::atomic<int> wakes = 0;
    BackgroundTask task([&] { ++wakes; });
    task.start([](const Control&, const BackgroundTask::Deliver&) {});
    while (wakes == 0) std::this_thread::yield();
    QVERIFY(task.isBusy());
    QVERIFY(task.drain());
    QVERIFY(!task.isBusy());
  }
  void aStopLeavesNoEndBehind() {
    std::atomic<int> wakes = 0;
    BackgroundTask task([&] { ++wakes; });
    task.start([](const Control&, const BackgroundTask::Deliver&) {});
    while (wakes == 0) std::this_thread::yield();
    task.stop();
    QVERIFY(!task.isBusy());
    QVERIFY(!task.drain());
  }
  void anExceptionEndsTheStudyWithItsWords() {
    BackgroundTask task([] {});
    task.start([](const Control&, const BackgroundTask::Deliver&) { throw std::runtime_error("no disk"); });
    finish(task);
    QCOMPARE(task.failure(), std::string("no disk"));
  }
};
NEST_TEST(TestBackgroundTask)
#include "test_background_task.moc"
