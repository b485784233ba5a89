#pragma once

#include <string>

namespace nest::words {

/// A heading as used within a sentence: "Forward" → "forward", but "TP communication".
std::string inSentence(std::string heading);

}  // namespace nest::words
