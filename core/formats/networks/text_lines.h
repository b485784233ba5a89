#pragma once

#include <string_view>
#include <vector>

namespace nest {

/// A line, or a word of one, with its offset in the whole text.
struct TextPart {
  std::string_view text;
  std::size_t offset = 0;
};

/// Lines without their ends; a byte order mark is left out.
std::vector<TextPart> linesOf(std::string_view text);
/// What blanks set apart, up to a word that begins with one of `comments`.
std::vector<TextPart> wordsOf(const TextPart& line, std::string_view comments = {});

}  // namespace nest
