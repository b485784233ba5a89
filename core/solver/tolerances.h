#pragma once

#include "cost/memory_parts.h"  // kMemoryRounding, which the evaluation shares

/// Every other tolerance of the solver, and why it is as large as it is. u = 2^-53 ≈ 1.1e-16 is the unit
/// roundoff.
namespace nest::solver {

/// What a sum of loads, or a bound made of such sums, may be off by because it was added in another order.
/// A sum of n positive terms is off by at most n·u of itself. A pipeline adds up at most about 4,000 terms
/// (1,000 layers with compute and three exchanges each), which is 4.4e-13.
inline constexpr double kRoundingOfSums = 1e-12;
/// A limit times this is a limit that a sum within it does not pass by rounding.
inline constexpr double kRoundUp = 1 + kRoundingOfSums;
/// A bound times this is a bound, whatever the order in which it was added.
inline constexpr double kRoundDown = 1 - kRoundingOfSums;

/// Two plans whose times differ by less are equally fast; then the order of STATEMENT.md §5 decides. Equal
/// plans reach the solver as sums in different orders, so this is no less than their rounding.
inline constexpr double kEqualTimes = kRoundingOfSums;

/// What the difference of two prefix sums may be off by, relative to itself: the figures of one layer taken
/// from sums over 1,000 layers or more, 1,000·u times the share of the layer (see above), with room to spare.
inline constexpr double kRoundingOfDifferences = 1e-9;

/// The planner's time and the evaluator's of one plan: both are sums of differences, by formulas of their
/// own.
inline constexpr double kEvaluatorAgreement = 1e-9;

/// Labels of one state whose figures differ by less than this share of the limit are equal, and one of them
/// is dropped. A pipeline has at most 1,000 stages, each of which may drop a label that is better by so much:
/// what is found is off by less than kEqualTimes.
inline constexpr double kEqualLabels = 1e-15;

/// What single precision leaves of a sum, for each of its terms: twice the unit roundoff of float is 1.2e-7,
/// once when a term is stored and once when it is added; with room to spare.
inline constexpr double kFloatRounding = 4e-7;

}  // namespace nest::solver
