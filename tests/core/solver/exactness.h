#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "problem/problem.h"
#include "solver/outcome.h"

namespace nest::test {

/// Of random instances: NEST_SEED, or 0.
std::uint64_t firstSeed();

/// Times that differ by rounding alone.
bool same(double a, double b);

/// Of a plan or none, for messages.
std::string timed(const RankedPlan*);

/// Empty if solve() is right about the instance, else what is wrong.
std::string mistake(const Problem&, const Outcome& solved, const Outcome& truth);

/// Empty if for each plan of `other` some plan of `front` is as good in all three figures, within rounding.
std::string covers(const std::vector<RankedPlan>& front, const std::vector<RankedPlan>& other,
                   const char* otherwise);

/// Empty if the plans that are claimed to be the next best are, and the front where it is claimed to be
/// whole.
std::string mistakeBesides(const Problem&, const Outcome& solved, const Outcome& truth);

}  // namespace nest::test
