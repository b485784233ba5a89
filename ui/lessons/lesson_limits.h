#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "lessons/lesson.h"
#include "scenario/scenario.h"

namespace nest {

/// Why a lesson does not allow what was changed in its scenario, as a sentence. nullopt: it does.
std::optional<QString> refusalOf(const Scenario& given, const Scenario& now,
                                 const std::vector<LessonFreedom>& allowed);

}  // namespace nest
