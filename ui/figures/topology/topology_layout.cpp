#include "figures/topology/topology_layout.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <unordered_map>

namespace nest {
namespace {

constexpr double kHostGap = 0.14;
constexpr double kTallestHeader = 26;   ///< pixels
constexpr double kLowestHeader = 13.5;  ///< pixels, for words that can be read
constexpr double kMostForHeader = 1.6;  ///< device heights that it may take for that
constexpr double kReadable = 9;         ///< pixels of a device's height below which siblings fold

/// Numbers for sequences, equal for equal ones.
class Numbering {
public:
  int of(const std::vector<int>& sequence) {
    return m_known.emplace(sequence, static_cast<int>(m_known.size())).first->second;
  }

private:
  struct Hash {
    std::size_t operator()(const std::vector<int>& v) const {
      std::size_t h = v.size();
      for (int x : v)
        h = (h ^ static_cast<std::size_t>(static_cast<unsigned>(x))) * 0x9E3779B97F4A7C15ULL, h ^= h >> 29;
      return h;
    }
  };
  std::unordered_map<std::vector<int>, int, Hash> m_known;
};

/// Columns worth trying for n children: one for each number of rows.
std::vector<int> columnChoices(int n, std::size_t most) {
  std::vector<int> out;
  for (int rows = 1; rows <= n; ++rows) {
    const int columns = (n + rows - 1) / rows;
    if (out.empty() || out.back() != columns) out.push_back(columns);
  }
  if (out.size() <= most) return out;
  std::sort(out.begin(), out.end(), [n](int a, int b) {
    return std::abs(std::log(a * a / double(n))) < std::abs(std::log(b * b / double(n)));
  });
  out.resize(most);
  return out;
}

}  // namespace

TopologyClasses::TopologyClasses(const PlanContext& c)
    : m_problem(c.problem), m_plan(c.plan), m_outcome(c.outcome) {
  const Hierarchy& h = cluster();
  if (const Plan* plan = c.shownPlan()) m_seats = SeatMap(*plan, h.deviceCount());
  Numbering devices;
  std::vector<int> sequence;
  m_classes.resize(h.levelCount());
  for (int l = 0; l < h.levelCount(); ++l) {
    Numbering numbering;
    auto& classes = m_classes[l];
    classes.reserve(h.groupCount(l));
    for (int g = 0; g < h.groupCount(l); ++g) {
      sequence.clear();
      if (l == 0) {
        const auto [begin, end] = h.groupSpan(0, g);
        for (int d = begin; d < end; ++d) {
          const int stage = m_seats.at(d).stage;
          m_idle += stage < 0 ? 1 : 0;
          int kind = 0;
          if (!h.hasUniformDevices()) {
            const DeviceFactor f = h.factor(DeviceIndex(d));
            kind =
                devices.of({static_cast<int>(f.speed * 1e6), static_cast<int>(f.memory.value() / (1 << 20))});
          }
          sequence.push_back((stage + 1) * 64 + kind);
        }
      } else {
        const auto [first, last] = childrenOf(l, g);
        for (int k = first; k < last; ++k) sequence.push_back(classOf(l - 1, k));
      }
      classes.push_back(numbering.of(sequence));
    }
  }
}

std::pair<int, int> TopologyClasses::childrenOf(int level, int group) const {
  const auto [begin, end] = cluster().groupSpan(level, group);
  return {cluster().groupOf(level - 1, begin), cluster().groupOf(level - 1, end - 1) + 1};
}

TopologyLayout::TopologyLayout(std::shared_ptr<const TopologyClasses> classes, const QSizeF& area,
                               Folding folding)
    : m_classes(std::move(classes)),
      m_area(area),
      m_folding(folding),
      m_levels(m_classes->cluster().levelCount()) {
  m_foldFrom = folding == Folding::Everything ? 1 : m_levels;
  arrange();
  while (folding == Folding::Automatic && m_scale < kReadable && m_foldFrom > 1) {
    --m_foldFrom;
    arrange();
  }
}

int TopologyLayout::mostChildren(int level) const {
  const Hierarchy& h = m_classes->cluster();
  if (level == 0) return h.largestGroupSize(0);
  int most = 1;
  for (int g = 0; g < h.groupCount(level); ++g) {
    const auto [first, last] = m_classes->childrenOf(level, g);
    if (!foldsChildren(level)) {
      most = std::max(most, last - first);
      continue;
    }
    std::vector<int> distinct;
    for (int k = first; k < last; ++k) distinct.push_back(m_classes->classOf(level - 1, k));
    std::sort(distinct.begin(), distinct.end());
    most = std::max(most, static_cast<int>(std::unique(distinct.begin(), distinct.end()) - distinct.begin()));
  }
  return most;
}

/// How many children in a row are of one stage, as far as one number says so for all; 0: all are the same, or
/// the like are drawn as one.
int TopologyLayout::runOfChildren(int level) const {
  if (foldsChildren(level)) return 0;
  const Hierarchy& h = m_classes->cluster();
  int divisor = 0;
  bool differ = false;
  for (int g = 0; g < h.groupCount(level) && divisor != 1; ++g) {
    const auto [first, last] = level == 0 ? h.groupSpan(0, g) : m_classes->childrenOf(level, g);
    const auto kindOf = [&](int k) {
      return level == 0 ? m_classes->seats().at(k).stage : m_classes->classOf(level - 1, k);
    };
    int begin = first;
    for (int k = first + 1; k <= last; ++k) {
      if (k < last && kindOf(k) == kindOf(begin)) continue;
      divisor = std::gcd(divisor, k - begin);
      differ = differ || k < last;
      begin = k;
    }
  }
  return differ ? divisor : 0;
}

void TopologyLayout::measure(const std::vector<int>& columns) {
  double w = kDeviceWidth, h = 1;
  for (std::size_t l = 0; l < columns.size(); ++l) {
    const int rows = (m_most[l] + columns[l] - 1) / columns[l];
    const double gap = l == 0 ? kHostGap : m_pad[l];
    const double innerW = columns[l] * w + (columns[l] - 1) * gap;
    const double innerH = rows * h + (rows - 1) * gap;
    // Outer labels are larger, so that they survive zooming out.
    m_header[l] = std::max(0.62, std::min(0.05 * innerH, 0.3 * h) + 0.16 * static_cast<double>(l) + 0.5);
    m_header[l] = std::max(std::min(m_header[l], m_headerLimit),
                           std::min(m_headerLeast, l == 0 ? 1.0 : kMostForHeader));
    w = innerW + 2 * m_pad[l];
    h = innerH + m_header[l] + m_pad[l];
    m_size[l] = {w, h};
  }
}

void TopologyLayout::arrange() {
  const QSizeF room = m_area.expandedTo({1, 1});  // a page too small to draw on has its boxes all the same
  const auto levels = static_cast<std::size_t>(m_levels);
  m_most.assign(levels, 1);
  m_pad.assign(levels, 0.2);
  m_header.assign(levels, 0.6);
  m_size.assign(levels, {});
  std::vector<std::vector<int>> choices(levels);
  std::vector<int> runs(levels);
  double combinations = 1;
  for (std::size_t l = 0; l < levels; ++l) {
    m_most[l] = mostChildren(static_cast<int>(l));
    runs[l] = runOfChildren(static_cast<int>(l));
    m_pad[l] = 0.2 + 0.12 * static_cast<double>(l);
    choices[l] = columnChoices(m_most[l], l == 0 ? 6 : 9);
    if (combinations * static_cast<double>(choices[l].size()) > 20000) choices[l].resize(1);
    combinations *= static_cast<double>(choices[l].size());
  }
  std::vector<std::size_t> at(levels, 0);
  std::vector<int> columns(levels), best;
  double bestScale = -1;
  m_headerLimit = 100, m_headerLeast = 0;
  for (;;) {
    for (std::size_t l = 0; l < levels; ++l) columns[l] = choices[l][at[l]];
    measure(columns);
    double scale = std::min(room.width() / size().width(), room.height() / size().height());
    // A full grid reads better than one with a short last row.
    for (std::size_t l = 0; l < levels; ++l)
      if (m_most[l] % columns[l] != 0) scale *= m_most[l] <= 16 ? 0.72 : 0.85;
    // A row that ends within a stage tears it apart.
    for (std::size_t l = 0; l < levels; ++l)
      if (runs[l] > 1 && runs[l] % columns[l] != 0 && columns[l] % runs[l] != 0) scale *= 0.75;
    // Boxes read better that are neither columns nor strips, and hosts wide enough for their name.
    for (std::size_t l = 0; l + 1 < levels; ++l) {
      const double aspect = m_size[l].width() / m_size[l].height();
      if (aspect > 2.4 || aspect < 1 / 2.4) scale *= 0.9;
    }
    if (m_most[0] >= 4 && m_size[0].width() < 3) scale *= 0.85;
    if (scale > bestScale * (1 + 1e-9)) bestScale = scale, best = columns;
    std::size_t l = 0;
    while (l < levels && ++at[l] == choices[l].size()) at[l++] = 0;
    if (l == levels) break;
  }
  m_columns = best;
  const auto fit = [this, &room] {
    measure(m_columns);
    // A handful of devices grows with the page, but need not fill it.
    const double most = std::clamp(room.height() * 0.22, 90.0, 170.0);
    m_scale = std::min({room.width() / size().width(), room.height() / size().height(), most});
  };
  m_headerLimit = 100;
  fit();
  m_headerLimit = kTallestHeader / m_scale;
  m_headerLeast = kLowestHeader / m_scale;
  fit();
}

TopologyLayout::Box TopologyLayout::root() const {
  return {m_levels - 1, 0, 1, QRectF(QPointF(0, 0), size())};
}

std::vector<TopologyLayout::Box> TopologyLayout::childrenOf(const Box& parent) const {
  std::vector<Box> out;
  const auto l = static_cast<std::size_t>(parent.level);
  const auto [first, last] = m_classes->childrenOf(parent.level, parent.group);
  const bool fold = foldsChildren(parent.level);
  std::unordered_map<int, std::size_t> known;
  for (int k = first; k < last; ++k) {
    if (fold) {
      const auto [where, fresh] = known.emplace(m_classes->classOf(parent.level - 1, k), out.size());
      if (!fresh) {
        ++out[where->second].count;
        continue;
      }
    }
    const auto n = static_cast<int>(out.size());
    const QSizeF cell = m_size[l - 1];
    const double x = parent.rect.left() + m_pad[l] + (n % m_columns[l]) * (cell.width() + m_pad[l]);
    const double y = parent.rect.top() + m_header[l] + (n / m_columns[l]) * (cell.height() + m_pad[l]);
    out.push_back({parent.level - 1, k, 1, QRectF(QPointF(x, y), cell)});
  }
  return out;
}

QRectF TopologyLayout::deviceRect(const Box& host, int index) const {
  const double x = host.rect.left() + m_pad[0] + (index % m_columns[0]) * (kDeviceWidth + kHostGap);
  const double y = host.rect.top() + m_header[0] + (index / m_columns[0]) * (1 + kHostGap);
  return {x, y, kDeviceWidth, 1};
}

int TopologyLayout::deviceAt(const Box& host, const QPointF& p) const {
  const auto [begin, end] = m_classes->cluster().groupSpan(0, host.group);
  const int column =
      static_cast<int>(std::floor((p.x() - host.rect.left() - m_pad[0]) / (kDeviceWidth + kHostGap)));
  const int row = static_cast<int>(std::floor((p.y() - host.rect.top() - m_header[0]) / (1 + kHostGap)));
  if (column < 0 || row < 0 || column >= m_columns[0]) return -1;
  const int index = row * m_columns[0] + column;
  return index < end - begin && deviceRect(host, index).contains(p) ? index : -1;
}

bool TopologyLayout::boxAt(const QPointF& p, int level, Box& found) const {
  found = root();
  if (!found.rect.contains(p)) return false;
  while (found.level > level) {
    bool deeper = false;
    for (const Box& child : childrenOf(found))
      if (child.rect.contains(p)) {
        found = child;
        deeper = true;
        break;
      }
    if (!deeper) break;
  }
  return true;
}

TopologyLayout::Box TopologyLayout::boxOf(int level, int group) const {
  const Hierarchy& h = m_classes->cluster();
  const int position = h.groupSpan(level, group).first;
  Box box = root();
  int real = h.groupOf(box.level, position);
  while (box.level > level) {
    const int child = h.groupOf(box.level - 1, position);
    // The drawn group has the same classes in the same order, so the place among its children carries over.
    const int drawn = m_classes->childrenOf(box.level, box.group).first + child -
                      m_classes->childrenOf(box.level, real).first;
    const int wanted = m_classes->classOf(box.level - 1, drawn);
    Box next = box;
    for (const Box& candidate : childrenOf(box)) {
      const bool same = foldsChildren(box.level)
                            ? m_classes->classOf(box.level - 1, candidate.group) == wanted
                            : candidate.group == drawn;
      if (!same) continue;
      next = candidate;
      break;
    }
    if (next.level == box.level) break;
    box = next;
    real = child;
  }
  return box;
}

QRectF TopologyLayout::rectOfDevice(int device, int* shown) const {
  const Hierarchy& h = m_classes->cluster();
  const int host = h.groupOf(0, device);
  const Box box = boxOf(0, host);
  const int index = device - h.groupSpan(0, host).first;
  if (shown) *shown = h.groupSpan(0, box.group).first + index;
  return deviceRect(box, index);
}

}  // namespace nest
