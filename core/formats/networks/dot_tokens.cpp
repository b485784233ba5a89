#include "formats/networks/dot_tokens.h"

#include <algorithm>
#include <cctype>

namespace nest {
namespace {

bool isWordByte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || static_cast<unsigned char>(c) >= 128;
}
bool isDigit(char c) {
  return std::isdigit(static_cast<unsigned char>(c));
}

}  // namespace

DotToken DotLexer::next() {
  skipBlanks();
  DotToken t;
  t.offset = m_at;
  if (m_at >= m_text.size()) return t;
  const char c = m_text[m_at];
  if (c == '"') return quotedString(std::move(t));
  if (c == '<') return htmlString(std::move(t));
  if (c == '-' && m_at + 1 < m_text.size() && (m_text[m_at + 1] == '-' || m_text[m_at + 1] == '>')) {
    t.kind = m_text[m_at + 1] == '>' ? DotToken::Kind::Arrow : DotToken::Kind::Line;
    m_at += 2;
    return t;
  }
  if (isWordByte(c) || c == '-' || c == '.') return word(std::move(t));
  t.kind = DotToken::Kind::Symbol;
  t.text = c;
  ++m_at;
  return t;
}

/// A name, or a numeral: that may hold a point and (more than the language asks) an exponent with its sign.
DotToken DotLexer::word(DotToken t) {
  t.kind = DotToken::Kind::Id;
  t.text = m_text[m_at];
  const bool number = !isWordByte(t.text[0]) || isDigit(t.text[0]);
  for (++m_at; m_at < m_text.size(); ++m_at) {
    const char d = m_text[m_at];
    const bool sign = number && (d == '-' || d == '+') && (t.text.back() == 'e' || t.text.back() == 'E') &&
                      m_at + 1 < m_text.size() && isDigit(m_text[m_at + 1]);
    if (!isWordByte(d) && !(number && d == '.') && !sign) break;
    t.text += d;
  }
  return t;
}

void DotLexer::skipBlanks() {
  while (m_at < m_text.size()) {
    const char c = m_text[m_at];
    if (std::isspace(static_cast<unsigned char>(c))) {
      ++m_at;
    } else if (c == '#' || m_text.substr(m_at, 2) == "//") {
      m_at = std::min(m_text.find('\n', m_at), m_text.size());
    } else if (m_text.substr(m_at, 2) == "/*") {
      const auto end = m_text.find("*/", m_at + 2);
      if (end == std::string_view::npos)
        m_source.error(m_source.place(m_at), "comment-open", "this comment has no end", "close it with */");
      m_at = end == std::string_view::npos ? m_text.size() : end + 2;
    } else if (m_text.substr(m_at, 3) == "\xef\xbb\xbf") {
      m_at += 3;
    } else {
      return;
    }
  }
}

DotToken DotLexer::quotedString(DotToken t) {
  t.kind = DotToken::Kind::Id;
  t.isQuoted = true;
  while (true) {
    const std::size_t open = m_at++;
    for (; m_at < m_text.size() && m_text[m_at] != '"'; ++m_at) {
      if (m_text[m_at] == '\\' && m_at + 1 < m_text.size()) {
        const char d = m_text[++m_at];
        if (d == '\n') continue;
        if (d != '"' && d != '\\') t.text += '\\';
        t.text += d;
      } else {
        t.text += m_text[m_at];
      }
    }
    if (m_at >= m_text.size()) {
      m_source.error(m_source.place(open), "string-open", "this string has no end",
                     "close it with a quotation mark");
      return t;
    }
    ++m_at;
    const std::size_t behind = m_at;  // "a" + "b" is one string
    skipBlanks();
    if (m_at >= m_text.size() || m_text[m_at] != '+') {
      m_at = behind;
      return t;
    }
    ++m_at;
    skipBlanks();
    if (m_at >= m_text.size() || m_text[m_at] != '"') {
      m_source.error(m_source.place(m_at), "string-join", "a + must be followed by another quoted string");
      return t;
    }
  }
}

DotToken DotLexer::htmlString(DotToken t) {
  t.kind = DotToken::Kind::Id;
  t.isQuoted = true;
  int depth = 0;
  const std::size_t begin = m_at;
  for (; m_at < m_text.size(); ++m_at) {
    depth += m_text[m_at] == '<';
    depth -= m_text[m_at] == '>';
    if (depth == 0) break;
  }
  if (m_at >= m_text.size())
    m_source.error(m_source.place(begin), "string-open", "this HTML string has no end");
  else
    ++m_at;
  t.text = std::string(m_text.substr(begin, m_at - begin));
  return t;
}

}  // namespace nest
