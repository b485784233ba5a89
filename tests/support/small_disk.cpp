#include "support/small_disk.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace nest::test {
namespace {

void put(const char* path, const std::string& text) {
  if (FILE* f = std::fopen(path, "w")) {
    std::fwrite(text.data(), 1, text.size(), f);
    std::fclose(f);
  }
}

/// Mounts of this process and its children alone. User namespaces are for processes with one thread: before
/// main().
const std::string whyNoMounts = [] {
  const uid_t user = geteuid();
  const gid_t group = getegid();
  if (unshare(CLONE_NEWNS) != 0) {
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
      return std::string("no mounts of one's own here: ") + std::strerror(errno);
    put("/proc/self/setgroups", "deny");
    put("/proc/self/uid_map", "0 " + std::to_string(user) + " 1");
    put("/proc/self/gid_map", "0 " + std::to_string(group) + " 1");
  }
  if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return std::string("mounts cannot be made private: ") + std::strerror(errno);
  return std::string();
}();

constexpr const char* kFill = "fill";

}  // namespace

SmallDisk::SmallDisk(std::size_t bytes)
    : m_path((std::filesystem::temp_directory_path() / "nest-disk-XXXXXX").string()), m_whyNot(whyNoMounts) {
  if (!m_whyNot.empty()) return;
  const std::string options = "mode=755,size=" + std::to_string(bytes);
  if (!mkdtemp(m_path.data()) || mount("none", m_path.c_str(), "tmpfs", 0, options.c_str()) != 0)
    m_whyNot = std::string("no small disk can be mounted: ") + std::strerror(errno);
}

SmallDisk::~SmallDisk() {
  umount2(m_path.c_str(), MNT_DETACH);
  rmdir(m_path.c_str());
}

void SmallDisk::fill() {
  const int file = open((*this / kFill).c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
  const std::string block(4096, '\0');
  for (std::size_t size = block.size(); size > 0; size /= 2)
    while (write(file, block.data(), size) > 0) continue;
  close(file);
}

void SmallDisk::makeRoom() {
  unlink((*this / kFill).c_str());
}

int SmallDisk::entries() const {
  int n = 0;
  for (const auto& entry : std::filesystem::directory_iterator(m_path)) n += entry.path().filename() != kFill;
  return n;
}

}  // namespace nest::test
