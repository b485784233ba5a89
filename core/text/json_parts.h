#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>

/// Parts of what other programs print as JSON, none of which has to be there.
namespace nest {

/// An empty object where there is none.
inline const nlohmann::json& partOf(const nlohmann::json& object, const char* key) {
  static const nlohmann::json none = nlohmann::json::object();
  const auto v = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && v != object.end() ? *v : none;
}

inline std::string textOf(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}
/// Under the first of the names that has a text; empty: none has.
inline std::string textOf(const nlohmann::json& object, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const nlohmann::json& v = partOf(object, name); v.is_string()) return v.get<std::string>();
  return {};
}

}  // namespace nest
