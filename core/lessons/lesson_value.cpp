#include "lessons/lesson_value.h"

#include <array>
#include <charconv>
#include <cmath>

#include "units/letters.h"
#include "units/quantity.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr double kKibibyte = 1024;

struct KnownUnit {
  std::string_view name;
  ValueKind kind;
  double scale;
};
constexpr std::array kLessonUnits{
    KnownUnit{"us", ValueKind::Time, 1e-6},
    KnownUnit{"µs", ValueKind::Time, 1e-6},
    KnownUnit{"ms", ValueKind::Time, 1e-3},
    KnownUnit{"s", ValueKind::Time, 1},
    KnownUnit{"min", ValueKind::Time, 60},
    KnownUnit{"h", ValueKind::Time, 3600},
    KnownUnit{"MiB", ValueKind::Memory, kKibibyte* kKibibyte},
    KnownUnit{"GiB", ValueKind::Memory, kKibibyte* kKibibyte* kKibibyte},
    KnownUnit{"TiB", ValueKind::Memory, kKibibyte* kKibibyte* kKibibyte* kKibibyte},
    KnownUnit{"%", ValueKind::Share, 0.01},
    KnownUnit{"x", ValueKind::Number, 1},
    KnownUnit{"×", ValueKind::Number, 1}};

std::string plainNumber(double v) {
  if (std::abs(v) < 1e15 && v == std::round(v)) {
    const std::string digits = text::count(static_cast<long long>(std::abs(v)));
    return v < 0 ? "−" + digits : digits;
  }
  return text::number(v);
}

}  // namespace

bool LessonUnit::measures(ValueKind k) const {
  const auto plain = [](ValueKind of) { return of == ValueKind::Number || of == ValueKind::Share; };
  return k == kind || (plain(k) && plain(kind));
}

LessonUnit lessonUnit(std::string_view name) {
  for (const KnownUnit& u : kLessonUnits)
    if (u.name == name) return {std::string(name == "x" ? "×" : name == "us" ? "µs" : name), u.kind, u.scale};
  return {std::string(name), ValueKind::Number, 1};
}

std::string inUnit(double value, const LessonUnit& unit) {
  return plainNumber(value) + (unit.name.empty() ? "" : " " + unit.name);
}

std::optional<double> readInUnit(std::string_view typed, const LessonUnit& unit) {
  typed = text::trimmed(typed);
  std::string digits;
  std::size_t i = 0;
  if (typed.starts_with("−")) digits += '-', i = std::string_view("−").size();
  for (; i < typed.size() && std::string_view("0123456789.+-eE,").find(typed[i]) != std::string_view::npos;
       ++i)
    if (typed[i] != ',') digits += typed[i];
  double v = 0;
  const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), v);
  if (ec != std::errc() || end != digits.data() + digits.size() || !std::isfinite(v)) return std::nullopt;
  const std::string_view rest = text::trimmed(typed.substr(i));
  if (rest.empty() || rest == unit.name) return v;
  const LessonUnit other = lessonUnit(rest);
  for (const KnownUnit& u : kLessonUnits)
    if (u.name == rest && other.kind == unit.kind) return v * other.scale / unit.scale;
  // Every other unit that fields of a scenario take: "7e9 B", "250 us".
  const std::string amount = digits + ' ' + std::string(rest);
  if (unit.kind == ValueKind::Memory)
    if (const auto bytes = text::readMemory(amount)) return bytes->value() / unit.scale;
  if (unit.kind == ValueKind::Time)
    if (const auto time = text::readTime(amount)) return time->value() / unit.scale;
  return std::nullopt;
}

std::string valueText(const LessonValue& v) {
  switch (v.kind) {
    case ValueKind::Time:
      return text::time(Seconds(v.value));
    case ValueKind::Memory:
      return text::memory(Bytes(v.value));
    case ValueKind::Share:
      return text::percent(v.value);
    case ValueKind::Number:
      break;
  }
  return plainNumber(v.value);
}

std::optional<std::string> valueText(const LessonValue& v, std::string_view form) {
  if (form == "percent") return text::percent(v.value);
  if (form == "change") return text::signedPercent(v.value);
  if (form == "times") return text::number(v.value) + " ×";
  if (form == "number") return plainNumber(v.value);
  return std::nullopt;
}

}  // namespace nest
