// bound = w_sum · (least Σ load where no load exceeds `high`) + w_max · low + tail. Wide windows cost most,
// and most ranges above the best are never looked into: their bounds are sharpened once they come to the top.
// Cost: the windows and their least work, O(cuts in them), a range.
#include "solver/bounds/load_ranges.h"

#include <cmath>
#include <utility>

namespace nest::planner {

LoadRanges::LoadRanges(StageWindows windows, const Target& target, double leastMax, double tail)
    : m_windows(std::move(windows)),
      m_target(target),
      m_tail(tail),
      m_leastSum(m_windows.leastSum()),
      m_tiny(1e-9 * m_windows.mostLoad()) {
  const double most = m_windows.mostLoad();
  // The best is seldom far above the least that the largest load can be.
  for (double low = leastMax, step = 1.01; low < most; step *= step) {
    const double high = std::min(most, std::max(low * step, m_tiny));
    push({}, low, high);
    low = high;
  }
}

bool LoadRanges::limitTo(double load, Watch& watch) {
  m_windows.limitLoad(load);
  return m_windows.findWindows() && m_windows.findLeastWork(watch);
}

void LoadRanges::push(const Range& parent, double low, double high) {
  m_ranges.push({std::max(parent.bound, m_target.bound.time(m_leastSum, low, m_tail)), low, high});
}

bool LoadRanges::narrow(double width, double limit, Watch& watch) {
  while (bound() <= limit) {
    if (watch.look()) return false;
    Range range = take();
    if (!range.sharp) {
      if (!limitTo(range.high, watch)) {
        if (watch.over()) return false;
        continue;
      }
      range.bound = std::max(range.bound, m_target.bound.time(m_windows.leastSum(), range.low, m_tail));
      range.sharp = true;
      m_ranges.push(range);
    } else if (range.high <= std::max(range.low * (1 + width), m_tiny)) {
      m_ranges.push(range);
      return true;
    } else {
      const double middle = std::sqrt(range.low * range.high);
      push(range, range.low, middle);
      push(range, middle, range.high);
    }
  }
  return true;
}

std::optional<LoadRanges::Range> LoadRanges::takeAll(double width, double limit, Watch& watch) {
  std::optional<Range> all;
  while (narrow(width, limit, watch)) {
    if (!(bound() <= limit)) return all;
    const Range range = take();
    if (!all) all = range;
    all->low = std::min(all->low, range.low);
    all->high = std::max(all->high, range.high);
  }
  return std::nullopt;
}

}  // namespace nest::planner
