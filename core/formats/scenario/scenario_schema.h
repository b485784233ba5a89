#pragma once

#include <string>

namespace nest {

/// The JSON Schema (draft 2020-12) of scenario files: fields() put into resources/scenario_schema_parts.json,
/// which holds the parts that are more than fields. resources/schemas/scenario.schema.json is this text.
std::string scenarioSchema();

}  // namespace nest
