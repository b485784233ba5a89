#pragma once

#include <functional>
#include <optional>
#include <queue>
#include <tuple>
#include <vector>

#include "solver/bounds/windows.h"
#include "solver/watch.h"

namespace nest::planner {

/// Of a long chain, ranges that the largest load can lie in, the most promising first. Within a range neither
/// the largest load nor, as no stage may exceed it, the sum can be small (STATEMENT.md (6.7)).
class LoadRanges {
public:
  struct Range {
    double bound, low, high;  ///< seconds: of T, and of the largest load
    bool sharp = false;       ///< the bound knows what the windows leave
    bool operator>(const Range& o) const { return std::tie(bound, low) > std::tie(o.bound, o.low); }
  };

  /// `windows`: limited in load; `tail`: exposed at least. For schedules that fill by load.
  LoadRanges(StageWindows windows, const Target&, double leastMax, double tail);

  /// Sharpens and halves ranges until the top is above `limit` or narrower than `width`. False: ended by the
  /// watch.
  bool narrow(double width, double limit, Watch&);
  /// No plan in the windows is faster; infinite: there is none.
  double bound() const { return m_ranges.empty() ? std::numeric_limits<double>::infinity() : top().bound; }
  const Range& top() const { return m_ranges.top(); }
  Range take() {
    const Range range = top();
    m_ranges.pop();
    return range;
  }
  /// What the ranges span that are below `limit` once they are so narrow. Nothing: none is, or ended by the
  /// watch.
  std::optional<Range> takeAll(double width, double limit, Watch&);
  /// The windows under a load, with least work unless the watch has ended that.
  const StageWindows& windows(double load, Watch& watch) {
    limitTo(load, watch);
    return m_windows;
  }

private:
  bool limitTo(double load, Watch&);
  void push(const Range& parent, double low, double high);

  StageWindows m_windows;
  Target m_target;
  double m_tail, m_leastSum;
  double m_tiny;  ///< loads that are not told apart: of plans far better than those known
  std::priority_queue<Range, std::vector<Range>, std::greater<>> m_ranges;
};

}  // namespace nest::planner
