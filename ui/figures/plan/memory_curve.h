#pragma once

#include <QRectF>
#include <span>

#include "evaluation/schedule.h"
#include "units/quantity.h"

namespace nest {

class FigurePainter;

/// What is held exceeds what there is, by more than sums of the same numbers in another order differ.
inline bool isOver(Bytes used, Bytes capacity) {
  return used.value() > capacity.value() * (1 + 1e-9);
}

/// What one stage's device is predicted to hold while the schedule runs, from `begin` to `end` seconds,
/// against its capacity: what is too much is marked and said. `steps`: of this stage, in time order, with the
/// headroom that is to stay free.
void paintMemoryCurve(FigurePainter&, const QRectF& plot, std::span<const MemoryStep> steps, int stage,
                      Bytes capacity, Bytes headroom, double begin, double end);

}  // namespace nest
