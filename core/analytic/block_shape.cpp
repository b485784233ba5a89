#include "analytic/block_shape.h"

#include <algorithm>
#include <string_view>

namespace nest {
namespace {

/// Grouped-query attention; with keyValueHeads = heads the usual multi-head attention.
std::vector<Linear> groupedAttention(const TransformerArchitecture& a) {
  const double valueDim = a.valueHeadDim > 0 ? a.valueHeadDim : a.headDim;
  const double h = a.hidden, q = double(a.heads) * a.headDim, k = double(a.keyValueHeads) * a.headDim;
  const bool outputBias = a.projectionBias || a.attentionOutputBias;
  std::vector<Linear> out = {
      {.name = "query", .in = h, .out = q, .axis = Axis::Heads, .bias = a.attentionBias},
      {.name = "key", .in = h, .out = k, .axis = Axis::KeyValueHeads, .bias = a.attentionBias}};
  if (a.attentionGate) out.push_back({.name = "attention gate", .in = h, .out = q, .axis = Axis::Heads});
  if (!a.sharedKeyValue)
    out.push_back({.name = "value",
                   .in = h,
                   .out = double(a.keyValueHeads) * valueDim,
                   .axis = Axis::KeyValueHeads,
                   .bias = a.attentionBias});
  out.push_back({.name = "attention output",
                 .in = double(a.heads) * valueDim,
                 .out = h,
                 .split = Split::Row,
                 .axis = Axis::Heads,
                 .bias = outputBias});
  return out;
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
  if (a.sparse) {  // the indexer's queries, keys and weights of its heads
    out.push_back({.name = "index query",
                   .in = l.queryRank > 0 ? double(l.queryRank) : h,
                   .out = double(a.sparse->heads) * a.sparse->headDim,
                   .split = Split::Replicated});
    out.push_back(down("index key", a.sparse->headDim));
    out.push_back(down("index weights", a.sparse->heads));
  }
  out.push_back({.name = "attention output",
                 .in = heads * l.valueHeadDim,
                 .out = h,
                 .split = Split::Row,
                 .axis = Axis::Heads,
                 .bias = a.attentionOutputBias});
  if (a.attentionGate) out.insert(out.end() - 1, up("attention gate", h, heads * l.valueHeadDim));
  return out;
}

/// What gates, writes and reads the state comes of one projection; heads are divided over tensor ranks.
std::vector<Linear> stateSpaceProjections(const TransformerArchitecture& a) {
  const StateSpace& s = *a.stateSpace;
  const double h = a.hidden, inner = s.inner();
  std::vector<Linear> out;
  if (s.timeRank > 0) {
    out.push_back({.name = "state input", .in = h, .out = 2 * inner, .bias = s.projectionBias});
    out.push_back({.name = "state parameters",
                   .in = inner,
                   .out = s.timeRank + 2.0 * s.stateSize,
                   .split = Split::Row});
    out.push_back({.name = "time steps", .in = double(s.timeRank), .out = inner, .bias = true});
  } else {
    out.push_back({.name = "state input",
                   .in = h,
                   .out = 2 * inner + 2.0 * s.groups * s.stateSize + s.heads,
                   .bias = s.projectionBias});
  }
  out.push_back(
      {.name = "state output", .in = inner, .out = h, .split = Split::Row, .bias = s.projectionBias});
  return out;
}

std::vector<Linear> deltaProjections(const TransformerArchitecture& a) {
  const DeltaNet& d = *a.deltaNet;
  const double keys = double(d.keyHeads) * d.keyHeadDim, values = double(d.valueHeads) * d.valueHeadDim;
  const double h = a.hidden, rank = d.gateRank;
  if (d.gateRank > 0) {
    std::vector<Linear> out = {
        {.name = "delta input", .in = h, .out = 2 * keys + values + (d.wholeGate ? values : 0)},
        {.name = "delta gates", .in = h, .out = double(d.valueHeads)},
        {.name = "delta gates down",
         .in = h,
         .out = d.wholeGate ? rank : 2 * rank,
         .split = Split::Replicated},
        {.name = "delta decay", .in = rank, .out = keys}};
    if (!d.wholeGate) out.push_back({.name = "delta output gate", .in = rank, .out = values});
    out.push_back({.name = "delta output", .in = values, .out = h, .split = Split::Row});
    return out;
  }
  return {{.name = "delta input", .in = double(a.hidden), .out = 2 * keys + 2 * values},
          {.name = "delta gates", .in = double(a.hidden), .out = 2.0 * d.valueHeads},
          {.name = "delta output", .in = values, .out = double(a.hidden), .split = Split::Row}};
}

std::vector<Linear> convolutionProjections(const TransformerArchitecture& a) {
  const double h = a.hidden;
  return {
      {.name = "convolution input", .in = h, .out = 3 * h, .bias = a.shortConvolutionBias},
      {.name = "convolution output", .in = h, .out = h, .split = Split::Row, .bias = a.shortConvolutionBias}};
}

/// Parameters of a mixer that are no matrices.
double smallParameters(const TransformerArchitecture& a) {
  double p = 0;
  if (a.mixer == Mixer::StateSpace) {
    const StateSpace& s = *a.stateSpace;
    const double convolved = s.timeRank > 0 ? s.inner() : s.inner() + 2.0 * s.groups * s.stateSize;
    p += convolved * (s.convolution + (s.convolutionBias ? 1 : 0));
    // Mamba-2: decay, skip and time step per head, and the weights of a gated norm.
    p += s.timeRank > 0 ? s.inner() * (s.stateSize + 1) : 3.0 * s.heads + s.inner();
  }
  if (a.mixer == Mixer::DeltaNet) {
    const DeltaNet& d = *a.deltaNet;
    p += (2.0 * d.keyHeads * d.keyHeadDim + double(d.valueHeads) * d.valueHeadDim) * d.convolution;
    // A decay and a time step for each head, or time steps for each channel; the weights of a gated norm.
    p += d.gateRank > 0 ? d.valueHeads + double(d.keyHeads) * d.keyHeadDim : 2.0 * d.valueHeads;
    p += d.valueHeadDim;
  }
  if (a.mixer == Mixer::ShortConvolution)
    p += double(a.hidden) * (a.shortConvolution + (a.shortConvolutionBias ? 1 : 0));
  if (a.mixer != Mixer::Attention) return p;
  if (a.queryKeyNorm)
    p += a.wideQueryKeyNorm ? (double(a.heads) + a.keyValueHeads) * a.headDim : 2.0 * a.headDim;
  if (a.latent) p += a.latent->queryRank + a.latent->keyValueRank;
  if (a.sparse) p += 2.0 * a.sparse->headDim;  // a LayerNorm of the indexer's keys
  if (a.attentionSinks) p += a.heads;
  return p;
}

std::vector<Linear> mixerProjections(const TransformerArchitecture& a) {
  switch (a.mixer) {
    case Mixer::StateSpace:
      return stateSpaceProjections(a);
    case Mixer::DeltaNet:
      return deltaProjections(a);
    case Mixer::ShortConvolution:
      return convolutionProjections(a);
    case Mixer::None:
      return {};
    case Mixer::Attention:
      break;
  }
  return a.latent ? latentAttention(a) : groupedAttention(a);
}

struct Mlp {
  double outer = 0, width = 0, copies = 1, perToken = 1;
  bool isExpert = false;
};

void addMlp(std::vector<Linear>& out, const TransformerArchitecture& a, const Mlp& m) {
  out.push_back({.name = "MLP up",
                 .in = m.outer,
                 .out = a.gatedMlp ? 2 * m.width : m.width,
                 .bias = a.projectionBias,
                 .copies = m.copies,
                 .perToken = m.perToken,
                 .isExpert = m.isExpert});
  out.push_back({.name = "MLP down",
                 .in = m.width,
                 .out = m.outer,
                 .split = Split::Row,
                 .bias = a.projectionBias,
                 .copies = m.copies,
                 .perToken = m.perToken,
                 .isExpert = m.isExpert});
}

double normWidth(const TransformerArchitecture& a, double width) {
  return a.layerNorm && a.normBias ? 2 * width : width;
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

double matricesIn(const TransformerArchitecture& a, const Linear& l) {
  return a.gatedMlp && std::string_view(l.name) == "MLP up" ? 2 : 1;
}

bool isAdapted(const Linear& l, LoraTargets targets, bool inMlp) {
  const std::string_view name = l.name;
  if (targets == LoraTargets::AllLinear) return name != "router" && name != "shared gate";
  if (inMlp) return false;
  return targets == LoraTargets::Attention || name == "query" || name == "value" || name == "key-value up";
}

BlockShape blockShape(const TransformerArchitecture& a, bool withExperts) {
  BlockShape s;
  s.hasExperts = withExperts;
  s.attention = mixerProjections(a);
  s.queryKeyHeadDim = a.latent ? a.latent->nopeHeadDim + a.latent->ropeHeadDim : a.headDim;
  s.valueHeadDim = a.latent ? a.latent->valueHeadDim : a.valueHeadDim > 0 ? a.valueHeadDim : a.headDim;
  s.normParameters = a.blockNorms * normWidth(a, a.hidden) + smallParameters(a);
  if (a.encoder) {
    s.cross = groupedAttention(a);
    s.normParameters += normWidth(a, a.hidden);
  }
  const double h = a.hidden;
  if (!withExperts) {
    if (a.intermediate > 0) addMlp(s.mlp, a, {h, double(a.intermediate)});
    return s;
  }
  const ExpertLayers& e = *a.experts;
  s.mlp.push_back({.name = "router",
                   .in = h,
                   .out = double(e.experts) + e.zeroExperts,
                   .split = Split::Replicated,
                   .bias = e.routerBias});
  if (e.sharedIntermediate > 0) {
    addMlp(s.mlp, a, {h, double(e.sharedIntermediate)});
    if (e.sharedGate) s.mlp.push_back({.name = "shared gate", .in = h, .out = 1, .split = Split::Replicated});
  }
  if (e.latent > 0)
    s.mlp.push_back({.name = "latent down", .in = h, .out = double(e.latent), .split = Split::Replicated});
  addMlp(s.mlp, a,
         {e.latent > 0 ? double(e.latent) : h, double(e.intermediate), double(e.experts), double(e.perToken),
          true});
  if (e.latent > 0)
    s.mlp.push_back({.name = "latent up", .in = double(e.latent), .out = h, .split = Split::Replicated});
  return s;
}

double mixerFlopsPerToken(const TransformerArchitecture& a, const BlockShape& shape, int sequenceLength) {
  const double span = a.slidingWindow > 0 ? std::min(a.slidingWindow, sequenceLength) : sequenceLength;
  switch (a.mixer) {
    case Mixer::Attention: {
      const double cross = a.encoder ? (a.encoder->length > 0 ? a.encoder->length : sequenceLength) : 0;
      const double keys = a.sparse ? std::min<double>(a.sparse->keys, span) : span;
      const double index = a.sparse ? 2 * span * a.sparse->heads * a.sparse->headDim : 0;
      return 2 * (keys + cross) * a.heads * (shape.queryKeyHeadDim + shape.valueHeadDim) + index;
    }
    case Mixer::StateSpace: {
      const StateSpace& s = *a.stateSpace;
      if (s.timeRank > 0) return 6 * s.inner() * s.stateSize;
      const double chunk = std::min(s.chunk, sequenceLength);
      return 2 * chunk * (double(s.groups) * s.stateSize + s.inner()) + 4 * s.inner() * s.stateSize;
    }
    case Mixer::DeltaNet: {
      const DeltaNet& d = *a.deltaNet;
      const double chunk = std::min(kDeltaChunk, sequenceLength), k = d.keyHeadDim, v = d.valueHeadDim;
      return 2 * d.valueHeads * (chunk * (3 * k + 2 * v + chunk) + 3 * k * v);
    }
    case Mixer::None:
    case Mixer::ShortConvolution:
      break;
  }
  return 0;
}

TransformerArchitecture encoderArchitecture(const TransformerArchitecture& a) {
  TransformerArchitecture e = a;
  e.layers = a.encoder->layers;
  e.intermediate = a.encoder->intermediate;
  e.causal = false;
  e.encoder.reset();
  return e;
}

double encoderEmbeddingParameters(const TransformerArchitecture& a) {
  double p = double(a.encoder->positionRows) * a.hidden;
  if (a.embeddingNorm) p += normWidth(a, a.hidden);
  if (a.encoder->patchInputs > 0) p += (double(a.encoder->patchInputs) + 1) * a.hidden;
  return p;
}

bool hasDropout(const TransformerArchitecture& a) {
  return a.dropout.value_or(a.layerNorm);
}

double embeddingParameters(const TransformerArchitecture& a) {
  if (a.patchInputs > 0) return (double(a.patchInputs) + 1) * a.hidden;
  return vocabularyTable(a);
}

double vocabularyTable(const TransformerArchitecture& a) {
  return double(a.vocabulary) * (a.embeddingWidth > 0 ? a.embeddingWidth : a.hidden);
}

double otherEmbeddingParameters(const TransformerArchitecture& a) {
  double p = double(a.tokenTypes) * a.hidden;
  if (a.learnedPositions) p += double(a.positionRows > 0 ? a.positionRows : a.maxPositions) * a.hidden;
  if (a.embeddingNorm) p += normWidth(a, a.hidden);
  if (a.embeddingWidth > 0) p += double(a.embeddingWidth) * a.hidden;
  return p;
}

double finalNormParameters(const TransformerArchitecture& a) {
  return a.finalNorm ? normWidth(a, a.hidden) : 0;
}

double headParameters(const TransformerArchitecture& a) {
  double p = a.tiedEmbeddings ? 0 : vocabularyTable(a);
  if (a.embeddingWidth > 0) p += double(a.embeddingWidth) * a.hidden;
  if (a.headBias) p += a.vocabulary;
  if (a.pooler) p += double(a.hidden) * a.hidden + a.hidden;
  return p;
}

}  // namespace nest
