#pragma once

#include "solver/baselines/baselines.h"

/// The methods behind runBaselines(), which sets `kind`, `elapsed` and `plan->simulated` itself.
namespace nest::baselines {

BaselineResult manual(const Problem&, const Control&, const ManualDegrees&);
BaselineResult randomWalk(const Problem&, const Control&, const BaselineOptions&);
BaselineResult networkUnaware(const Problem&, const Control&);
BaselineResult memoryUnaware(const Problem&, const Control&);
BaselineResult equalSplit(const Problem&, const Control&);

inline bool stopped(const Control& c) {
  return c.shouldStop();
}

}  // namespace nest::baselines
