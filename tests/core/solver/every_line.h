#pragma once

#include <vector>

#include "problem/problem.h"

namespace nest::test {

/// Every line of the cluster (STATEMENT.md §3) that is not like another one: every set of devices, and of
/// each all orders of the groups of every level. As positions. Of at most 16 devices.
std::vector<std::vector<int>> everyLine(const Hierarchy&);

}  // namespace nest::test
