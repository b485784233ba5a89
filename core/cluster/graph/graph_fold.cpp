#include "cluster/graph/graph_fold.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

#include "cluster/graph/graph_edit.h"
#include "cluster/graph/graph_forest.h"
#include "units/at.h"

// Colour refinement (1-dimensional Weisfeiler–Leman): a node's colour is mixed again and again with the
// colours of its neighbours and the figures of the links to them, until no further nodes come apart. Two
// siblings are alike if their colours and those of the trees below them agree.

namespace nest::graph {
namespace {

using Colour = std::uint64_t;

constexpr int kMostRounds = 64;  ///< a longer chain of differences is not looked for

Colour mix(Colour a, Colour b) {
  a ^= b + 0x9e3779b97f4a7c15ULL + (a << 6) + (a >> 2);
  a ^= a >> 31;
  a *= 0xbf58476d1ce4e5b9ULL;
  return a ^ (a >> 29);
}
Colour of(double v) {
  return std::hash<double>{}(v);
}

class Alike {
public:
  Alike(const NetworkGraph& g, const std::vector<int>& kinds) : m_g(g), m_forest(forestOf(g)) {
    refine(kinds);
    m_tree.assign(g.nodes.size(), 0);
    for (int r : m_forest.roots()) signTree(r);
    findClasses();
  }

  const Forest& forest() const { return m_forest; }
  const std::vector<int>& sibling() const { return m_sibling; }

  Folding fold(const std::set<std::string>& unfolded) const {
    Folding out = noFolding(m_g);
    out.sibling = m_sibling;
    foldAmong(m_forest.roots(), unfolded, out);
    joinLinks(out);
    return out;
  }

private:
  struct Joint {
    int to;
    Colour figures;
  };

  std::vector<std::vector<Joint>> joints() const {
    std::vector<std::vector<Joint>> out(m_g.nodes.size());
    for (const auto& l : m_g.links) {
      Colour c = mix(of(l.bandwidth.value()), of(l.latency.value()));
      c = mix(c, static_cast<Colour>(l.count) * 2 + (l.failed ? 1 : 0));
      out[at(l.from)].push_back({l.to, mix(c, l.directed ? 1 : 0)});
      out[at(l.to)].push_back({l.from, mix(c, l.directed ? 2 : 0)});
    }
    for (std::size_t h = 0; h < m_forest.inside.size(); ++h)
      for (int d : m_forest.inside[h]) {
        out[h].push_back({d, 11});
        out[at(d)].push_back({static_cast<int>(h), 12});
      }
    return out;
  }

  void refine(const std::vector<int>& kinds) {
    const auto joined = joints();
    const std::size_t n = m_g.nodes.size();
    m_colour.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const NetworkNode& node = m_g.nodes[i];
      m_colour[i] = mix(mix(of(node.speed), of(node.memory.value())),
                        static_cast<Colour>(node.kind) * 2 + (node.failed ? 1 : 0));
      if (i < kinds.size()) m_colour[i] = mix(m_colour[i], static_cast<Colour>(kinds[i]));
    }
    std::vector<Colour> next(n), seen;
    std::size_t told = 0;
    for (int round = 0; round < kMostRounds; ++round) {
      seen = m_colour;
      std::sort(seen.begin(), seen.end());
      const auto different = static_cast<std::size_t>(std::unique(seen.begin(), seen.end()) - seen.begin());
      if (different == told) return;
      told = different;
      for (std::size_t i = 0; i < n; ++i) {
        Colour around = 0;
        for (const Joint& j : joined[i]) around += mix(j.figures, m_colour[at(j.to)]);
        next[i] = mix(m_colour[i], around);
      }
      m_colour.swap(next);
    }
  }

  /// What hangs below a node and stands in it, in one order: signature first.
  std::vector<int> parts(int n) const {
    std::vector<int> out = m_forest.children[at(n)];
    out.insert(out.end(), m_forest.inside[at(n)].begin(), m_forest.inside[at(n)].end());
    std::stable_sort(out.begin(), out.end(), [&](int a, int b) { return m_tree[at(a)] < m_tree[at(b)]; });
    return out;
  }

  void signTree(int n) {
    for (int c : m_forest.children[at(n)]) signTree(c);
    for (int d : m_forest.inside[at(n)]) m_tree[at(d)] = m_colour[at(d)];
    Colour all = m_colour[at(n)];
    for (int c : parts(n)) all = mix(all, m_tree[at(c)]);
    m_tree[at(n)] = all;
  }

  void findClasses() {
    m_sibling.assign(m_g.nodes.size(), -1);
    group(m_forest.roots());
    for (const auto& children : m_forest.children) group(children);
    // Links between siblings keep their classes apart: of a mesh not even the corners may stand for each
    // other. What merely hangs below may be linked with the siblings of its parent: leaves with every spine.
    std::vector<int> depth(m_g.nodes.size(), -1);
    const std::function<int(int)> depthOf = [&](int n) {
      if (depth[at(n)] < 0)
        depth[at(n)] = m_forest.parent[at(n)] < 0 ? 0 : depthOf(m_forest.parent[at(n)]) + 1;
      return depth[at(n)];
    };
    std::set<int> linked;
    for (const auto& link : m_g.links) {
      int a = link.from, b = link.to;
      while (depthOf(a) > depthOf(b)) a = m_forest.parent[at(a)];
      while (depthOf(b) > depthOf(a)) b = m_forest.parent[at(b)];
      while (a != b && m_forest.parent[at(a)] != m_forest.parent[at(b)])
        a = m_forest.parent[at(a)], b = m_forest.parent[at(b)];
      if (a == b) continue;
      const bool direct = a == boxOf(link.from) && b == boxOf(link.to);
      if (direct || m_sibling[at(a)] == m_sibling[at(b)])
        linked.insert(m_sibling[at(a)]), linked.insert(m_sibling[at(b)]);
    }
    linked.erase(-1);
    if (linked.empty()) return;
    for (int& s : m_sibling)
      if (linked.contains(s)) s = -1;
  }

