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
  });
}

void removeKeptPlan(ScenarioDocument& document, const QString& name) {
  document.closeStep();
  document.edit({}, ScenarioDocument::tr("Remove kept plan \"%1\"").arg(name), [&](Scenario& s) {
    const auto it = find(s, name);
    if (it != s.keptPlans.end()) s.keptPlans.erase(it);
  });
}

void returnToKeptPlan(ScenarioDocument& document, const QString& name) {
  document.closeStep();
  document.edit({}, ScenarioDocument::tr("Return to \"%1\"").arg(name), [&](Scenario& s) {
    const auto it = find(s, name);
    if (it != s.keptPlans.end()) static_cast<Setting&>(s) = *it->setting;
  });
}

std::shared_ptr<const Setting> sharedSetting(const Setting& setting, const Scenario& s) {
  for (const SavedSlide& m : s.slides)
    if (m.shown && *m.shown->setting == setting) return m.shown->setting;
  return std::make_shared<const Setting>(setting);
}

namespace {

std::shared_ptr<const RankedPlan> costed(const Problem& problem, const Plan& plan) {
  auto ranked = std::make_shared<RankedPlan>();
  ranked->plan = plan;
  ranked->evaluation = evaluate(problem, plan);
  return ranked;
}

SavedOutcome savedOutcome(const PlanContext& c, bool withFront) {
  const Outcome& o = *c.outcome;
  SavedOutcome out;
  out.status = o.status, out.stopCause = o.stopCause, out.elapsed = o.statistics.elapsed;
  if (o.nearestMiss)
    out.nearestMiss = SavedOutcome::Miss{o.nearestMiss->plan, o.nearestMiss->stage, o.nearestMiss->shortfall,
                                         o.nearestMiss->remedies};
  if (const RankedPlan* best = o.best(); best && c.byHand) out.best = best->plan;
  if (withFront) {
    for (const RankedPlan& p : o.front) out.front.push_back(p.plan);
    out.frontReach = o.frontReach;
  }
  for (const Diagnostic& d : o.diagnostics)
    if (!o.best())
      out.diagnostics.push_back({d.severity == Severity::Note ? Severity::Note : Severity::Warning,
                                 d.code,
                                 {},
                                 d.message,
                                 d.remedy});
  return out;
}

std::shared_ptr<const Outcome> outcomeOf(const SavedOutcome& saved, const Problem& problem) {
  auto o = std::make_shared<Outcome>();
  o->status = saved.status, o->stopCause = saved.stopCause, o->statistics.elapsed = saved.elapsed;
  if (const auto& miss = saved.nearestMiss)
    o->nearestMiss =
        NearestMiss{miss->plan, evaluate(problem, miss->plan), miss->stage, miss->shortfall, miss->remedies};
  if (saved.best) o->plans.push_back(*costed(problem, *saved.best));
  for (const Plan& plan : saved.front) o->front.push_back(*costed(problem, plan));
  o->frontReach = saved.frontReach;
  o->diagnostics = saved.diagnostics;
  return o;
}

}  // namespace

std::shared_ptr<const SavedState> savedState(const PlanContext& c, const Scenario& s, bool withFront) {
  auto state = std::make_shared<SavedState>();
  state->setting = sharedSetting(c.scenario->setting(), s);
  if (c.plan) state->plan = c.plan->plan;
  state->byHand = c.byHand;
  state->edited = !c.current;
  // Of a plan that was found nothing else is shown.
  if (c.outcome && (!c.plan || c.byHand || withFront)) state->outcome = savedOutcome(c, withFront);
  return state;
}

PlanContext KeptContexts::bare(const std::shared_ptr<const Setting>& setting, const Scenario& keptIn) const {
  const auto scenario = std::make_shared<Scenario>();
  static_cast<Setting&>(*scenario) = *setting;
  scenario->name = keptIn.name;
  PlanContext out;
  out.scenario = scenario;
  for (const Known& known : m_known)
    if (known.setting == setting) {
      out.problem = known.context->problem;
      out.diagnostics = known.context->diagnostics;
      return out;
    }
  auto problem = buildProblem(*setting);
  out.diagnostics = std::move(problem.diagnostics);
  if (problem) out.problem = std::make_shared<const Problem>(std::move(*problem.value));
  return out;
}

PlanContextPtr KeptContexts::of(const KeptPlan& kept, const Scenario& keptIn) {
  for (const Known& known : m_known)
    if (known.setting == kept.setting && known.plan == kept.plan) return known.context;
  auto context = std::make_shared<PlanContext>(bare(kept.setting, keptIn));
  if (context->problem) context->plan = costed(*context->problem, *kept.plan);
  m_known.push_back({kept.setting, kept.plan, nullptr, context});
  return context;
}

PlanContextPtr KeptContexts::of(const std::shared_ptr<const SavedState>& state, const Scenario& keptIn) {
  for (const Known& known : m_known)
    if (known.state == state) return known.context;
  auto context = std::make_shared<PlanContext>(bare(state->setting, keptIn));
  if (context->problem) {
    if (state->plan) context->plan = costed(*context->problem, *state->plan);
    if (state->outcome) context->outcome = outcomeOf(*state->outcome, *context->problem);
    context->byHand = state->byHand;
    context->current = !state->edited;
  }
  m_known.push_back({state->setting, nullptr, state, context});
  return context;
}

PlanContextPtr KeptContexts::of(const std::shared_ptr<const Setting>& setting, const Plan& plan,
                                const Scenario& keptIn) {
  auto context = std::make_shared<PlanContext>(bare(setting, keptIn));
  if (context->problem) context->plan = costed(*context->problem, plan);
  return context;
}

void KeptContexts::forgetOthers(const Scenario& s) {
  std::erase_if(m_known, [&](const Known& known) {
    const auto keeps = [&](const KeptPlan& k) { return k.setting == known.setting && k.plan == known.plan; };
    const auto shows = [&](const SavedSlide& m) { return m.shown == known.state; };
    return known.state ? std::none_of(s.slides.begin(), s.slides.end(), shows)
                       : std::none_of(s.keptPlans.begin(), s.keptPlans.end(), keeps);
  });
}

}  // namespace nest
