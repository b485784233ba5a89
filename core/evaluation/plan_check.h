#pragma once

#include <vector>

#include "evaluation/evaluation.h"

namespace nest {

/// Everything about a plan that can be wrong before it is costed; memory is checked by evaluate().
///
/// Codes: "degrees" (a degree, P or z outside its range), "stages" (none, or one without layers), "layers"
/// (missing, twice, unknown, or read before they are produced), "chunks" (interleaving impossible),
/// "microbatch" and "strategy" (no costs on offer), "recompute" (policy not on offer), "batch" (b·d does not
/// divide B), "expert-group" (e does not divide d_in), "devices" (too many, or blocks overlap), "placement"
/// (device order), "constraint".
///
/// A *cut* stands at layer x if x is the lowest layer of a part other than the first. A required cut at layer
/// 0 of a chain always holds. Pins of stages that a plan does not have do not bind it.
struct PlanCheck {
  std::vector<Violation> violations;
  bool countable = true;  ///< degrees make sense: time and memory of stages can be summed
  bool placeable = true;  ///< every rank has a device: exchanges can be priced
  int microbatches = 1;   ///< m, rounded up where b·d does not divide B
  int microbatch = -1;    ///< index in the profile
};

PlanCheck checkPlan(const Problem&, const Plan&);

/// Appends what the user's constraints forbid. The plan must be countable.
void checkConstraints(const Problem&, const Plan&, std::vector<Violation>&);

}  // namespace nest
