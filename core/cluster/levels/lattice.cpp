#include "cluster/levels/lattice.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace nest {
namespace {

constexpr std::size_t kMostNeighbours = 16;  ///< eight dimensions; anything denser is no lattice of interest

struct Union {
  std::vector<int> parent;
  explicit Union(std::size_t n) : parent(n) { std::iota(parent.begin(), parent.end(), 0); }
  int find(int x) {
    while (parent[x] != x) {
      auto& p = parent[x];
      p = parent[p];
      x = p;
    }
    return x;
  }
  void join(int a, int b) { parent[find(a)] = find(b); }
};

struct Neighbour {
  int part, link;
};
using Neighbours = std::vector<std::vector<Neighbour>>;

int linkBetween(const Neighbours& next, int a, int b) {
  for (const Neighbour& x : next[a])
    if (x.part == b) return x.link;
  return -1;
}

/// Dimension of each link, by the square rule; numbers are arbitrary.
std::vector<int> dimensionOfLinks(const Neighbours& next, std::size_t linkCount) {
  Union same(linkCount);
  for (std::size_t v = 0; v < next.size(); ++v)
    for (std::size_t i = 0; i < next[v].size(); ++i)
      for (std::size_t j = i + 1; j < next[v].size(); ++j) {
        const Neighbour a = next[v][i], b = next[v][j];
        bool square = false;
        if (linkBetween(next, a.part, b.part) < 0)
          for (const Neighbour& c : next[a.part]) {
            if (c.part == static_cast<int>(v)) continue;
            const int side = linkBetween(next, b.part, c.part);
            if (side < 0) continue;
            square = true;
            same.join(a.link, side);
            same.join(b.link, c.link);
          }
        if (!square) same.join(a.link, b.link);
      }
  std::vector<int> dimension(linkCount);
  for (std::size_t l = 0; l < linkCount; ++l) dimension[l] = same.find(static_cast<int>(l));
  return dimension;
}

/// Position of every part along one dimension: layers are what remains connected without its links, walked
/// from an end (line) or from the layer of part 0 (ring). Empty if the layers form neither.
std::vector<int> coordinates(int n, const std::vector<std::pair<int, int>>& links,
                             const std::vector<int>& dimension, int d, int& size) {
  Union layer(static_cast<std::size_t>(n));
  for (std::size_t l = 0; l < links.size(); ++l)
    if (dimension[l] != d) layer.join(links[l].first, links[l].second);
  std::vector<int> number(n, -1);
  size = 0;
  for (int v = 0; v < n; ++v) {
    int& k = number[layer.find(v)];
    if (k < 0) k = size++;
  }
  std::vector<std::vector<int>> beside(size);
  for (std::size_t l = 0; l < links.size(); ++l) {
    if (dimension[l] != d) continue;
    const int a = number[layer.find(links[l].first)], b = number[layer.find(links[l].second)];
    if (a == b) return {};
    for (const auto& [x, y] : {std::pair(a, b), std::pair(b, a)}) {
      auto& s = beside[x];
      if (std::find(s.begin(), s.end(), y) == s.end()) s.push_back(y);
      if (s.size() > 2) return {};
    }
  }
  int at = 0;
  for (int k = size; k-- > 0;)
    if (beside[k].size() == 1) at = k;
  std::vector<int> place(size, -1);
  int steps = 0;
  for (int from = -1; at >= 0;) {
    place[at] = steps++;
    int to = -1;
    for (int k : beside[at])
      if (k != from && place[k] < 0) to = to < 0 ? k : std::min(to, k);
    from = at;
    at = to;
  }
  if (steps != size) return {};
  std::vector<int> out(n);
  for (int v = 0; v < n; ++v) out[v] = place[number[layer.find(v)]];
  return out;
}

struct Dimension {
  int size = 0;
  std::vector<int> at;  ///< coordinate of each part
};

/// A ring of four is also the product of two pairs, and is found as such; put the pairs together again.
void joinPairs(std::vector<Dimension>& dims) {
  std::vector<Dimension> out;
  std::optional<Dimension> pair;
  for (Dimension& d : dims) {
    if (d.size != 2) {
      out.push_back(std::move(d));
    } else if (!pair) {
      pair = std::move(d);
    } else {
      for (std::size_t v = 0; v < d.at.size(); ++v) pair->at[v] = pair->at[v] == 0 ? d.at[v] : 3 - d.at[v];
      pair->size = 4;
      out.push_back(std::move(*pair));
      pair.reset();
    }
  }
  if (pair) out.push_back(std::move(*pair));
  dims = std::move(out);
}

std::optional<std::vector<Dimension>> dimensionsOf(int n, const std::vector<std::pair<int, int>>& links,
                                                   const Neighbours& next) {
  for (const auto& s : next)
    if (s.size() > kMostNeighbours) return std::nullopt;
  const auto dimension = dimensionOfLinks(next, links.size());
  std::vector<int> names = dimension;
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (names.size() > kMostNeighbours) return std::nullopt;
  std::vector<Dimension> dims;
  long long product = 1;
  for (int d : names) {
    Dimension x;
    x.at = coordinates(n, links, dimension, d, x.size);
    if (x.at.empty()) return std::nullopt;
    product *= x.size;
    if (product > n) return std::nullopt;
    dims.push_back(std::move(x));
  }
  if (product != n) return std::nullopt;
  // Every link changes exactly one coordinate by one step; with distinct coordinates that makes it the
  // product.
  for (const auto& [a, b] : links) {
    int changed = 0;
    for (const Dimension& x : dims) {
      const int step = std::abs(x.at[a] - x.at[b]);
      if (step == 0) continue;
      if (step != 1 && step != x.size - 1) return std::nullopt;
      ++changed;
    }
    if (changed != 1) return std::nullopt;
  }
  joinPairs(dims);
  std::stable_sort(dims.begin(), dims.end(),
                   [](const Dimension& a, const Dimension& b) { return a.size < b.size; });
  return dims;
}

LatticeOrder snake(int n, const std::vector<Dimension>& dims) {
  LatticeOrder out;
  out.kind = LatticeOrder::Kind::NestedDimensions;
  std::vector<int> partAt(n, -1);
  for (int v = 0; v < n; ++v) {
    int cell = 0, scale = 1;
    for (const Dimension& d : dims) cell += scale * d.at[v], scale *= d.size;
    if (partAt[cell] >= 0) return {};
    partAt[cell] = v;
  }
  std::vector<int> digit(dims.size());
  for (int k = 0; k < n; ++k) {
    // Reflected mixed-radix code, outermost digit first: consecutive cells differ by one step.
    int rest = k, scale = n, cell = 0;
    for (std::size_t i = dims.size(); i-- > 0;) {
      const bool odd = k / scale % 2 == 1;  // every other sweep along an axis runs backwards
      scale /= dims[i].size;
      const int raw = rest / scale;
      rest %= scale;
      cell += scale * (odd ? dims[i].size - 1 - raw : raw);
    }
    out.order.push_back(partAt[cell]);
    if (k == 0) continue;
    int tier = 0, block = dims[0].size;
    while (k % block == 0) block *= dims[++tier].size;
    out.gaps.push_back(static_cast<std::uint8_t>(tier));
  }
  static const char* const names[] = {"line", "plane", "cube"};
  for (std::size_t i = 0; i < dims.size(); ++i)
    out.tierNames.push_back(i < 3 ? names[i] : "dimension " + std::to_string(i + 1));
  return out;
}

/// A depth-first walk that prefers the neighbour with the fewest unvisited neighbours: follows rings and
/// lines to their end.
std::vector<int> walk(int n, const Neighbours& next) {
  std::vector<int> order, open(static_cast<std::size_t>(n)), stack;
  std::vector<char> seen(n, 0);
  for (int v = 0; v < n; ++v) open[v] = static_cast<int>(next[v].size());
  int start = 0;
  for (int v = n; v-- > 0;)
    if (open[v] <= open[start]) start = v;
  stack.push_back(start);
  std::vector<std::size_t> at(n, 0);
  const auto visit = [&](int v) {
    seen[v] = 1;
    order.push_back(v);
    for (const Neighbour& x : next[v]) --open[x.part];
  };
  visit(start);
  while (!stack.empty()) {
    const int v = stack.back();
    int best = -1;
    for (const Neighbour& x : next[v])
      if (!seen[x.part] && (best < 0 || open[x.part] < open[best])) best = x.part;
    if (best < 0) {
      stack.pop_back();
    } else {
      visit(best);
      stack.push_back(best);
    }
  }
  return order;
}

/// The parts within `hops` of v, v first. `seen` holds stamps.
std::vector<int> ball(const Neighbours& next, int v, int hops, std::vector<int>& seen, int stamp) {
  std::vector<int> out{v};
  seen[v] = stamp;
  std::size_t front = 0;
  for (int h = 0; h < hops; ++h)
    for (const std::size_t end = out.size(); front < end; ++front)
      for (const Neighbour& y : next[out[front]]) {
        int& s = seen[y.part];
        if (s == stamp) continue;
        s = stamp;
        out.push_back(y.part);
      }
  return out;
}

/// Begins of maximal runs of the order, made of whole given runs, in which all parts are within `hops` of
/// each other.
std::vector<int> runs(const Neighbours& next, const std::vector<int>& order, const std::vector<int>& units,
                      int hops) {
  constexpr int kLongest = 64;
  struct Reached {
    int run = -1, by = 0;
  };
  std::vector<int> begins, seen(order.size(), -1);
  std::vector<Reached> reached(order.size());  // how many members of the current run reach a part
  int members = 0, run = -1;
  for (std::size_t u = 0; u < units.size(); ++u) {
    const int from = units[u], to = u + 1 < units.size() ? units[u + 1] : static_cast<int>(order.size());
    bool fits = members > 0 && members + (to - from) <= kLongest;
    for (int i = from; fits && i < to; ++i) {
      const Reached& r = reached[order[i]];
      fits = r.run == run && r.by == members;
    }
    if (!fits) {
      ++run;
      members = 0;
      begins.push_back(from);
    }
    for (int i = from; i < to; ++i, ++members)
      for (int x : ball(next, order[i], hops, seen, i)) {
        Reached& r = reached[x];
        if (r.run != run) r = {run, 0};
        ++r.by;
      }
  }
  return begins;
}

LatticeOrder hopClasses(int n, const Neighbours& next) {
  LatticeOrder out;
  out.kind = LatticeOrder::Kind::HopClasses;
  out.order = walk(n, next);
  std::vector<int> units(n);
  std::iota(units.begin(), units.end(), 0);
  const auto near = runs(next, out.order, units, 1);
  int hops = 2;
  auto far = runs(next, out.order, near, hops);
  if (far.size() == near.size()) far = runs(next, out.order, near, hops = 3);
  out.gaps.assign(n - 1, 0);
  const auto mark = [&](const std::vector<int>& begins, std::uint8_t tier) {
    for (int b : begins)
      if (b > 0) out.gaps[b - 1] = tier;
  };
  out.tierNames = {"1 hop"};
  if (near.size() > 1) mark(near, 1), out.tierNames.push_back(std::to_string(hops) + " hops");
  if (far.size() == near.size())
    out.tierNames.back() = "beyond";
  else if (far.size() > 1)
    mark(far, 2), out.tierNames.push_back("beyond");
  return out;
}

}  // namespace

LatticeOrder latticeOrder(int n, const std::vector<std::pair<int, int>>& links) {
  Neighbours next(static_cast<std::size_t>(n));
  for (std::size_t l = 0; l < links.size(); ++l) {
    next[links[l].first].push_back({links[l].second, static_cast<int>(l)});
    next[links[l].second].push_back({links[l].first, static_cast<int>(l)});
  }
  const bool sparse =
      n > 4 &&
      std::all_of(next.begin(), next.end(), [](const auto& x) { return x.size() <= kMostNeighbours; }) &&
      2.0 * static_cast<double>(links.size()) <= 0.6 * static_cast<double>(n) * (n - 1);
  if (sparse) {
    const auto dims = dimensionsOf(n, links, next);
    if (dims && dims->size() > 1) {
      LatticeOrder out = snake(n, *dims);
      if (!out.order.empty()) return out;
    }
    return hopClasses(n, next);
  }
  LatticeOrder flat;
  flat.order.resize(n);
  std::iota(flat.order.begin(), flat.order.end(), 0);
  flat.gaps.assign(std::max(0, n - 1), 0);
  flat.tierNames = {""};
  return flat;
}

}  // namespace nest
