#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace nest::solver {

/// Which part of its time a search has had, from how the gap between bound and limit closes. Four fifths may
/// close within some hundredths of the time; so each halving of the gap that is left counts as twice as long
/// as the one before. And a search that has just begun has not told yet how long it will take.
class ProgressEstimate {
public:
  /// `gap`: of what it was at first; `seconds` since then.
  double at(double gap, double seconds) {
    gap = std::clamp(gap, 0.0, 1.0);
    if (m_trail.empty() || gap < m_trail.back().first) m_trail.emplace_back(gap, seconds);
    const auto twice = std::find_if(m_trail.begin(), m_trail.end(),
                                    [&](const auto& before) { return before.first <= 2 * gap; });
    const double lastHalving = gap > 0.5 ? seconds : seconds - twice->second;
    const double left = 2 * lastHalving * std::max(0.0, gap / kClosed - 1);
    return seconds > 0 ? (1 - gap) * seconds / (seconds + std::max(left, kUsual)) : 0;
  }

private:
  static constexpr double kClosed = 0.005, kUsual = 30;  ///< the second: seconds
  std::vector<std::pair<double, double>> m_trail;        ///< gaps, and when each was reached
};

}  // namespace nest::solver
