#pragma once

#include "cluster/graph/routing.h"
#include "cluster/levels/level_abstraction.h"
#include "evaluation/traffic.h"
#include "plan/plan.h"
#include "problem/problem.h"

namespace nest {

/// The check of a plan that was chosen on levels, on the network they came from: its traffic of one batch
/// over the links (see routeTraffic; who sends to whom: see Traffic). The bound is compared with the batch
/// time of the evaluator. `problem.cluster` must have been derived from `source`. `network` may be the
/// abstraction of `source`, if it is at hand, and is derived otherwise. `until` ends it within some 50 ms,
/// with no value, or one that is not complete. `kinds`: other exchanges are left out.
Reading<RoutedTraffic> routePlan(const GraphSource& source, const Problem& problem, const Plan& plan,
                                 const LevelAbstraction* network = nullptr, const Until& until = {},
                                 const ExchangeMask& kinds = kEveryExchange);

}  // namespace nest
