#pragma once

#include <QString>

#include "document/kept_plans.h"
#include "document/plan_context.h"
#include "document/scenario_document.h"
#include "document/selection.h"
#include "moments/moment_sight.h"
#include "views/view.h"

namespace nest {

/// Edits of the slides of a scenario; each is one undo step.
///
/// Keeps what `view` shows, whole: the setting, the plan or what stands in its place, what stands beside it,
/// and what is selected. Nothing else changes, and no later edit changes the slide. An empty caption: the
/// figure's own sentence. Returns why it cannot be kept, as a sentence; empty: it is.
QString keepMoment(ScenarioDocument&, const View& view, const Selection&, const QString& caption = {});
void captionMoment(ScenarioDocument&, int moment, const QString& caption);
void removeMoment(ScenarioDocument&, int moment);
/// Moves it to the place of another one; those between make room.
void moveMoment(ScenarioDocument&, int moment, int to);

/// What a slide shows. `own`, the scenario's own, for slides of earlier versions that hold no plan. Never
/// null.
PlanContextPtr contextOf(const SavedMoment&, const Scenario&, const PlanContextPtr& own, KeptContexts&);

std::optional<SelectionItem> selectedIn(const SavedMoment&);

/// The plans beside the one in `context`, each costed.
std::vector<View::PlanBeside> besideOf(const SavedMoment&, const PlanContextPtr& context, const Scenario&,
                                       KeptContexts&);

/// "Llama 70B", "2 of 8".
MomentSight::Foot footOf(const Scenario&, int moment);

}  // namespace nest
