#include "analytic/block_shape.h"

namespace nest {
namespace {

/// Grouped-query attention; with keyValueHeads = heads the usual multi-head attention.
std::vector<Linear> groupedAttention(const TransformerArchitecture& a) {
  const double h = a.hidden, q = double(a.heads) * a.headDim, kv = double(a.keyValueHeads) * a.headDim;
  const bool outputBias = a.projectionBias || a.attentionOutputBias;
  return {{.name = "query", .in = h, .out = q, .axis = Axis::Heads, .bias = a.attentionBias},
          {.name = "key", .in = h, .out = kv, .axis = Axis::KeyValueHeads, .bias = a.attentionBias},
          {.name = "value", .in = h, .out = kv, .axis = Axis::KeyValueHeads, .bias = a.attentionBias},
          {.name = "attention output",
           .in = q,
           .out = h,
           .split = Split::Row,
           .axis = Axis::Heads,
           .bias = outputBias}};
}

/// Multi-head latent attention; the down projections are whole on every rank.
std::vector<Linear> latentAttention(const TransformerArchitecture& a) {
  const LatentAttention& l = *a.latent;
  const double h = a.hidden, heads = a.heads, queryDim = l.nopeHeadDim + l.ropeHeadDim;
  const auto down = [&](const char* name, double width) {
    return Linear{.name = name, .in = h, .out = width, .split = Split::Replicated, .bias = a.attentionBias};
  };
  const auto up = [&](const char* name, double in, double out) {
    return Linear{.name = name, .in = in, .out = out, .axis = Axis::Heads};
  };
  std::vector<Linear> out;
  if (l.queryRank > 0) out.push_back(down("query down", l.queryRank));
  out.push_back(up("query", l.queryRank > 0 ? l.queryRank : h, heads * queryDim));
  out.push_back(down("key-value down", l.keyValueRank + l.ropeHeadDim));
  out.push_back(up("key-value up", l.keyValueRank, heads * (l.nopeHeadDim + l.valueHeadDim)));
  out.push_back({.name = "attention output",
                 .in = heads * l.valueHeadDim,
                 .out = h,
                 .split = Split::Row,
                 .axis = Axis::Heads,
                 .bias = a.attentionOutputBias});
  return out;
}

void addMlp(std::vector<Linear>& out, const TransformerArchitecture& a, double width, double copies,
            double perToken, bool isExpert) {
  const double h = a.hidden;
  out.push_back({.name = "MLP up",
                 .in = h,
                 .out = a.gatedMlp ? 2 * width : width,
                 .bias = a.projectionBias,
                 .copies = copies,
                 .perToken = perToken,
                 .isExpert = isExpert});
  out.push_back({.name = "MLP down",
                 .in = width,
                 .out = h,
                 .split = Split::Row,
                 .bias = a.projectionBias,
                 .copies = copies,
                 .perToken = perToken,
                 .isExpert = isExpert});
}

double normWidth(const TransformerArchitecture& a, double width) {
  return a.layerNorm ? 2 * width : width;
}

}  // namespace

TensorShares::TensorShares(const TransformerArchitecture& a, int tensor) {
  const auto fullest = [tensor](int of) {
    return of > 0 ? double((of + tensor - 1) / tensor) / of : 1.0 / tensor;
  };
  heads = fullest(a.heads);
  keyValueHeads = fullest(a.keyValueHeads);
  width = 1.0 / tensor;
}

BlockShape blockShape(const TransformerArchitecture& a, bool withExperts) {
  BlockShape s;
  s.hasExperts = withExperts;
  s.attention = a.latent ? latentAttention(a) : groupedAttention(a);
  s.queryKeyHeadDim = a.latent ? a.latent->nopeHeadDim + a.latent->ropeHeadDim : a.headDim;
  s.valueHeadDim = a.latent ? a.latent->valueHeadDim : a.headDim;
  s.normParameters = 2 * normWidth(a, a.hidden);
  if (a.queryKeyNorm) s.normParameters += 2.0 * a.headDim;
  if (a.latent) s.normParameters += a.latent->queryRank + a.latent->keyValueRank;
  if (!withExperts) {
    addMlp(s.mlp, a, a.intermediate, 1, 1, false);
    return s;
  }
  const ExpertLayers& e = *a.experts;
  s.mlp.push_back(
      {.name = "router", .in = double(a.hidden), .out = double(e.experts), .split = Split::Replicated});
  if (e.sharedIntermediate > 0) {
    addMlp(s.mlp, a, e.sharedIntermediate, 1, 1, false);
    if (e.sharedGate)
      s.mlp.push_back({.name = "shared gate", .in = double(a.hidden), .out = 1, .split = Split::Replicated});
  }
  addMlp(s.mlp, a, e.intermediate, e.experts, e.perToken, true);
  return s;
}

bool hasDropout(const TransformerArchitecture& a) {
  return a.layerNorm;
}

double embeddingParameters(const TransformerArchitecture& a) {
  return double(a.vocabulary) * (a.embeddingWidth > 0 ? a.embeddingWidth : a.hidden);
}

double otherEmbeddingParameters(const TransformerArchitecture& a) {
  double p = double(a.tokenTypes) * a.hidden;
  if (a.learnedPositions) p += double(a.positionRows > 0 ? a.positionRows : a.maxPositions) * a.hidden;
  if (a.embeddingNorm) p += 2.0 * a.hidden;
  if (a.embeddingWidth > 0) p += double(a.embeddingWidth) * a.hidden;
  return p;
}

double finalNormParameters(const TransformerArchitecture& a) {
  return a.finalNorm ? normWidth(a, a.hidden) : 0;
}

double headParameters(const TransformerArchitecture& a) {
  double p = a.tiedEmbeddings ? 0 : embeddingParameters(a);
  if (a.embeddingWidth > 0) p += double(a.embeddingWidth) * a.hidden;
  if (a.pooler) p += double(a.hidden) * a.hidden + a.hidden;
  return p;
}

}  // namespace nest
