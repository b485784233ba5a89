#include "formats/networks/text_lines.h"

#include <algorithm>

namespace nest {

std::vector<TextPart> linesOf(std::string_view text) {
  std::vector<TextPart> out;
  std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    out.push_back({line, at});
    at = end + 1;
  }
  return out;
}

std::vector<TextPart> wordsOf(const TextPart& line, std::string_view comments) {
  constexpr std::string_view kBlanks = " \t";
  std::vector<TextPart> out;
  std::size_t at = 0;
  while ((at = line.text.find_first_not_of(kBlanks, at)) != std::string_view::npos) {
    if (comments.find(line.text[at]) != std::string_view::npos) break;
    const std::size_t end = std::min(line.text.find_first_of(kBlanks, at), line.text.size());
    out.push_back({line.text.substr(at, end - at), line.offset + at});
    at = end;
  }
  return out;
}

}  // namespace nest
