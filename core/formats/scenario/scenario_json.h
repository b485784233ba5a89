#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "scenario/scenario.h"

namespace nest {

/// The text of a file that a scenario names, or why it cannot be had; paths are relative to the scenario's
/// file.
using ReferenceLoader = std::function<Reading<std::string>(const std::string& path)>;

/// Reads a scenario (*.nest.json, resources/schemas/scenario.schema.json). `file` names it in diagnostics.
/// Every error comes at once with line, column and JSON pointer; unknown keys are warnings. What the file
/// says is taken as it is, even where no plan could satisfy it: buildProblem() judges that (a saved scenario
/// can always be opened again). Only where the file itself is broken are those findings added, so that one
/// reading tells all.
Reading<Scenario> readScenario(std::string_view text, const std::string& file, const ReferenceLoader& load);

/// The text of a scenario, keys in one order, defaults written out. Reading it gives an equal scenario, and
/// writing that the same bytes. A model that was read from a file stays a reference.
std::string writeScenario(const Scenario&);

/// Gives diagnostics that carry only a JSON pointer (from buildProblem) the line and column that the pointer
/// has in `text`.
Diagnostics locatedIn(std::string_view text, const std::string& file, Diagnostics);

inline constexpr int kScenarioVersion = 1;

}  // namespace nest
