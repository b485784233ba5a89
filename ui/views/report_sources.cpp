#include "views/report_sources.h"

#include <algorithm>
#include <utility>

#include "document/kept_plans.h"
#include "theme/qt_text.h"

namespace nest {
namespace {

void addCompared(ReportSources& to, View::PlanBeside plan) {
  const auto& c = plan.context;
  if (!c || !c->plan || !c->problem || !c->scenario) return;
  const bool isThere = std::any_of(to.compared.begin(), to.compared.end(), [&](const View::PlanBeside& b) {
    return b.context->plan->plan == c->plan->plan && b.context->scenario->setting() == c->scenario->setting();
  });
  if (!isThere) to.compared.push_back(std::move(plan));
}

bool isStudyOf(const StudyRecord& study, const Setting& studied, const Scenario& s) {
  return study.isWhole() && !study.results.empty() && studied == s.setting();
}

void addKeptPlans(ReportSources& to, const Scenario& s) {
  KeptContexts contexts;
  for (const KeptPlan& kept : s.keptPlans) addCompared(to, {toQt(kept.name), {}, contexts.of(kept, s)});
  const auto own = std::make_shared<const Setting>(s.setting());
  for (const SavedSlide& slide : s.slides) {
    const auto& setting = slide.shown ? slide.shown->setting : own;
    for (const SavedSlide::Beside& b : slide.beside)
      addCompared(to, {toQt(b.name), toQt(b.note), contexts.of(b.setting ? b.setting : setting, b.plan, s)});
    if (!to.study && slide.study && isStudyOf(*slide.study, *setting, s)) to.study = slide.study;
  }
}

}  // namespace

ReportSources sourcesIn(const Scenario& s) {
  ReportSources out;
  addKeptPlans(out, s);
  return out;
}

ReportSources sourcesIn(const Scenario& s, const std::vector<View*>& views) {
  ReportSources out;
  for (View* view : views) {
    view->bringUpToDate();
    if (const auto study = view->study(); !out.study && study)
      if (const PlanContextPtr c = view->shownContext(); c->scenario && isStudyOf(*study, *c->scenario, s))
        out.study = study;
    if (view->id() == QLatin1String("compare"))
      for (View::PlanBeside& plan : view->plansBeside()) addCompared(out, std::move(plan));
  }
  addKeptPlans(out, s);
  return out;
}

}  // namespace nest
