#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "diagnostics/diagnostic.h"

namespace nest {

/// No text that is read as a whole may be larger, and no trace of a profiler (SQLite, or JSON of Kineto's).
inline constexpr std::size_t kLargestText = 64u << 20, kLargestTrace = 512u << 20;

enum class Sources {
  Anything,  ///< devices and pipes as well; a named pipe gets 2 s to find a writer
  Files,     ///< regular files, and pipes that a shell hands over ("<(…)"): what cannot hold up a window
};

/// The text of a file as UTF-8 (see asUtf8), unpacked where it is compressed with gzip. Errors: missing, a
/// folder, unreadable, damaged, too large, no allowed source. Whatever `path` is, no more than that is held.
Reading<std::string> readText(const std::string& path, Sources = Sources::Anything);
/// The first `most` bytes of such a text, however long the file is; all of a shorter one.
Reading<std::string> readBegin(const std::string& path, std::size_t most, Sources = Sources::Anything);
/// As readText, of what stands on standard input.
Reading<std::string> readStandardInput();

/// Hands out the lines of a file of any size without their line feed, from `begin` on; `whole` is false for a
/// last one that lacks it. Ends early when `take` returns false. Errors: as readText, a line above
/// kLargestText.
Diagnostics readLines(const std::string& path,
                      const std::function<bool(std::string_view line, bool whole)>& take);

/// Loads what the scenario at `scenarioPath` ("-": standard input) names: regular files in the scenario's own
/// folder and below, links among them followed. Anything else is an error: a scenario that somebody else made
/// must not choose what is opened. The path stands in the message.
std::function<Reading<std::string>(const std::string& path)> loaderBeside(const std::string& scenarioPath);

/// `path` relative to the folder of the scenario, if the scenario may name it; else empty.
std::string referenceTo(const std::string& path, const std::string& scenarioPath);

}  // namespace nest
