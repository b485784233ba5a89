#include "platform/staging_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

namespace nest {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStaging = ".nest-export-";

Descriptor openFolder(const fs::path& path) {
  return Descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

/// What programs that were killed have left.
void removeLeftOver(const fs::path& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (!entry.path().filename().string().starts_with(kStaging) || entry.is_symlink(ignored)) continue;
    const Descriptor lock = openFolder(entry.path());
    if (lock && flock(lock.number(), LOCK_EX | LOCK_NB) == 0) fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace

StagingFolder::StagingFolder(const fs::path& folder) {
  removeLeftOver(folder);
  for (int n = 0; n < 1000; ++n) {
    m_path = folder / (std::string(kStaging) + std::to_string(getpid()) + '-' + std::to_string(n));
    if (mkdir(m_path.c_str(), 0777) == 0) break;
    m_error = errno;
    if (m_error != EEXIST) return;
  }
  m_lock = openFolder(m_path);
  m_error = m_lock && flock(m_lock.number(), LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
}

StagingFolder::~StagingFolder() {
  std::error_code ignored;
  if (m_lock) fs::remove_all(m_path, ignored);
}

int StagingFolder::become(const fs::path& target) {
  if (std::rename(m_path.c_str(), target.c_str()) != 0) return errno;
  m_lock = Descriptor();
  if (const Descriptor folder = openFolder(target.parent_path())) (void)fsync(folder.number());
  return 0;
}

}  // namespace nest
