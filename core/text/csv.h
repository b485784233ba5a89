#pragma once

#include <string>

namespace nest {

/// Text as a cell of a table (RFC 4180): quoted where it must be. What a spreadsheet would run as a formula
/// begins with a '. Numbers need none of this.
std::string csvCell(const std::string& text);

}  // namespace nest
