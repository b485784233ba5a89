#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace nest {

/// What a value of a lesson measures, in SI units: seconds, bytes, a share of 1, or a plain number.
enum class ValueKind { Number, Time, Memory, Share };

struct LessonValue {
  double value = 0;
  ValueKind kind = ValueKind::Number;
};

/// A unit in which a value is asked for and typed: "ms", "GiB", "%", "x". A plain number may have any word as
/// its unit ("stages"), which scales nothing.
struct LessonUnit {
  std::string name;
  ValueKind kind = ValueKind::Number;
  double scale = 1;  ///< SI per unit

  bool measures(ValueKind k) const;  ///< shares are also numbers
};
LessonUnit lessonUnit(std::string_view name);
/// "412 ms", "3.3 ×", "12 stages"; `value` is in the unit.
std::string inUnit(double value, const LessonUnit&);
/// What a person types in that unit: "412", "412 ms", "0.412 s", "1,024". nullopt: not a number of that kind.
std::optional<double> readInUnit(std::string_view typed, const LessonUnit&);

/// As every view shows it: "412 ms", "3.03 GiB", "20.6 %", "1,024".
std::string valueText(const LessonValue&);
/// How a text may ask for it instead: "percent", "change", "times", "number". nullopt: there is no such form.
std::optional<std::string> valueText(const LessonValue&, std::string_view form);

}  // namespace nest
