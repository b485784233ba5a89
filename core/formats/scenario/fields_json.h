#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>

#include "fields/field.h"
#include "formats/scenario/scenario_parts.h"

namespace nest {

/// Reads into `setting` every field that stands below `pointer` ("/job") in the file's object there. What no
/// range allows is read all the same: check.h judges it. Structured fields are left to the caller.
void readFields(const ScenarioReader&, JsonFields& object, std::string_view pointer, Setting& setting);

/// Every unknown key in a section of fields ("/constraints/pipeline") gets the advice which field has that
/// name among its others, and which fields there are.
void adviseOnUnknownKeys(Diagnostics&);

/// The fields below `pointer` in their order, defaults left out where a field says so. `structured` adds the
/// structured field of a key ("layer_pins") in its place, if it has anything to add.
nlohmann::ordered_json fieldsJson(
    std::string_view pointer, const Setting&,
    const std::function<void(std::string_view key, nlohmann::ordered_json& into)>& structured = {});

}  // namespace nest
