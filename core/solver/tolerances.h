#pragma once

#include "cost/memory_parts.h"  // kMemoryRounding, which the evaluation shares

/// The other tolerances of the solver, with the reasons for their sizes. u = 2^-53 ≈ 1.1e-16 is the unit
/// roundoff.
namespace nest::solver {

/// The relative error of a sum of loads, or of a bound made of such sums, that results from adding in another
/// order. A sum of n positive terms is off by at most n·u of itself. A pipeline adds up at most about 4,000
/// terms (1,000 layers with compute and three exchanges each), which is 4.4e-13.
inline constexpr double kRoundingOfSums = 1e-12;
/// A limit times this is not exceeded by a sum within the limit because of rounding.
inline constexpr double kRoundUp = 1 + kRoundingOfSums;
/// A bound times this remains a lower bound in whatever order its terms were added.
inline constexpr double kRoundDown = 1 - kRoundingOfSums;

/// Two plans are equally fast if their times differ by less than this share; then the order of STATEMENT.md
/// §5 decides. The solver adds equal plans in different orders, so the share must cover the rounding of sums.
inline constexpr double kEqualTimes = kRoundingOfSums;

/// The relative error of the difference of two prefix sums. Taking one layer's costs from sums over 1,000
/// layers or more loses 1,000·u times the inverse share of the layer (see above); this leaves room to spare.
inline constexpr double kRoundingOfDifferences = 1e-9;

/// How closely the planner's time and the evaluator's time of one plan agree. Both are sums of differences,
/// computed by different formulas.
inline constexpr double kEvaluatorAgreement = 1e-9;

/// Labels of one state whose values differ by less than this share of the limit are equal, and one of them is
/// dropped. A pipeline has at most 1,000 stages, each of which may drop a label that is better by this much,
/// so the result is off by less than kEqualTimes.
inline constexpr double kEqualLabels = 1e-15;

/// The relative error of a sum in single precision, per term. Twice the unit roundoff of float is 1.2e-7,
/// once when a term is stored and once when it is added; this leaves room to spare.
inline constexpr double kFloatRounding = 4e-7;

}  // namespace nest::solver
