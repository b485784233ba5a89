#pragma once

#include <string>

#include "files/file_reader.h"

namespace nest::cli {

/// readText of a file, or of standard input for "-".
Reading<std::string> readTextFile(const std::string& path);

/// writeFile, or standard output for "-". What was printed before stands before it where both go to the same
/// place. Nothing is written over a file that was read, but for `replaces`, of which this is a new version.
Diagnostics writeTextFile(const std::string& path, const std::string& text, const std::string& replaces = {});

/// Whether this is a file that was read.
bool wasRead(const std::string& path);

/// The same file, under whatever names.
bool isSameFile(const std::string& a, const std::string& b);

}  // namespace nest::cli
