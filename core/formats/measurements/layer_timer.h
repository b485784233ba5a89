#pragma once

#include <string_view>

#include "calibration/measurement.h"
#include "formats/measurements/trace_events.h"
#include "text/source_text.h"

namespace nest {

/// How to profile so that a trace tells the times of layers, in a profiler's own terms.
struct ProfilingAdvice {
  std::string_view kernels, layers, launches, backward;
};

/// Forward and backward time of each annotated layer's kernels. Errors, with the advice as remedy: no
/// kernels, no annotations, no launches inside them, no backward pass.
std::optional<Measurement> layerTimesOf(const TraceEvents&, SourceText&, const ProfilingAdvice&);

}  // namespace nest
