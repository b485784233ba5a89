#include "moments/moment_edits.h"

#include <QCoreApplication>
#include <algorithm>
#include <utility>

#include "document/item_names.h"
#include "views/figure_text_pane.h"

namespace nest {
namespace {

/// Why nothing of it would be shown that stays as it is.
QString whyUndecided(const View& view, const PlanContext& c) {
  if (!c.problem) return ScenarioDocument::tr("The scenario has errors. Fix them first.");
  if (c.isSearching() && !(c.current && c.shownPlan()))
    return ScenarioDocument::tr(
        "The search is still running. Add the slide when it has finished, or stop it first.");
  for (const FigureTextPane* pane : view.findChildren<FigureTextPane*>())
    if (pane->isVisibleTo(&view) && pane->showsText())
      return ScenarioDocument::tr("Slides show figures, not their text. Switch Text off first.");
  return {};
}

SavedMoment::Beside besideOf(const View::PlanBeside& b, const Setting& own, const Scenario& s) {
  SavedMoment::Beside one{b.name.toStdString(), b.note.toStdString(), {}, b.context->plan->plan};
  if (b.context->scenario->setting() != own) one.setting = sharedSetting(b.context->scenario->setting(), s);
  return one;
}

bool isMoment(const ScenarioDocument& document, int moment) {
  return moment >= 0 && moment < static_cast<int>(document.scenario().moments.size());
}

}  // namespace

QString keepMoment(ScenarioDocument& document, const View& view, const Selection& selection,
                   const QString& caption) {
  if (document.isEmpty()) return {};
  if (QString why = view.whyNotKept(); !why.isEmpty()) return why;
  const PlanContextPtr shown = view.shownContext();
  if (QString why = whyUndecided(view, *shown); !why.isEmpty()) return why;
  const Scenario& s = document.scenario();
  SavedMoment moment;
  moment.view = view.id().toStdString();
  moment.state = view.state();
  if (const auto item = view.marked())
    moment.selected =
        SavedMoment::Item{nameOf(item->kind).toStdString(), item->index, item->level, item->other};
  moment.shown = savedState(*shown, s, view.showsFront());
  for (const View::PlanBeside& b : view.plansBeside())
    moment.beside.push_back(besideOf(b, *moment.shown->setting, s));
  moment.study = view.study();
  moment.table = view.table();
  if (const auto& head = selection.playhead()) {
    moment.playHead = SavedMoment::PlayHead{head->seconds, {}};
    for (const RunningTask& t : head->running)
      moment.playHead->running.push_back({t.stage, t.task, t.microbatch});
  }
  // The words of the moment: what another version would say of the same plan may differ.
  auto still = std::make_shared<PlanContext>(*shown);
  still->search.reset();
  const QStringList sentences = MomentSight(moment, still, s, Theme::Kind::Print, &view).sentences();
  moment.sentence = sentences.join(u'\n').toStdString();
  moment.caption = (caption.isEmpty() ? sentences.value(0) : caption).toStdString();
  document.closeStep();
  document.edit({}, ScenarioDocument::tr("Add slide"), [&](Scenario& to) { to.moments.push_back(moment); });
  return {};
}

void captionMoment(ScenarioDocument& document, int moment, const QString& caption) {
  if (!isMoment(document, moment)) return;
  document.closeStep();
  document.edit({}, ScenarioDocument::tr("Rename slide %1").arg(moment + 1),
                [&](Scenario& s) { s.moments[moment].caption = caption.simplified().toStdString(); });
}

void removeMoment(ScenarioDocument& document, int moment) {
  if (!isMoment(document, moment)) return;
  document.closeStep();
  document.edit({}, ScenarioDocument::tr("Remove slide %1").arg(moment + 1),
                [&](Scenario& s) { s.moments.erase(s.moments.begin() + moment); });
}

void moveMoment(ScenarioDocument& document, int moment, int to) {
  if (!isMoment(document, moment) || !isMoment(document, to)) return;
  document.closeStep();
  document.edit({}, ScenarioDocument::tr("Move slide %1 to %2").arg(moment + 1).arg(to + 1),
                [&](Scenario& s) {
                  SavedMoment moved = std::move(s.moments[moment]);
                  s.moments.erase(s.moments.begin() + moment);
                  s.moments.insert(s.moments.begin() + to, std::move(moved));
                });
}

PlanContextPtr contextOf(const SavedMoment& moment, const Scenario& s, const PlanContextPtr& own,
                         KeptContexts& contexts) {
  return moment.shown ? contexts.of(moment.shown, s) : own;
}

std::vector<View::PlanBeside> besideOf(const SavedMoment& moment, const PlanContextPtr& own,
                                       const Scenario& s, KeptContexts& contexts) {
  std::vector<View::PlanBeside> out;
  for (const SavedMoment::Beside& b : moment.beside) {
    PlanContextPtr context;
    if (b.setting) {
      context = contexts.of(b.setting, b.plan, s);
    } else if (own->problem) {
      auto ranked = std::make_shared<RankedPlan>();
      ranked->plan = b.plan;
      ranked->evaluation = evaluate(*own->problem, b.plan);
      auto beside = std::make_shared<PlanContext>(*own);
      beside->outcome.reset();
      beside->plan = std::move(ranked);
      context = std::move(beside);
    }
    if (context && context->plan)
      out.push_back({QString::fromStdString(b.name), QString::fromStdString(b.note), std::move(context)});
  }
  return out;
}

MomentSight::Foot footOf(const Scenario& s, int moment) {
  return {QString::fromStdString(s.name),
          QCoreApplication::translate("nest::MomentShow", "%1 of %2").arg(moment + 1).arg(s.moments.size())};
}

std::optional<SelectionItem> selectedIn(const SavedMoment& moment) {
  if (!moment.selected) return std::nullopt;
  const auto kind = itemKindNamed(QString::fromStdString(moment.selected->kind));
  if (!kind) return std::nullopt;
  return SelectionItem{*kind, moment.selected->index, moment.selected->level, moment.selected->other};
}

}  // namespace nest
