#include "units/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "units/letters.h"

namespace nest::text {
namespace {

struct Scale {
  double size;
  const char* unit;
};

constexpr double kExactly = 1e-9;       ///< relative: what sums of rounded parts differ by
constexpr double kLeastPercent = 0.01;  ///< below, a share is only said to be less

/// The largest scale that keeps the rounded figure at one or more.
template <std::size_t N>
std::string scaled(double v, const std::array<Scale, N>& scales, int significant = 3) {
  if (v == 0) return fmt::format("0 {}", scales.back().unit);
  if (!std::isfinite(v)) return number(v);
  for (std::size_t i = 0; i < N; ++i) {
    const double x = std::abs(v) / scales[i].size;
    if (x >= 0.9995 || i + 1 == N)
      return fmt::format("{} {}", number(v / scales[i].size, significant), scales[i].unit);
  }
  return {};
}

constexpr std::array<Scale, 6> kMemory{{{1024.0 * 1024 * 1024 * 1024 * 1024, "PiB"},
                                        {1024.0 * 1024 * 1024 * 1024, "TiB"},
                                        {1024.0 * 1024 * 1024, "GiB"},
                                        {1024.0 * 1024, "MiB"},
                                        {1024, "KiB"},
                                        {1, "B"}}};
constexpr std::array<Scale, 4> kShort{{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}}};

/// A comma with three digits behind it.
bool groups(std::string_view s, std::size_t i) {
  const auto isDigit = [&](std::size_t k) { return k < s.size() && s[k] >= '0' && s[k] <= '9'; };
  return s[i] == ',' && i > 0 && isDigit(i - 1) && isDigit(i + 1) && isDigit(i + 2) && isDigit(i + 3) &&
         !isDigit(i + 4);
}

/// Splits "12.5 GB/s" into a finite non-negative number and its unit; thousands may be set apart: "1,800
/// GB/s".
std::optional<std::pair<double, std::string_view>> split(std::string_view s) {
  s = trimmed(s);
  std::string digits;
  std::size_t i = 0;
  for (; i < s.size() && (std::string_view("0123456789.+-eE").find(s[i]) != s.npos || groups(s, i)); ++i)
    if (s[i] != ',') digits += s[i];
  double v = 0;
  const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), v);
  if (ec != std::errc() || end != digits.data() + digits.size() || !std::isfinite(v) || v < 0)
    return std::nullopt;
  return std::pair{v, trimmed(s.substr(i))};
}

}  // namespace

std::string number(double v, int significant) {
  if (std::isnan(v)) return "–";
  if (std::isinf(v)) return v > 0 ? "∞" : "−∞";
  if (v == 0) return "0";
  const double magnitude = std::floor(std::log10(std::abs(v)));
  const double unit = std::pow(10.0, magnitude - significant + 1);
  double r = std::round(v / unit) * unit;
  const bool isExact = std::abs(v - r) <= kExactly * std::abs(v);
  const auto trim = [isExact](std::string& digits) {
    if (!isExact || digits.find('.') == std::string::npos) return;
    while (digits.back() == '0') digits.pop_back();
    if (digits.back() == '.') digits.pop_back();
  };
  std::string out;
  if (std::abs(r) >= 1e7 || std::abs(r) < 1e-4) {
    out = fmt::format("{:.{}e}", v, significant - 1);
    const auto e = out.find('e');
    auto digits = out.substr(0, e);
    trim(digits);
    out = digits + out.substr(e);
  } else {
    const int decimals =
        std::max(0, significant - 1 - static_cast<int>(std::floor(std::log10(std::abs(r)) + 1e-12)));
    out = fmt::format("{:.{}f}", r, decimals);
    trim(out);
    const std::size_t sign = out.front() == '-', whole = std::min(out.find('.'), out.size());
    for (std::size_t i = whole; i > sign + 3; i -= 3) out.insert(i - 3, ",");
  }
  if (out.front() == '-') out.replace(0, 1, "−");
  return out;
}

std::string count(long long value) {
  std::string digits = std::to_string(value < 0 ? -value : value);
  for (int i = static_cast<int>(digits.size()) - 3; i > 0; i -= 3)
    digits.insert(static_cast<std::size_t>(i), ",");
  return value < 0 ? "−" + digits : digits;
}

std::string rate(double v) {
  if (!(v >= 1000) || v > 1e15) return number(v);
  const double unit = std::pow(10.0, std::floor(std::log10(v)) - 2);
  return count(std::llround(std::round(v / unit) * unit));
}

namespace {
std::string roundedPercent(double fraction) {
  const double v = fraction * 100, size = std::abs(v);
  if (size > 0 && size < kLeastPercent) return fmt::format("< {} %", kLeastPercent);
  return (v < 0 ? "−" : "") + rate(size) + " %";
}
}  // namespace

std::string percent(double fraction) {
  std::string out = roundedPercent(fraction);
  if (fraction < 1 - kExactly && out == roundedPercent(1)) return "> 99.9 %";
  return out;
}

