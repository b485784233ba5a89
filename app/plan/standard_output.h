#pragma once

#include <array>
#include <streambuf>

#include "diagnostics/diagnostic.h"

namespace nest::cli {

/// Takes the place of std::cout's buffer while it lives, and knows whether all that was printed has arrived.
class StandardOutput : std::streambuf {
public:
  StandardOutput();
  ~StandardOutput() override;
  /// Closes standard output. Empty: all of it stands where it leads.
  Diagnostics finish();
  /// Whether anything was printed and flushed.
  bool hasWritten() const { return m_hasWritten; }

protected:
  int_type overflow(int_type c) override;
  int sync() override;

private:
  std::array<char, 1 << 16> m_buffer;
  int m_error = 0;
  bool m_hasWritten = false;
  std::streambuf* m_before;
};

}  // namespace nest::cli
