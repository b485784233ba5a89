#pragma once

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

/// Whether the field can hold what the change makes of it, and holds something else.
bool makesDifference(const Setting&, const FieldChange&);
void make(Setting&, const FieldChange&);  ///< nothing where it makes no difference

}  // namespace nest
