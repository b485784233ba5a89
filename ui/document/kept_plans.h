#pragma once

#include <QString>
#include <vector>

#include "document/plan_context.h"
#include "document/scenario_document.h"

namespace nest {

/// Edits of what is kept in a scenario; each is one undo step. Names stay different from each other.
///
/// Keeps the plan that `context` shows, under its own setting. A plan that is kept already, under the same
/// setting, is not kept twice. Returns its name; empty: there is no plan to keep.
QString keepPlan(ScenarioDocument&, const PlanContext& context, const QString& proposedName);
void renameKeptPlan(ScenarioDocument&, const QString& name, const QString& newName);
void removeKeptPlan(ScenarioDocument&, const QString& name);
/// The scenario takes the setting of the kept plan; names and what is kept stay.
void returnToKeptPlan(ScenarioDocument&, const QString& name);

/// The name, or the name with the lowest number that makes it unlike those that there are.
QString freeName(const Scenario&, const QString& proposed);

/// What `context` shows, whole, for a slide of `scenario`: setting, plan or nearest miss, and how it came to
/// be. `withFront`: the Pareto front is shown, too. The context has a scenario.
std::shared_ptr<const SavedState> savedState(const PlanContext& context, const Scenario& scenario,
                                             bool withFront);
/// The setting, or the equal one that a slide has already.
std::shared_ptr<const Setting> sharedSetting(const Setting&, const Scenario&);

/// What kept plans and slides look like: each costed on a problem of its own setting. Costed once, as long as
/// it is asked for again.
class KeptContexts {
public:
  /// Never null; without a plan if its setting has errors (see diagnostics).
  PlanContextPtr of(const KeptPlan&, const Scenario& keptIn);
  PlanContextPtr of(const std::shared_ptr<const SavedState>&, const Scenario& keptIn);
  /// A plan that stands beside others on a slide.
  PlanContextPtr of(const std::shared_ptr<const Setting>&, const Plan&, const Scenario& keptIn);
  /// Forgets those that the scenario no longer keeps.
  void forgetOthers(const Scenario&);

private:
  struct Known {
    std::shared_ptr<const Setting> setting;
    std::shared_ptr<const Plan> plan;         ///< of a kept plan
    std::shared_ptr<const SavedState> state;  ///< of a slide
    PlanContextPtr context;
  };
  /// Without a plan; slides and kept plans of one setting share its problem.
  PlanContext bare(const std::shared_ptr<const Setting>&, const Scenario& keptIn) const;
  std::vector<Known> m_known;
};

}  // namespace nest
