#pragma once

#include <map>
#include <string>
#include <vector>

#include "dice.h"

/// What random command lines are made of.
namespace nest::fuzz {

/// Values that options and fields may be given, sensible and not.
const std::vector<std::string>& words();
/// What an option takes as a rule; "": nothing.
const std::map<std::string, std::vector<std::string>>& usual();

/// Any text, damaged without knowing what it says.
std::string damagedText(Dice&, std::string text, const std::string& other);
/// A JSON text of which one to three values, keys or items are others.
std::string damagedJson(Dice&, const std::string& text);

}  // namespace nest::fuzz
