#pragma once

#include <memory>
#include <optional>
#include <string>

#include "diagnostics/diagnostic.h"

namespace spdlog::sinks {
class sink;
}

namespace nest {

/// The log of a program is spdlog's default logger: whoever has something to say calls spdlog::info() and its
/// like, and never sets anything up; main() does, once, with startLog().
///
/// What a level is for: error: a defect of the program (it fails a test). warning: something went wrong that
/// the user is told about. info: what the user did and got. debug: what was computed and how long it took.
/// trace: everything else.
struct LogOptions {
  std::string program;                  ///< stands before each line on standard error
  std::optional<std::string> level;     ///< --log-level; the least that is logged
  std::optional<std::string> file;      ///< --log-file; appended to
  std::optional<std::string> rotating;  ///< where `file` is not given: 1 MiB, then two older ones beside it
};

/// "trace, debug, info, warning, error, off"
extern const char* const kLogLevels;
bool isLogLevel(const std::string&);

/// Standard error shows warnings and errors (with `level` and no file: all from that level on); a file holds
/// everything from info, or `level`, on. Where the rotating file cannot be written, the log goes without;
/// that and a `file` that cannot be opened come back as diagnostics.
Diagnostics startLog(const LogOptions&);

/// Hears all that is logged from info (or the level asked for) on, on the thread that logs it.
void addLogSink(std::shared_ptr<spdlog::sinks::sink>);
void removeLogSink(const std::shared_ptr<spdlog::sinks::sink>&);

}  // namespace nest
