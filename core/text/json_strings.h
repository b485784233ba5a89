#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "text/json_fields.h"

namespace nest {

/// A list of texts; an error where it holds anything else. Empty: there is none.
inline std::vector<std::string> readStrings(JsonFields& fields, std::string_view key) {
  std::vector<std::string> out;
  const nlohmann::json* list = fields.array(key);
  if (!list) return out;
  for (const nlohmann::json& one : *list) {
    if (one.is_string()) {
      out.push_back(one.get<std::string>());
      continue;
    }
    fields.report(Severity::Error, "json-type", key,
                  '"' + std::string(key) + "\" is a list of texts, and holds " + std::string(kindOf(one)));
    break;
  }
  return out;
}

}  // namespace nest
