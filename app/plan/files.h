#pragma once

#include <string>

#include "formats/scenario/scenario_json.h"

namespace nest::cli {

inline constexpr std::size_t kLargestFile = 64u << 20;

/// The bytes of a file, "-" for standard input; an error where it is missing, a folder, unreadable or above
/// 64 MiB. A named pipe gets 2 s to find a writer.
Reading<std::string> readTextFile(const std::string& path);

/// Writes beside the target and renames, so that a crash leaves the old file or the new one. "-" is standard
/// output.
Diagnostics writeTextFile(const std::string& path, const std::string& text);

/// Loads files that stand beside `scenarioPath`.
ReferenceLoader loaderBeside(const std::string& scenarioPath);

}  // namespace nest::cli
