#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "evaluation/evaluation.h"
#include "plan/plan.h"
#include "problem/problem.h"

namespace nest {

/// In what a term or an input is counted.
enum class TermUnit { Time, Memory, Bandwidth, Parameters, Count, Fraction };
/// "1.25 ms", "3.4 GiB", "450 GB/s", "7.2e+09 parameters", "12", "50 %".
std::string toText(double value, TermUnit unit);
struct TermInput;
/// Its words, or its value.
std::string toText(const TermInput&);

/// What a term is about; views colour and group by it.
enum class TermKind {
  Batch,    ///< the batch time and its sums over stages
  Load,     ///< one stage, one microbatch
  Compute,  ///< forward, backward, recompute
  Tensor,
  Context,
  Expert,
  Pipeline,
  Data,    ///< exchanges, as enum Exchange
  Hidden,  ///< what overlap takes off
  Tail,    ///< sync, exposed, step
  Memory,
};
const char* nameOf(TermKind);

/// One symbol of a term's formula with its value and where that came from.
struct TermInput {
  std::string symbol;   ///< as in the formula: "B₁", "m", "D"
  std::string meaning;  ///< "bandwidth of level rack"
  double value = 0;
  TermUnit unit = TermUnit::Count;
  Origin origin = Origin::Estimated;
  std::string citation;    ///< catalog source or the profile's provenance; may be empty
  bool decided = false;    ///< follows from the plan's own decisions: it has no origin
  std::string words = {};  ///< what stands for `value` where it is no number: "FlashAttention-2", "0, 1"

  /// "input", "measured", "estimate", "catalog", "plan".
  std::string_view source() const {
    return decided                       ? "plan"
           : origin == Origin::Typed     ? "input"
           : origin == Origin::Estimated ? "estimate"
                                         : nameOf(origin);
  }
};

/// How a term's value follows from its children.
enum class Combine {
  None,  ///< no children: the formula and its inputs say it all
  Sum,   ///< Σ factor·child
  Max,
  Min,          ///< over factor·child
  PositiveSum,  ///< max(0, Σ factor·child)
};

/// A node of the explanation: a figure, its formula in symbols, and the figures it is made of (STATEMENT.md
/// §4).
struct CostTerm {
  std::string id;     ///< path, unique in the tree unless `reference`: "batch", "stage2/load/tensor"
  std::string label;  ///< "TP communication"
  double value = 0;
  TermUnit unit = TermUnit::Time;
  std::string formula;  ///< "T = Σ load + (m − 1)·max load + tail"
  std::vector<TermInput> inputs;
  int stage = -1;  ///< −1: of the whole plan
  int level = -1;  ///< network level that it crosses; −1: none
  TermKind kind = TermKind::Batch;
  Combine combine = Combine::None;
  double factor = 1;       ///< by which the parent multiplies this
  bool reference = false;  ///< the term of this id stands in full elsewhere in the tree
  std::vector<CostTerm> children;

  /// What Combine and the children give; `value` itself when there are none.
  double fromChildren() const;
  /// First term with this id that is not a reference, depth first; nullptr if there is none.
  const CostTerm* find(const std::string& id) const;
};

/// What binds a plan or a stage is told by plan/metrics.h.
///
/// Every figure of a plan's cost, opened down to profile entries, level figures and assumptions. The root is
/// the batch time ("batch"); its children are the parts of the objective, then the stages' memory ("memory",
/// a Max whose factor in the root is 0). Values are those of `evaluation`; each parent's follows from its
/// children to 1e-9 relative.
CostTerm explain(const Problem& problem, const Plan& plan, const Evaluation& evaluation);

/// The tree as indented text, `depth` levels deep: label, value, formula, inputs.
std::string toText(const CostTerm& term, int depth);

}  // namespace nest
