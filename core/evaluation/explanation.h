#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "evaluation/evaluation.h"
#include "plan/plan.h"
#include "problem/problem.h"

namespace nest {

struct ExchangeRun;

/// The unit of a term or an input.
enum class TermUnit { Time, Memory, Bandwidth, Parameters, Count, Fraction };
/// "1.25 ms", "3.4 GiB", "450 GB/s", "7.2e+09 parameters", "12", "50 %".
std::string toText(double value, TermUnit unit);
struct TermInput;
/// The input's words, or else its value.
std::string toText(const TermInput&);

/// What a term is about; views use it for colours and groups.
enum class TermKind {
  Batch,    ///< the batch time and its sums over stages
  Load,     ///< of one stage and one microbatch
  Compute,  ///< forward, backward, recompute
  Tensor,
  Context,
  Expert,
  Pipeline,
  Data,    ///< one kind per exchange, as in enum Exchange
  Hidden,  ///< what overlap subtracts
  Tail,    ///< sync, exposed, step
  Memory,
};
const char* nameOf(TermKind);

/// One symbol of a term's formula, with its value and the source of the value.
struct TermInput {
  std::string symbol;   ///< as in the formula: "B₁", "m", "D"
  std::string meaning;  ///< "bandwidth of level rack"
  double value = 0;
  TermUnit unit = TermUnit::Count;
  Origin origin = Origin::Estimated;
  std::string citation;    ///< catalog source or the profile's provenance; may be empty
  bool decided = false;    ///< follows from the plan's own decisions and has no origin
  std::string words = {};  ///< shown instead of `value` if it is not a number: "FlashAttention-2", "0, 1"

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
  None,  ///< no children; the formula and its inputs give the value
  Sum,   ///< Σ factor·child
  Max,
  Min,          ///< over factor·child
  PositiveSum,  ///< max(0, Σ factor·child)
};

/// A node of the explanation: a value, its formula in symbols, and the values it is made of (STATEMENT.md
/// §4).
struct CostTerm {
  std::string id;     ///< path, unique in the tree except for references: "batch", "stage2/load/tensor"
  std::string label;  ///< "TP communication"
  double value = 0;
  TermUnit unit = TermUnit::Time;
  std::string formula;  ///< "T = Σ load + (m − 1)·max load + tail"
  std::vector<TermInput> inputs;
  int stage = -1;  ///< −1 for the whole plan
  int level = -1;  ///< network level crossed; −1 if none
  TermKind kind = TermKind::Batch;
  Combine combine = Combine::None;
  double factor = 1;       ///< the parent multiplies the value by this
  bool reference = false;  ///< the term with this id is elsewhere in the tree
  std::vector<CostTerm> children;
  /// Of the time of one run of an exchange: its steps, which sum to `value`. Null for all else.
  std::shared_ptr<const ExchangeRun> run;

  /// The value that Combine gives for the children, or `value` if there are none.
  double fromChildren() const;
  /// The first term with this id that is not a reference, depth first; nullptr if there is none.
  const CostTerm* find(const std::string& id) const;
};

/// Breaks a plan's cost down to profile entries, properties of levels, and assumptions. The root is the batch
/// time ("batch"); its children are the parts of the objective, then the stages' memory ("memory", a Max
/// whose factor in the root is 0). Values are those of `evaluation`, and each parent's value follows from its
/// children to 1e-9 relative. What limits a plan or a stage is in measures/metrics.h.
CostTerm explain(const Problem& problem, const Plan& plan, const Evaluation& evaluation);

/// The tree as indented text, `depth` levels deep: label, value, formula, inputs.
std::string toText(const CostTerm& term, int depth);

}  // namespace nest
