#include "text/text_encoding.h"

#include <cstdint>

namespace nest {
namespace {

void append(std::string& out, std::uint32_t c) {
  const auto byte = [&](std::uint32_t v) { out += static_cast<char>(v); };
  if (c < 0x80) return byte(c);
  if (c < 0x800) return byte(0xC0 | c >> 6), byte(0x80 | (c & 0x3F));
  if (c < 0x10000) return byte(0xE0 | c >> 12), byte(0x80 | (c >> 6 & 0x3F)), byte(0x80 | (c & 0x3F));
  byte(0xF0 | c >> 18), byte(0x80 | (c >> 12 & 0x3F)), byte(0x80 | (c >> 6 & 0x3F)), byte(0x80 | (c & 0x3F));
}

constexpr std::uint32_t kReplacement = 0xFFFD;

std::string fromUtf16(const std::string& text, bool bigEndian) {
  const auto unit = [&](std::size_t i) -> std::uint32_t {
    const auto a = static_cast<unsigned char>(text[i]), b = static_cast<unsigned char>(text[i + 1]);
    return bigEndian ? static_cast<std::uint32_t>(a << 8 | b) : static_cast<std::uint32_t>(b << 8 | a);
  };
  std::string out;
  out.reserve(text.size() / 2);
  for (std::size_t i = 2; i + 1 < text.size(); i += 2) {
    const std::uint32_t c = unit(i);
    const bool high = c >= 0xD800 && c < 0xDC00;
    const std::uint32_t next = high && i + 3 < text.size() ? unit(i + 2) : 0;
    if (high && next >= 0xDC00 && next < 0xE000) {
      append(out, 0x10000 + ((c - 0xD800) << 10) + (next - 0xDC00));
      i += 2;
    } else {
      append(out, c >= 0xD800 && c < 0xE000 ? kReplacement : c);
    }
  }
  return out;
}

}  // namespace

std::string asUtf8(std::string text) {
  if (text.starts_with("\xEF\xBB\xBF")) return text.substr(3);
  if (text.starts_with("\xFF\xFE")) return fromUtf16(text, false);
  if (text.starts_with("\xFE\xFF")) return fromUtf16(text, true);
  return text;
}

}  // namespace nest
