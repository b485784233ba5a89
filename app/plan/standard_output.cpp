#include "standard_output.h"

#include <unistd.h>

#include <iostream>

#include "platform/descriptor.h"
#include "platform/process.h"

namespace nest::cli {

StandardOutput::StandardOutput() : m_before(std::cout.rdbuf(this)) {
  setp(m_buffer.data(), m_buffer.data() + m_buffer.size());
}

StandardOutput::~StandardOutput() {
  std::cout.rdbuf(m_before);
}

StandardOutput::int_type StandardOutput::overflow(int_type c) {
  if (sync() != 0) return traits_type::eof();
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  *pptr() = traits_type::to_char_type(c);
  pbump(1);
  return c;
}

int StandardOutput::sync() {
  m_hasWritten = m_hasWritten || pptr() != pbase();
  if (m_error == 0) m_error = writeAll(STDOUT_FILENO, {pbase(), static_cast<std::size_t>(pptr() - pbase())});
  setp(m_buffer.data(), m_buffer.data() + m_buffer.size());
  return m_error == 0 ? 0 : -1;
}

Diagnostics StandardOutput::finish() {
  sync();
  if (const int failed = closeStandardOutput(); m_error == 0) m_error = failed;
  if (m_error == 0) return {};
  return {error("output-unwritable", {}, "standard output cannot be written: " + describeErrno(m_error),
                "what has arrived is incomplete; free some space or send it elsewhere")};
}

}  // namespace nest::cli
