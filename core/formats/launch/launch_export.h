#pragma once

#include <string>
#include <vector>

#include "evaluation/schedule.h"
#include "formats/launch/launch_target.h"
#include "formats/results/outcome_json.h"

namespace nest {

/// The plan in the words of a target. Errors name everything in the plan that the target cannot say; warnings
/// what it leaves to other settings (ranks are placed by the host files). `plan` must be one that evaluates
/// without violations. Facts of each target: Megatron-LM d98e8a64 (arguments.py,
/// pipeline_parallel_layer_layout.py), Megatron-Bridge 067f987df (scripts/training/run_recipe.py), NeMo
/// 8cfedd720 (nemo/collections/llm/recipes, nemo/lightning/pytorch/strategies/megatron_strategy.py),
/// DeepSpeed configuration, torchtitan v0.2.2 (TOML) and b5bcd76c6 (Python), nanotron 2411b02, Slurm and Open
/// MPI manuals, Chrome trace event format. `coresPerHost`: for rank files, see rankFile().
Reading<std::string> writeLaunch(const LaunchTarget&, const ReportSource&, const Plan&, int coresPerHost = 0);

/// Device of each global rank, in the order that all these launchers share: stage, then replica, then
/// context, tensor fastest (Megatron's tp-cp-ep-dp-pp).
std::vector<DeviceIndex> devicesByRank(const Plan&);

/// A schedule as Chrome trace events (chrome://tracing, Perfetto): a process per plan, a thread per stage and
/// kind, µs.
std::string writeChromeTrace(const ReportSource&, const Plan&, const Schedule&);

}  // namespace nest
