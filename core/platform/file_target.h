#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "platform/descriptor.h"
#include "platform/draft.h"

namespace nest {

/// Where the bytes of FileWriter go: a draft that takes a regular file's place, or a device or pipe as it
/// stands.
class FileTarget {
public:
  FileTarget(const std::string& path, bool isPrivate, bool waitsForReader);

  bool write(std::string_view bytes);
  Diagnostics commit();

private:
  int number() const { return m_draft ? m_draft->number() : m_direct.number(); }
  void flush();
  int refuse(std::string code, std::string message, std::string remedy);
  int open(bool isPrivate, bool waitsForReader);
  int openAsItStands(const std::string& path, bool atOnce);

  std::string m_path, m_buffer;
  std::optional<Draft> m_draft;  ///< of a regular file
  Descriptor m_direct;           ///< anything else
  int m_error = 0;
  Diagnostic m_fault;  ///< instead of m_error's own words
};

/// The folder and those above it; the last one is made for its owner alone (0700).
Diagnostics makePrivateFolder(const std::string& path);

}  // namespace nest
