#pragma once

#include <string>

namespace nest {

/// The text as UTF-8 without a byte order mark. Texts that begin with the mark of UTF-16 (either byte order:
/// what a redirected Windows shell writes) are turned into UTF-8; all others stay as they are, broken ones
/// included.
std::string asUtf8(std::string text);

}  // namespace nest
