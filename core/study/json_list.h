#pragma once

#include <nlohmann/json.hpp>
#include <vector>

namespace nest::report {

/// A JSON array of what `make` makes of each.
template <class T, class Make>
nlohmann::ordered_json listOf(const std::vector<T>& all, const Make& make) {
  auto j = nlohmann::ordered_json::array();
  for (const T& one : all) j.push_back(make(one));
  return j;
}

}  // namespace nest::report
