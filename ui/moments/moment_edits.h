#pragma once

#include <QString>

#include "document/kept_plans.h"
#include "document/plan_context.h"
#include "document/scenario_document.h"
#include "document/selection.h"
#include "views/view.h"

namespace nest {

/// Edits of the moments of a scenario; each is one undo step.
///
/// Keeps what `view` shows of its plan, with what is selected in it. The plan is kept along, so that the
/// moment stays what it is when the scenario moves on; so is what stands beside it, and what a study found.
/// An empty caption: one is made from what is shown. Returns why it cannot be kept (View::whyNotKept), as a
/// sentence; empty: it is.
QString keepMoment(ScenarioDocument&, const View& view, const Selection&, const QString& caption = {});
void captionMoment(ScenarioDocument&, int moment, const QString& caption);
/// A plan that it brought along, and that no other slide shows, goes with it, unless it was given another
/// name.
void removeMoment(ScenarioDocument&, int moment);
/// Moves it to the place of another one; those between make room.
void moveMoment(ScenarioDocument&, int moment, int to);

/// What a moment shows: the kept plan that it names, or `own`, the scenario's own. `own` also where it is the
/// same plan: it knows what was searched. Never null.
PlanContextPtr contextOf(const SavedMoment&, const Scenario&, const PlanContextPtr& own, KeptContexts&);

std::optional<SelectionItem> selectedIn(const SavedMoment&);

/// The plans beside the one in `context`, each costed.
std::vector<View::PlanBeside> besideOf(const SavedMoment&, const PlanContextPtr& context, const Scenario&,
                                       KeptContexts&);

}  // namespace nest
