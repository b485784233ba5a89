#include "text/source_text.h"

#include <algorithm>

#include "units/text.h"

namespace nest {
namespace {
constexpr std::size_t kMostDiagnostics = 100;
}

Place SourceText::place(std::size_t offset) const {
  if (m_lines.empty()) {
    m_lines.push_back(0);
    for (std::size_t i = 0; i < m_text.size(); ++i)
      if (m_text[i] == '\n') m_lines.push_back(i + 1);
  }
  offset = std::min(offset, m_text.size());
  const auto line = std::upper_bound(m_lines.begin(), m_lines.end(), offset) - 1;
  return {m_file, static_cast<int>(line - m_lines.begin()) + 1, static_cast<int>(offset - *line) + 1, {}};
}

void SourceText::add(Severity severity, Place where, std::string code, std::string message,
                     std::string remedy) {
  if (severity == Severity::Error) ++m_errors;
  // An error is never dropped while it is the only one: the value is empty exactly when an error is listed.
  if (m_out.size() >= kMostDiagnostics && !(severity == Severity::Error && m_errors == 1)) {
    ++m_dropped;
    return;
  }
  m_out.push_back({severity, std::move(code), std::move(where), std::move(message), std::move(remedy)});
}

void SourceText::error(Place p, std::string code, std::string message, std::string remedy) {
  add(Severity::Error, std::move(p), std::move(code), std::move(message), std::move(remedy));
}
void SourceText::warning(Place p, std::string code, std::string message, std::string remedy) {
  add(Severity::Warning, std::move(p), std::move(code), std::move(message), std::move(remedy));
}
void SourceText::note(Place p, std::string code, std::string message, std::string remedy) {
  add(Severity::Note, std::move(p), std::move(code), std::move(message), std::move(remedy));
}

bool SourceText::isReadable(std::size_t most, std::string_view format, std::string_view remedy) {
  if (m_text.size() > most) {
    error(whole(), "file-too-large",
          std::string(format) + " is read up to " + text::memory(Bytes(static_cast<double>(most))) +
              "; this has " + text::memory(Bytes(static_cast<double>(m_text.size()))),
          std::string(remedy));
    return false;
  }
  if (const auto nul = m_text.find('\0'); nul != std::string_view::npos) {
    error(place(nul), "binary-text", "the file holds a NUL byte; " + std::string(format) + " is text");
    return false;
  }
  return true;
}

Diagnostics SourceText::take() {
  if (m_dropped > 0)
    m_out.push_back({Severity::Note,
                     "more-diagnostics",
                     whole(),
                     std::to_string(m_dropped) + " further remarks are left out",
                     {}});
  return std::move(m_out);
}

std::string quoted(std::string_view s) {
  std::string out = "\"";
  for (char c : s.substr(0, 40)) out += static_cast<unsigned char>(c) < 32 ? '?' : c;
  return out + (s.size() > 40 ? "…\"" : "\"");
}

}  // namespace nest
