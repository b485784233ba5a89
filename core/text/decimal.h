#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace nest {

/// `value` · 10^-power as the shortest decimal text that readDecimal turns back into the same double: figures
/// keep their bits through files that count in GB/s or µs.
std::string writeDecimal(double value, int power = 0);
/// The number in `text` · 10^power; the whole text must be one finite number. "nan", "inf" and hexadecimal
/// are refused.
std::optional<double> readDecimal(std::string_view text, int power = 0);
/// A whole number in [least, most], nothing else in the text.
std::optional<long long> readWhole(std::string_view text, long long least, long long most);

}  // namespace nest
