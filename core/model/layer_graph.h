#pragma once

#include <string>
#include <vector>

#include "units/index.h"

namespace nest {

enum class LayerKind { Embedding, Block, Norm, Head, Other };
const char* nameOf(LayerKind);

struct Layer {
  std::string name;  ///< "block 17"
  LayerKind kind = LayerKind::Other;
  int classId = 0;  ///< layers of one class have identical costs

  friend bool operator==(const Layer&, const Layer&) = default;
};

/// A tensor that leaves the layer that produced it. A stage boundary carries it once, however many layers
/// read it.
struct Tensor {
  LayerIndex producer;
  std::vector<LayerIndex> consumers;  ///< ascending, all after the producer

  friend bool operator==(const Tensor&, const Tensor&) = default;
};

/// The model as a DAG. Layers stand in a topological order: every tensor leads from a lower to a higher
/// index.
struct LayerGraph {
  std::vector<Layer> layers;
  std::vector<Tensor> tensors;
  int classCount = 0;

  int layerCount() const { return static_cast<int>(layers.size()); }
  /// Every layer reads its predecessor, so that the downsets are the prefixes. Tensors may still skip layers.
  bool isChain() const;
  /// Whether each layer is a block; all are where none is one.
  std::vector<char> blocks() const;
  /// Chain of layers with the given classes.
  static LayerGraph chain(std::vector<Layer> layers);

  friend bool operator==(const LayerGraph&, const LayerGraph&) = default;
};

}  // namespace nest
