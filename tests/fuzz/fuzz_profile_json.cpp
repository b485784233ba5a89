#include "fuzz_targets.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  return nest::fuzz::runOne("profile_json", data, size);
}
