#include "document/kept_plans.h"

#include <algorithm>
#include <utility>

namespace nest {
namespace {

auto find(Scenario& s, const QString& name) {
  return std::find_if(s.keptPlans.begin(), s.keptPlans.end(),
                      [wanted = name.toStdString()](const KeptPlan& k) { return k.name == wanted; });
}

}  // namespace

bool showsPlan(const SavedMoment& m, const std::string& keptPlan) {
  return m.plan == keptPlan ||
         std::any_of(m.beside.begin(), m.beside.end(), [&](const auto& b) { return b.kept == keptPlan; });
}

QString freeName(const Scenario& s, const QString& proposed) {
  QString name = proposed.simplified();
  if (name.isEmpty()) name = ScenarioDocument::tr("Kept plan");
  const QString stem = name;
  for (int n = 2; keptPlanNamed(s, name.toStdString()); ++n)
    name = QStringLiteral("%1 (%2)").arg(stem).arg(n);
  return name;
}

QString keepPlan(ScenarioDocument& document, const PlanContext& c, const QString& proposedName) {
  if (document.isEmpty() || !c.plan || !c.scenario) return {};
  const Setting& setting = c.scenario->setting();
  for (const KeptPlan& kept : document.scenario().keptPlans)
    if (*kept.plan == c.plan->plan && *kept.setting == setting) return QString::fromStdString(kept.name);
  const QString name = freeName(document.scenario(), proposedName);
  document.closeStep();
  document.edit({}, ScenarioDocument::tr("Keep plan \"%1\"").arg(name), [&](Scenario& s) {
    s.keptPlans.push_back({name.toStdString(), std::make_shared<const Setting>(setting),
                           std::make_shared<const Plan>(c.plan->plan)});
  });
  return name;
}

void renameKeptPlan(ScenarioDocument& document, const QString& name, const QString& newName) {
  if (newName.simplified().isEmpty() || newName == name) return;
  const std::string given = freeName(document.scenario(), newName).toStdString();
  document.closeStep();
  document.edit({}, ScenarioDocument::tr("Rename kept plan \"%1\"").arg(name), [&](Scenario& s) {
    const auto it = find(s, name);
    if (it == s.keptPlans.end()) return;
    it->name = given;
    for (SavedMoment& m : s.moments) {
      if (m.plan == name.toStdString()) m.plan = given;
      for (SavedMoment::Beside& b : m.beside)
        if (b.kept == name.toStdString()) b.kept = given;
    }
  });
}

int slidesOf(const Scenario& s, const QString& keptPlan) {
  const std::string wanted = keptPlan.toStdString();
  return static_cast<int>(std::count_if(s.moments.begin(), s.moments.end(),
                                        [&](const SavedMoment& m) { return showsPlan(m, wanted); }));
}

void removeKeptPlan(ScenarioDocument& document, const QString& name) {
  document.closeStep();
  document.edit({}, ScenarioDocument::tr("Remove kept plan \"%1\"").arg(name), [&](Scenario& s) {
    const auto it = find(s, name);
    if (it == s.keptPlans.end()) return;
    s.keptPlans.erase(it);
    std::erase_if(s.moments,
                  [wanted = name.toStdString()](const SavedMoment& m) { return showsPlan(m, wanted); });
  });
}

void returnToKeptPlan(ScenarioDocument& document, const QString& name) {
  document.closeStep();
  document.edit({}, ScenarioDocument::tr("Return to \"%1\"").arg(name), [&](Scenario& s) {
    const auto it = find(s, name);
    if (it != s.keptPlans.end()) static_cast<Setting&>(s) = *it->setting;
  });
}

PlanContextPtr KeptContexts::of(const KeptPlan& kept, const Scenario& keptIn) {
  for (const Known& known : m_known)
    if (known.setting == kept.setting && known.plan == kept.plan) return known.context;
  auto context = std::make_shared<PlanContext>();
  auto scenario = std::make_shared<Scenario>();
  static_cast<Setting&>(*scenario) = *kept.setting;
  scenario->name = keptIn.name;
  context->scenario = std::move(scenario);
  auto problem = buildProblem(*kept.setting);
  context->diagnostics = std::move(problem.diagnostics);
  if (problem) {
    context->problem = std::make_shared<const Problem>(std::move(*problem.value));
    RankedPlan ranked;
    ranked.plan = *kept.plan;
    ranked.evaluation = evaluate(*context->problem, ranked.plan);
    context->plan = std::make_shared<const RankedPlan>(std::move(ranked));
  }
  m_known.push_back({kept.setting, kept.plan, context});
  return context;
}

void KeptContexts::forgetOthers(const Scenario& s) {
  std::erase_if(m_known, [&](const Known& known) {
    return std::none_of(s.keptPlans.begin(), s.keptPlans.end(), [&](const KeptPlan& k) {
      return k.setting == known.setting && k.plan == known.plan;
    });
  });
}

}  // namespace nest
