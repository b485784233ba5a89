#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace nest::fuzz {

class Dice {
public:
  explicit Dice(std::uint64_t seed) : m_engine(seed) {}
  int below(std::size_t n) { return n == 0 ? 0 : static_cast<int>(m_engine() % n); }
  bool chance(double p) { return static_cast<double>(m_engine() >> 11) * 0x1.0p-53 < p; }
  template <class T>
  const T& of(const std::vector<T>& all) {
    return all[below(all.size())];
  }

private:
  std::mt19937_64 m_engine;
};

}  // namespace nest::fuzz
