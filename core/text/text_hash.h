#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nest {

inline constexpr std::uint64_t kHashOfNothing = 1469598103934665603ull;  ///< stays: journals contain it
/// FNV-1a, 64 bits: a fingerprint, not for security. `before`: the hash of what stands before the text.
constexpr std::uint64_t fnv1a(std::string_view text, std::uint64_t before = kHashOfNothing) {
  for (const char c : text) before = (before ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return before;
}

/// As 16 hexadecimal digits.
std::string hashOf(std::string_view);

}  // namespace nest
