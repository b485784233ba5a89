#pragma once

#include <string>

namespace nest::text {

/// A large number of things in three digits: "939 k", "1.27 M", "4.31 M", "15.6 T"; below ten thousand as it
/// is. The exact figure belongs beside it on hover.
std::string amount(double value);

}  // namespace nest::text
