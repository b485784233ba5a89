#pragma once

#include <vector>

#include "evaluation/evaluation.h"

namespace nest {

/// Everything about a plan that can be wrong before it is costed; memory is checked by evaluate().
///
/// Codes: "degrees" (a degree, P or z outside its range), "stages" (none, or one without layers), "layers"
/// (missing, repeated, unknown, or read before they are produced), "chunks" (interleaving impossible),
/// "microbatch" and "strategy" (no costs available), "recompute" (policy not available), "batch" (b·d does
/// not divide B), "expert-group" (e does not divide d_in), "devices" (too many, or blocks overlap),
/// "placement" (device order), "constraint".
///
/// There is a *cut* at layer x if x is the lowest layer of a part other than the first. A required cut at
/// layer 0 of a chain is always satisfied. Pins of stages that a plan does not have do not constrain it.
struct PlanCheck {
  std::vector<Violation> violations;
  bool countable = true;  ///< degrees make sense, so time and memory of stages can be summed
  bool placeable = true;  ///< every rank has a device, so exchanges can be priced
  int microbatches = 1;   ///< m, rounded up where b·d does not divide B
  int microbatch = -1;    ///< index in the profile
};

PlanCheck checkPlan(const Problem&, const Plan&);

/// Appends violations of the user's constraints. The plan must be countable.
void checkConstraints(const Problem&, const Plan&, std::vector<Violation>&);

}  // namespace nest
