#pragma once

#include <unistd.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "diagnostics/diagnostic.h"

namespace nest {

/// Owns an open file.
class Descriptor {
public:
  explicit Descriptor(int number = -1) : m_number(number) {}
  Descriptor(Descriptor&& other) noexcept : m_number(std::exchange(other.m_number, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(m_number, other.m_number);
    return *this;
  }
  ~Descriptor() { close(); }

  explicit operator bool() const { return m_number >= 0; }
  int number() const { return m_number; }
  /// 0, or the errno of what the kernel could not finish. Closed in any case.
  int close();

private:
  int m_number;
};

/// All bytes, or the errno of the failure; then some may have been written.
int writeAll(int descriptor, std::string_view bytes);

/// The number of a file that this process has open already and that `path` names: /dev/stdout, /dev/fd/63.
std::optional<int> ownDescriptor(const std::string& path);

/// "file-unwritable" at `path`: what `errorNumber` means there and what to do now.
Diagnostic unwritable(const std::string& path, int errorNumber);
std::string describeErrno(int errorNumber);

/// Opens /dev/null in place of a standard stream that is closed, so that no file of the user's takes its
/// number; writing to it fails. To be called first in main().
void holdStandardStreams();

}  // namespace nest
