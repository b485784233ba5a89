#pragma once

#include <string>

namespace nest::text {

/// A large number of things in three digits: "939 k", "1.27 M", "4.31 M", "15.6 T"; below ten thousand as it
/// is. The exact figure belongs beside it on hover.
std::string amount(double value);

/// The same in words: "335 million", and from a billion on to so many digits: "46.703 billion".
std::string amountInWords(double value, int digits);

}  // namespace nest::text
