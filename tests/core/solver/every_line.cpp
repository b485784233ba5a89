// Written without the solver's lines: sets as bits, orders by permutation level by level.
#include "core/solver/every_line.h"

#include <algorithm>
#include <set>

namespace nest::test {
namespace {

/// All orders of the devices in [begin, end) that are in the set, groups below `level` kept together.
std::vector<std::vector<int>> ordersOf(const Hierarchy& h, unsigned set, int level, int begin, int end) {
  if (level < 0) return {set >> begin & 1 ? std::vector<int>{begin} : std::vector<int>{}};
  std::vector<std::vector<std::vector<int>>> children;
  for (int p = begin; p < end;) {
    const int next = level == 0 ? p + 1 : h.groupSpan(level - 1, h.groupOf(level - 1, p)).second;
    auto orders = ordersOf(h, set, level - 1, p, next);
    if (!orders.front().empty()) children.push_back(std::move(orders));
    p = next;
  }
  std::vector<int> turn(children.size());
  for (std::size_t i = 0; i < turn.size(); ++i) turn[i] = static_cast<int>(i);
  std::vector<std::vector<int>> all;
  do {
    std::vector<std::vector<int>> some = {{}};
    for (const int c : turn) {
      std::vector<std::vector<int>> longer;
      for (const auto& line : some)
        for (const auto& more : children[static_cast<std::size_t>(c)]) {
          longer.push_back(line);
          longer.back().insert(longer.back().end(), more.begin(), more.end());
        }
      some = std::move(longer);
    }
    all.insert(all.end(), some.begin(), some.end());
    // Equal devices have no order.
    if (level == 0 && h.hasUniformDevices()) break;
  } while (std::next_permutation(turn.begin(), turn.end()));
  return all;
}

}  // namespace

std::vector<std::vector<int>> everyLine(const Hierarchy& h) {
  std::set<std::vector<double>> known;
  std::vector<std::vector<int>> all;
  const int n = h.deviceCount();
  for (unsigned set = 1; set < 1U << n; ++set)
    for (auto& line : ordersOf(h, set, h.levelCount() - 1, 0, n)) {
      std::vector<double> shape;
      for (std::size_t i = 0; i < line.size(); ++i) {
        shape.push_back(i > 0 ? h.levelBetween(line[i - 1], line[i]) : -1);
        const DeviceFactor f = h.factor(DeviceIndex(line[i]));
        shape.push_back(f.speed);
        shape.push_back(f.memory.value());
      }
      if (known.insert(std::move(shape)).second) all.push_back(std::move(line));
    }
  return all;
}

}  // namespace nest::test
