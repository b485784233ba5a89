#pragma once

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <string>

namespace nest::test {

/// A folder that is gone with it. Unlike QTemporaryDir it holds names that are no text.
class OwnFolder {
public:
  OwnFolder() : m_path((std::filesystem::temp_directory_path() / "nest-test-XXXXXX").string()) {
    if (!mkdtemp(m_path.data())) abort();
  }
  ~OwnFolder() {
    std::error_code ec;
    std::filesystem::remove_all(m_path, ec);
  }
  OwnFolder(OwnFolder&&) = delete;

  const std::string& path() const { return m_path; }
  std::string operator/(const std::string& name) const { return m_path + '/' + name; }
  int entries() const {
    using Entries = std::filesystem::directory_iterator;
    return static_cast<int>(std::distance(Entries(m_path), Entries()));
  }

private:
  std::string m_path;
};

}  // namespace nest::test
