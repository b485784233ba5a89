#include "text/json_layout.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "units/text.h"

namespace nest {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLineWidth = 100;

/// Nearly all texts stand as they are between quotes; a serializer for each would take longer than all else.
bool isPlain(const std::string& s) {
  return std::all_of(s.begin(), s.end(),
                     [](char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; });
}

std::string scalar(const Json& v) {
  if (v.is_string())
    if (const auto& s = v.get_ref<const std::string&>(); isPlain(s)) return '"' + s + '"';
  if (v.is_number_unsigned()) return std::to_string(v.get<unsigned long long>());
  if (v.is_number_integer()) return std::to_string(v.get<long long>());
  if (v.is_number_float()) {
    const double d = v.get<double>();
    if (!std::isfinite(d)) return "null";
    if (d == std::floor(d) && std::abs(d) < 9007199254740992.0)
      return std::to_string(static_cast<long long>(d));
    return text::exact(d);
  }
  return v.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string key(const std::string& k) {
  return (isPlain(k) ? '"' + k + '"' : scalar(Json(k))) + ": ";
}

/// The value on one line, or empty as soon as it is longer than `room`.
std::string onOneLine(const Json& v, std::size_t room) {
  if (!v.is_structured()) {
    std::string s = scalar(v);
    return s.size() <= room ? s : std::string();
  }
  const bool isObject = v.is_object();
  std::string out(1, isObject ? '{' : '[');
  for (const auto& [k, item] : v.items()) {
    if (out.size() > 1) out += ", ";
    if (isObject) out += key(k);
    const std::string inner = onOneLine(item, room > out.size() ? room - out.size() : 0);
    if (inner.empty()) return {};
    out += inner;
  }
  out += isObject ? '}' : ']';
  return out.size() <= room ? out : std::string();
}

void write(const Json& v, std::size_t indent, std::size_t before, bool forceOpen, std::string& out) {
  if (!v.is_structured()) {
    out += scalar(v);
    return;
  }
  const std::size_t used = indent + before;
  if (!forceOpen) {
    const std::string line = onOneLine(v, used < kLineWidth ? kLineWidth - used : 0);
    if (!line.empty()) {
      out += line;
      return;
    }
  }
  const bool isObject = v.is_object();
  out += isObject ? '{' : '[';
  bool first = true;
  for (const auto& [k, item] : v.items()) {
    out += first ? "\n" : ",\n";
    first = false;
    out.append(indent + 2, ' ');
    const std::string name = isObject ? key(k) : std::string();
    out += name;
    write(item, indent + 2, name.size() + 1, false, out);
  }
  if (!first) {
    out += '\n';
    out.append(indent, ' ');
  }
  out += isObject ? '}' : ']';
}

}  // namespace

std::string layOut(const Json& value) {
  std::string out;
  write(value, 0, 0, value.is_structured() && !value.empty(), out);
  return out + '\n';
}

std::string layOutItem(const Json& value, std::size_t indent) {
  std::string out;
  write(value, indent, 0, false, out);
  return out;
}

}  // namespace nest
