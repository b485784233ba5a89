#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace nest::text {

/// ASCII letters in lower case, all else as it is.
inline std::string lower(std::string_view s) {
  std::string out(s);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

}  // namespace nest::text
