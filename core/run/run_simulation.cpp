// Simulates a training run event by event.
#include <algorithm>
#include <cmath>
#include <random>

#include "run/goodput.h"

namespace nest {
namespace {

/// One run. Progress is work that is done; what is safe survives a failure.
class SimulatedRun {
public:
  SimulatedRun(const RunTimes& times, Seconds interval, std::mt19937_64& random)
      : m_times(times), m_interval(interval.value()), m_random(random), m_failure(draw(0)) {}

  RunPrediction run() {
    while (m_done < m_times.work.value()) {
      const double segment = std::min(m_interval, m_times.work.value() - m_done);
      if (!pass(segment)) continue;
      m_done += segment;
      const double before = m_now;
      if (!pass(m_times.blocked.value())) continue;
      m_result.checkpoints += Seconds(m_now - before);
      m_pending = m_done, m_safeFrom = m_now + m_times.written.value();
    }
    m_result.total = Seconds(m_now);
    m_result.lostWork = m_result.total - m_times.work - m_result.checkpoints - m_result.restarts;
    return m_result;
  }

private:
  double draw(double from) {
    return from + std::exponential_distribution<double>(1 / m_times.mtbf.value())(m_random);
  }
  /// Lets time pass. False: a failure came, and the run has gone back to what is safe.
  bool pass(double seconds) {
    if (m_safeFrom <= std::min(m_now + seconds, m_failure)) m_safe = m_pending;
    if (m_now + seconds < m_failure) {
      m_now += seconds;
      return true;
    }
    m_now = m_failure;
    fail();
    return false;
  }
  void fail() {
    for (bool restarted = false; !restarted;) {
      ++m_result.failures;
      const double begin = m_now, next = draw(m_now);
      restarted = next > m_now + m_times.restart.value();
      m_now = restarted ? m_now + m_times.restart.value() : next;
      m_result.restarts += Seconds(m_now - begin);
      m_failure = next;
    }
    m_done = m_pending = m_safe;
    m_safeFrom = m_now;
  }

  const RunTimes& m_times;
  const double m_interval;
  std::mt19937_64& m_random;
  double m_now = 0, m_failure;
  double m_done = 0, m_safe = 0;
  double m_pending = 0, m_safeFrom = 0;  ///< what the last checkpoint holds, and from when it counts
  RunPrediction m_result;
};

}  // namespace

RunPrediction simulateRun(const RunTimes& times, int runs, std::uint64_t seed) {
  RunPrediction mean;
  mean.interval = predictRun(times).interval;
  std::mt19937_64 random(seed);
  for (int i = 0; i < runs; ++i) {
    const RunPrediction one = SimulatedRun(times, mean.interval, random).run();
    mean.total += one.total / runs;
    mean.checkpoints += one.checkpoints / runs;
    mean.restarts += one.restarts / runs;
    mean.lostWork += one.lostWork / runs;
    mean.failures += one.failures / runs;
  }
  return mean;
}

}  // namespace nest
