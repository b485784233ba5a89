#include "text/text_hash.h"

#include <cstdint>

namespace nest {

std::string hashOf(std::string_view s) {
  std::uint64_t h = 1469598103934665603ull;
  for (const char c : s) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (int i = 60; i >= 0; i -= 4) out += digits[(h >> i) & 15];
  return out;
}

}  // namespace nest
