#include "files/folder_writer.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "files/file_writer.h"
#include "platform/staging_folder.h"

namespace nest {
namespace {

namespace fs = std::filesystem;

Diagnostics cannotBeMade(const std::string& path, int errorNumber) {
  return {error("folder-unwritable", {path, 0, 0, ""},
                "the folder cannot be written: " + describeErrno(errorNumber), "choose another place")};
}

/// Each file from the staging folder to its place.
Diagnostics move(const fs::path& from, const fs::path& to, const std::vector<FolderFile>& files,
                 const std::vector<std::string>& stale) {
  const FolderFile& last = files.back();
  std::error_code ec;
  fs::remove(to / last.name, ec);
  if (ec) return {unwritable((to / last.name).string(), ec.value())};
  for (const FolderFile& f : files) {
    if (&f == &last)
      for (const std::string& name : stale) fs::remove(to / name, ec);
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
  StagingFolder staging(exists ? target : target.parent_path());
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
  return {};
}

}  // namespace nest
