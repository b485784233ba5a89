#include "printable_output.h"

#include <iostream>

#include "platform/process.h"
#include "text/printable.h"

namespace nest::cli {
namespace {

std::streambuf* standardOutput = nullptr;  ///< as it was before a PrintableOutput took it over

}  // namespace

PrintableOutput::PrintableOutput(std::ostream& stream) : m_stream(stream), m_target(stream.rdbuf(this)) {
  if (&stream == &std::cout) standardOutput = m_target;
}

PrintableOutput::~PrintableOutput() {
  m_stream.flush();
  m_stream.rdbuf(m_target);
}

bool PrintableOutput::pass(std::size_t bytes) {
  const std::string text = printable(std::string_view(m_pending).substr(0, bytes));
  m_pending.erase(0, bytes);
  const auto size = static_cast<std::streamsize>(text.size());
  return m_target->sputn(text.data(), size) == size;
}

std::streamsize PrintableOutput::xsputn(const char* s, std::streamsize count) {
  m_pending.append(s, static_cast<std::size_t>(count));
  const auto end = m_pending.rfind('\n');
  return end == std::string::npos || pass(end + 1) ? count : 0;
}

PrintableOutput::int_type PrintableOutput::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char byte = traits_type::to_char_type(c);
  return xsputn(&byte, 1) == 1 ? c : traits_type::eof();
}

int PrintableOutput::sync() {
  return pass(m_pending.size()) && m_target->pubsync() == 0 ? 0 : -1;
}

void writeBytes(const std::string& bytes) {
  if (!standardOutput || isTerminal(StandardStream::Output)) {
    std::cout << bytes;
    return;
  }
  std::cout.flush();
  const auto size = static_cast<std::streamsize>(bytes.size());
  if (standardOutput->sputn(bytes.data(), size) != size) std::cout.setstate(std::ios::badbit);
}

}  // namespace nest::cli
