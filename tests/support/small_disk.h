#pragma once

#include <cstddef>
#include <string>

namespace nest::test {

/// A file system of its own that is soon full: memory mounted for this process and its children alone. Needs
/// root or user namespaces; without either whyNot() says so and a test skips.
class SmallDisk {
public:
  explicit SmallDisk(std::size_t bytes);
  ~SmallDisk();
  SmallDisk(SmallDisk&&) = delete;

  const std::string& whyNot() const { return m_whyNot; }  ///< empty: it is there
  const std::string& path() const { return m_path; }
  std::string operator/(const std::string& name) const { return m_path + '/' + name; }
  void fill();          ///< to the last byte
  void makeRoom();      ///< what fill() took
  int entries() const;  ///< files and folders beside what fill() took

private:
  std::string m_path, m_whyNot;
};

}  // namespace nest::test
