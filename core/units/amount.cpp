#include "units/amount.h"

#include <array>
#include <cmath>
#include <utility>

#include "units/text.h"

namespace nest::text {

std::string amount(double value) {
  constexpr std::array<std::pair<double, const char*>, 4> kScales{
      {{1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}}};
  if (std::abs(value) >= 1e4 && std::isfinite(value))
    for (const auto& [size, suffix] : kScales)
      if (std::abs(value) / size >= 0.9995) return number(value / size) + suffix;
  return rate(value);
}

std::string amountInWords(double value, int digits) {
  return value < 1e9 ? number(value / 1e6) + " million" : number(value / 1e9, digits) + " billion";
}

}  // namespace nest::text
