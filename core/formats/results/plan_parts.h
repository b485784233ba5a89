#pragma once

#include <nlohmann/json_fwd.hpp>

#include "plan/plan.h"
#include "text/json_fields.h"

namespace nest {

/// A plan that stands inside another file: its fields without format and version (see readPlan()). Errors go
/// to `out`; what the plan then holds is of no use.
Plan readPlanFields(const JsonText&, JsonFields&, Diagnostics& out);
nlohmann::ordered_json planFieldsJson(const Plan&);

}  // namespace nest
