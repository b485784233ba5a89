#include "text/printable.h"

#include <algorithm>

namespace nest {
namespace {

constexpr char kDigits[] = "0123456789abcdef";

/// Bytes of the well-formed UTF-8 character at the begin of `s` and its code point; 0 bytes: there is none.
struct Character {
  std::size_t bytes = 0;
  unsigned long code = 0;
};

Character firstOf(std::string_view s) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  if (byte(0) < 0x80) return {1, byte(0)};
  const std::size_t length = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || s.size() < length) return {};
  unsigned long code = byte(0) & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3F);
  }
  return {length, code};
}

bool isControl(unsigned long c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x061C || c == 0x200E || c == 0x200F || c == 0x2028 ||
         c == 0x2029 || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

}  // namespace

std::string printable(std::string_view s, bool keepsLines) {
  std::string out;
  out.reserve(s.size());
  while (!s.empty()) {
    const auto plain = std::find_if(s.begin(), s.end(), [](char c) { return c < ' ' || c >= 0x7f; });
    out.append(s.begin(), plain);
    s.remove_prefix(static_cast<std::size_t>(plain - s.begin()));
    if (s.empty()) break;
    const Character c = firstOf(s);
    if (c.bytes == 0) {
      const auto byte = static_cast<unsigned char>(s.front());
      out += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    } else if (!isControl(c.code) || (keepsLines && (c.code == '\n' || c.code == '\t'))) {
      out += s.substr(0, c.bytes);
    } else {
      out += "\\u";
      for (int shift = 12; shift >= 0; shift -= 4) out += kDigits[c.code >> shift & 15];
    }
    s.remove_prefix(std::max<std::size_t>(1, c.bytes));
  }
  return out;
}

}  // namespace nest
