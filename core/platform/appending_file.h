#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "platform/descriptor.h"

namespace nest {

/// A regular file that grows record by record and loses none that it has taken: after a kill all are there,
/// after a power failure all but those of the last second. Locked: a second program cannot append to it.
class AppendingFile {
public:
  /// The file at `path`, made if it is absent.
  static Reading<AppendingFile> open(const std::string& path);

  std::uint64_t size() const { return m_size; }
  /// Drops what stands behind the first `size` bytes.
  Diagnostics cutTo(std::uint64_t size);
  /// The whole record, or nothing of it and an error.
  Diagnostics append(std::string_view record);
  Diagnostics bringToDisk();

private:
  AppendingFile(Descriptor file, std::string path, std::uint64_t size)
      : m_file(std::move(file)), m_path(std::move(path)), m_size(size) {}

  Descriptor m_file;
  std::string m_path;
  std::uint64_t m_size;
  std::chrono::steady_clock::time_point m_onDisk;  ///< when all of it was
};

}  // namespace nest
