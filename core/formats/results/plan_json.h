#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "diagnostics/diagnostic.h"
#include "plan/plan.h"

namespace nest {

/// A plan file: {"format": "nest-plan", "version": 1, "microbatch", "data_inner", "data_outer",
/// "block_stride", "zero", "stages": [{"layers": [0, 1, …] (or "chunks": [[…], […]]), "strategy": {"tensor",
/// "sequence", "context", "expert"}, "recompute"}], "device_order" (optional)}. An outcome of nest-plan is
/// read as well: its best plan is taken.
///
/// Degrees are bounded so that a plan can be evaluated in bounded memory; whether the plan fits a scenario is
/// the evaluator's to say. All errors at once.
Reading<Plan> readPlan(std::string_view text, const std::string& file);

/// Reading the result gives the same plan.
std::string writePlan(const Plan&);
nlohmann::ordered_json planJson(const Plan&);

}  // namespace nest
