#pragma once

#include <QtGlobal>
#include <memory>

namespace spdlog::sinks {
class sink;
}

namespace nest::test {

/// An error in the program's log, or a warning of Qt's, is a defect: it fails the test class it occurs in.
/// What Qt says of the machine that the tests run on is let through (log_guard.cpp lists it).
class LogGuard {
public:
  LogGuard();
  ~LogGuard();
  LogGuard(const LogGuard&) = delete;
  LogGuard& operator=(const LogGuard&) = delete;

  void listen();  ///< to Qt's messages, before the handler that is in place now
  void leave();   ///< puts that handler back

  /// How many there were since the last call. A test that means to log one takes it.
  static int take();

private:
  std::shared_ptr<spdlog::sinks::sink> m_sink;
};

}  // namespace nest::test
