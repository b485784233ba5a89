#pragma once

#include <string>

namespace nest {

/// What a host is called that the input leaves unnamed: as its level is, with its number, and so that host
/// files can hold it: "host3", "tray3", "NVL72-3", "NVLink-domain3".
std::string standInHost(const std::string& levelName, long long number);

}  // namespace nest
