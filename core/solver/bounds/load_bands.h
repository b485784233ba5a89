#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "solver/bounds/lanes.h"
#include "solver/bounds/search_bounds.h"
#include "solver/common.h"

namespace nest::solver {

/// Tables over whole relaxed stages in front of a pipeline, by its largest load (STATEMENT.md (6.13)). A row
/// stands for a number of layers on a number of units. For each of several λ_j it contains R_j, the least Σ
/// w_sum·x, with the first stage's sync and step, over pipelines in which no y exceeds λ_j.
/// Claim: T ≥ w_sum·sum + min over j, λ_j ≥ max, of ( w_max·max(max, λ_{j−1}) + R_j ).
/// Proof: the largest y is between some λ_{j−1} and λ_j. It counts with the lower end, and the stages in
/// front count with the least sum possible below the upper end. The error is at most the distance between two
/// λ_j.
/// Cost: one loop over kBands per stage that is added. Long searches use it in addition to the PrefixTable.
class LoadBands {
public:
  static constexpr int kBands = 16;

  LoadBands() = default;
  /// The λ_j range from `least` to `most`, the largest y that can matter. `certain`: the factor < 1 that
  /// makes a rounded sum a lower bound. Reserves memory for `rows` rows; the table is empty until grow().
  LoadBands(ObjectiveWeights weights, double least, double most, std::size_t rows, double certain)
      : m_weights(weights), m_certain(certain) {
    m_least.reserve(rows * kBands);
    least = std::clamp(least, most / 100, most);
    for (int j = 0; j < kBands; ++j)
      m_most[at(j)] = least * std::pow(most / least, double(j + 1) / kBands) * kRoundUp;
  }
  static std::size_t bytes(std::size_t rows) { return rows * kBands * sizeof(float); }
  bool empty() const { return m_least.empty(); }
  void grow(std::size_t rows) { m_least.resize(rows * kBands, kUnreached); }  ///< to that many rows

  void open(std::size_t row) { std::fill_n(&m_least[row * kBands], kBands, 0.F); }
  using Added = std::array<float, kBands>;
  /// What a stage adds. `tail`: its sync and step if it is the first one.
  Added added(const StageFill& s, double tail) const {
    Added a;
    for (int j = 0; j < kBands; ++j)
      a[at(j)] = s.y <= m_most[at(j)] ? static_cast<float>(m_weights.sum * s.x + tail) : kUnreached;
    return a;
  }
  void add(std::size_t front, std::size_t here, const Added& stage, int count) {
    const Added a = stage;  // a copy, so that the compiler knows that it aliases no row
    for (int k = 0; k < count; ++k, ++front, ++here)
      relax<kBands>(&m_least[here * kBands], &m_least[front * kBands], a.data());
  }
  /// A bound on the time of the whole pipeline if its largest y is at least `max` and the stages behind have
  /// a total x of `sum`.
  double time(std::size_t row, double max, double sum) const {
    double bound = std::numeric_limits<double>::infinity();
    for (int j = kBands - 1; j >= 0; --j) {
      const double low = j > 0 ? m_most[at(j - 1)] : 0;
      bound = std::min(bound, m_weights.max * std::max(max, low) + rest(row, j));
      if (low < max) break;
    }
    return bound + m_weights.sum * sum;
  }
  /// An upper bound on the y of any stage of a pipeline that ends in this row within the limit; 0 if there is
  /// none.
  double most(std::size_t row, double limit) const {
    for (int j = kBands - 1; j >= 0; --j)
      if (m_weights.max * (j > 0 ? m_most[at(j - 1)] : 0) + rest(row, j) <= limit) return m_most[at(j)];
    return 0;
  }

private:
  static constexpr float kUnreached = std::numeric_limits<float>::infinity();
  double rest(std::size_t row, int j) const { return m_certain * double(m_least[row * kBands + at(j)]); }

  ObjectiveWeights m_weights;
  double m_certain = 1;
  std::array<double, kBands> m_most{};  ///< λ_j, ascending
  std::vector<float> m_least;           ///< kBands per row
};

}  // namespace nest::solver
