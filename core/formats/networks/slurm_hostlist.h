#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nest {

/// A Slurm hostlist written out: "tux[0-3,12,18-20],gpu7" → tux0 … tux3, tux12, …; several brackets in a name
/// count like digits, the last fastest; leading zeros are kept ("n[08-10]" → n08, n09, n10).
struct Hostlist {
  std::vector<std::string> names;
  std::string error;       ///< what is wrong, empty if nothing is
  std::size_t offset = 0;  ///< where in the text
};
Hostlist expandHostlist(std::string_view text, std::size_t most = 200'000);

/// The same names as a list, in their order; runs of numbers become ranges: "gpu[00-03,07],login". Names must
/// be letters, digits, '.', '-' and '_'.
std::string compressHostlist(const std::vector<std::string>& names);

}  // namespace nest
