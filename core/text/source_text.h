#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnostics/diagnostic.h"

namespace nest {

/// A text being read: the places of its bytes, and what has been noticed about it. At most 100 diagnostics
/// are kept; a last one counts the rest. The text must outlive it.
class SourceText {
public:
  SourceText(std::string_view text, std::string file) : m_text(text), m_file(std::move(file)) {}

  std::string_view text() const { return m_text; }
  /// Line and column (in bytes) of an offset. O(log lines).
  Place place(std::size_t offset) const;
  Place placeOfLine(int line) const { return {m_file, line, 1, {}}; }
  Place whole() const { return {m_file, 0, 0, {}}; }

  void error(Place, std::string code, std::string message, std::string remedy = {});
  void warning(Place, std::string code, std::string message, std::string remedy = {});
  void note(Place, std::string code, std::string message, std::string remedy = {});
  bool failed() const { return m_errors > 0; }
  /// False, with an error, when the text is longer than `most` bytes or holds a NUL byte. `remedy`: against
  /// the length.
  bool isReadable(std::size_t most, std::string_view format,
                  std::string_view remedy = "describe a network of this size by levels");

  Diagnostics take();

private:
  void add(Severity, Place, std::string code, std::string message, std::string remedy);

  std::string_view m_text;
  std::string m_file;
  mutable std::vector<std::size_t> m_lines;  ///< offset of each line's begin; empty until asked for
  Diagnostics m_out;
  std::size_t m_errors = 0, m_dropped = 0;
};

/// At most 40 bytes of a text for a message, line breaks and other control characters made visible.
std::string quoted(std::string_view);
// Strings find std::quoted as well, which would fit them better.
inline std::string quoted(const std::string& s) {
  return quoted(std::string_view(s));
}
inline std::string quoted(const char* s) {
  return quoted(std::string_view(s));
}
inline std::string quoted(std::string& s) {
  return quoted(std::string_view(s));
}

}  // namespace nest
