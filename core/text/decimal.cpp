#include "text/decimal.h"

#include <charconv>
#include <cmath>

namespace nest {

std::string writeDecimal(double value, int power) {
  if (value == 0) return "0";
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
  std::string_view s(buffer, static_cast<std::size_t>(end - buffer));
  const auto e = s.find('e');
  if (e == std::string_view::npos) return std::string(s);  // not finite
  int exponent = 0;
  const std::size_t digitsOfExponent = e + 1 + (s[e + 1] == '+');
  std::from_chars(s.data() + digitsOfExponent, s.data() + s.size(), exponent);
  exponent -= power;
  std::string sign, digits;
  for (char c : s.substr(0, e)) {
    if (c == '-')
      sign = "-";
    else if (c != '.')
      digits += c;
  }
  const int n = static_cast<int>(digits.size());
  if (exponent < -6 || exponent > 15)
    return sign + digits.substr(0, 1) + (n > 1 ? "." + digits.substr(1) : "") + 'e' +
           std::to_string(exponent);
  if (exponent < 0) return sign + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  if (exponent + 1 >= n) return sign + digits + std::string(static_cast<std::size_t>(exponent + 1 - n), '0');
  return sign + digits.substr(0, static_cast<std::size_t>(exponent) + 1) + '.' +
         digits.substr(static_cast<std::size_t>(exponent) + 1);
}

std::optional<double> readDecimal(std::string_view text, int power) {
  if (text.size() > 400) return std::nullopt;
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  if (text.empty() || text.find_first_not_of("0123456789.eE+-") != std::string_view::npos)
    return std::nullopt;
  double v = 0;
  const auto plain = std::from_chars(text.data(), text.data() + text.size(), v);
  if (plain.ptr != text.data() + text.size()) return std::nullopt;
  int exponent = 0;
  std::string_view mantissa = text;
  if (const auto e = text.find_first_of("eE"); e != std::string_view::npos) {
    mantissa = text.substr(0, e);
    const std::size_t from = e + 1 + (e + 1 < text.size() && text[e + 1] == '+');
    if (std::from_chars(text.data() + from, text.data() + text.size(), exponent).ec != std::errc())
      return std::nullopt;
    if (std::abs(exponent) > 100000) return std::nullopt;
  }
  const std::string shifted = std::string(mantissa) + 'e' + std::to_string(exponent + power);
  const auto r = std::from_chars(shifted.data(), shifted.data() + shifted.size(), v);
  if (r.ec != std::errc() || r.ptr != shifted.data() + shifted.size() || !std::isfinite(v))
    return std::nullopt;
  return v;
}

std::optional<long long> readWhole(std::string_view text, long long least, long long most) {
  long long v = 0;
  const auto r = std::from_chars(text.data(), text.data() + text.size(), v);
  if (text.empty() || r.ec != std::errc() || r.ptr != text.data() + text.size() || v < least || v > most)
    return std::nullopt;
  return v;
}

}  // namespace nest
