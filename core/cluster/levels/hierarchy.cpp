#include "cluster/levels/hierarchy.h"
#include "units/at.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cluster/levels/stand_in_host.h"

namespace nest {
namespace {

constexpr int kMostDevices = 1 << 20;
constexpr int kMostLevels = 8;

std::string levelPointer(std::size_t l, const char* field) {
  return "/cluster/levels/" + std::to_string(l) + '/' + field;
}

Diagnostics clamp(std::vector<NetworkLevel>& levels) {
  Diagnostics out;
  for (std::size_t l = 1; l < levels.size(); ++l) {
    if (levels[l].bandwidth > levels[l - 1].bandwidth) {
      out.push_back(note("bandwidth-clamped", {"", 0, 0, levelPointer(l, "bandwidth")},
                         "level \"" + levels[l].name +
                             "\" is faster than the level inside it; it counts with that level's bandwidth"));
      levels[l].bandwidth = levels[l - 1].bandwidth;
    }
    if (levels[l].latency < levels[l - 1].latency) {
      out.push_back(
          note("latency-clamped", {"", 0, 0, levelPointer(l, "latency")},
               "level \"" + levels[l].name +
                   "\" has a shorter latency than the level inside it; it counts with that level's latency"));
      levels[l].latency = levels[l - 1].latency;
    }
  }
  return out;
}

/// A group of the input tree, for putting siblings into canonical order.
struct Node {
  int size = 0;
  std::vector<int> children;  ///< node numbers; empty for a device
  int device = -1;
};

class Canonical {
public:
  Canonical(const HierarchyInput& in, std::vector<std::uint8_t> gaps, std::vector<int> devices)
      : m_in(in), m_gaps(std::move(gaps)), m_devices(std::move(devices)) {}

  /// Fills the order of input numbers and the gaps between them.
  void run(std::vector<int>& order, std::vector<std::uint8_t>& gaps) {
    const int top = static_cast<int>(m_in.levels.size()) - 1;
    const int root = make(top, 0, static_cast<int>(m_devices.size()));
    walk(root, top, order, gaps);
  }

private:
  int make(int level, int begin, int end) {
    Node node;
    node.size = end - begin;
    if (level < 0) {
      node.device = m_devices[at(begin)];
    } else {
      int from = begin;
      for (int i = begin; i < end; ++i) {
        const bool last = i + 1 == end;
        if (last || m_gaps[at(i)] >= level) {
          // A gap of exactly `level` separates two groups of the level below.
          node.children.push_back(make(level - 1, from, i + 1));
          from = i + 1;
        }
      }
      std::stable_sort(node.children.begin(), node.children.end(),
                       [this](int a, int b) { return compare(a, b) < 0; });
    }
    m_nodes.push_back(std::move(node));
    return static_cast<int>(m_nodes.size()) - 1;
  }

  /// Negative if a stands before b: larger first, then larger inner groups, then faster, then larger memory.
  int compare(int a, int b) const {
    const Node& x = m_nodes[at(a)];
    const Node& y = m_nodes[at(b)];
    if (x.size != y.size) return x.size > y.size ? -1 : 1;
    if (x.children.size() != y.children.size()) return x.children.size() < y.children.size() ? -1 : 1;
    for (std::size_t i = 0; i < x.children.size(); ++i)
      if (const int c = compare(x.children[i], y.children[i])) return c;
    if (x.device < 0 || m_in.factors.empty()) return 0;
    const auto& f = m_in.factors[at(x.device)];
    const auto& g = m_in.factors[at(y.device)];
    if (f.speed != g.speed) return f.speed > g.speed ? -1 : 1;
    const double fm = f.memory.value() > 0 ? f.memory.value() : m_in.device.memory.value.value();
    const double gm = g.memory.value() > 0 ? g.memory.value() : m_in.device.memory.value.value();
    return fm == gm ? 0 : fm > gm ? -1 : 1;
  }

