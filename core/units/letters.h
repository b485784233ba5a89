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

/// Without the blanks and line ends around it.
inline std::string_view trimmed(std::string_view s) {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  const auto begin = s.find_first_not_of(kBlanks);
  return begin == s.npos ? std::string_view() : s.substr(begin, s.find_last_not_of(kBlanks) - begin + 1);
}

}  // namespace nest::text
