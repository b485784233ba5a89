#pragma once

#include <string>

namespace nest {

/// What a level is for. Error: a defect of the program (it fails a test). Warning: something went wrong that
/// the user is told about. Info: what the user did and got. Debug: what was computed and how long it took.
/// Trace: everything else.
enum class LogLevel { Trace, Debug, Info, Warning, Error };

/// A line for the log of the program, which is spdlog's default logger. Whoever has something to say calls
/// this and sets nothing up; main() does, once, with startLog() (program_log.h). The headers of spdlog take
/// seconds to compile, so nobody else includes them.
void logLine(LogLevel, const std::string& line);

}  // namespace nest
