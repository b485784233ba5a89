#pragma once

#include <string>
#include <string_view>

namespace nest {

/// A text as it may go to a terminal or a log: control characters, escape sequences, direction overrides and
/// bytes that are no UTF-8 become visible as \u001b or \x9b (inside JSON the former reads back the same).
/// Line breaks and tabs stay with `keepsLines`; without it the text stays one line, whatever names it holds.
std::string printable(std::string_view, bool keepsLines = true);

}  // namespace nest
