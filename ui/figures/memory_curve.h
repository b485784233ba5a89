#pragma once

#include <QRectF>
#include <span>

#include "plan/schedule.h"
#include "units/quantity.h"

namespace nest {

class Ink;

/// What one stage's device holds while the schedule runs, from `begin` to `end` seconds, against its
/// capacity. `steps`: of this stage, in time order.
void paintMemoryCurve(Ink&, const QRectF& plot, std::span<const MemoryStep> steps, int stage, Bytes capacity,
                      double begin, double end);

}  // namespace nest
