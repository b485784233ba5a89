#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "solver/bounds/lanes.h"
#include "solver/bounds/search_bounds.h"

namespace nest::solver {

/// Tables over whole relaxed stages in front of a pipeline whose stages choose their strategies (STATEMENT.md
/// §6, 5). A row stands for what is in front: a number of layers or stages on exactly u units. With stage i
/// on a_i units and λ ≥ 0, Q_λ is the least Σ (w_sum·x_i + λ·a_i·y_i), including the first stage's sync and
/// step, and M is the least possible largest y.
/// Claim: T ≥ w_sum·sum + (w_max − λ·u)·max(max, M) + Q_λ while λ·u ≤ w_max.
/// Proof: the largest y is at least M, and at least the mean Σ a_i·y_i/u of the stages in front. The share
/// λ·u of w_max counts the mean; the rest counts the larger of M and the y of the stages behind.
/// Cost: one loop over kRates values of λ per stage that is added.
template <class Real>
class PrefixTable {
public:
  static constexpr int kRates = 8;  ///< values of λ
  using Rates = std::array<double, kRates>;

  PrefixTable() = default;
  /// `certain`: the factor < 1 that makes a rounded sum a lower bound. `tails`: also keep Q without the first
  /// stage's sync and step, for callers that know a tail. Reserves memory for `rows` rows; the table is empty
  /// until grow().
  PrefixTable(ObjectiveWeights weights, const Rates& rates, std::size_t rows, double certain, bool tails)
      : m_weights(weights), m_certain(certain), m_tails(tails) {
    for (int j = 0; j < kRates; ++j) m_rate[j] = static_cast<Real>(rates[j]);
    m_most.reserve(rows);
    m_first.reserve(rows * kRates);
    if (tails) m_least.reserve(rows * kRates);
  }
  static std::size_t bytes(std::size_t rows) { return rows * (kRates + 1) * sizeof(Real); }
  /// Extends the table to `rows` rows.
  void grow(std::size_t rows) {
    m_most.resize(rows, kUnreached);
    m_first.resize(rows * kRates, kUnreached);
    if (m_tails) m_least.resize(rows * kRates, kUnreached);
  }

  /// Marks a row in which no stage is in front.
  void open(std::size_t row) {
    m_most[row] = 0;
    std::fill_n(&m_first[row * kRates], kRates, Real(0));
    if (!m_least.empty()) std::fill_n(&m_least[row * kRates], kRates, Real(0));
  }
  /// What a stage of `width` units adds. `tail`: its sync and step if it is the first one.
  struct Added {
    Real cost[kRates], first[kRates], most;
  };
  Added added(int width, const StageFill& s, double tail) const {
    Added a;
    for (int j = 0; j < kRates; ++j) {
      const double own = m_weights.sum * s.x + double(m_rate[j]) * width * s.y;
      a.cost[j] = static_cast<Real>(own);
      a.first[j] = static_cast<Real>(own + tail);
    }
    a.most = static_cast<Real>(s.y);
    return a;
  }
  /// Adds a stage that leads from row front + k to row here + k, k < count.
  void add(std::size_t front, std::size_t here, const Added& stage, int count = 1) {
    const Added a = stage;  // a copy, so that the compiler knows that it aliases no row
    for (int k = 0; k < count; ++k, ++front, ++here) {
      if (!reached(front)) continue;
      m_most[here] = std::min(m_most[here], std::max(m_most[front], a.most));
      extend(m_first, front, here, a.first);
      if (!m_least.empty()) extend(m_least, front, here, a.cost);
    }
  }

  bool reached(std::size_t row) const { return m_most[row] < kUnreached; }
  double leastMax(std::size_t row) const { return m_certain * double(m_most[row]); }
  /// A bound on the time of the whole pipeline if the stages behind have y of at most `max`, a total x of
  /// `sum`, and expose `tail`.
  double time(std::size_t row, int units, double max, double sum, double tail) const {
    if (!reached(row)) return std::numeric_limits<double>::infinity();
    const double most = std::max(max, leastMax(row));
    double bound = 0;
    for (int j = 0; j < kRates && double(m_rate[j]) * units <= m_weights.max * (1 + 1e-15); ++j)
      bound = std::max(bound, (m_weights.max - double(m_rate[j]) * units) * most + rest(row, j, tail));
    return bound + m_weights.sum * sum;
  }
  /// An upper bound on the y of any stage of a pipeline that ends in this row within the limit; 0 if there is
  /// none.
  double most(std::size_t row, int units, double limit, double most) const {
    if (!reached(row)) return 0;
    for (int j = 0; j < kRates && double(m_rate[j]) * units < m_weights.max; ++j)
      most = std::min(most, (limit - rest(row, j, 0)) / (m_weights.max - double(m_rate[j]) * units));
    return most;
  }

private:
  static constexpr Real kUnreached = std::numeric_limits<Real>::infinity();
  static void extend(std::vector<Real>& table, std::size_t front, std::size_t here, const Real* cost) {
    relax<kRates>(&table[here * kRates], &table[front * kRates], cost);
  }
  double rest(std::size_t row, int j, double tail) const {
    const std::size_t k = row * kRates + static_cast<std::size_t>(j);
    const double first = m_certain * double(m_first[k]);
    return m_least.empty() ? first : std::max(first, m_certain * double(m_least[k]) + tail);
  }

  ObjectiveWeights m_weights;
  Real m_rate[kRates] = {};  ///< λ, ascending
  double m_certain = 1;
  bool m_tails = false;
  std::vector<Real> m_most;            ///< M
  std::vector<Real> m_first, m_least;  ///< Q, kRates per row
};

}  // namespace nest::solver
