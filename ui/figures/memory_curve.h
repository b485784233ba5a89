#pragma once

#include <QRectF>
#include <span>

#include "plan/schedule.h"
#include "units/quantity.h"

namespace nest {

class Ink;

/// What one stage's device is predicted to hold while the schedule runs, from `begin` to `end` seconds,
/// against its capacity. `steps`: of this stage, in time order, with the headroom that is to stay free.
void paintMemoryCurve(Ink&, const QRectF& plot, std::span<const MemoryStep> steps, int stage, Bytes capacity,
                      Bytes headroom, double begin, double end);

}  // namespace nest
