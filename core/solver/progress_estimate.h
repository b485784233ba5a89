#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace nest::solver {

/// Estimates how much of its time a search has used, from how the gap between bound and limit closes. Four
/// fifths of the gap may close within some hundredths of the time, so each halving of the remaining gap
/// counts as twice as long as the one before. Until a search has run for a while, it is assumed to take at
/// least kUsual seconds more.
class ProgressEstimate {
public:
  /// `gap`: share of the initial gap; `seconds`: time since then.
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
  static constexpr double kClosed = 0.005, kUsual = 30;  ///< share of the gap; seconds
  std::vector<std::pair<double, double>> m_trail;        ///< gaps, and the seconds when each was reached
};

}  // namespace nest::solver
