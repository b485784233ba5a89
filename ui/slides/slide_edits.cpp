#include "slides/slide_edits.h"

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

SavedSlide::Beside besideOf(const View::PlanBeside& b, const Setting& own, const Scenario& s) {
  SavedSlide::Beside one{b.name.toStdString(), b.note.toStdString(), {}, b.context->plan->plan};
  if (b.context->scenario->setting() != own) one.setting = sharedSetting(b.context->scenario->setting(), s);
  return one;
}

bool isSlide(const ScenarioDocument& document, int slide) {
  return slide >= 0 && slide < static_cast<int>(document.scenario().slides.size());
}

}  // namespace

QString keepSlide(ScenarioDocument& document, const View& view, const Selection& selection,
                  const QString& caption) {
  if (document.isEmpty()) return {};
  if (QString why = view.whyNotKept(); !why.isEmpty()) return why;
  const PlanContextPtr shown = view.shownContext();
  if (QString why = whyUndecided(view, *shown); !why.isEmpty()) return why;
  const Scenario& s = document.scenario();
  SavedSlide slide;
  slide.view = view.id().toStdString();
  slide.state = view.state();
  if (const auto item = view.marked())
    slide.selected =
        SavedSlide::Item{nameOf(item->kind).toStdString(), item->index, item->level, item->other};
  slide.shown = savedState(*shown, s, view.showsFront());
  for (const View::PlanBeside& b : view.plansBeside())
    slide.beside.push_back(besideOf(b, *slide.shown->setting, s));
  slide.study = view.study();
  slide.table = view.table();
  if (const auto& head = selection.playhead()) {
    slide.playHead = SavedSlide::PlayHead{head->seconds, {}};
    for (const RunningTask& t : head->running)
      slide.playHead->running.push_back({t.stage, t.task, t.microbatch});
  }
  // The words of today: what another version would say of the same plan may differ.
  auto still = std::make_shared<PlanContext>(*shown);
  still->search.reset();
  const QStringList sentences = SlideRenderer(slide, still, s, Theme::Kind::Print, &view).sentences();
  slide.sentence = sentences.join(u'\n').toStdString();
  slide.caption = (caption.isEmpty() ? sentences.value(0) : caption).toStdString();
  document.closeStep();
  document.edit({}, ScenarioDocument::tr("Add slide"), [&](Scenario& to) { to.slides.push_back(slide); });
  return {};
}

void captionSlide(ScenarioDocument& document, int slide, const QString& caption) {
  if (!isSlide(document, slide)) return;
  document.closeStep();
  document.edit({}, ScenarioDocument::tr("Rename slide %1").arg(slide + 1),
                [&](Scenario& s) { s.slides[slide].caption = caption.simplified().toStdString(); });
}

void noteSlide(ScenarioDocument& document, int slide, const QString& notes) {
  if (!isSlide(document, slide) || document.scenario().slides[slide].notes == notes.toStdString()) return;
  document.closeStep();
  document.edit({}, ScenarioDocument::tr("Change the notes of slide %1").arg(slide + 1),
                [&](Scenario& s) { s.slides[slide].notes = notes.toStdString(); });
}

void removeSlide(ScenarioDocument& document, int slide) {
  if (!isSlide(document, slide)) return;
  document.closeStep();
  document.edit({}, ScenarioDocument::tr("Remove slide %1").arg(slide + 1),
                [&](Scenario& s) { s.slides.erase(s.slides.begin() + slide); });
}

void moveSlide(ScenarioDocument& document, int slide, int to) {
  if (!isSlide(document, slide) || !isSlide(document, to)) return;
  document.closeStep();
  document.edit({}, ScenarioDocument::tr("Move slide %1 to %2").arg(slide + 1).arg(to + 1), [&](Scenario& s) {
    SavedSlide moved = std::move(s.slides[slide]);
    s.slides.erase(s.slides.begin() + slide);
    s.slides.insert(s.slides.begin() + to, std::move(moved));
  });
}

PlanContextPtr contextOf(const SavedSlide& slide, const Scenario& s, const PlanContextPtr& own,
                         KeptContexts& contexts) {
  return slide.shown ? contexts.of(slide.shown, s) : own;
}

std::vector<View::PlanBeside> besideOf(const SavedSlide& slide, const PlanContextPtr& own, const Scenario& s,
                                       KeptContexts& contexts) {
  std::vector<View::PlanBeside> out;
  for (const SavedSlide::Beside& b : slide.beside) {
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

SlideRenderer::Foot footOf(const Scenario& s, int slide) {
  return {QString::fromStdString(s.name),
          QCoreApplication::translate("nest::SlideShow", "%1 of %2").arg(slide + 1).arg(s.slides.size())};
}

std::optional<SelectionItem> selectedIn(const SavedSlide& slide) {
  if (!slide.selected) return std::nullopt;
  const auto kind = itemKindNamed(QString::fromStdString(slide.selected->kind));
  if (!kind) return std::nullopt;
  return SelectionItem{*kind, slide.selected->index, slide.selected->level, slide.selected->other};
}

}  // namespace nest
