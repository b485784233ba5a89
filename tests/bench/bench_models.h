#pragma once

#include "analytic/transformer.h"

/// Models that several benches plan.
namespace nest::bench {

inline TransformerArchitecture llama(const char* name, int hidden, int intermediate, int layers, int heads) {
  TransformerArchitecture a;
  a.family = "llama";
  a.name = name;
  a.hidden = hidden, a.intermediate = intermediate, a.layers = layers, a.heads = heads, a.keyValueHeads = 8;
  a.headDim = 128, a.vocabulary = 128256, a.maxPositions = 8192;
  return a;
}

inline TransformerArchitecture mixtral() {
  TransformerArchitecture a = llama("Mixtral 8x7B", 4096, 14336, 32, 32);
  a.family = "mixtral";
  a.vocabulary = 32000, a.maxPositions = 32768;
  ExpertLayers e;
  e.experts = 8, e.perToken = 2, e.intermediate = 14336;
  a.experts = e;
  return a;
}

}  // namespace nest::bench
