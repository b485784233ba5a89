#pragma once

#include <QString>
#include <functional>
#include <string>

#include "document/plan_context.h"
#include "document/scenario_document.h"
#include "document/selection.h"

namespace nest {

class View;

/// What the window shows, as conditions of lessons judge it.
struct LessonScene {
  const ScenarioDocument* document = nullptr;
  const Selection* selection = nullptr;
  PlanContextPtr context;  ///< never null
  PlanContextPtr start;    ///< when the step's case was opened; null until its first plan is known
  std::function<View*(const QString& id)> view;
};

/// Whether a condition holds (LessonStep::done, a JSON object of which all must hold): "selected": [kinds,
/// such as "stage" for any and "stage 2" for that one, or "nothing"]; "state": [view, key, value];
/// "state_not"; "score_below", "score_at_least": of the cuts drawn by hand, 100 = the optimum; "pinned":
/// whether cuts are pinned; "play_head": whether it stands somewhere; "exchange": whether one is played;
/// "bubble_below": share of the batch; "slower_by": share, against the start; "fits": whether there is a
/// plan; "kept": at least so many plans are kept; "asked": whether Search shows an answer. Reading refuses
/// others, and an object of none.
bool holds(const std::string& condition, const LessonScene&);

}  // namespace nest
