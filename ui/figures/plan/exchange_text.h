#pragma once

#include <QString>

#include "document/exchange_player.h"
#include "document/plan_context.h"
#include "figures/plan/kinds.h"

namespace nest {

/// The part of a stage's time that an exchange belongs to: its colour and hatch.
LoadPart partOf(const PlanExchange&);
/// "TP all-reduce".
QString nameOf(const PlanExchange&);
/// "TP all-reduce, fwd": one among those of a stage, short enough for a menu.
QString choiceOf(const PlanExchange&);
/// "block": the layers that exchange, where choiceOf() is the same for several; may be empty.
QString layersOf(const PlanExchange&);
/// "halve, round 1 of 3", "ring, 7 hops": what the ranks do in a step.
QString moveText(const CollectiveStep&);
/// How the steps are chosen: "level by level; flat it would take 1.2 ms". Empty where there is one way alone.
QString wayText(const ExchangeRun&);
/// "TP all-reduce of 76.3 MiB among 8 ranks of stage 1: 412 µs, level by level; flat it would take 1.2 ms".
QString exchangeSentence(const PlanExchange&);
/// "× 62 with each microbatch: 25.5 ms".
QString timesText(const PlanExchange&);
/// "At 120 µs of 412 µs: step 2 of 6, halve, round 2 of 3, over host, 19.1 MiB".
QString instantText(const ExchangeInstant&, const PlanContext&);

/// "; one group is marked, the slowest"; empty where there is one alone.
QString othersText(const ExchangeInstant&, const PlanContext&);

}  // namespace nest
