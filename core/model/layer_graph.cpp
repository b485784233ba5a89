#include "model/layer_graph.h"

#include <algorithm>

namespace nest {

bool LayerGraph::isChain() const {
  std::vector<char> readsPredecessor(layers.size(), 0);
  for (const Tensor& t : tensors)
    for (const LayerIndex c : t.consumers)
      if (c.value == t.producer.value + 1) readsPredecessor[c.at()] = 1;
  return std::all_of(readsPredecessor.begin() + (layers.empty() ? 0 : 1), readsPredecessor.end(),
                     [](char r) { return r; });
}

std::vector<char> LayerGraph::blocks() const {
  std::vector<char> blocks;
  blocks.reserve(layers.size());
  for (const Layer& l : layers) blocks.push_back(l.kind == LayerKind::Block);
  if (std::find(blocks.begin(), blocks.end(), 1) == blocks.end()) blocks.assign(layers.size(), 1);
  return blocks;
}

LayerGraph LayerGraph::chain(std::vector<Layer> layers) {
  LayerGraph g;
  for (const Layer& l : layers) g.classCount = std::max(g.classCount, l.classId + 1);
  g.layers = std::move(layers);
  for (int x = 0; x + 1 < g.layerCount(); ++x) g.tensors.push_back({LayerIndex(x), {LayerIndex(x + 1)}});
  return g;
}

}  // namespace nest
