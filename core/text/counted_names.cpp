#include "text/counted_names.h"

#include "text/source_text.h"
#include "units/text.h"

namespace nest {

std::string countedNames(const std::map<std::string, int>& counts, const char* unit) {
  constexpr std::size_t kMost = 8;
  std::string out;
  std::size_t shown = 0;
  for (const auto& [name, count] : counts) {
    if (shown == kMost) break;
    out += (shown++ > 0 ? ", " : "") + quoted(name) + " (" + text::count(count) + unit + ')';
  }
  if (counts.size() > shown)
    out += " and " + text::count(static_cast<long long>(counts.size() - shown)) + " more";
  return out;
}

}  // namespace nest
