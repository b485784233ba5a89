#pragma once

#include <set>
#include <string>
#include <string_view>

#include "diagnostics/diagnostic.h"

namespace nest {

class SourceText;

/// Collects what a file says and its reader does not use, to name all of it in one note.
class UnusedParts {
public:
  void add(std::string_view name);
  /// "not used from this file: a, b, c and 4 more"; nothing where all is used.
  void report(Diagnostics&, Place) const;
  void report(SourceText&) const;

private:
  std::string sentence() const;

  std::set<std::string, std::less<>> m_names;
};

}  // namespace nest
