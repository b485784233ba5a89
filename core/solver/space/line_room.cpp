#include "solver/space/line_room.h"

#include <algorithm>
#include <functional>
#include <map>

#include "units/at.h"

namespace nest::solver {
namespace {

std::vector<LineRoom::Kind> kindsOf(const std::map<double, int, std::greater<>>& counts) {
  std::vector<LineRoom::Kind> kinds;
  long long devices = 0;
  for (const auto& [value, count] : counts) kinds.push_back({value, devices += count});
  return kinds;
}

}  // namespace

LineRoom::LineRoom(const Hierarchy& cluster) : m_sizes(at(cluster.levelCount())) {
  for (int l = 0; l < cluster.levelCount(); ++l) {
    std::map<int, int, std::greater<>> count;
    if (const int size = cluster.uniformGroupSize(l); size > 0)
      count[size] = cluster.groupCount(l);
    else
      for (int g = 0; g < cluster.groupCount(l); ++g) {
        const auto [begin, end] = cluster.groupSpan(l, g);
        ++count[end - begin];
      }
    m_sizes[at(l)].assign(count.begin(), count.end());
  }
  if (cluster.hasUniformDevices()) return;
  std::map<double, int, std::greater<>> speeds, memories;
  for (int i = 0; i < cluster.deviceCount(); ++i) {
    const DeviceFactor f = cluster.factor(DeviceIndex(i));
    ++speeds[f.speed], ++memories[f.memory.value()];
  }
  m_speeds = kindsOf(speeds), m_memories = kindsOf(memories);
}

int LineRoom::levelOf(long long devices) const {
  int level = 0;
  while (level + 1 < static_cast<int>(m_sizes.size()) && m_sizes[at(level)].front().first < devices) ++level;
  return level;
}

long long LineRoom::runsInside(int level, long long devices) const {
  long long runs = 0;
  for (const auto& [size, count] : m_sizes[at(level)]) runs += size / devices * count;
  return runs;
}

std::vector<std::pair<int, int>> LineRoom::capacities(int level, int devices) const {
  std::vector<std::pair<int, int>> all;
  for (const auto& [size, count] : m_sizes[at(level)])
    if (size >= devices) all.emplace_back(size / devices, count);
  return all;
}

// Of a block's stages those that stand in one group form a piece, and a piece of k stages has k − 1
// boundaries inside. So T stages in p pieces have T − p; a piece has at most s stages, and each group that
// holds some has one at least. One stage more adds one piece at most: T is as large as it may be.
int LineRoom::boundariesInside(int level, int width, int stages, int blocks) const {
  const long long all = static_cast<long long>(stages) * blocks;
  long long inside = 0, groups = 0;
  for (const auto& [size, count] : m_sizes[at(level)]) {
    const long long each = size / width;
    if (each == 0 || inside >= all) break;
    const long long taken = std::min<long long>(count, (all - inside + each - 1) / each);
    groups += taken;
    inside = std::min(all, inside + taken * each);
  }
  const long long pieces = std::max(groups, (inside + stages - 1) / stages);
  return static_cast<int>(std::min<long long>(stages - 1, (inside - pieces) / blocks));
}

}  // namespace nest::solver
