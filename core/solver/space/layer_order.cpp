// Lists downsets breadth first: D ∪ {x} follows D for every layer x whose inputs are in D; known sets are
// found by their bits. Layers are numbered after their inputs, so sets of one size come out in lexicographic
// order. Stops after kMostCuts. Cost: downsets × layers.
#include "solver/space/layer_order.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>

namespace nest::solver {

LayerOrder::LayerOrder(const LayerGraph& graph) : m_chain(graph.isChain()), m_layers(graph.layerCount()) {
  if (m_chain)
    m_cuts = m_layers + 1;
  else
    enumerate(graph);
}

// Breadth first by size: a downset may grow by any layer whose inputs it contains.
void LayerOrder::enumerate(const LayerGraph& graph) {
  m_words = (m_layers + 63) / 64;
  std::vector<std::vector<std::uint64_t>> inputs(at(m_layers), std::vector<std::uint64_t>(at(m_words), 0));
  for (const Tensor& t : graph.tensors)
    for (const LayerIndex c : t.consumers)
      inputs[c.at()][t.producer.at() / 64] |= 1ULL << (t.producer.value % 64);

  std::unordered_map<std::string, int> known;
  const auto nameOfSet = [&](const std::vector<std::uint64_t>& set) {
    return std::string(reinterpret_cast<const char*>(set.data()), set.size() * sizeof(std::uint64_t));
  };
  const auto append = [&](const std::vector<std::uint64_t>& set, int parent, int layer, int size) {
    m_members.insert(m_members.end(), set.begin(), set.end());
    m_parent.push_back(parent);
    m_added.push_back(layer);
    m_size.push_back(size);
    m_next.emplace_back();
    known.emplace(nameOfSet(set), m_cuts);
    return m_cuts++;
  };
  append(std::vector<std::uint64_t>(at(m_words), 0), -1, -1, 0);
  for (int cut = 0; cut < m_cuts; ++cut) {
    const auto begin = m_members.begin() + static_cast<std::ptrdiff_t>(at(cut) * at(m_words));
    const std::vector<std::uint64_t> set(begin, begin + m_words);
    for (int x = 0; x < m_layers; ++x) {
      if (set[at(x) / 64] >> (x % 64) & 1) continue;
      const auto& need = inputs[at(x)];
      bool ready = true;
      for (std::size_t w = 0; w < need.size(); ++w) ready = ready && (need[w] & ~set[w]) == 0;
      if (!ready) continue;
      auto grown = set;
      grown[at(x) / 64] |= 1ULL << (x % 64);
      const auto it = known.find(nameOfSet(grown));
      const int id = it != known.end() ? it->second : append(grown, cut, x, m_size[at(cut)] + 1);
      m_next[at(cut)].push_back(id);
      if (m_cuts > kMostCuts) {
        m_tooMany = true;
        return;
      }
    }
  }
}

bool LayerOrder::subset(int small, int large) const {
  if (m_chain) return small <= large;
  const auto* a = &m_members[at(small) * at(m_words)];
  const auto* b = &m_members[at(large) * at(m_words)];
  for (int w = 0; w < m_words; ++w)
    if (a[w] & ~b[w]) return false;
  return true;
}

std::vector<int> LayerOrder::path() const {
  std::vector<int> cuts(at(m_layers) + 1);
  for (int x = 0; x <= m_layers; ++x) cuts[at(x)] = x;
  if (m_chain) return cuts;
  // Among the cuts that grow from one, the one with the lowest layer comes first.
  for (int x = 0; x < m_layers; ++x) cuts[at(x) + 1] = m_next[at(cuts[at(x)])].front();
  return cuts;
}

std::vector<LayerIndex> LayerOrder::between(int from, int to) const {
  std::vector<LayerIndex> layers;
  for (int x = m_chain ? from : 0; x < (m_chain ? to : m_layers); ++x)
    if (m_chain || (holds(to, x) && !holds(from, x))) layers.emplace_back(x);
  return layers;
}

int LayerOrder::firstBetween(int from, int to) const {
  if (m_chain) return from;
  for (int w = 0; w < m_words; ++w) {
    const auto bits = m_members[at(to) * at(m_words) + at(w)] & ~m_members[at(from) * at(m_words) + at(w)];
    if (bits) return w * 64 + std::countr_zero(bits);
  }
  return m_layers;
}

RangeMaximum::RangeMaximum(const LayerOrder& order, std::vector<double> perLayer) : m_order(&order) {
  if (!order.isChain()) {
    std::map<double, std::vector<std::uint64_t>, std::greater<>> equal;
    for (std::size_t x = 0; x < perLayer.size(); ++x) {
      if (perLayer[x] <= 0) continue;
      auto& layers = equal[perLayer[x]];
      layers.resize((perLayer.size() + 63) / 64);
      layers[x / 64] |= 1ULL << (x % 64);
    }
    for (auto& [value, layers] : equal) m_falling.push_back({value, std::move(layers)});
    return;
  }
  // Tables over ten thousand layers use more memory than everything else about them.
  constexpr std::size_t kLong = 256, kFewer = 8;
  if (std::vector<double> stretches; perLayer.size() > kLong) {
    for (const double value : perLayer) {
      if (stretches.empty() || stretches.back() != value) stretches.push_back(value);
      m_place.push_back(static_cast<int>(stretches.size()) - 1);
    }
    if (stretches.size() * kFewer < perLayer.size())
      perLayer = std::move(stretches);
    else
      m_place = {};
  }
  m_sparse.push_back(std::move(perLayer));
  for (std::size_t run = 1; 2 * run <= m_sparse[0].size(); run *= 2) {
    const auto& half = m_sparse.back();
    std::vector<double> row(m_sparse[0].size() - 2 * run + 1);
    for (std::size_t x = 0; x < row.size(); ++x) row[x] = std::max(half[x], half[x + run]);
    m_sparse.push_back(std::move(row));
  }
}

double RangeMaximum::operator()(int from, int to) const {
  if (from == to || m_order == nullptr) return 0;
  if (!m_sparse.empty()) {
    if (!m_place.empty()) from = m_place[at(from)], to = m_place[at(to) - 1] + 1;
    const auto length = static_cast<unsigned>(to - from);
    const auto k = static_cast<std::size_t>(std::bit_width(length) - 1);
    const auto& row = m_sparse[k];
    return std::max(row[from], row[static_cast<std::size_t>(to) - (std::size_t(1) << k)]);
  }
  for (const auto& [value, layers] : m_falling)
    if (m_order->anyBetween(from, to, layers)) return value;
  return 0;
}

}  // namespace nest::solver
