#pragma once

#include <filesystem>

#include "platform/descriptor.h"

namespace nest {

/// A hidden folder for files that have no place yet. It is locked while its program runs; what programs that
/// were killed have left there is removed.
class StagingFolder {
public:
  explicit StagingFolder(const std::filesystem::path& folder);
  ~StagingFolder();

  int error() const { return m_error; }  ///< 0 or an errno
  const std::filesystem::path& path() const { return m_path; }
  /// The folder itself takes a place on the disk, and is staging no longer; 0 or an errno.
  int become(const std::filesystem::path& target);

private:
  std::filesystem::path m_path;
  Descriptor m_lock;
  int m_error = 0;
};

}  // namespace nest
