#include "platform/file_target.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

namespace nest {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as the kernel
constexpr std::size_t kBuffer = 1 << 16;

/// The place that a path leads to once the links at its end are followed; what it names need not exist. A
/// file that this process has open is left as it is named: its link in /proc does not lead back to it.
std::string followed(std::string path) {
  for (int i = 0; i < kMostLinks && !ownDescriptor(path); ++i) {
    std::error_code ec;
    const fs::path target = fs::read_symlink(path, ec);
    if (ec) break;
    path = (fs::path(path).parent_path() / target).string();
  }
  return path;
}

}  // namespace

FileTarget::FileTarget(const std::string& path, bool isPrivate, bool waitsForReader) : m_path(path) {
  m_error = open(isPrivate, waitsForReader);
}

bool FileTarget::write(std::string_view bytes) {
  if (m_buffer.size() + bytes.size() < kBuffer) {
    m_buffer += bytes;
    return m_error == 0;
  }
  flush();
  if (m_error == 0) m_error = writeAll(number(), bytes);
  return m_error == 0;
}

Diagnostics FileTarget::commit() {
  flush();
  if (m_error == 0) m_error = m_draft ? m_draft->putInPlace() : m_direct.close();
  m_draft.reset();
  if (m_error == 0) return {};
  if (!m_fault.message.empty()) return {m_fault};
  return {unwritable(m_path, m_error)};
}

void FileTarget::flush() {
  if (m_error == 0 && !m_buffer.empty()) m_error = writeAll(number(), m_buffer);
  m_buffer.clear();
}

int FileTarget::refuse(std::string code, std::string message, std::string remedy) {
  m_fault = error(std::move(code), {m_path, 0, 0, ""}, std::move(message), std::move(remedy));
  return EINVAL;
}

int FileTarget::open(bool isPrivate, bool waitsForReader) {
  if (m_path.empty() || m_path.find('\0') != std::string::npos) return ENOENT;
  const std::string path = followed(m_path);
  if (const auto number = ownDescriptor(path)) {
    m_direct = Descriptor(fcntl(*number, F_DUPFD_CLOEXEC, 3));
    return m_direct ? 0 : errno;
  }
  struct stat status {};
  const bool exists = stat(path.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) return errno;
  if (path.ends_with('/') || (exists && S_ISDIR(status.st_mode)))
    return refuse("file-is-folder", "this is a folder, not a file", "name a file inside it");
  if (exists && S_ISBLK(status.st_mode))
    return refuse("file-device", "this is a disk, not a file", "choose another place");
  if (!exists || S_ISREG(status.st_mode)) {
    m_draft.emplace();
    return m_draft->open(path, exists ? &status : nullptr, isPrivate);
  }
  return openAsItStands(path, S_ISFIFO(status.st_mode) && !waitsForReader);
}

int FileTarget::openAsItStands(const std::string& path, bool atOnce) {
  m_direct = Descriptor(::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC | (atOnce ? O_NONBLOCK : 0)));
  if (!m_direct && atOnce && errno == ENXIO)
    return refuse("file-pipe", "this is a named pipe, and nobody reads from it", "choose another place");
  if (!m_direct) return errno;
  if (atOnce) fcntl(m_direct.number(), F_SETFL, fcntl(m_direct.number(), F_GETFL) & ~O_NONBLOCK);
  return 0;
}

Diagnostics makePrivateFolder(const std::string& path) {
  const auto failed = [&](int errorNumber) {
    return Diagnostics{error("folder-unwritable", {path, 0, 0, ""},
                             "the folder cannot be created: " + describeErrno(errorNumber),
                             "check the permissions of the folder above it")};
  };
  std::error_code ec;
  fs::create_directories(fs::path(path).parent_path(), ec);
  if (mkdir(path.c_str(), 0700) == 0) return {};
  struct stat status {};
  const int cause = ec ? ec.value() : errno;
  if (stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return failed(cause);
  // Made before, by a version that left it open to all.
  if ((status.st_mode & 077) != 0) (void)chmod(path.c_str(), 0700);
  return {};
}

}  // namespace nest
