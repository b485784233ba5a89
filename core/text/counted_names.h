#pragma once

#include <map>
#include <string>
#include <vector>

namespace nest {

/// "a, b, c and 4 more": no more than `most` of the names are listed.
std::string firstOf(const std::vector<std::string>& names, std::size_t most);

/// What a file says and is not used, each with how often it does: ""owner" (12), "pool" (4) and 3 more".
/// `unit`: of the counts, " hosts"; may be empty.
std::string countedNames(const std::map<std::string, int>& counts, const char* unit = "");

}  // namespace nest
