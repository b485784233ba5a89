#pragma once

#include <string>
#include <string_view>

#include "diagnostics/diagnostic.h"
#include "lessons/lesson.h"
#include "lessons/lesson_solver.h"

namespace nest {

/// Checks every number, condition and answer of a lesson against the solver, for every value that its
/// variables may have. Errors: a text, an answer or a condition that cannot be computed, not exactly one
/// right option, a statement that does not hold, something to do that is done from the start or not by the
/// case that should do it. Warnings: a tolerance narrower than what a view shows.
Diagnostics checkLesson(const Lesson&, const ReferenceLoader& load, const Control& = {});

/// The instructor's sheet as Markdown: what is asked, what is right today, what to point out, and the plans
/// that this is computed from. `student`: whose variables; empty: the first value of each.
Reading<std::string> lessonSheet(const Lesson&, const ReferenceLoader& load, std::string_view student = {},
                                 const Control& = {});

}  // namespace nest
