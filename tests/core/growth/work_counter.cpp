#include "work_counter.h"

#include <cstddef>

namespace {
unsigned long long work = 0;
}

unsigned long long nest::test::workDone() {
  return work;
}

// Stands for those of the C library: libstdc++ calls these, too. CMake compiles this file so that no loop in
// it becomes a call to itself.
extern "C" {

void __sanitizer_cov_trace_pc() {
  ++work;
}

void* memchr(const void* begin, int c, std::size_t size) {
  const auto* const bytes = static_cast<const unsigned char*>(begin);
  for (std::size_t i = 0; i < size; ++i)
    if (bytes[i] == static_cast<unsigned char>(c)) {
      work += i + 1;
      return const_cast<unsigned char*>(bytes + i);
    }
  work += size;
  return nullptr;
}

int memcmp(const void* a, const void* b, std::size_t size) {
  const auto *const left = static_cast<const unsigned char*>(a), *const right =
                                                                     static_cast<const unsigned char*>(b);
  for (std::size_t i = 0; i < size; ++i)
    if (left[i] != right[i]) {
      work += i + 1;
      return left[i] < right[i] ? -1 : 1;
    }
  work += size;
  return 0;
}

void* memmove(void* to, const void* from, std::size_t size) {
  auto* const out = static_cast<unsigned char*>(to);
  const auto* const in = static_cast<const unsigned char*>(from);
  if (out < in)
    for (std::size_t i = 0; i < size; ++i) out[i] = in[i];
  else
    for (std::size_t i = size; i > 0; --i) out[i - 1] = in[i - 1];
  work += size;
  return to;
}

void* memcpy(void* to, const void* from, std::size_t size) {
  return memmove(to, from, size);
}

std::size_t strlen(const char* text) {
  std::size_t size = 0;
  while (text[size]) ++size;
  work += size;
  return size;
}
}
