#pragma once

#include <string>

#include "files/file_reader.h"

namespace nest::cli {

/// readText of a file, or of standard input for "-".
Reading<std::string> readTextFile(const std::string& path);

/// writeFile, or standard output for "-". What was printed before stands before it where both go to the same
/// place.
Diagnostics writeTextFile(const std::string& path, const std::string& text);

}  // namespace nest::cli
