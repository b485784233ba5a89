#pragma once

#include <functional>
#include <optional>

#include "evaluation/evaluation.h"
#include "lab/published_results.h"
#include "program/program.h"
#include "scenario/scenario.h"

namespace nest {

/// What is changed of published runs before they are predicted; by default nothing.
struct PublishedOptions {
  std::vector<DeviceSpec> devices;       ///< in place of the catalog's, by id
  const Program* program = nullptr;      ///< in place of each run's own
  std::function<void(Setting&)> change;  ///< of every scenario, last
};

/// The catalog's device of a run; nullptr: it has none of this name.
const DeviceSpec* deviceOf(const PublishedRun&, const PublishedOptions& = {});

/// The run as the user's scenario: what import makes of its network, device and model (assemble()), under its
/// program, with its job. Hosts have the stated or the device's usual size (a TPU slice is one), links the
/// device's bandwidths. Where the run states what overlaps, that is typed over the program's.
Reading<Scenario> scenarioOf(const PublishedRun&, const PublishedOptions& = {});

/// The plan that ran, in that scenario: Megatron's rank order (d_in = d), equal blocks a stage (where they do
/// not divide one less, in the last and the first, which have head and embedding, before others); where
/// microbatch, ZeRO or chunk count is not stated, the best that fits. nullopt: layers, batch or devices do
/// not divide so.
struct PublishedPlan {
  Scenario scenario;  ///< with the microbatch and chunk count of the plan
  Plan plan;
  std::shared_ptr<const Problem> problem;
  Evaluation evaluation;
};
Reading<PublishedPlan> planOf(const PublishedRun&, const PublishedOptions& = {});

}  // namespace nest
