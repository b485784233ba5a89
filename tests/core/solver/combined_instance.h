#pragma once

#include <cstdint>

#include "problem/problem.h"
#include "support/random_instance.h"

namespace nest::test {

/// The problem with constraints of every kind, many at once, which one of its plans meets.
Problem constrainedAroundAPlan(const Problem&, std::uint64_t seed);

/// A problem made from a scenario: a small transformer on a small network of hosts, a few fields of which
/// have any values that they allow. The memory is such that some plans fit and others do not.
Problem problemOfAnyFields(std::uint64_t seed, long long mostPlans);

}  // namespace nest::test
