#pragma once

#include <sys/stat.h>

#include <string>

#include "platform/descriptor.h"

namespace nest {

/// The new content of a regular file until it takes the old one's place. Functions return 0 or an errno.
class Draft {
public:
  /// Nameless drafts vanish with their process. Not every file system has them: the others get a hidden file
  /// with a name of its own that no name of the user's can collide with.
  enum class Kind { Nameless, Named };

  Draft() = default;
  Draft(Draft&&) = delete;
  ~Draft();  ///< not put in place: nothing stays

  /// `replaced`: what stands at `path` now, null if nothing does. It must be writable.
  int open(const std::string& path, const struct stat* replaced, bool isPrivate, Kind = Kind::Nameless);
  int number() const { return m_file.number(); }
  /// On the disk, then under the file's name.
  int putInPlace();

private:
  int openNamed(mode_t mode);
  int giveName();

  Descriptor m_folder, m_file;
  std::string m_name;   ///< of the file that is written
  std::string m_draft;  ///< in the folder; empty while it has no name
};

}  // namespace nest
