#include "text/counted_names.h"

#include <algorithm>
#include <iterator>

#include "text/source_text.h"
#include "units/text.h"

namespace nest {

std::string firstOf(const std::vector<std::string>& names, std::size_t most) {
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) out += (i > 0 ? ", " : "") + names[i];
  if (names.size() > most)
    out += " and " + text::count(std::ssize(names) - static_cast<long long>(most)) + " more";
  return out;
}

std::string countedNames(const std::map<std::string, int>& counts, const char* unit) {
  std::vector<std::string> names;
  for (const auto& [name, count] : counts)
    names.push_back(quoted(name) + " (" + text::count(count) + unit + ')');
  return firstOf(names, 8);
}

}  // namespace nest
