#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "study/sweep.h"
#include "units/letters.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr std::size_t kMostValues = 100000;

/// Parts between commas that stand in no bracket and no quotes.
std::vector<std::string_view> parts(std::string_view s) {
  std::vector<std::string_view> out;
  int depth = 0;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= s.size(); ++i) {
    const char c = i < s.size() ? s[i] : ',';
    if (i < s.size() && c == '"' && (i == 0 || s[i - 1] != '\\')) quoted = !quoted;
    if (!quoted && (c == '[' || c == '{')) ++depth;
    if (!quoted && (c == ']' || c == '}')) --depth;
    if (i == s.size() || (c == ',' && depth == 0 && !quoted)) {
      out.push_back(text::trimmed(s.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  return out;
}

std::optional<double> number(std::string_view s) {
  double v = 0;
  const auto [end, ec] = std::from_chars(s.data(), s.data() + s.size(), v);
  if (ec != std::errc() || end != s.data() + s.size() || !std::isfinite(v)) return std::nullopt;
  return v;
}

/// The number that a text begins with, and its unit, which may be none.
std::pair<std::optional<double>, std::string_view> withUnit(std::string_view s) {
  s = text::trimmed(s);
  double v = 0;
  const auto [end, ec] = std::from_chars(s.data(), s.data() + s.size(), v);
  if (ec != std::errc() || !std::isfinite(v)) return {};
  return {v, text::trimmed(s.substr(static_cast<std::size_t>(end - s.data())))};
}

/// "10..40/4" and "1..1000/4log": so many values at even steps or factors, both ends among them. nullopt: not
/// of that form.
std::optional<std::vector<std::string>> countedRange(std::string_view s, std::string& wrong) {
  const auto dots = s.find("..");
  const auto slash = s.find_last_of('/');
  if (dots == std::string_view::npos || slash == std::string_view::npos || slash < dots + 2)
    return std::nullopt;
  std::string_view count = text::trimmed(s.substr(slash + 1));
  const bool isLog = count.ends_with("log");
  if (isLog) count = text::trimmed(count.substr(0, count.size() - 3));
  const auto n = number(count);
  if (!n || *n != std::floor(*n)) return std::nullopt;  // a unit such as GB/s
  const auto [from, unit] = withUnit(s.substr(0, dots));
  const auto [to, unitOfEnd] = withUnit(s.substr(dots + 2, slash - dots - 2));
  if (!from || !to) return std::nullopt;
  std::vector<std::string> out;
  if (unit != unitOfEnd && !unit.empty())
    wrong = "has ends in different units";
  else if (*n < 2 || *n > static_cast<double>(kMostValues))
    wrong = "needs from 2 to 100,000 values";
  else if (*to < *from)
    wrong = "runs backwards";
  else if (isLog && *from <= 0)
    wrong = "multiplies from a number that is not above 0";
  if (!wrong.empty()) return out;
  for (int k = 0; k < static_cast<int>(*n); ++k) {
    const double share = k / (*n - 1);
    double v = isLog ? *from * std::pow(*to / *from, share) : *from + (*to - *from) * share;
    if (k + 1 == static_cast<int>(*n)) v = *to;
    // Six digits are more than any field needs, and 9.999999999 is 10.
    const double scale = std::pow(10, 5 - std::floor(std::log10(std::max(std::abs(v), 1e-300))));
    const double rounded = std::abs(v) > 0 ? std::round(v * scale) / scale : 0;
    const std::string value = text::exact(k == 0 || k + 1 == static_cast<int>(*n) ? v : rounded);
    out.push_back(unitOfEnd.empty() ? value : nlohmann::json(value + ' ' + std::string(unitOfEnd)).dump());
  }
  return out;
}

/// "8..64x2", "1..4+1" and "25 GB/s..100 GB/sx2"; nullopt: not of that form. `wrong`: why it has no values.
std::optional<std::vector<std::string>> range(std::string_view s, std::string& wrong) {
  const auto dots = s.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  // The last x or + that a number follows: units and exponents may have one, too.
  auto step = s.find_last_of("x+");
  while (step != std::string_view::npos && step > dots && !number(text::trimmed(s.substr(step + 1))) &&
         step + 1 < s.size())
    step = s.find_last_of("x+", step - 1);
  if (step == std::string_view::npos || step < dots + 2) step = s.size();
  const auto [from, unit] = withUnit(s.substr(0, dots));
  const auto [to, unitOfEnd] = withUnit(s.substr(dots + 2, step - dots - 2));
  if (!from || !to) return std::nullopt;
  if (unit != unitOfEnd && !unit.empty()) {
    wrong = "has ends in different units";
    return std::vector<std::string>();
  }
  const auto by = step < s.size() ? number(text::trimmed(s.substr(step + 1))) : std::nullopt;
  const double stride = by.value_or(0);
  const bool geometric = step < s.size() && s[step] == 'x';
  std::vector<std::string> out;
  if (!by)
    wrong = "has no step";
  else if (*to < *from)
    wrong = "runs backwards";
  else if (geometric && *from <= 0)
    wrong = "multiplies from a number that is not above 0";
  else if (geometric ? stride <= 1 : stride <= 0)
    wrong = geometric ? "multiplies by no more than 1" : "adds no more than 0";
  if (!wrong.empty()) return out;
  for (std::size_t k = 0; out.size() <= kMostValues; ++k) {
    const double v = geometric ? *from * std::pow(stride, double(k)) : *from + stride * double(k);
    if (v > *to + std::abs(*to) * 1e-12) break;
    const std::string value =
        text::exact(std::abs(v - std::round(v)) < 1e-9 * std::abs(v) ? std::round(v) : v);
    out.push_back(unitOfEnd.empty() ? value : nlohmann::json(value + ' ' + std::string(unitOfEnd)).dump());
  }
  return out;
}

/// A value as a JSON text: JSON as it is, anything else as a string.
std::string asJson(std::string_view s) {
  if (nlohmann::json::accept(s.begin(), s.end())) return nlohmann::json::parse(s.begin(), s.end()).dump();
  return nlohmann::json(std::string(s)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

Reading<SweepField> readSweepField(std::string_view text) {
  Reading<SweepField> result;
  const auto fail = [&](std::string message, std::string remedy) {
    result.diagnostics.push_back(error("sweep-field", {}, std::move(message), std::move(remedy)));
    return result;
  };
  const auto equals = text.find('=');
  const std::string_view name = text::trimmed(text.substr(0, equals));
  if (equals == std::string_view::npos || name.empty())
    return fail('"' + std::string(text) + "\" is not FIELD=VALUES",
                "write for example job.global_batch=512,1024");
  SweepField field;
  field.pointer = name.front() == '/' ? std::string(name) : '/' + std::string(name);
  if (name.front() != '/')
    for (char& c : field.pointer)
      if (c == '.') c = '/';
  for (const std::string_view part : parts(text.substr(equals + 1))) {
    if (part.empty())
      return fail('"' + std::string(name) + "\" has an empty value", "separate values by single commas");
    std::string wrong;
    auto values = countedRange(part, wrong);
    if (!values) values = range(part, wrong);
    if (!wrong.empty())
      return fail("the range " + std::string(part) + ' ' + wrong,
                  "write for example 8..64x2, 1..10+3 or 10..40/4");
    if (values)
      field.values.insert(field.values.end(), values->begin(), values->end());
    else
      field.values.push_back(asJson(part));
    if (field.values.size() > kMostValues)
      return fail('"' + std::string(name) + "\" takes more than 100,000 values", "sweep fewer");
  }
  result.value = std::move(field);
  return result;
}

}  // namespace nest