  int boxOf(int n) const { return m_forest.boxed[at(n)] ? m_forest.parent[at(n)] : n; }

  void group(const std::vector<int>& siblings) {
    std::map<Colour, std::pair<int, int>> first;  // → first of the class, how many
    for (int n : siblings) {
      auto& entry = first.try_emplace(m_tree[at(n)], n, 0).first->second;
      ++entry.second;
    }
    for (int n : siblings)
      if (const auto& entry = first[m_tree[at(n)]]; entry.second > 1) m_sibling[at(n)] = entry.first;
  }

  void foldAmong(const std::vector<int>& siblings, const std::set<std::string>& unfolded,
                 Folding& out) const {
    for (int n : siblings) {
      const int first = m_sibling[at(n)];
      if (first >= 0 && first != n && !unfolded.contains(m_g.nodes[at(first)].id)) {
        ++out.alike[at(first)];
        standFor(n, first, out);
      } else {
        foldAmong(m_forest.children[at(n)], unfolded, out);
      }
    }
  }

  /// `first` and what is below it are folded already: siblings stand in ascending order.
  void standFor(int n, int first, Folding& out) const {
    out.shownAs[at(n)] = out.shownAs[at(first)];
    out.alike[at(n)] = 0;
    const auto mine = parts(n), theirs = parts(first);
    for (std::size_t k = 0; k < mine.size() && k < theirs.size(); ++k) standFor(mine[k], theirs[k], out);
  }

  void joinLinks(Folding& out) const {
    std::map<std::pair<int, int>, int> drawn;
    for (std::size_t l = 0; l < m_g.links.size(); ++l) {
      const NetworkLink& link = m_g.links[l];
      const int a = out.shownAs[at(link.from)], b = out.shownAs[at(link.to)];
      if (a == link.from && b == link.to) drawn.emplace(std::minmax(a, b), static_cast<int>(l));
    }
    for (std::size_t l = 0; l < m_g.links.size(); ++l) {
      const NetworkLink& link = m_g.links[l];
      const int a = out.shownAs[at(link.from)], b = out.shownAs[at(link.to)];
      if (a != link.from || b != link.to)
        out.linkShownAs[l] = drawn.emplace(std::minmax(a, b), static_cast<int>(l)).first->second;
    }
  }

  const NetworkGraph& m_g;
  Forest m_forest;
  std::vector<Colour> m_colour, m_tree;
  std::vector<int> m_sibling;
};

}  // namespace

bool Folding::hidesAny() const {
  for (std::size_t i = 0; i < shownAs.size(); ++i)
    if (shownAs[i] != static_cast<int>(i)) return true;
  return false;
}

Folding noFolding(const NetworkGraph& g) {
  Folding out;
  out.shownAs.resize(g.nodes.size()), out.linkShownAs.resize(g.links.size());
  std::iota(out.shownAs.begin(), out.shownAs.end(), 0);
  std::iota(out.linkShownAs.begin(), out.linkShownAs.end(), 0);
  out.alike.assign(g.nodes.size(), 1);
  out.sibling.assign(g.nodes.size(), -1);
  return out;
}

Folding foldAlike(const NetworkGraph& g, const std::set<std::string>& unfolded,
                  const std::vector<int>& kinds) {
  return Alike(g, kinds).fold(unfolded);
}

void unfoldFor(const NetworkGraph& g, int node, std::set<std::string>& unfolded,
               const std::vector<int>& kinds) {
  const Alike alike(g, kinds);
  for (int n = node; n >= 0; n = alike.forest().parent[at(n)])
    if (const int first = alike.sibling()[at(n)]; first >= 0 && first != n)
      unfolded.insert(g.nodes[at(first)].id);
}

FoldedDrawing drawFolded(const NetworkGraph& g, const Folding& folding) {
  FoldedDrawing out;
  std::vector<int> number(g.nodes.size(), -1);
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    if (folding.hides(static_cast<int>(i))) continue;
    number[i] = static_cast<int>(out.nodes.size());
    out.nodes.push_back(static_cast<int>(i));
    out.graph.nodes.push_back(g.nodes[i]);
  }
  for (std::size_t l = 0; l < g.links.size(); ++l) {
    if (folding.linkShownAs[l] != static_cast<int>(l)) continue;
    NetworkLink link = g.links[l];
    link.from = number[at(folding.shownAs[link.from])];
    link.to = number[at(folding.shownAs[link.to])];
    if (link.from != link.to) out.graph.links.push_back(link);
  }
  layOut(out.graph);
  return out;
}

}  // namespace nest::graph
