#pragma once

#include "cluster/graph/routing.h"
#include "cluster/levels/level_abstraction.h"
#include "evaluation/traffic.h"
#include "plan/plan.h"
#include "problem/problem.h"

namespace nest {

/// Checks a plan that was chosen on levels against the network from which they were derived: routes the
/// traffic of one batch over the links (see routeTraffic; see Traffic for who sends to whom). The bound is
/// compared with the batch time of the evaluator. `problem.cluster` must have been derived from `source`.
/// `network` may be the abstraction of `source`, if available; it is derived otherwise. `until` ends the call
/// within some 50 ms, with no value or an incomplete one. `kinds`: other exchanges are left out.
Reading<RoutedTraffic> routePlan(const GraphSource& source, const Problem& problem, const Plan& plan,
                                 const LevelAbstraction* network = nullptr, const Until& until = {},
                                 const ExchangeMask& kinds = kEveryExchange);

}  // namespace nest
