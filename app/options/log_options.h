#pragma once

#include <string>
#include <vector>

#include "log/program_log.h"
#include "options/command.h"

namespace nest::cli {

/// --log-level LEVEL and --log-file FILE, with what holds where they are not given.
std::vector<OptionSpec> logOptionSpecs(const std::string& usualLevel, const std::string& usualFile);

/// The error for `--log-level off` with `--log-file`.
inline constexpr const char* kNoLogToWrite =
    "--log-level off writes no log, and --log-file asks for one; leave one of them out";

/// Takes both out of the words, wherever they stand before "--".
Reading<LogOptions> takeLogOptions(std::vector<std::string>& words);

}  // namespace nest::cli
