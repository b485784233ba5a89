#pragma once

#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "solver/bounds/bound_ledger.h"
#include "solver/control.h"
#include "solver/tolerances.h"
#include "solver/tuning.h"

namespace nest::solver {

/// Polls a Control cheaply and paces progress reports. Used by one thread.
class Watch {
  using Clock = std::chrono::steady_clock;

public:
  /// `pace`: least seconds between two reports of something new. If there is nothing new, the last report is
  /// repeated at this interval.
  Watch(const Control& control, double deadlineSeconds, double pace = Tuning().pace)
      : m_control(control),
        m_pace(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(pace))),
        m_begin(Clock::now()),
        m_deadline(control.deadline) {
    if (deadlineSeconds > 0) {
      const auto own = m_begin + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(deadlineSeconds));
      if (!m_deadline || own < *m_deadline) m_deadline = own;
    }
    checkClock();  // a search whose deadline has passed finds nothing, on any machine
  }

  /// Whether the search should stop. Reads the clock on every 64th call.
  bool shouldStop() {
    if (m_over || ++m_calls % 64 != 0) return m_over;
    return checkClock();
  }
  bool checkClock() {
    if (m_control.work) m_control.work->spend();
    return poll();
  }
  /// Reads the clock without counting work, for loops whose steps may take a millisecond each.
  bool poll() {
    const auto now = Clock::now();
    StopCause cause = m_control.cause(now);
    if (cause == StopCause::None && m_deadline && now >= *m_deadline) cause = StopCause::Deadline;
    if (cause == StopCause::Request || m_cause == StopCause::None) m_cause = cause;
    // Reports are repeated during long steps.
    if (m_sent && now - *m_sent >= m_pace) send(now);
    return m_over = m_over || cause != StopCause::None || (m_pause && now >= *m_pause);
  }
  /// For loops whose steps take some nanoseconds each and whose number is not known in advance.
  bool shouldStopAfter(std::size_t steps) {
    constexpr std::size_t kMillisecond = 300'000;
    m_steps += steps;
    if (m_over || m_steps < kMillisecond) return m_over;
    m_steps = 0;
    return poll();
  }
  /// Keeps the tables of a stopped search until the watch is destroyed, so that nobody waits for their
  /// deallocation.
  template <class Tables>
  void leave(Tables tables) {
    if (m_over) m_left.push_back(std::make_shared<Tables>(std::move(tables)));
  }
  /// Makes shouldStop() true once this share of the time to the deadline has passed, if there is a deadline,
  /// until resume() is called.
  void pauseAfter(double share) {
    if (m_deadline)
      m_pause =
          Clock::now() + std::chrono::duration_cast<Clock::duration>((*m_deadline - Clock::now()) * share);
  }
  void resume() {
    m_pause.reset();
    m_over = m_cause != StopCause::None;
  }
  bool stopped() const { return m_cause == StopCause::Request; }
  StopCause cause() const { return m_cause; }  ///< of the end; None before it
  const Control& control() const { return m_control; }
  /// The caller's control, with a deadline no later than that of this watch.
  Control same() const {
    Control control = m_control;
    control.deadline = m_deadline;
    return control;
  }
  /// Runs `also` after every report.
  void whenReporting(std::function<void()> also) { m_also = std::move(also); }
  void count(long long states) { m_states += states; }
  long long states() const { return m_states; }
  BoundLedger& bounds() { return m_bounds; }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - m_begin).count(); }

  /// Whether report() would send a report.
  bool reportDue() const {
    return m_control.progress && (!m_reported || Clock::now() - *m_reported >= m_pace);
  }
  /// Names the phase of the reports sent during long steps, before the first call of report().
  void enter(std::string_view phase) { m_last.phase = phase; }
  /// `best`: seconds, infinite if unknown. `lowerBound`: on everything that is searched; 0 if only part of it
  /// is bounded.
  void report(std::string_view phase, double fraction, double best, double lowerBound) {
    if (!reportDue()) return;
    m_last.phase = phase;
    m_last.fraction = std::max(m_last.fraction, std::min(1.0, fraction));
    m_last.best = std::isfinite(best) ? std::optional(Seconds(best)) : std::nullopt;
    m_last.lowerBound = lowerBound;
    m_last.settled = m_last.best && lowerBound >= best * kRoundDown;
    m_reported = Clock::now();
    send(*m_reported);
  }

private:
  void send(Clock::time_point now) {
    m_sent = now;
    m_last.states = m_states;
    m_control.progress(m_last);
    if (m_also) m_also();
  }

  const Control& m_control;
  Clock::duration m_pace;
  Clock::time_point m_begin;
  std::optional<Clock::time_point> m_deadline, m_pause;
  std::optional<Clock::time_point> m_reported, m_sent;  ///< of the last new report; of the last report
  Progress m_last;
  std::function<void()> m_also;
  std::vector<std::shared_ptr<void>> m_left;
  BoundLedger m_bounds;
  long long m_states = 0;
  unsigned m_calls = 0;
  std::size_t m_steps = 0;
  bool m_over = false;
  StopCause m_cause = StopCause::None;
};

}  // namespace nest::solver
