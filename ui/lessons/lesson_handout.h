#pragma once

#include <QByteArray>

#include "catalogue/report.h"
#include "diagnostics/diagnostic.h"
#include "formats/scenario/scenario_json.h"
#include "lessons/lesson.h"

namespace nest {

/// A lesson as one HTML page for those who have no program: its texts and questions with the numbers of
/// today's plans, each answer behind a click, the figures of what it reveals, and its scenario inside.
/// Numbers that differ from student to student are those of no student in particular. `load`: what the
/// scenario names. Empty, with the errors in `wrong`: something of it cannot be computed.
QByteArray lessonAsPage(const Lesson&, const ReferenceLoader& load, const ReportChoice&, Diagnostics& wrong);

}  // namespace nest
