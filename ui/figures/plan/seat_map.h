#pragma once

#include <vector>

#include "plan/plan.h"

namespace nest {

/// Who sits on a device.
struct Seat {
  static constexpr int kCutOff = -2;  ///< as a stage: works, but no plan can reach it
  int stage = -1;                     ///< −1: idle
  int replica = -1;
  int rank = -1;  ///< inside the replica: context · t + tensor

  bool idle() const { return stage < 0; }
};

/// The inverse of Placement: device → seat. O(1) a question.
class SeatMap {
public:
  SeatMap() = default;
  SeatMap(const Plan& plan, int deviceCount);

  Seat at(int device) const;
  int deviceCount() const { return m_deviceCount; }

private:
  int m_deviceCount = 0, m_stride = 0, m_blocks = 0, m_inner = 1, m_total = 0;
  std::vector<int> m_stageOf;  ///< by position inside a block
  std::vector<int> m_begin, m_width;
  std::vector<int> m_position;  ///< device → position; empty: the same
};

}  // namespace nest
