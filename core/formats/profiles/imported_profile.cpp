#include "formats/profiles/imported_profile.h"
#include "units/at.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <queue>

namespace nest {

LayerKind layerKindNamed(const std::string& name) {
  std::string n;
  for (const char c : name) n += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto has = [&n](const char* part) { return n.find(part) != std::string::npos; };
  if (has("embed")) return LayerKind::Embedding;
  if (has("transformer") || has("block") || has("decoder") || has("encoder")) return LayerKind::Block;
  if (has("head") || has("pooler") || has("logit")) return LayerKind::Head;
  return has("norm") ? LayerKind::Norm : LayerKind::Other;
}

ProfileBuilder::ProfileBuilder(std::vector<Strategy> strategies, std::vector<int> microbatches)
    : m_strategies(std::move(strategies)), m_microbatches(std::move(microbatches)) {}

int ProfileBuilder::addLayer(std::string name, LayerKind kind) {
  m_layers.push_back({std::move(name), kind, std::vector<std::optional<LayerCost>>(combinations())});
  return layerCount() - 1;
}

void ProfileBuilder::setCost(int layer, int strategy, int microbatch, LayerCost cost) {
  const auto slot =
      static_cast<std::size_t>(strategy) * m_microbatches.size() + static_cast<std::size_t>(microbatch);
  m_layers[at(layer)].costs[slot] = std::move(cost);
}

void ProfileBuilder::addEdge(int from, int to, std::vector<Bytes> bytes) {
  m_edges.push_back({from, to, std::move(bytes)});
}

std::vector<int> ProfileBuilder::topologicalOrder() const {
  std::vector<int> waitsFor(m_layers.size(), 0), order;
  std::vector<std::vector<int>> readers(m_layers.size());
  for (const Edge& e : m_edges) {
    ++waitsFor[at(e.to)];
    readers[at(e.from)].push_back(e.to);
  }
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int i = 0; i < layerCount(); ++i)
    if (waitsFor[at(i)] == 0) ready.push(i);
  while (!ready.empty()) {
    const int i = ready.top();
    ready.pop();
    order.push_back(i);
    for (const int r : readers[at(i)])
      if (--waitsFor[at(r)] == 0) ready.push(r);
  }
  return order;
}

std::optional<ImportedProfile> ProfileBuilder::build(const Place& where, Diagnostics& out) const {
  const std::vector<int> order = topologicalOrder();
  if (order.size() != m_layers.size()) {
    const std::size_t waiting = m_layers.size() - order.size();
    out.push_back(error(
        "graph-cycle", where,
        "the edges form a cycle: " + (waiting == 1 ? "a layer waits for itself"
                                                   : std::to_string(waiting) + " layers wait for each other"),
        "remove the edge that leads back"));
    return std::nullopt;
  }
  ImportedProfile result;
  std::vector<int> position(m_layers.size());
  std::vector<const Row*> classes;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Row& row = m_layers[at(order[i])];
    position[at(order[i])] = static_cast<int>(i);
    const auto same =
        std::find_if(classes.begin(), classes.end(), [&](const Row* c) { return c->costs == row.costs; });
    const int id = static_cast<int>(same - classes.begin());
    if (same == classes.end()) classes.push_back(&row);
    result.graph.layers.push_back({row.name, row.kind, id});
  }
  result.graph.classCount = static_cast<int>(classes.size());

  std::vector<const std::vector<Bytes>*> sizes;
  for (const Edge& e : m_edges) {
    const LayerIndex from(position[at(e.from)]), to(position[at(e.to)]);
    std::size_t t = 0;
    while (t < sizes.size() && (result.graph.tensors[t].producer != from || *sizes[t] != e.bytes)) ++t;
    if (t == sizes.size()) {
      result.graph.tensors.push_back({from, {}});
      sizes.push_back(&e.bytes);
    }
    auto& consumers = result.graph.tensors[t].consumers;
    const auto at = std::lower_bound(consumers.begin(), consumers.end(), to);
    if (at == consumers.end() || *at != to) consumers.insert(at, to);
  }

  result.profile =
      Profile(m_strategies, m_microbatches, result.graph.classCount, static_cast<int>(sizes.size()));
  for (std::size_t slot = 0; slot < combinations(); ++slot) {
    const int s = static_cast<int>(slot / m_microbatches.size()),
              b = static_cast<int>(slot % m_microbatches.size());
    for (std::size_t c = 0; c < classes.size(); ++c)
      if (classes[c]->costs[slot])
        result.profile.setCost(static_cast<int>(c), s, b, *classes[c]->costs[slot]);
    for (std::size_t t = 0; t < sizes.size(); ++t)
      result.profile.setTensorBytes(static_cast<int>(t), s, b, (*sizes[t])[slot]);
  }
  return result;
}

}  // namespace nest
