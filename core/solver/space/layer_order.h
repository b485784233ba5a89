#pragma once

#include <cstdint>
#include <vector>

#include "model/layer_graph.h"
#include "solver/common.h"

namespace nest::solver {

/// The downsets of a layer graph, numbered so that subsets come first: the places where a pipeline can be
/// cut. Cut 0 is empty, the last cut contains every layer. In a chain, cut x contains the layers before x.
class LayerOrder {
public:
  static constexpr int kMostCuts = 40000;

  explicit LayerOrder(const LayerGraph& graph);

  bool tooMany() const { return m_tooMany; }  ///< more than kMostCuts downsets; then nothing else is usable
  bool isChain() const { return m_chain; }
  int layerCount() const { return m_layers; }
  int cutCount() const { return m_cuts; }
  int last() const { return m_cuts - 1; }

  /// Cut c > 0 is cut parent(c) plus layer added(c).
  int parent(int cut) const { return m_chain ? cut - 1 : m_parent[at(cut)]; }
  int added(int cut) const { return m_chain ? cut - 1 : m_added[at(cut)]; }
  int size(int cut) const { return m_chain ? cut : m_size[at(cut)]; }
  bool holds(int cut, int layer) const {
    return m_chain ? layer < cut
                   : (m_members[at(cut) * at(m_words) + at(layer) / 64] >> (layer % 64) & 1) != 0;
  }
  bool subset(int small, int large) const;
  /// Whether a layer of `set` (a bit set, 64 per word) is between the cuts. Not for chains.
  bool anyBetween(int from, int to, const std::vector<std::uint64_t>& set) const {
    const auto *small = &m_members[at(from) * at(m_words)], *large = &m_members[at(to) * at(m_words)];
    for (std::size_t w = 0; w < set.size(); ++w)
      if (large[w] & ~small[w] & set[w]) return true;
    return false;
  }
  /// A sequence of cuts from the empty to the whole one, each with one layer more, in the order of the
  /// layers.
  std::vector<int> path() const;
  /// The cuts with one layer more.
  const std::vector<int>& next(int cut) const { return m_next[at(cut)]; }
  /// Layers of `to` without those of `from`, ascending.
  std::vector<LayerIndex> between(int from, int to) const;
  int firstBetween(int from, int to) const;  ///< the lowest of these layers

private:
  void enumerate(const LayerGraph& graph);

  bool m_chain = false, m_tooMany = false;
  int m_layers = 0, m_cuts = 0, m_words = 0;
  std::vector<int> m_parent, m_added, m_size;
  std::vector<std::uint64_t> m_members;
  std::vector<std::vector<int>> m_next;
};

/// The largest value over the layers between two cuts.
class RangeMaximum {
public:
  RangeMaximum() = default;
  RangeMaximum(const LayerOrder& order, std::vector<double> perLayer);
  double operator()(int from, int to) const;

private:
  const LayerOrder* m_order = nullptr;
  std::vector<int> m_place;                   ///< chain with long runs of equal values: the run of each layer
  std::vector<std::vector<double>> m_sparse;  ///< chain: maxima over 2^k layers, or runs
  struct Equal {
    double value;
    std::vector<std::uint64_t> layers;  ///< bits
  };
  std::vector<Equal> m_falling;  ///< DAG: the distinct values, descending, with the layers that have them
};

}  // namespace nest::solver
