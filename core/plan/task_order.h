#pragma once

#include <vector>

#include "plan/schedule.h"

namespace nest {

/// A forward or backward pass of one microbatch through one chunk.
struct PipelineTask {
  int chunk = 0;
  int microbatch = 0;
  bool forward = true;
};

/// The order in which stage i of s runs its passes.
///
/// 1F1B [Narayanan 2021]: min(m, s−i−1) forward passes, then forward and backward in turn. Interleaved:
/// Megatron-LM's order in groups of s microbatches a chunk, after min(m·v, 2(s−i−1) + (v−1)s) forward passes.
/// GPipe: all forward passes first.
std::vector<PipelineTask> taskOrder(ScheduleKind, int stage, int stages, int chunks, int microbatches);

}  // namespace nest
