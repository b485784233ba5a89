#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

#include "analytic/transformer.h"
#include "text/json_fields.h"

namespace nest {

/// The value that stands under `key` of `fields`, as the detail `name` of a model ("rope_theta"), if it is
/// one that such a detail can have. Errors: another kind of value, a number out of range. Warnings: a word
/// that no launch file knows, a name that no detail has.
std::optional<ModelDetail> readDetail(std::string_view name, JsonFields& fields, std::string_view key);

/// The MLP's activation under `key`, as its file names it; empty: absent. A warning where no program has it.
std::string readActivation(JsonFields& fields, std::string_view key);

/// Checks what a configuration may say beside sizes and details, whatever its family makes of it: number
/// format, dropout, windows.
void checkBesideSizes(JsonFields&);

}  // namespace nest
