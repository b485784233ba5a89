#include "formats/unused_parts.h"

#include <algorithm>

#include "text/source_text.h"
#include "units/text.h"

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
  std::string list;
  std::size_t shown = 0;
  for (const std::string& name : m_names) {
    if (shown == kMostShown) break;
    list += (shown++ ? ", " : "") + name;
  }
  if (m_names.size() > shown)
    list += (m_names.size() == kMostNames ? " and more than " : " and ") +
            text::count(static_cast<long long>(m_names.size() - shown)) +
            (m_names.size() == kMostNames ? " others" : " more");
  return "not used from this file: " + list;
}

void UnusedParts::report(Diagnostics& out, Place where) const {
  if (!m_names.empty()) out.push_back(note(kCode, std::move(where), sentence()));
}

void UnusedParts::report(SourceText& source) const {
  if (!m_names.empty()) source.note(source.whole(), kCode, sentence());
}

}  // namespace nest
