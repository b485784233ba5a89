#pragma once

#include <string>
#include <string_view>

namespace nest {

/// FNV-1a, 64 bits, as 16 hexadecimal digits. A fingerprint, not for security. Journals contain these values.
std::string hashOf(std::string_view);

}  // namespace nest
