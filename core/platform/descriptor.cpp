#include "platform/descriptor.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>

namespace nest {
namespace {

/// What a person can do about it; empty where the cause says it.
std::string remedyFor(int errorNumber) {
  switch (errorNumber) {
    case ENOSPC:
    case EDQUOT:
      return "free some space or choose another place";
    case ENAMETOOLONG:
      return "choose a shorter name";
    case ENOENT:
    case ENOTDIR:
      return "create the folder first or choose another place";
    case EACCES:
    case EPERM:
    case EROFS:
      return "check the permissions or choose another place";
    default:
      return "choose another place";
  }
}

}  // namespace

int Descriptor::close() {
  if (m_number < 0) return 0;
  const int failed = ::close(std::exchange(m_number, -1)) != 0 ? errno : 0;
  return failed == EINTR ? 0 : failed;  // Linux has closed it
}

int writeAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
    if (n < 0 && errno != EINTR) return errno;
    if (n == 0) return EIO;
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  }
  return 0;
}

std::optional<int> ownDescriptor(const std::string& path) {
  if (path == "/dev/stdin") return STDIN_FILENO;
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string& folder :
       {std::string("/dev/fd/"), std::string("/proc/self/fd/"), std::string("/proc/thread-self/fd/"),
        "/proc/" + std::to_string(getpid()) + "/fd/"}) {
    if (!path.starts_with(folder)) continue;
    int number = -1;
    const char* const last = path.data() + path.size();
    const auto [end, ec] = std::from_chars(path.data() + folder.size(), last, number);
    if (ec == std::errc() && end == last && number >= 0) return number;
  }
  return std::nullopt;
}

std::string describeErrno(int errorNumber) {
  return std::generic_category().message(errorNumber);
}

Diagnostic unwritable(const std::string& path, int errorNumber) {
  return error("file-unwritable", {path, 0, 0, ""},
               "the file cannot be written: " + describeErrno(errorNumber), remedyFor(errorNumber));
}

void holdStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF)
      // The lowest free number is this stream's own.
      (void)open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

}  // namespace nest
