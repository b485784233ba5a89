#pragma once

#include <cstdint>
#include <string>

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

}  // namespace nest::test
