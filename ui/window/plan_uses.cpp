#include "window/plan_uses.h"

#include <memory>
#include <utility>

#include "document/kept_plans.h"
#include "document/planning_session.h"
#include "document/scenario_document.h"
#include "figures/paint/phrases.h"
#include "inspector/inspector.h"
#include "views/compare/compare_view.h"
#include "window/headline.h"
#include "window/message_bar.h"
#include "window/views_area.h"

namespace nest {
namespace {

const auto kTopic = QStringLiteral("shown-plan");

/// Fixes the degrees of a plan; what its stages do not share stays open.
void pinDegrees(Constraints& c, const Plan& plan) {
  const auto fix = [](Bound& bound, int n) { bound = Bound{n, n}; };
  fix(c.stages, plan.stageCount());
  fix(c.data, plan.dataDegree());
  fix(c.microbatch, plan.microbatch);
  fix(c.zero, plan.zero);
  if (plan.chunksPerStage() > 1) fix(c.chunks, plan.chunksPerStage());
  const auto fixShared = [&](Bound& bound, auto of) {
    const int first = of(plan.stages.front().strategy);
    for (const StagePlan& s : plan.stages)
      if (of(s.strategy) != first) return;
    fix(bound, first);
  };
  if (plan.stages.empty()) return;
  fixShared(c.tensor, [](const Strategy& s) { return s.tensor; });
  fixShared(c.context, [](const Strategy& s) { return s.context; });
  fixShared(c.expert, [](const Strategy& s) { return s.expert; });
}

}  // namespace

PlanUses::PlanUses(const Parts& parts, QObject* parent) : QObject(parent), m_parts(parts) {
  for (View* view : m_parts.views.views()) connect(view, &View::planRequested, this, &PlanUses::use);
  connect(&m_parts.session, &PlanningSession::contextChanged, this, [this] {
    if (!std::exchange(m_shown, nullptr)) return;
    m_parts.messages.withdraw(kTopic);  // the views have the session's plan again
  });
}

void PlanUses::use(View::PlanUse use, const View::NamedPlan& plan) {
  if (!plan.context || !plan.context->plan) return;
  switch (use) {
    case View::PlanUse::Show:
      return showEverywhere(plan);
    case View::PlanUse::Compare:
      return compare(plan);
    case View::PlanUse::Keep:
      if (const QString name = keepPlan(m_parts.document, *plan.context, plan.name); !name.isEmpty())
        m_parts.messages.show(MessageBar::Tone::Note, tr("Kept as \"%1\".").arg(name),
                              {MessageBar::undoing(m_parts.document.history())});
      return;
    case View::PlanUse::Pin:
      return pin(plan);
  }
}

void PlanUses::showInstead(const PlanContextPtr& other) {
  const PlanContextPtr& shown = other ? other : m_parts.session.context();
  for (const char* id :
       {"topology", "stages", "memory", "communication", "exchange", "timeline", "placement"})
    if (View* view = m_parts.views.view(QLatin1String(id))) view->setContext(shown);
  m_parts.inspector.setContext(shown);
  m_parts.headline.showInstead(other);
}

void PlanUses::showEverywhere(const View::NamedPlan& plan) {
  const PlanContext& best = *m_parts.session.context();
  auto shown = std::make_shared<PlanContext>(*plan.context);
  shown->shownAs = plan.name.toStdString();
  shown->byHand = false, shown->current = true, shown->soFar = false;
  shown->search.reset();
  if (shown->problem == best.problem) shown->outcome = best.outcome;
  m_shown = std::move(shown);
  showInstead(m_shown);
  m_parts.messages.show(MessageBar::Tone::Note, tr("All views show %1.").arg(plan.name),
                        {{tr("Back to the best plan"),
                          [this] {
                            m_shown = nullptr;
                            showInstead(nullptr);
                          }}},
                        kTopic);
}

void PlanUses::compare(const View::NamedPlan& plan) {
  auto* compare = m_parts.views.findChild<CompareView*>();
  if (!compare) return;
  m_parts.views.reveal(compare->id());
  compare->compareWith(plan.name, plan.context, plan.isBefore);
}

void PlanUses::pin(const View::NamedPlan& plan) {
  ScenarioDocument& document = m_parts.document;
  document.closeStep();
  document.edit({}, tr("Pin the degrees of %1").arg(plan.name),
                [of = plan.context->plan->plan](Scenario& s) { pinDegrees(s.constraints, of); });
  document.closeStep();
}

}  // namespace nest
