#pragma once

#include <QCursor>
#include <QEventLoop>
#include <QGuiApplication>
#include <future>
#include <thread>
#include <utility>

namespace nest {

/// Runs `work` on a thread of its own and returns what it returns. Meanwhile the window paints on; clicks
/// and keys wait. For what takes seconds and has to be done before anything else, such as reading a file.
template <class Work>
auto waitFor(Work work) -> decltype(work()) {
  std::packaged_task<decltype(work())()> task(std::move(work));
  auto result = task.get_future();
  QEventLoop loop;
  QGuiApplication::setOverrideCursor(Qt::WaitCursor);
  {
    const std::jthread thread([&] {
      task();
      QMetaObject::invokeMethod(&loop, &QEventLoop::quit, Qt::QueuedConnection);
    });
    loop.exec(QEventLoop::ExcludeUserInputEvents);
  }
  QGuiApplication::restoreOverrideCursor();
  return result.get();
}

}  // namespace nest
