#include "platform/draft.h"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>

namespace nest {
namespace {

constexpr int kMostNames = 100;

/// Short, so that files with the longest names can be written too.
std::string draftName() {
  std::uint64_t random = 0;
  if (getrandom(&random, sizeof random, 0) != sizeof random) random = static_cast<std::uint64_t>(getpid());
  char name[32];
  std::snprintf(name, sizeof name, ".nest-%016llx", static_cast<unsigned long long>(random));
  return name;
}

/// Everything at `descriptor` on the disk. What cannot be synchronised (some network file systems) is as safe
/// as it gets.
int bringToDisk(int descriptor) {
  if (fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP || errno == ENOSYS) return 0;
  return errno;
}

/// Owner, group and mode of the file that is replaced. A group that cannot be kept must not lend its rights
/// to another one.
int dressLike(int descriptor, const struct stat& old) {
  mode_t mode = old.st_mode & 07777;
  const bool keepsGroup = fchown(descriptor, old.st_uid, old.st_gid) == 0 ||
                          fchown(descriptor, static_cast<uid_t>(-1), old.st_gid) == 0;
  if (!keepsGroup) mode = (mode & ~mode_t(070)) | ((mode & 07) << 3);
  return fchmod(descriptor, mode) == 0 || errno == EPERM || errno == ENOTSUP ? 0 : errno;
}

}  // namespace

Draft::~Draft() {
  m_file.close();
  if (!m_draft.empty()) unlinkat(m_folder.number(), m_draft.c_str(), 0);
}

int Draft::open(const std::string& path, const struct stat* replaced, bool isPrivate, Kind kind) {
  const std::filesystem::path place(path);
  m_name = place.filename().string();
  const std::string folder = place.parent_path().string();
  m_folder = Descriptor(::open(folder.empty() ? "." : folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!m_folder) return errno;
  // Renaming would get past the protection of a file that may not be written.
  if (replaced && faccessat(m_folder.number(), m_name.c_str(), W_OK, AT_EACCESS) != 0) return errno;
  const mode_t mode = isPrivate || replaced ? 0600 : 0666;
  if (kind == Kind::Nameless)
    m_file = Descriptor(openat(m_folder.number(), ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode));
  const bool isNameless = static_cast<bool>(m_file) && access("/proc/self/fd", X_OK) == 0;
  if (!isNameless)
    if (const int failed = openNamed(mode)) return failed;
  return replaced && !isPrivate ? dressLike(number(), *replaced) : 0;
}

int Draft::openNamed(mode_t mode) {
  for (int i = 0; i < kMostNames; ++i) {
    const std::string name = draftName();
    m_file = Descriptor(
        openat(m_folder.number(), name.c_str(), O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, mode));
    if (m_file) {
      m_draft = name;
      return 0;
    }
    if (errno != EEXIST) break;
  }
  return errno;
}

int Draft::giveName() {
  const std::string content = "/proc/self/fd/" + std::to_string(number());
  for (int i = 0; i < kMostNames && m_draft.empty(); ++i) {
    const std::string name = draftName();
    if (linkat(AT_FDCWD, content.c_str(), m_folder.number(), name.c_str(), AT_SYMLINK_FOLLOW) == 0)
      m_draft = name;
    else if (errno != EEXIST)
      break;
  }
  return m_draft.empty() ? errno : 0;
}

int Draft::putInPlace() {
  if (const int failed = bringToDisk(number())) return failed;
  if (m_draft.empty())
    if (const int failed = giveName()) return failed;
  if (const int failed = m_file.close()) return failed;
  if (renameat(m_folder.number(), m_draft.c_str(), m_folder.number(), m_name.c_str()) != 0) return errno;
  m_draft.clear();
  if (const Descriptor folder(openat(m_folder.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)); folder)
    fsync(folder.number());
  return 0;
}

}  // namespace nest