std::string signedPercent(double fraction) {
  return (fraction * 100 >= kLeastPercent ? "+" : "") + roundedPercent(fraction);
}

namespace {
std::string timeIn(Seconds t, int significant) {
  const double s = t.value();
  if (s == 0) return "0 s";
  if (s >= 2 * 86400) return number(s / 86400, significant) + " d";
  if (s >= 2 * 3600) return number(s / 3600, significant) + " h";
  if (s >= 300) return number(s / 60, significant) + " min";
  return scaled(s, kShort, significant);
}
}  // namespace

std::string time(Seconds t) {
  return timeIn(t, 3);
}

std::string precise(Seconds t) {
  return timeIn(t, 5);
}

std::string memory(Bytes b) {
  return scaled(b.value(), kMemory);
}

std::string bandwidth(BytesPerSecond b, BandwidthUnit unit) {
  return unit == BandwidthUnit::GigabitsPerSecond ? number(b.value() * 8 / 1e9) + " Gb/s"
                                                  : number(b.value() / 1e9) + " GB/s";
}

std::string flops(FlopsPerSecond f) {
  return f.value() >= 0.9995e15 ? number(f.value() / 1e15) + " PFLOP/s"
                                : number(f.value() / 1e12) + " TFLOP/s";
}

std::string exact(double value) {
  return fmt::format("{}", value);
}

std::optional<BandwidthText> readBandwidth(std::string_view s, BandwidthUnit bare) {
  const auto parts = split(s);
  if (!parts) return std::nullopt;
  auto [v, unit] = *parts;
  if (unit.empty()) unit = bare == BandwidthUnit::GigabitsPerSecond ? "Gb/s" : "GB/s";
  using enum BandwidthUnit;
  struct Known {
    std::string_view name;
    double scale;
    BandwidthUnit shown;
  };
  static constexpr Known known[] = {
      {"GB/s", 1e9, GigabytesPerSecond},      {"GBps", 1e9, GigabytesPerSecond},
      {"MB/s", 1e6, GigabytesPerSecond},      {"MBps", 1e6, GigabytesPerSecond},
      {"TB/s", 1e12, GigabytesPerSecond},     {"B/s", 1, GigabytesPerSecond},
      {"Gb/s", 1e9 / 8, GigabitsPerSecond},   {"Gbps", 1e9 / 8, GigabitsPerSecond},
      {"Gbit/s", 1e9 / 8, GigabitsPerSecond}, {"Mb/s", 1e6 / 8, GigabitsPerSecond},
      {"Mbps", 1e6 / 8, GigabitsPerSecond},   {"Tb/s", 1e12 / 8, GigabitsPerSecond},
      {"Tbps", 1e12 / 8, GigabitsPerSecond}};
  for (const Known& k : known)
    if (unit == k.name) return BandwidthText{BytesPerSecond(v * k.scale), k.shown};
  return std::nullopt;
}

namespace {
struct Unit {
  std::string_view name;
  double scale;
};
/// 5 us is 5e-06, which 5 × 1e-6 is not: in units below 1, powers of ten, the digits count with another
/// exponent.
double inUnits(double v, double unit) {
  if (unit >= 1) return v * unit;
  const std::string digits = fmt::format("{}", v);
  const std::size_t e = digits.find('e');
  const int own = e == std::string::npos ? 0 : std::stoi(digits.substr(e + 1));
  const std::string text = digits.substr(0, e) + 'e' + std::to_string(own + std::lround(std::log10(unit)));
  double out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

template <std::size_t N>
std::optional<double> read(std::string_view s, double bare, const Unit (&units)[N]) {
  const auto parts = split(s);
  if (!parts) return std::nullopt;
  if (parts->second.empty()) return inUnits(parts->first, bare);
  for (const Unit& u : units)
    if (parts->second == u.name) return inUnits(parts->first, u.scale);
  return std::nullopt;
}
}  // namespace

std::optional<Seconds> readTime(std::string_view s, Seconds bareUnit) {
  static constexpr Unit units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"µs", 1e-6}, {"μs", 1e-6}, {"ms", 1e-3},
                                   {"s", 1},     {"min", 60},  {"h", 3600},  {"d", 86400}};
  const auto v = read(s, bareUnit.value(), units);
  return v ? std::optional(Seconds(*v)) : std::nullopt;
}

std::optional<Bytes> readMemory(std::string_view s, Bytes bareUnit) {
  static constexpr Unit units[] = {
      {"B", 1},    {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}, {"TiB", 1099511627776.0},
      {"kB", 1e3}, {"KB", 1e3},     {"MB", 1e6},        {"GB", 1e9},           {"TB", 1e12}};
  const auto v = read(s, bareUnit.value(), units);
  return v ? std::optional(Bytes(*v)) : std::nullopt;
}

}  // namespace nest::text
