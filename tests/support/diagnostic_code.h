#pragma once

#include <algorithm>
#include <string_view>

#include "diagnostics/diagnostic.h"

namespace nest::test {

/// nullptr: nothing was said with that code.
inline const Diagnostic* findCode(const Diagnostics& all, std::string_view code) {
  const auto it = std::find_if(all.begin(), all.end(), [&](const Diagnostic& d) { return d.code == code; });
  return it == all.end() ? nullptr : &*it;
}

}  // namespace nest::test
