#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "problem/job.h"

namespace nest::field {

/// Whole number within limits, blanks and thousands separators ignored.
std::optional<int> readWhole(const QString&, int least, int most);
/// "1, 2, 4" in any order; ascending, without repeats. nullopt: empty, or one of them is not a whole number ≥
/// least.
std::optional<std::vector<int>> readWholeList(const QString&, int least, int most);
QString listText(const std::vector<int>&);

/// "any" or empty, "8", "≤ 8" ("<=8"), "≥ 2" (">=2"), "2–8" ("2-8", "2..8").
std::optional<Bound> readBound(const QString&);
QString boundText(const Bound&);

/// "2e12", "2 T", "300 B", "15 trillion"; empty is allowed and means none: the outer optional is the success.
std::optional<std::optional<double>> readTokens(const QString&);
QString tokensText(const std::optional<double>&);

/// "35 %", "0.35": a share in [0, 1]; a bare number above 1 is a percentage.
std::optional<double> readShare(const QString&);

/// The next power of two above or below, `steps` times; at least 1.
int doubled(int value, int steps);

}  // namespace nest::field
