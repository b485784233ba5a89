#include "figures/plan/seat_map.h"

#include <algorithm>

namespace nest {

SeatMap::SeatMap(const Plan& plan, int deviceCount)
    : m_deviceCount(deviceCount), m_blocks(plan.dataOuter), m_inner(std::max(1, plan.dataInner)) {
  for (int i = 0; i < plan.stageCount(); ++i) {
    m_begin.push_back(m_total);
    m_width.push_back(std::max(1, plan.stages[i].strategy.width()));
    const int w = m_width.back() * m_inner;
    m_total += w;
    m_stageOf.insert(m_stageOf.end(), static_cast<std::size_t>(w), i);
  }
  m_stride = std::max(plan.blockStride, m_total);
  if (plan.deviceOrder.empty()) return;
  m_position.assign(deviceCount, -1);
  for (std::size_t p = 0; p < plan.deviceOrder.size(); ++p) {
    const int d = plan.deviceOrder[p].value;
    if (d >= 0 && d < deviceCount) m_position[d] = static_cast<int>(p);
  }
}

Seat SeatMap::at(int device) const {
  if (m_total == 0 || device < 0 || device >= m_deviceCount) return {};
  const int p = m_position.empty() ? device : m_position[device];
  if (p < 0) return {};
  const int block = p / m_stride, offset = p % m_stride;
  if (block >= m_blocks || offset >= m_total) return {};
  const int stage = m_stageOf[offset];
  const int inside = offset - m_begin[stage];
  const int width = m_width[stage];
  return {stage, block * m_inner + inside / width, inside % width};
}

}  // namespace nest
