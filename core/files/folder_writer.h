#pragma once

#include <string>
#include <vector>

#include "diagnostics/diagnostic.h"

namespace nest {

struct FolderFile {
  std::string name, text;
  bool isProgram = false;  ///< made executable
};

/// Writes files into a folder so that it never holds only some of them for use. A new folder appears with all
/// of them. In one that exists all are written below a hidden name first; then the last file, by which the
/// others are used, is taken away, the others take their places, those named in `stale` are removed, and the
/// last one comes. After an interruption anywhere the same call succeeds, and removes what was left. Other
/// files in the folder stay. Returns what went wrong.
Diagnostics writeFolder(const std::string& path, const std::vector<FolderFile>&,
                        const std::vector<std::string>& stale = {});

}  // namespace nest
