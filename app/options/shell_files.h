#pragma once

#include <string>
#include <utility>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "options/command.h"

namespace nest::cli {

/// A manual page in man(7) macros. `command` empty: of the program itself.
std::string manualPage(const Program&, const Command* command = nullptr);

std::string bashCompletion(const Program&);
std::string zshCompletion(const Program&);
std::string fishCompletion(const Program&);

/// What completes the value of an option or an operand of that name.
enum class Completes { Nothing, Files, Folders };
Completes completes(const std::string& valueName);

/// All of these as they lie below an installation's prefix: path and text,
/// "share/man/man1/nest-plan-solve.1".
std::vector<std::pair<std::string, std::string>> shellFiles(const Program&);
/// Writes them below `folder`, making folders on the way.
Diagnostics writeShellFiles(const Program&, const std::string& folder);

}  // namespace nest::cli
