#pragma once

#include <cstddef>
#include <string>

#include "platform/descriptor.h"

namespace nest {

/// An open file or pipe, read from its begin to its end.
class ByteSource {
public:
  /// A named pipe gets 2 s to find a writer. `isOnlyFile`: what is neither a regular file nor a pipe that a
  /// shell hands over ("<(…)") is an error. Errors: "file-missing", "file-is-folder", "file-pipe",
  /// "file-device", "file-unreadable".
  static Reading<ByteSource> open(const std::string& path, bool isOnlyFile);
  static ByteSource standardInput();

  /// The number of bytes read, 0 at the end, −1 with errno.
  std::ptrdiff_t next(char* into, std::size_t most);
  std::size_t size() const { return m_size; }  ///< of a regular file; one that is being written may hold more

private:
  explicit ByteSource(Descriptor file) : m_file(std::move(file)) {}
  Diagnostics waitForWriter(const std::string& path);

  Descriptor m_file;
  std::string m_first;  ///< read while waiting for a writer
  std::size_t m_size = 0;
};

/// Why a file cannot be read.
Diagnostics unreadable(const std::string& path, int errorNumber);

}  // namespace nest
