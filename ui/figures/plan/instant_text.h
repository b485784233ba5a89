#pragma once

#include <QString>

#include "document/plan_context.h"
#include "evaluation/schedule_replay.h"

namespace nest {

/// "At 420 ms: forward 5 on stage 0, 3 on 2 · activations 4 from 0 to 1 over leaf · 5 stages wait".
QString instantText(const ScheduleInstant&, const PlanContext&);

/// "; shown on replica 0, the other 15 do the same"; empty with one replica.
QString othersText(const PlanContext&);

}  // namespace nest
