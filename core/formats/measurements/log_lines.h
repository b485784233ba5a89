#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/source_text.h"

/// Lines that programs print while they train.
namespace nest {

inline constexpr std::size_t kLongestLog = 64u << 20;

/// Each line without escape sequences (colours) and its end, with its number from 1.
void forEachLogLine(std::string_view text, const std::function<void(std::string_view line, int number)>&);

/// What stands behind `label`, without blanks before it, up to the end of the line; empty: the label is not
/// there.
std::string_view behind(std::string_view line, std::string_view label);
/// The number behind it; commas between thousands are taken. nullopt: none is there.
std::optional<double> numberBehind(std::string_view line, std::string_view label);
/// The same of a whole number of at least 1.
std::optional<int> countBehind(std::string_view line, std::string_view label);

/// The middle of the values, the mean of both where there are two. Not empty.
double medianOf(std::vector<double>);

/// Of `lines` values how many are warm-up: the first, and a tenth of them.
int warmUpOf(int lines);

}  // namespace nest
