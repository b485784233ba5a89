#pragma once

#include <string>

namespace nest {

struct Program;

/// What of plans some programs cannot run.
enum class PlanFeature {
  Context,               ///< context parallelism
  ContextBesideExperts,  ///< it, beside expert groups that do not take the context ranks in
  Tensor,                ///< tensor parallelism
  TensorInPipeline,      ///< it, with more than one stage
  TensorUnderZero3,      ///< it, under ZeRO 3
  Pipeline,              ///< more than one stage
  ShardedPipeline,       ///< more than one stage under ZeRO 2 or 3
  OneStageUnderZero1,    ///< one stage under ZeRO 1
  Interleaving,          ///< virtual pipeline stages (VPP)
  DifferingStages,       ///< a strategy or a recompute policy of a stage's own
  SelectiveRecompute,
};
inline constexpr int kPlanFeatureCount = 11;
const char* nameOf(PlanFeature);  ///< in files: "context", "context_beside_experts", …

/// A program as a problem runs it: it, and whether assumptions or kernels were changed from what it sets.
struct ProgramUse {
  const Program* program = nullptr;  ///< lives as long as the process; nullptr: `ideal`
  bool isChanged = false;

  bool runs(PlanFeature) const;

  friend bool operator==(const ProgramUse&, const ProgramUse&) = default;
};

/// "ideal", "megatron-core-2025", "megatron-core-2025, changed".
std::string toText(const ProgramUse&);

}  // namespace nest
