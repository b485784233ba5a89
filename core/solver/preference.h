#pragma once

#include <compare>
#include <numeric>
#include <vector>

namespace nest::solver {

/// The order among equally fast pipelines with the same number of devices and stages and the same ZeRO stage
/// (STATEMENT.md §5): less recompute first, then left-most cuts. Strategies decide what is still tied.
struct Preference {
  int recompute = 0;
  const std::vector<int>* cuts = nullptr;

  Preference(int sum, const std::vector<int>& c) : recompute(sum), cuts(&c) {}
  Preference(const std::vector<int>& policies, const std::vector<int>& c)
      : Preference(std::accumulate(policies.begin(), policies.end(), 0), c) {}
  friend std::strong_ordering operator<=>(const Preference& a, const Preference& b) {
    if (a.recompute != b.recompute) return a.recompute <=> b.recompute;
    return *a.cuts <=> *b.cuts;
  }
  friend bool operator==(const Preference& a, const Preference& b) { return (a <=> b) == 0; }
};

}  // namespace nest::solver
