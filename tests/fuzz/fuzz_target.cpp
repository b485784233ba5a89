#include <cstdio>
#include <cstdlib>

#include "fuzz_targets.h"

/// NEST_FUZZ_TARGET=dot fuzz_target CORPUS…; without one it lists them.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const nest::fuzz::Target* const target = [] {
    const char* name = std::getenv("NEST_FUZZ_TARGET");
    for (const auto& t : nest::fuzz::targets())
      if (name && t.name == name) return &t;
    for (const auto& t : nest::fuzz::targets()) std::fprintf(stderr, "%s\n", t.name.c_str());
    std::exit(2);
  }();
  target->run({reinterpret_cast<const char*>(data), size});
  return 0;
}
