#include "platform/appending_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>

namespace nest {

Reading<AppendingFile> AppendingFile::open(const std::string& path) {
  const auto failed = [&](int errorNumber) {
    return Reading<AppendingFile>{std::nullopt, {unwritable(path, errorNumber)}};
  };
  Descriptor file(
      ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666));
  struct stat status {};
  if (!file || fstat(file.number(), &status) != 0) return failed(errno);
  if (!S_ISREG(status.st_mode))
    return {std::nullopt,
            {error("file-device", {path, 0, 0, ""},
                   "this is not a regular file, so nothing can be kept in it", "choose another place")}};
  if (flock(file.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return {std::nullopt,
            {error("file-in-use", {path, 0, 0, ""}, "another program is writing this file",
                   "wait until it is done or choose another place")}};
  if (fstat(file.number(), &status) != 0) return failed(errno);
  return {AppendingFile(std::move(file), path, static_cast<std::uint64_t>(status.st_size)), {}};
}

Diagnostics AppendingFile::cutTo(std::uint64_t size) {
  if (size >= m_size) return {};
  if (ftruncate(m_file.number(), static_cast<off_t>(size)) != 0) return {unwritable(m_path, errno)};
  m_size = size;
  return {};
}

Diagnostics AppendingFile::append(std::string_view record) {
  if (const int failed = writeAll(m_file.number(), record)) {
    (void)!ftruncate(m_file.number(), static_cast<off_t>(m_size));  // the part that fitted
    return {unwritable(m_path, failed)};
  }
  m_size += record.size();
  return std::chrono::steady_clock::now() - m_onDisk < std::chrono::seconds(1) ? Diagnostics{}
                                                                               : bringToDisk();
}

Diagnostics AppendingFile::bringToDisk() {
  m_onDisk = std::chrono::steady_clock::now();
  if (fdatasync(m_file.number()) == 0 || errno == EINVAL || errno == ENOTSUP) return {};
  return {unwritable(m_path, errno)};
}

}  // namespace nest
