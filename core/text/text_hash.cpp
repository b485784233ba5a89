#include "text/text_hash.h"

namespace nest {

std::string hashOf(std::string_view s) {
  const std::uint64_t h = fnv1a(s);
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (int i = 60; i >= 0; i -= 4) out += digits[(h >> i) & 15];
  return out;
}

}  // namespace nest
