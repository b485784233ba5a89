#include "files/folder_writer.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "files/descriptor.h"
#include "files/file_writer.h"

namespace nest {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStaging = ".nest-export-";

Descriptor openFolder(const fs::path& path) {
  return Descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

/// A hidden folder for files that have no place yet. It is locked while its program runs.
class Staging {
public:
  explicit Staging(const fs::path& folder) {
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
  ~Staging() {
    std::error_code ignored;
    if (m_lock) fs::remove_all(m_path, ignored);
  }

  int error() const { return m_error; }
  const fs::path& path() const { return m_path; }
  /// The folder itself takes a place, and is staging no longer.
  int become(const fs::path& target) {
    if (std::rename(m_path.c_str(), target.c_str()) != 0) return errno;
    m_lock = Descriptor();
    return 0;
  }

private:
  /// What programs that were killed have left there.
  static void removeLeftOver(const fs::path& folder) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      if (!entry.path().filename().string().starts_with(kStaging) || entry.is_symlink(ignored)) continue;
      const Descriptor lock = openFolder(entry.path());
      if (lock && flock(lock.number(), LOCK_EX | LOCK_NB) == 0) fs::remove_all(entry.path(), ignored);
    }
  }

  fs::path m_path;
  Descriptor m_lock;
  int m_error = 0;
};

Diagnostics cannotBeMade(const std::string& path, int errorNumber) {
  return {error("folder-unwritable", {path, 0, 0, ""},
                "the folder cannot be written: " + describeErrno(errorNumber), "choose another place")};
}

/// Each file from the staging folder to its place.
Diagnostics move(const fs::path& from, const fs::path& to, const std::vector<FolderFile>& files,
                 const std::vector<std::string>& stale) {
  const FolderFile& last = files.back();
  if (unlink((to / last.name).c_str()) != 0 && errno != ENOENT)
    return {unwritable((to / last.name).string(), errno)};
  for (const FolderFile& f : files) {
    if (&f == &last)
      for (const std::string& name : stale) (void)unlink((to / name).c_str());
    if (std::rename((from / f.name).c_str(), (to / f.name).c_str()) != 0)
      return {unwritable((to / f.name).string(), errno)};
  }
  return {};
}

}  // namespace

Diagnostics writeFolder(const std::string& path, const std::vector<FolderFile>& files,
                        const std::vector<std::string>& stale) {
  std::error_code ec;
  fs::path target = fs::absolute(path, ec).lexically_normal();
  if (!target.has_filename()) target = target.parent_path();
  const bool exists = fs::exists(target, ec);
  if (exists && !fs::is_directory(target, ec)) return cannotBeMade(path, ENOTDIR);
  if (!exists && (fs::create_directories(target.parent_path(), ec), ec))
    return cannotBeMade(path, ec.value());
  Staging staging(exists ? target : target.parent_path());
  if (staging.error() != 0) return cannotBeMade(path, staging.error());
  for (const FolderFile& f : files) {
    if (fs::is_directory(target / f.name, ec)) return {unwritable((target / f.name).string(), EISDIR)};
    const fs::path place = staging.path() / f.name;
    if (Diagnostics failed = writeFile(place.string(), f.text); !failed.empty()) {
      for (Diagnostic& d : failed) d.where.file = (target / f.name).string();
      return failed;
    }
    if (f.isProgram)
      fs::permissions(place, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                      fs::perm_options::add, ec);
  }
  if (exists) return move(staging.path(), target, files, stale);
  if (const int failed = staging.become(target); failed != 0) return cannotBeMade(path, failed);
  if (const Descriptor folder = openFolder(target.parent_path())) (void)fsync(folder.number());
  return {};
}

}  // namespace nest
