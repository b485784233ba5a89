#pragma once

#include <vector>

#include "analytic/transformer.h"

namespace nest {

/// How a matrix is divided over the tensor ranks.
enum class Split { Column, Row, Replicated };

/// What of a matrix's divided side counts: whole heads, whole key-value heads, or MLP width.
enum class Axis { Heads, KeyValueHeads, Width };

/// The share of each axis that the fullest of t tensor ranks holds. Key-value heads are copied where t
/// exceeds them.
struct TensorShares {
  double heads = 1, keyValueHeads = 1, width = 1;

  TensorShares(const TransformerArchitecture&, int tensor);
  double of(Axis axis) const {
    return axis == Axis::Heads ? heads : axis == Axis::KeyValueHeads ? keyValueHeads : width;
  }
};

/// One matrix of a block, undivided: `in` × `out`, with an optional bias of `out`.
struct Linear {
  const char* name;
  double in = 0, out = 0;
  Split split = Split::Column;
  Axis axis = Axis::Width;
  bool bias = false;
  double copies = 1;      ///< how many such matrices (experts)
  double perToken = 1;    ///< how many of them one token passes
  bool isExpert = false;  ///< stands in an expert, so that the expert degree divides `copies`

  double parameters() const { return copies * (in * out + (bias ? out : 0)); }
  /// What one rank holds of one copy; biases of row-split matrices are whole on every rank.
  double inAt(const TensorShares& s) const { return split == Split::Row ? in * s.of(axis) : in; }
  double outAt(const TensorShares& s) const { return split == Split::Column ? out * s.of(axis) : out; }
  double parametersAt(const TensorShares& s) const { return inAt(s) * outAt(s) + (bias ? outAt(s) : 0); }
};

/// The figures of one block: its matrices in the order in which a token meets them, and what stands beside
/// them.
struct BlockShape {
  std::vector<Linear> attention;  ///< up to and with the output projection
  std::vector<Linear> mlp;        ///< of the dense MLP, or router, shared and routed experts
  double normParameters = 0;      ///< whole on every rank
  std::vector<Linear> cross;      ///< of a decoder's attention to its encoder
  double queryKeyHeadDim = 0, valueHeadDim = 0;
  bool hasExperts = false;
};

/// Matrices of their own in one of these: a gate and what it gates stand in one.
double matricesIn(const TransformerArchitecture&, const Linear&);
/// Whether LoRA adapts it.
bool isAdapted(const Linear&, LoraTargets, bool inMlp);

BlockShape blockShape(const TransformerArchitecture&, bool withExperts);

/// Forward operations of one token where tokens meet: attention's scores and values, or the scan of a state.
double mixerFlopsPerToken(const TransformerArchitecture&, const BlockShape&, int sequenceLength);

/// The blocks of the encoder as an architecture of their own, which sees both ways.
TransformerArchitecture encoderArchitecture(const TransformerArchitecture&);
double encoderEmbeddingParameters(const TransformerArchitecture&);  ///< beside a shared token table

inline constexpr int kDeltaChunk = 64;  ///< tokens that one step of a gated delta rule takes

/// Whether the family trains with dropout, whose masks are written and kept.
bool hasDropout(const TransformerArchitecture&);

/// Layers outside the blocks.
double embeddingParameters(const TransformerArchitecture&);  ///< token table alone, or what patches pass
double vocabularyTable(const TransformerArchitecture&);      ///< that of tokens, or of the head
double otherEmbeddingParameters(
    const TransformerArchitecture&);  ///< positions, token types, norm, width change
double finalNormParameters(const TransformerArchitecture&);
double headParameters(const TransformerArchitecture&);  ///< without a tied token table

}  // namespace nest
