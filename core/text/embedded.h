#pragma once

#include <string_view>

namespace nest {

/// The text of resources/NAME as it was when the program was built; empty if there is no such file.
std::string_view embeddedResource(std::string_view name);

}  // namespace nest
