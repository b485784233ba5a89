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

/// Asks a Control now and then, cheaply, and paces progress reports.
class Watch {
  using Clock = std::chrono::steady_clock;

public:
  /// `pace`: seconds between two reports of something new, at least; where nothing new is said, the last one
  /// is repeated as often.
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
    checkClock();  // what is over before it begins finds nothing, on any machine
  }

  /// True once the caller wants an end. Looks at the clock every 64th call.
  bool shouldStop() {
    if (m_over || ++m_calls % 64 != 0) return m_over;
    return checkClock();
  }
  bool checkClock() {
    if (m_control.work) m_control.work->spend();
    return poll();
  }
  /// Looks at the clock, and counts as no work: where each step may take a millisecond.
  bool poll() {
    const auto now = Clock::now();
    StopCause cause = m_control.cause(now);
    if (cause == StopCause::None && m_deadline && now >= *m_deadline) cause = StopCause::Deadline;
    if (cause == StopCause::Request || m_cause == StopCause::None) m_cause = cause;
    // Long steps show that they go on.
    if (m_sent && now - *m_sent >= m_pace) send(now);
    return m_over = m_over || cause != StopCause::None || (m_pause && now >= *m_pause);
  }
  /// Where steps take some nanoseconds each, but nobody knows beforehand how many they are.
  bool shouldStopAfter(std::size_t steps) {
    constexpr std::size_t kMillisecond = 300'000;
    m_steps += steps;
    if (m_over || m_steps < kMillisecond) return m_over;
    m_steps = 0;
    return poll();
  }
  /// What a search holds when it is ended is freed with the watch, not while someone waits for the end.
  template <class Tables>
  void leave(Tables tables) {
    if (m_over) m_left.push_back(std::make_shared<Tables>(std::move(tables)));
  }
  /// shouldStop() is true once this share of the time to the deadline has passed, if there is one, until
  /// resume().
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
  StopCause cause() const { return m_cause; }  ///< of the end, None before it
  const Control& control() const { return m_control; }
  /// The caller's control, to end no later than this watch does.
  Control same() const {
    Control control = m_control;
    control.deadline = m_deadline;
    return control;
  }
  /// `also` runs behind every report.
  void whenReporting(std::function<void()> also) { m_also = std::move(also); }
  void count(long long states) { m_states += states; }
  long long states() const { return m_states; }
  BoundLedger& bounds() { return m_bounds; }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - m_begin).count(); }

  bool reportDue() const {  ///< whether report() would tell anyone
    return m_control.progress && (!m_reported || Clock::now() - *m_reported >= m_pace);
  }
  /// What reports say of long steps from here on, before the first of report().
  void enter(std::string_view phase) { m_last.phase = phase; }
  /// `best`: seconds; infinite: nothing is known. `lowerBound`: of all that is searched, 0 where only part of
  /// it is bounded.
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
  std::optional<Clock::time_point> m_reported, m_sent;  ///< what is new; that, or the same once more
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
