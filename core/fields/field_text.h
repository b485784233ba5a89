#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fields/field.h"

namespace nest {

/// "from 1 to 16,777,216 sequences", "from 0 % to 100 %": what a number of the field may be.
std::string rangeText(const Field&);
/// "Type a whole number of sequences from 1 to 16,777,216": what can be typed for any kind of field.
std::string expectedText(const Field&);

/// A value as people read it: "1,024", "1, 2, 4", "any", "2–8", "80 GiB"; empty: nothing.
std::string valueText(const Setting&, const FieldAt&);
/// A number of the field in its unit: "62.5 GB/s". A bandwidth is in the unit that this level is typed in.
std::string numberText(const Setting&, const FieldAt&, double);

/// What people type for the field, within its range; nullopt: it is none, see expectedText.
std::optional<FieldValue> readValueText(const Setting&, const FieldAt&, std::string_view);
std::optional<double> readNumberText(const Setting&, const FieldAt&, std::string_view);

/// "any" or empty, "8", "≤ 8" ("<=8"), "≥ 2" (">=2"), "2–8" ("2-8", "2..8", "2 to 8"); nullopt: none of
/// these.
std::optional<Bound> readBoundText(std::string_view);
std::string boundText(const Bound&);
/// "1, 2, 4" in any order; ascending, without repeats. nullopt: not numbers from `least` to `most`.
std::optional<std::vector<int>> readWholesText(std::string_view, double least, double most);
std::string wholesText(const std::vector<int>&);

}  // namespace nest
