#pragma once

#include <chrono>

#include "solver/control.h"

namespace nest::planner {

/// Asks a Control now and then, cheaply, and paces progress reports.
class Watch {
public:
  Watch(const Control& control, double deadlineSeconds)
      : m_control(control), m_begin(Clock::now()), m_deadline(control.deadline) {
    if (deadlineSeconds > 0) {
      const auto own = m_begin + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(deadlineSeconds));
      if (!m_deadline || own < *m_deadline) m_deadline = own;
    }
    look();  // what is over before it begins finds nothing, on any machine
  }

  /// True once the caller wants an end. Looks at the clock every 64th call.
  bool over() {
    if (m_over || ++m_calls % 64 != 0) return m_over;
    return look();
  }
  bool look() {
    if (m_control.work) m_control.work->spend();
    StopCause cause = m_control.cause();
    if (cause == StopCause::None && m_deadline && Clock::now() >= *m_deadline) cause = StopCause::Deadline;
    if (cause == StopCause::Request || m_cause == StopCause::None) m_cause = cause;
    return m_over = m_over || cause != StopCause::None;
  }
  bool stopped() const { return m_cause == StopCause::Request; }
  StopCause cause() const { return m_cause; }  ///< of the end, None before it
  const Control& control() const { return m_control; }
  void count(long long states) { m_states += states; }
  long long states() const { return m_states; }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - m_begin).count(); }

  void report(std::string_view phase, double fraction, std::optional<Seconds> best, double lowerBound) {
    if (!m_control.progress) return;
    const auto now = Clock::now();
    if (m_reported && now - *m_reported < std::chrono::milliseconds(40)) return;
    m_reported = now;
    m_fraction = fraction > m_fraction ? fraction : m_fraction;
    m_control.progress({phase, m_fraction, best, lowerBound, m_states});
  }

private:
  using Clock = std::chrono::steady_clock;

  const Control& m_control;
  Clock::time_point m_begin;
  std::optional<Clock::time_point> m_deadline, m_reported;
  double m_fraction = 0;
  long long m_states = 0;
  unsigned m_calls = 0;
  bool m_over = false;
  StopCause m_cause = StopCause::None;
};

}  // namespace nest::planner
