#include "platform/byte_source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace nest {
namespace {

constexpr std::size_t kChunk = 1 << 16;
/// Opening a named pipe in the usual way waits for ever where nobody writes into it; this waits so long.
constexpr int kPipeWaitMs = 2000;

Diagnostics fault(const std::string& path, std::string code, std::string message, std::string remedy = {}) {
  return {error(std::move(code), {path, 0, 0, ""}, std::move(message), std::move(remedy))};
}

}  // namespace

Diagnostics unreadable(const std::string& path, int errorNumber) {
  if (errorNumber == ENOENT || errorNumber == ENOTDIR)
    return fault(path, "file-missing", "there is no such file", "check the path");
  return fault(path, "file-unreadable", "the file cannot be read: " + describeErrno(errorNumber),
               "check the path and its permissions");
}

Reading<ByteSource> ByteSource::open(const std::string& path, bool isOnlyFile) {
  struct stat before {};
  if (path.find('\0') != std::string::npos || stat(path.c_str(), &before) != 0)
    return {std::nullopt, unreadable(path, path.find('\0') != std::string::npos ? ENOENT : errno)};
  if (S_ISDIR(before.st_mode))
    return {std::nullopt,
            fault(path, "file-is-folder", "this is a folder, not a file", "name a file inside it")};
  const bool isHandedOver = ownDescriptor(path) || path.starts_with("/proc/");
  if (isOnlyFile && !S_ISREG(before.st_mode) && !(S_ISFIFO(before.st_mode) && isHandedOver)) {
    const std::string what = S_ISFIFO(before.st_mode) ? "named pipe" : "device";
    return {std::nullopt, fault(path, S_ISFIFO(before.st_mode) ? "file-pipe" : "file-device",
                                "this is a " + what + ", not a file", "save its content to a file")};
  }
  // Without O_NONBLOCK opening may wait for ever; what it opens is looked at again, because names move.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat now {};
  if (!file || fstat(file.number(), &now) != 0) return {std::nullopt, unreadable(path, errno)};
  if ((now.st_mode & S_IFMT) != (before.st_mode & S_IFMT)) return {std::nullopt, unreadable(path, ESTALE)};
  Reading<ByteSource> source{ByteSource(std::move(file)), {}};
  if (S_ISREG(now.st_mode)) source->m_size = static_cast<std::size_t>(now.st_size);
  if (S_ISFIFO(now.st_mode) && !isHandedOver) source.diagnostics = source->waitForWriter(path);
  if (hasErrors(source.diagnostics)) return {std::nullopt, std::move(source.diagnostics)};
  const int number = source->m_file.number();
  fcntl(number, F_SETFL, fcntl(number, F_GETFL) & ~O_NONBLOCK);
  return source;
}

ByteSource ByteSource::standardInput() {
  return ByteSource(Descriptor(dup(STDIN_FILENO)));
}

std::ptrdiff_t ByteSource::next(char* into, std::size_t most) {
  if (!m_first.empty()) {
    const std::size_t n = std::min(most, m_first.size());
    std::memcpy(into, m_first.data(), n);
    m_first.erase(0, n);
    return static_cast<std::ptrdiff_t>(n);
  }
  ssize_t n = 0;
  do n = ::read(m_file.number(), into, most);
  while (n < 0 && errno == EINTR);
  return n;
}

Diagnostics ByteSource::waitForWriter(const std::string& path) {
  pollfd wait{m_file.number(), POLLIN, 0};
  poll(&wait, 1, kPipeWaitMs);
  m_first.resize(kChunk);
  const ssize_t n = ::read(m_file.number(), m_first.data(), m_first.size());
  m_first.resize(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  // Nothing to read and no error: no writer. One that is connected and still thinks shows as EAGAIN.
  if (n == 0)
    return fault(path, "file-pipe", "this is a named pipe, and nobody writes into it",
                 "start what writes into it first, or give - and pipe it in");
  return n < 0 && errno != EAGAIN ? unreadable(path, errno) : Diagnostics{};
}

}  // namespace nest
