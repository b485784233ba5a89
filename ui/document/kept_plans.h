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
/// Moments that show it go with it.
void removeKeptPlan(ScenarioDocument&, const QString& name);
bool showsPlan(const SavedMoment&, const std::string& keptPlan);
int slidesOf(const Scenario&, const QString& keptPlan);  ///< how many those are
/// The scenario takes the setting of the kept plan; names and what is kept stay.
void returnToKeptPlan(ScenarioDocument&, const QString& name);

/// The name, or the name with the lowest number that makes it unlike those that there are.
QString freeName(const Scenario&, const QString& proposed);

/// What kept plans look like: each costed on a problem of its own setting. Costed once, as long as it is
/// asked for again.
class KeptContexts {
public:
  /// Never null; without a plan if its setting has errors (see diagnostics).
  PlanContextPtr of(const KeptPlan&, const Scenario& keptIn);
  /// Forgets those that the scenario no longer keeps.
  void forgetOthers(const Scenario&);

private:
  struct Known {
    std::shared_ptr<const Setting> setting;
    std::shared_ptr<const Plan> plan;
    PlanContextPtr context;
  };
  std::vector<Known> m_known;
};

}  // namespace nest
