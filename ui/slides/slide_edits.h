#pragma once

#include <QString>

#include "document/kept_plans.h"
#include "document/plan_context.h"
#include "document/scenario_document.h"
#include "document/selection.h"
#include "slides/slide_renderer.h"
#include "views/view.h"

namespace nest {

/// Edits of the slides of a scenario; each is one undo step.
///
/// Keeps what `view` shows, whole: the setting, the plan or what stands in its place, what stands beside it,
/// and what is selected. Nothing else changes, and no later edit changes the slide. An empty caption: the
/// figure's own sentence. Returns why it cannot be kept, as a sentence; empty: it is.
QString keepSlide(ScenarioDocument&, const View& view, const Selection&, const QString& caption = {});
/// Keeps what `view` shows as a further step of a slide: another selection, filter, zoom or time. It must be
/// the slide's view with the slide's plan. Returns why it cannot be kept; empty: it is.
QString addStep(ScenarioDocument&, int slide, const View& view, const Selection&);
void removeSteps(ScenarioDocument&, int slide);
void captionSlide(ScenarioDocument&, int slide, const QString& caption);
/// What the speaker alone sees, Markdown.
void noteSlide(ScenarioDocument&, int slide, const QString& notes);
void removeSlide(ScenarioDocument&, int slide);
/// Moves it to the place of another one; those between make room.
void moveSlide(ScenarioDocument&, int slide, int to);

/// What a slide shows. `own`, the scenario's own, for slides of earlier versions that hold no plan. Never
/// null.
PlanContextPtr contextOf(const SavedSlide&, const Scenario&, const PlanContextPtr& own, KeptContexts&);

std::optional<SelectionItem> selectedIn(const SavedSlide&);

/// The plans beside the one in `context`, each costed.
std::vector<View::PlanBeside> besideOf(const SavedSlide&, const PlanContextPtr& context, const Scenario&,
                                       KeptContexts&);

/// "Llama 70B", "2 of 8"; with steps "2 of 8 · step 1 of 3".
SlideRenderer::Foot footOf(const Scenario&, int slide, int step = 0);

}  // namespace nest
