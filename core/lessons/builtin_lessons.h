#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "formats/scenario/scenario_json.h"
#include "lessons/lesson.h"

namespace nest {

/// The lessons that the program brings, in their order. Read once.
const std::vector<Lesson>& builtinLessons();
const Lesson* builtinLesson(std::string_view id);

/// The text of a sample by its path below samples/: "teaching-6-layers-2x2.nest.json", "models/gpt2.json".
/// Those that lessons use, and no others. nullopt: there is none.
std::optional<std::string_view> embeddedSample(std::string_view path);
/// Loads what a sample names.
ReferenceLoader sampleLoader();

}  // namespace nest