  void walk(int n, int level, std::vector<int>& order, std::vector<std::uint8_t>& gaps) const {
    const Node& node = m_nodes[at(n)];
    if (node.device >= 0) {
      order.push_back(node.device);
      return;
    }
    bool first = true;
    for (int c : node.children) {
      if (!first) gaps.push_back(static_cast<std::uint8_t>(level));
      first = false;
      walk(c, level - 1, order, gaps);
    }
  }

  const HierarchyInput& m_in;
  std::vector<std::uint8_t> m_gaps;
  std::vector<int> m_devices;
  std::vector<Node> m_nodes;
};

void check(const HierarchyInput& in, Diagnostics& out) {
  const auto at = [](std::string p) { return Place{"", 0, 0, std::move(p)}; };
  if (in.levels.empty())
    out.push_back(error("no-levels", at("/cluster/levels"), "a cluster needs at least one network level"));
  if (in.levels.size() > kMostLevels)
    out.push_back(error("too-many-levels", at("/cluster/levels"), "at most 8 network levels are supported",
                        "merge levels of similar bandwidth"));
  for (std::size_t l = 0; l < in.levels.size(); ++l) {
    const double b = in.levels[l].bandwidth.value();
    const double a = in.levels[l].latency.value();
    if (!(b > 0) || !std::isfinite(b))
      out.push_back(error("bandwidth-not-positive", at(levelPointer(l, "bandwidth")),
                          "bandwidth must be a positive number"));
    if (!(a >= 0) || !std::isfinite(a))
      out.push_back(
          error("latency-negative", at(levelPointer(l, "latency")), "latency must be zero or more"));
  }
  if (!in.fanouts.empty()) {
    if (in.fanouts.size() != in.levels.size())
      out.push_back(error("fanout-count", at("/cluster/levels"), "each level needs one fanout"));
    double product = 1;
    for (std::size_t l = 0; l < in.fanouts.size(); ++l) {
      if (in.fanouts[l] < 1)
        out.push_back(
            error("fanout-not-positive", at(levelPointer(l, "fanout")), "a fanout must be 1 or more"));
      product *= std::max(1, in.fanouts[l]);
    }
    if (product > kMostDevices)
      out.push_back(
          error("too-many-devices", at("/cluster/levels"), "at most 1,048,576 devices are supported"));
  } else {
    if (in.gaps.size() + 1 > static_cast<std::size_t>(kMostDevices))
      out.push_back(error("too-many-devices", at("/cluster"), "at most 1,048,576 devices are supported"));
    for (std::uint8_t g : in.gaps)
      if (g >= in.levels.size()) {
        out.push_back(error("gap-level", at("/cluster/gaps"), "a gap names a level that does not exist"));
        break;
      }
  }
  if (!(in.device.memory.value.value() > 0))
    out.push_back(
        error("memory-not-positive", at("/cluster/device/memory_bytes"), "device memory must be positive"));
  for (const auto& f : in.factors)
    if (!(f.speed > 0 && f.speed <= 1) || !(f.memory.value() >= 0)) {
      out.push_back(error("device-factor", at("/cluster/factors"),
                          "a speed factor lies in (0, 1] and memory is not negative"));
      break;
    }
}

/// Names of the groups that begin at `starts`, which hold the input's devices in `order`.
std::vector<std::string> namesOfGroups(const HierarchyInput& in, const std::vector<std::uint8_t>& gaps,
                                       std::size_t level, const std::vector<std::int32_t>& starts,
                                       const std::vector<int>& order) {
  std::vector<int> groupOf(gaps.size() + 1, 0);
  for (std::size_t i = 0; i < gaps.size(); ++i) groupOf[i + 1] = groupOf[i] + (gaps[i] > level);
  std::vector<std::string> out;
  for (std::size_t g = 0; g + 1 < starts.size(); ++g) {
    const auto number = static_cast<std::size_t>(groupOf[at(order[starts[g]])]);
    const bool named = level < in.groupNames.size() && number < in.groupNames[level].size() &&
                       !in.groupNames[level][number].empty();
    out.push_back(named ? in.groupNames[level][number]
                        : in.levels[level].name + ' ' + std::to_string(number));
  }
  return out;
}

}  // namespace

Reading<Hierarchy> Hierarchy::build(const HierarchyInput& in) {
  Reading<Hierarchy> result;
  check(in, result.diagnostics);
  if (hasErrors(result.diagnostics)) return result;

  std::vector<std::uint8_t> gaps = in.gaps;
  if (!in.fanouts.empty()) {
    int n = 1;
    for (int f : in.fanouts) n *= f;
    gaps.assign(n - 1, 0);
    int group = 1;
    for (std::size_t l = 0; l + 1 < in.fanouts.size(); ++l) {
      group *= in.fanouts[l];
      for (int i = group; i < n; i += group) gaps[at(i - 1)] = static_cast<std::uint8_t>(l + 1);
    }
  }
  const int total = static_cast<int>(gaps.size()) + 1;
  const auto wrongCount = [&](std::size_t have) {
    return have != 0 && have != static_cast<std::size_t>(total);
  };
  if (wrongCount(in.identities.size()) || wrongCount(in.factors.size())) {
    result.diagnostics.push_back(error("device-list-length", {"", 0, 0, "/cluster"},
                                       "per-device lists must have one entry per device"));
    return result;
  }

  // Excluded devices leave the order; the gap left behind is the widest of those it swallows.
  std::vector<char> out(total, 0);
  for (int e : in.excluded) {
    if (e < 0 || e >= total) {
      result.diagnostics.push_back(error(
          "excluded-device", {"", 0, 0, "/constraints/excluded_devices"},
          "device " + std::to_string(e) + " does not exist; devices are 0 to " + std::to_string(total - 1)));
      return result;
    }
    out[at(e)] = 1;
  }
  std::vector<int> devices;
  std::vector<std::uint8_t> kept;
  std::uint8_t widest = 0;
  for (int i = 0; i < total; ++i) {
    if (!out[at(i)]) {
      if (!devices.empty()) kept.push_back(widest);
      devices.push_back(i);
      widest = 0;
    }
    if (i + 1 < total) widest = std::max(widest, gaps[at(i)]);
  }
  if (devices.empty()) {
    result.diagnostics.push_back(error("no-devices", {"", 0, 0, "/cluster"}, "every device is excluded"));
    return result;
  }

  std::vector<int> order;
  std::vector<std::uint8_t> ordered;
  const bool areAlike = !in.fanouts.empty() && in.excluded.empty() && in.factors.empty();
  if (in.keepsOrder || areAlike)
    order = devices, ordered = kept;
  else
    Canonical(in, kept, devices).run(order, ordered);
  if (order != devices)
    result.diagnostics.push_back(note("devices-reordered", {"", 0, 0, "/cluster"},
                                      "groups were put into canonical order, largest first"));

  Hierarchy h;
  h.m_deviceCount = static_cast<int>(order.size());
  h.m_device = in.device;
  h.m_levels = in.levels;
  h.m_unplanned = in.unplanned;
  auto clamped = clamp(h.m_levels);
  result.diagnostics.insert(result.diagnostics.end(), clamped.begin(), clamped.end());
  h.m_groups.resize(in.levels.size());
  for (std::size_t l = 0; l < in.levels.size(); ++l) {
    Groups& g = h.m_groups[l];
    g.starts.push_back(0);
    for (std::size_t i = 0; i < ordered.size(); ++i)
      if (ordered[i] > l) g.starts.push_back(static_cast<std::int32_t>(i) + 1);
    g.starts.push_back(h.m_deviceCount);
    bool uniform = true;
    for (std::size_t k = 0; k + 1 < g.starts.size(); ++k) {
      const int size = g.starts[k + 1] - g.starts[k];
      g.largest = std::max(g.largest, size);
      uniform = uniform && size == g.starts[1];
    }
    if (uniform) {
      g.uniformSize = g.starts[1];
    } else {
      g.of.resize(h.m_deviceCount);
      for (std::size_t k = 0; k + 1 < g.starts.size(); ++k)
        std::fill(g.of.begin() + g.starts[k], g.of.begin() + g.starts[k + 1], static_cast<std::int32_t>(k));
    }
  }

  if (order.size() < static_cast<std::size_t>(total) || order != devices || !in.groupNames.empty()) {
    h.m_groupNames.resize(in.levels.size());
    for (std::size_t l = 0; l < in.levels.size(); ++l)
      h.m_groupNames[l] = namesOfGroups(in, gaps, l, h.m_groups[l].starts, order);
  }
  const bool named = !in.identities.empty();
  h.m_generatedHostSize = in.fanouts.empty() ? 1 : in.fanouts.front();
  if (named || in.fanouts.empty() || order != devices || !in.excluded.empty()) {
    // Generated names follow the input's hosts, so that a device keeps its name when another one is excluded
    // or slower.
    std::vector<DeviceIdentity> all = in.identities;
    if (!named) {
      int host = 0, slot = 0;
      for (int i = 0; i < total; ++i) {
        all.push_back({standInHost(in.levels.front().name, host), slot++, i});
        if (i + 1 < total && gaps[at(i)] > 0) ++host, slot = 0;
      }
    }
    for (int i : order) {
      h.m_identities.push_back(all[at(i)]);
      h.m_identities.back().source = i;
    }
  }
  const bool differ = std::any_of(in.factors.begin(), in.factors.end(), [&](const DeviceFactor& f) {
    return f.speed != 1 || (f.memory.value() > 0 && f.memory != in.device.memory.value);
  });
  if (differ)
    for (int i : order) h.m_factors.push_back(in.factors[at(i)]);
  result.value = std::move(h);
  return result;
}

std::string Hierarchy::groupName(int l, int group) const {
  if (l == 0) {
    const auto [begin, end] = groupSpan(0, group);
    const std::string host = identity(DeviceIndex(begin)).host;
    // A group of several hosts is none of them.
    if (host == identity(DeviceIndex(end - 1)).host) return host;
  }
  if (l + 1 == levelCount() && groupCount(l) == 1) return level(l).name;
  if (!m_groupNames.empty()) return m_groupNames[at(l)][at(group)];
  return level(l).name + ' ' + std::to_string(group);
}

bool Hierarchy::isRegular() const {
  return std::all_of(m_groups.begin(), m_groups.end(), [](const Groups& g) { return g.uniformSize > 0; });
}

const DeviceIdentity Hierarchy::identity(DeviceIndex d) const {
  if (!m_identities.empty()) return m_identities[d.at()];
  return {standInHost(level(0).name, d.value / m_generatedHostSize), d.value % m_generatedHostSize, d.value};
}

DeviceFactor Hierarchy::factor(DeviceIndex d) const {
  DeviceFactor f = m_factors.empty() ? DeviceFactor{} : m_factors[d.at()];
  if (!(f.memory.value() > 0)) f.memory = m_device.memory.value;
  return f;
}

double Hierarchy::slowest(int begin, int end) const {
  if (m_factors.empty()) return 1;
  double s = 1;
  for (int i = begin; i < end; ++i) s = std::min(s, m_factors[at(i)].speed);
  return s;
}

Bytes Hierarchy::smallestMemory(int begin, int end) const {
  if (m_factors.empty()) return m_device.memory.value;
  Bytes s = factor(DeviceIndex(begin)).memory;
  for (int i = begin + 1; i < end; ++i) s = std::min(s, factor(DeviceIndex(i)).memory);
  return s;
}

Hierarchy Hierarchy::withLevels(std::vector<NetworkLevel> levels) const {
  Hierarchy h = *this;
  h.m_levels = std::move(levels);
  clamp(h.m_levels);
  return h;
}

Hierarchy Hierarchy::withDevice(DeviceSpec device) const {
  Hierarchy h = *this;
  h.m_device = std::move(device);
  return h;
}

}  // namespace nest
