#include "analytic/transformer.h"

#include <algorithm>

#include "analytic/block_shape.h"

namespace nest {
namespace {

double blockParameters(const BlockShape& shape, bool activeOnly) {
  double p = shape.normParameters;
  for (const auto* part : {&shape.attention, &shape.cross, &shape.mlp})
    for (const Linear& l : *part) p += activeOnly ? l.parameters() / l.copies * l.perToken : l.parameters();
  return p;
}

/// Sums what `of` says of each block, given its architecture and whether it has experts.
template <class Of>
double sumOverBlocks(const TransformerArchitecture& a, Of of) {
  double sum = 0;
  if (a.variants.empty()) {
    const double dense = of(a, false), sparse = a.experts ? of(a, true) : 0;
    for (int i = 0; i < a.layers; ++i) sum += a.hasExperts(i) ? sparse : dense;
    return sum;
  }
  std::vector<double> values;
  for (int v = 0; v < static_cast<int>(a.variants.size()); ++v)
    values.push_back(of(a.withVariant(v), a.variants[std::size_t(v)].feed == Feed::Experts));
  for (const int v : a.variantOf) sum += values[std::size_t(v)];
  return sum;
}

double allParameters(const TransformerArchitecture& a, bool activeOnly) {
  double p =
      embeddingParameters(a) + otherEmbeddingParameters(a) + finalNormParameters(a) + headParameters(a);
  if (a.encoder) {
    const TransformerArchitecture e = encoderArchitecture(a);
    p += e.layers * blockParameters(blockShape(e, false), activeOnly) + finalNormParameters(a) +
         encoderEmbeddingParameters(a);
  }
  return p + sumOverBlocks(a, [&](const TransformerArchitecture& block, bool withExperts) {
           return blockParameters(blockShape(block, withExperts), activeOnly);
         });
}

/// Of all blocks; those that one token meets.
double adapterParameters(const TransformerArchitecture& a, const AnalyticOptions& o, bool activeOnly) {
  if (o.loraRank <= 0) return 0;
  const auto ofBlock = [&](const TransformerArchitecture& block, bool withExperts) {
    const BlockShape shape = blockShape(block, withExperts);
    double p = 0;
    for (const auto* part : {&shape.attention, &shape.cross, &shape.mlp})
      for (const Linear& l : *part)
        if (isAdapted(l, o.loraTargets, part == &shape.mlp))
          p += o.loraRank * (matricesIn(block, l) * l.in + l.out) * (activeOnly ? l.perToken : l.copies);
    return p;
  };
  double all = sumOverBlocks(a, ofBlock);
  if (a.encoder) {
    const TransformerArchitecture e = encoderArchitecture(a);
    all += e.layers * ofBlock(e, false);
  }
  return all;
}

/// Forward matrix operations of one token in one block.
double blockFlopsPerToken(const TransformerArchitecture& a, bool withExperts, int sequenceLength) {
  const BlockShape shape = blockShape(a, withExperts);
  double flops = 0;
  for (const auto* part : {&shape.attention, &shape.cross, &shape.mlp})
    for (const Linear& l : *part) flops += 2 * l.in * l.out * l.perToken;
  return flops + mixerFlopsPerToken(a, shape, sequenceLength);
}

}  // namespace

bool TransformerArchitecture::hasExperts(int layer) const {
  if (!variants.empty()) return variants[std::size_t(variantOf[std::size_t(layer)])].feed == Feed::Experts;
  if (!experts) return false;
  const auto& dense = experts->denseLayers;
  return layer >= experts->firstDense && (layer + 1) % std::max(experts->period, 1) == 0 &&
         std::find(dense.begin(), dense.end(), layer) == dense.end();
}

TransformerArchitecture TransformerArchitecture::withVariant(int variant) const {
  const BlockVariant& v = variants[std::size_t(variant)];
  TransformerArchitecture a = *this;
  a.variants.clear(), a.variantOf.clear();
  a.mixer = v.mixer;
  a.slidingWindow = v.window;
  a.windowIsChunk = v.windowIsChunk;
  a.sharedKeyValue = v.sharedKeyValue;
  if (v.mixer != Mixer::Attention) a.latent.reset(), a.sparse.reset();
  const auto replace = [](int& field, int value) {
    if (value > 0) field = value;
  };
  replace(a.heads, v.heads), replace(a.keyValueHeads, v.keyValueHeads), replace(a.headDim, v.headDim);
  replace(a.valueHeadDim, v.valueHeadDim), replace(a.intermediate, v.intermediate);
  if (v.feed == Feed::None) a.intermediate = 0;
  if (v.mixer == Mixer::None || v.feed == Feed::None) a.blockNorms = (a.blockNorms + 1) / 2;
  return a;
}

double parameterCount(const TransformerArchitecture& a) {
  return allParameters(a, false);
}
double activeParameterCount(const TransformerArchitecture& a) {
  return allParameters(a, true);
}

double trainedParameterCount(const TransformerArchitecture& a, const AnalyticOptions& o) {
  const double embedding = embeddingParameters(a) + otherEmbeddingParameters(a);
  const double head = finalNormParameters(a) + headParameters(a);
  return embedding * (1 - o.frozenOfEmbedding()) + head * (1 - o.frozenOfHead()) +
         (parameterCount(a) - embedding - head) * (1 - o.frozenOfBlocks()) + adapterParameters(a, o, false);
}

double trainedWork(const TransformerArchitecture& a, const AnalyticOptions& o, int sequenceLength) {
  if (!o.freezes()) return 1;
  const double whole = modelFlops(a, sequenceLength, 1).value() / sequenceLength;
  const double head = 2 * vocabularyTable(a);
  double products = sumOverBlocks(a, [&](const TransformerArchitecture& block, bool withExperts) {
    const BlockShape shape = blockShape(block, withExperts);
    return blockFlopsPerToken(block, withExperts, sequenceLength) -
           mixerFlopsPerToken(block, shape, sequenceLength);
  });
  const double frozenHead = a.tiedEmbeddings ? o.frozenOfEmbedding() : o.frozenOfHead();
  const double saved = o.frozenOfBlocks() * products + frozenHead * head;
  return (whole - saved + 6 * adapterParameters(a, o, true)) / whole;
}

Flops modelFlops(const TransformerArchitecture& a, int sequenceLength, double sequences) {
  double perToken = 2 * vocabularyTable(a);  // the head reads a table of this size, tied or not
  perToken += sumOverBlocks(a, [&](const TransformerArchitecture& block, bool withExperts) {
    return blockFlopsPerToken(block, withExperts, sequenceLength);
  });
  if (a.encoder) {
    const TransformerArchitecture e = encoderArchitecture(a);
    const double length = a.encoder->length > 0 ? a.encoder->length : sequenceLength;
    perToken += e.layers * blockFlopsPerToken(e, false, static_cast<int>(length)) * length / sequenceLength;
  }
  return Flops(3 * perToken * sequenceLength * sequences);
}

}  // namespace nest
