#include "formats/unused_parts.h"

#include <algorithm>

#include "text/counted_names.h"
#include "text/source_text.h"

namespace nest {
namespace {

constexpr const char* kCode = "not-used";
constexpr std::size_t kMostNames = 10'000, kMostShown = 12, kLongestName = 60;

}  // namespace

void UnusedParts::add(std::string_view name) {
  std::size_t end = std::min(name.size(), kLongestName);
  while (end > 0 && end < name.size() && (name[end] & 0xC0) == 0x80) --end;  // no half of a character
  if (m_names.size() < kMostNames) m_names.emplace(name.substr(0, end));
}

std::string UnusedParts::sentence() const {
  const std::string others = m_names.size() == kMostNames ? " or further parts" : "";
  return "not used from this file: " + firstOf({m_names.begin(), m_names.end()}, kMostShown) + others;
}

void UnusedParts::report(Diagnostics& out, Place where) const {
  if (!m_names.empty()) out.push_back(note(kCode, std::move(where), sentence()));
}

void UnusedParts::report(SourceText& source) const {
  if (!m_names.empty()) source.note(source.whole(), kCode, sentence());
}

}  // namespace nest
