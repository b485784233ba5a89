#include "units/measure.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <iterator>

#include "units/letters.h"

namespace nest::text {
namespace {

/// "1,024" → 1024; blanks, commas, apostrophes and underscores only group digits.
std::optional<double> plainNumber(std::string_view s) {
  std::string digits;
  for (const char c : s)
    if (c != ' ' && c != ',' && c != '_' && c != '\'') digits += c;
  double v = 0;
  const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), v);
  if (ec != std::errc() || end != digits.data() + digits.size() || !std::isfinite(v)) return std::nullopt;
  return v;
}

/// A number and the word after it.
std::pair<std::string_view, std::string_view> apart(std::string_view s) {
  s = trimmed(s);
  std::size_t i = 0;
  while (i < s.size() &&
         (std::isdigit(static_cast<unsigned char>(s[i])) || std::string_view(".,_ ").find(s[i]) < 4 ||
          ((s[i] == 'e' || s[i] == 'E') && i + 1 < s.size() &&
           (std::isdigit(static_cast<unsigned char>(s[i + 1])) || s[i + 1] == '+' || s[i + 1] == '-')) ||
          ((s[i] == '+' || s[i] == '-') && (i == 0 || s[i - 1] == 'e' || s[i - 1] == 'E'))))
    ++i;
  return {trimmed(s.substr(0, i)), trimmed(s.substr(i))};
}

struct Scale {
  std::string_view name;
  double factor;
};

template <std::size_t N>
std::optional<double> scaled(std::string_view s, const Scale (&scales)[N]) {
  const auto [digits, unit] = apart(s);
  const auto v = plainNumber(digits);
  const std::string name = text::lower(unit);
  for (const Scale& scale : scales)
    if (v && name == scale.name) return *v * scale.factor;
  return std::nullopt;
}

std::optional<double> readShare(std::string_view s) {
  s = trimmed(s);
  const bool percent = s.ends_with('%');
  if (percent) s.remove_suffix(1);
  auto v = plainNumber(trimmed(s));
  if (v && (percent || *v > 1)) *v /= 100;
  return v;
}

std::optional<double> readTokens(std::string_view s) {
  static constexpr Scale kScales[] = {{"", 1},          {"k", 1e3},       {"m", 1e6},
                                      {"b", 1e9},       {"t", 1e12},      {"thousand", 1e3},
                                      {"million", 1e6}, {"billion", 1e9}, {"trillion", 1e12}};
  std::string words = text::lower(trimmed(s));
  for (const std::string_view end : {"tokens", "token"})
    if (words.ends_with(end)) words.resize(words.size() - end.size());
  return scaled(words, kScales);
}

std::optional<double> readRate(std::string_view s) {
  static constexpr Scale kScales[] = {{"", 1e12},        {"mflop/s", 1e6},  {"gflop/s", 1e9},
                                      {"tflop/s", 1e12}, {"pflop/s", 1e15}, {"mflops", 1e6},
                                      {"gflops", 1e9},   {"tflops", 1e12},  {"pflops", 1e15},
                                      {"gf", 1e9},       {"tf", 1e12},      {"pf", 1e15}};
  return scaled(s, kScales);
}

std::string tokens(double v) {
  constexpr std::pair<double, const char*> kUnits[] = {{1e12, " T"}, {1e9, " B"}, {1e6, " M"}};
  for (const auto& [size, name] : kUnits)
    if (v >= size) return number(v / size, 10) + name;
  return number(v, 10);
}

}  // namespace

std::string measured(Measure m, double v, BandwidthUnit unit) {
  switch (m) {
    case Measure::Number:
      return exact(v);
    case Measure::Count:
      return count(std::llround(v));
    case Measure::Share:
      return percent(v);
    case Measure::Tokens:
      return tokens(v);
    case Measure::Time:
      return time(Seconds(v));
    case Measure::Memory:
      return memory(Bytes(v));
    case Measure::Bandwidth:
      return bandwidth(BytesPerSecond(v), unit);
    case Measure::Rate:
      break;
  }
  return flops(FlopsPerSecond(v));
}

std::string limit(Measure m, double v) {
  const auto whole = [](double x) { return x >= 1e4 ? count(std::llround(x)) : number(x, 4); };
  switch (m) {
    case Measure::Number:
      return v == std::floor(v) && std::abs(v) < 1e15 ? count(std::llround(v)) : number(v);
    case Measure::Time:
      return v >= 1 ? whole(v) + " s" : time(Seconds(v));
    case Measure::Tokens:
      return v >= 1e12 ? whole(v / 1e12) + " T" : whole(v);
    case Measure::Share: {
      char percent[64];  // 0.0001, which others write as 1e-04
      const auto end =
          std::to_chars(percent, std::end(percent), std::round(v * 1e8) / 1e6, std::chars_format::fixed);
      return std::string(percent, end.ptr) + " %";
    }
    case Measure::Bandwidth:
      return v < 1e9 ? whole(v) + " B/s" : whole(v / 1e9) + " GB/s";
    case Measure::Rate:
      return v < 1e12 ? whole(v / 1e6) + " MFLOP/s" : whole(v / 1e15) + " PFLOP/s";
    default:
      return measured(m, v);
  }
}

std::optional<double> readMeasured(Measure m, std::string_view s, BandwidthUnit bare) {
  switch (m) {
    case Measure::Number:
      return plainNumber(s);
    case Measure::Count: {
      const auto v = plainNumber(s);
      const bool digits = std::none_of(s.begin(), s.end(), [](unsigned char c) { return std::isalpha(c); });
      return v && digits && *v == std::floor(*v) ? v : std::nullopt;
    }
    case Measure::Share:
      return readShare(s);
    case Measure::Tokens:
      return readTokens(s);
    case Measure::Time: {
      const auto v = readTime(s);
      return v ? std::optional(v->value()) : std::nullopt;
    }
    case Measure::Memory: {
      const auto v = readMemory(s);
      return v ? std::optional(v->value()) : std::nullopt;
    }
    case Measure::Bandwidth: {
      const auto v = readBandwidth(s, bare);
      return v ? std::optional(v->value.value()) : std::nullopt;
    }
    case Measure::Rate:
      break;
  }
  return readRate(s);
}

const char* exampleOf(Measure m) {
  switch (m) {
    case Measure::Number:
      return "2 or 0.5";
    case Measure::Count:
      return "1,024";
    case Measure::Share:
      return "35 % or 0.35";
    case Measure::Tokens:
      return "2 T or 300 B";
    case Measure::Time:
      return "2 µs or 500 ns";
    case Measure::Memory:
      return "80 GiB or 512 MiB";
    case Measure::Bandwidth:
      return "450 GB/s or 400 Gb/s";
    case Measure::Rate:
      break;
  }
  return "989 TFLOP/s";
}

const char* suffixOf(Measure m) {
  switch (m) {
    case Measure::Time:
      return "_s";
    case Measure::Memory:
      return "_bytes";
    case Measure::Bandwidth:
      return "_bytes_per_s";
    case Measure::Rate:
      return "_flops_per_s";
    default:
      return "";
  }
}

}  // namespace nest::text
