#pragma once

#include <vector>

#include "model/transformer.h"

namespace nest {

/// How a matrix is divided over the tensor ranks.
enum class Split { Column, Row, Replicated };

/// One matrix of a block, at tensor degree 1: `in` × `out`, with an optional bias of `out`.
struct Linear {
  const char* name;
  double in = 0, out = 0;
  Split split = Split::Column;
  bool bias = false;
  double copies = 1;      ///< how many such matrices (experts)
  double perToken = 1;    ///< how many of them one token passes
  bool isExpert = false;  ///< stands in an expert, so that the expert degree divides `copies`
  /// Key and value projections have this many heads; more ranks than heads hold copies. 0: no such limit.
  double heads = 0;

  double parameters() const { return copies * (in * out + (bias ? out : 0)); }
  /// What one of t ranks holds of one copy; biases of row-split matrices are whole on every rank.
  double inAt(int t) const { return split == Split::Row ? in / t : in; }
  double outAt(int t) const {
    if (split != Split::Column) return out;
    return heads > 0 && t > heads ? out / heads : out / t;
  }
  double parametersAt(int t) const { return inAt(t) * outAt(t) + (bias ? outAt(t) : 0); }
};

/// The figures of one block: its matrices in the order in which a token meets them, and what stands beside
/// them.
struct BlockShape {
  std::vector<Linear> attention;  ///< up to and with the output projection
  std::vector<Linear> mlp;        ///< of the dense MLP, or router, shared and routed experts
  double normParameters = 0;      ///< whole on every rank
  double queryKeyHeadDim = 0, valueHeadDim = 0;
  bool hasExperts = false;
};

BlockShape blockShape(const TransformerArchitecture&, bool withExperts);

/// Layers outside the blocks.
double embeddingParameters(const TransformerArchitecture&);  ///< token table alone
double otherEmbeddingParameters(
    const TransformerArchitecture&);  ///< positions, token types, norm, width change
double finalNormParameters(const TransformerArchitecture&);
double headParameters(const TransformerArchitecture&);  ///< without a tied token table

}  // namespace nest
