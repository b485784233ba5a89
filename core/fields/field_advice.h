#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "diagnostics/field_change.h"
#include "fields/setting.h"

/// What messages say of fields (diagnostics/field_change.h), where fields go by their labels, and doing it.
namespace nest {

/// "select "Offer context degrees"", "add 2 to "ZeRO""; as files write it where no field has the key.
std::string inLabels(const FieldChange&);
/// The text with each field by its label.
std::string adviceInLabels(std::string_view text);

/// The setting after the change; nullopt: it changes nothing, or the field cannot hold it.
std::optional<Setting> changed(const Setting&, const FieldChange&);

}  // namespace nest
