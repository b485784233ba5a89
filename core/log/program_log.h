#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "diagnostics/diagnostic.h"

namespace spdlog::sinks {
class sink;
}

namespace nest {

/// How main() sets up the log that logLine() (log.h) writes to.
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
/// A sink that hands each line on: "14:03:59  what was logged".
std::shared_ptr<spdlog::sinks::sink> lineSink(std::function<void(std::string_view)> heard);

}  // namespace nest
