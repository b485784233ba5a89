#include "text/json_fields.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "text/nearest_name.h"
#include "units/text.h"

namespace nest {
namespace {

using nlohmann::json;

std::string inQuotes(std::string_view key) {
  return '"' + std::string(key) + '"';
}
/// Empty where every number is allowed, or another check knows the range.
std::string range(double least, double most) {
  return least <= -1e15 && most >= 1e15 ? std::string()
                                        : "from " + text::exact(least) + " to " + text::exact(most);
}

}  // namespace

std::string_view kindOf(const json& value) {
  switch (value.type()) {
    case json::value_t::null:
      return "null";
    case json::value_t::object:
      return "an object";
    case json::value_t::array:
      return "an array";
    case json::value_t::string:
      return "a string";
    case json::value_t::boolean:
      return "true or false";
    default:
      return "a number";
  }
}

JsonFields::JsonFields(const JsonText& text, const json& object, std::string pointer, Diagnostics& out)
    : m_text(&text), m_object(&object), m_pointer(std::move(pointer)), m_out(&out) {}

const json* JsonFields::find(std::string_view key) {
  m_asked.emplace(key);
  const auto it = m_object->find(key);
  return it == m_object->end() || it->is_null() ? nullptr : &*it;
}

void JsonFields::report(Severity severity, std::string code, std::string_view key, std::string message,
                        std::string remedy) {
  m_out->push_back({severity, std::move(code), placeOf(key), std::move(message), std::move(remedy)});
}

void JsonFields::wrongType(std::string_view key, const json& value, std::string_view wanted) {
  report(Severity::Error, "json-type", key,
         inQuotes(key) + " must be " + std::string(wanted) + ", not " + std::string(kindOf(value)));
}

bool JsonFields::has(std::string_view key) {
  return find(key) != nullptr;
}

std::optional<double> JsonFields::number(std::string_view key, double least, double most) {
  const json* v = find(key);
  if (!v) return std::nullopt;
  if (!v->is_number()) {
    const std::string limits = range(least, most);
    wrongType(key, *v, "a number" + (limits.empty() ? limits : ' ' + limits));
    return std::nullopt;
  }
  const double d = v->get<double>();
  if (d >= least && d <= most) return d;
  const std::string limits = range(least, most);
  report(Severity::Error, "json-range", key,
         inQuotes(key) + " is " + text::exact(d) +
             "; expected: " + (limits.empty() ? "a number nearer to 0" : limits));
  return std::nullopt;
}

std::optional<long long> JsonFields::integer(std::string_view key, long long least, long long most) {
  const json* v = find(key);
  if (!v) return std::nullopt;
  const auto allowed = [&] {
    const std::string limits = range(double(least), double(most));
    return "a whole number" + (limits.empty() ? limits : ' ' + limits);
  };
  if (!v->is_number()) {
    wrongType(key, *v, allowed());
    return std::nullopt;
  }
  const double d = v->get<double>();
  if (d == std::floor(d) && d >= double(least) && d <= double(most)) return static_cast<long long>(d);
  report(Severity::Error, "json-range", key,
         inQuotes(key) + " is " + text::exact(d) + "; expected: " + allowed());
  return std::nullopt;
}

std::optional<bool> JsonFields::boolean(std::string_view key) {
  const json* v = find(key);
  if (!v) return std::nullopt;
  if (v->is_boolean()) return v->get<bool>();
  wrongType(key, *v, "true or false");
  return std::nullopt;
}

std::optional<std::string> JsonFields::string(std::string_view key) {
  const json* v = find(key);
  if (!v) return std::nullopt;
  if (v->is_string()) return v->get<std::string>();
  wrongType(key, *v, "a string");
  return std::nullopt;
}

std::optional<std::string> JsonFields::oneOf(std::string_view key,
                                             std::span<const std::string_view> allowed) {
  auto s = string(key);
  if (!s || std::find(allowed.begin(), allowed.end(), *s) != allowed.end()) return s;
  std::string list;
  for (const auto a : allowed) list += (list.empty() ? "" : ", ") + std::string(a);
  report(Severity::Error, "json-choice", key, inQuotes(*s) + " is not known here; expected one of: " + list);
  return std::nullopt;
}

const json* JsonFields::any(std::string_view key) {
  return find(key);
}

const json* JsonFields::object(std::string_view key) {
  const json* v = find(key);
  if (!v || v->is_object()) return v;
  wrongType(key, *v, "an object");
  return nullptr;
}

const json* JsonFields::array(std::string_view key) {
  const json* v = find(key);
  if (!v || v->is_array()) return v;
  wrongType(key, *v, "an array");
  return nullptr;
}

void JsonFields::objects(std::string_view key, std::size_t most, Severity unknown,
                         const std::function<void(JsonFields&, std::size_t)>& read) {
  const json* list = array(key);
  if (!list) return;
  if (list->size() > most)
    return report(Severity::Error, "json-size", key,
                  inQuotes(key) + " has more than " + text::count(static_cast<long long>(most)) + " entries");
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string pointer = jsonPointer(pointerTo(key), i);
    const json& entry = (*list)[i];
    if (!entry.is_object()) {
      m_out->push_back(error("json-type", m_text->placeOf(pointer),
                             "this must be an object, not " + std::string(kindOf(entry))));
      continue;
    }
    JsonFields inner(*m_text, entry, pointer, *m_out);
    read(inner, i);
    inner.reportUnknown(unknown);
  }
}

void JsonFields::requireKey(std::string_view key, std::string_view what) {
  if (!has(key))
    report(Severity::Error, "json-missing", key, inQuotes(key) + " is missing", "give " + std::string(what));
}

void JsonFields::reportUnknown(Severity severity) {
  for (const auto& [key, value] : m_object->items()) {
    if (m_asked.contains(key)) continue;
    NearestName nearest(key);
    for (const auto& known : m_asked) nearest.offer(known);
    report(severity, "json-unknown-key", key, inQuotes(key) + " is not known here",
           nearest.name().empty() ? "" : "did you mean " + inQuotes(nearest.name()) + "?");
  }
}

}  // namespace nest
