#pragma once

#include <cstring>

namespace nest::solver {

/// now[j] = min(now[j], old[j] + cost[j]) for j < count; the values fill a multiple of sixteen bytes. It
/// processes sixteen bytes at a time, because compilers do not vectorize a minimum by themselves.
template <int count, class Real>
void relax(Real* now, const Real* old, const Real* cost) {
  using Vector [[gnu::vector_size(16)]] = Real;
  constexpr int kLanes = 16 / sizeof(Real);
  static_assert(count % kLanes == 0);
  for (int j = 0; j < count; j += kLanes) {
    Vector a, b, c;
    std::memcpy(&a, now + j, sizeof a), std::memcpy(&b, old + j, sizeof b),
        std::memcpy(&c, cost + j, sizeof c);
    b += c;
    a = b < a ? b : a;
    std::memcpy(now + j, &a, sizeof a);
  }
}

}  // namespace nest::solver
