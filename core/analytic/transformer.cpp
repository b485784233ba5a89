#include "analytic/transformer.h"

#include <algorithm>

#include "analytic/block_shape.h"

namespace nest {
namespace {

double blockParameters(const BlockShape& shape, bool activeOnly) {
  double p = shape.normParameters;
  for (const auto* part : {&shape.attention, &shape.mlp})
    for (const Linear& l : *part) p += activeOnly ? l.parameters() / l.copies * l.perToken : l.parameters();
  return p;
}

double allParameters(const TransformerArchitecture& a, bool activeOnly) {
  double p =
      embeddingParameters(a) + otherEmbeddingParameters(a) + finalNormParameters(a) + headParameters(a);
  const double dense = blockParameters(blockShape(a, false), activeOnly);
  const double sparse = a.experts ? blockParameters(blockShape(a, true), activeOnly) : 0;
  for (int i = 0; i < a.layers; ++i) p += a.hasExperts(i) ? sparse : dense;
  return p;
}

/// Forward matrix operations of one token in one block.
double blockFlopsPerToken(const TransformerArchitecture& a, bool withExperts, int sequenceLength) {
  const BlockShape shape = blockShape(a, withExperts);
  double flops = 0;
  for (const auto* part : {&shape.attention, &shape.mlp})
    for (const Linear& l : *part) flops += 2 * l.in * l.out * l.perToken;
  const double span = a.slidingWindow > 0 ? std::min(a.slidingWindow, sequenceLength) : sequenceLength;
  return flops + 2 * span * a.heads * (shape.queryKeyHeadDim + shape.valueHeadDim);
}

}  // namespace

bool TransformerArchitecture::hasExperts(int layer) const {
  if (!experts) return false;
  const auto& dense = experts->denseLayers;
  return layer >= experts->firstDense && (layer + 1) % std::max(experts->period, 1) == 0 &&
         std::find(dense.begin(), dense.end(), layer) == dense.end();
}

double parameterCount(const TransformerArchitecture& a) {
  return allParameters(a, false);
}
double activeParameterCount(const TransformerArchitecture& a) {
  return allParameters(a, true);
}

Flops modelFlops(const TransformerArchitecture& a, int sequenceLength, double sequences) {
  double perToken = 2 * embeddingParameters(a);  // the head reads a table of this size, tied or not
  const double dense = blockFlopsPerToken(a, false, sequenceLength);
  const double sparse = a.experts ? blockFlopsPerToken(a, true, sequenceLength) : 0;
  for (int i = 0; i < a.layers; ++i) perToken += a.hasExperts(i) ? sparse : dense;
  return Flops(3 * perToken * sequenceLength * sequences);
}

}  // namespace nest
