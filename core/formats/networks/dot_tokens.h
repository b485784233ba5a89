#pragma once

#include <string>
#include <string_view>

#include "text/source_text.h"

namespace nest {

struct DotToken {
  enum class Kind { End, Id, Symbol, Arrow, Line };
  Kind kind = Kind::End;
  std::string text;
  bool isQuoted = false;
  std::size_t offset = 0;

  bool is(char c) const { return kind == Kind::Symbol && text[0] == c; }
};

/// Words of the DOT language: identifiers (plain, numeral, quoted, HTML), edge operators and single symbols.
/// Comments are skipped, also `#` to the end of the line wherever a word may begin. Reports what has no end.
class DotLexer {
public:
  explicit DotLexer(SourceText& source) : m_source(source), m_text(source.text()) {}
  DotToken next();

private:
  void skipBlanks();
  DotToken quotedString(DotToken);
  DotToken htmlString(DotToken);
  DotToken word(DotToken);

  SourceText& m_source;
  std::string_view m_text;
  std::size_t m_at = 0;
};

}  // namespace nest
