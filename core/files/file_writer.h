#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "diagnostics/diagnostic.h"

namespace nest {

struct WriteOptions {
  bool isPrivate = false;      ///< for its owner alone (0600)
  bool waitsForReader = true;  ///< of a named pipe; else one that nobody reads from is an error
};

/// The one way in which both programs write a file. A regular file is written beside its place under a name
/// of its own, brought to the disk and renamed: whatever happens, the file is the old one or the new one,
/// whole. Links are followed, an existing file keeps its mode and, where that is allowed, its owner; a new
/// one gets what the umask leaves. What is no regular file (a device, a pipe, /dev/stdout, ">(…)") is written
/// to as it stands. Not to be shared by threads.
class FileWriter {
public:
  explicit FileWriter(const std::string& path, const WriteOptions& = {});
  ~FileWriter();  ///< without commit() nothing of it stays
  FileWriter(FileWriter&&) noexcept;

  /// False from the first failure on; commit() tells it.
  bool write(std::string_view bytes);
  /// Empty: the bytes are on the disk under the file's name. Else what went wrong, and the old file stands.
  /// A folder that cannot be brought to the disk is not reported.
  Diagnostics commit();

private:
  class Target;
  std::unique_ptr<Target> m_target;
};

Diagnostics writeFile(const std::string& path, std::string_view bytes, const WriteOptions& = {});

}  // namespace nest
