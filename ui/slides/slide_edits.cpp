#include "slides/slide_edits.h"

#include <QCoreApplication>
#include <algorithm>
#include <optional>
#include <utility>

#include "document/item_names.h"
#include "document/playback.h"
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

/// What the view shows, as a slide; nullopt: it cannot be kept, `why` says so.
std::optional<SavedSlide> slideOf(const Scenario& s, const View& view, const Selection& selection,
                                  QString& why) {
  if (why = view.whyNotKept(); !why.isEmpty()) return std::nullopt;
  const PlanContextPtr shown = view.shownContext();
  if (why = whyUndecided(view, *shown); !why.isEmpty()) return std::nullopt;
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
    slide.playHead = SavedSlide::PlayHead{head->at.value(), {}};
    if (const Plan* plan = shown->shownPlan(); plan && plan->schedule != head->kind)
      slide.playHead->schedule = scheduleOf(head->kind).id();
    slide.playHead->speed = selection.playback().speed();
    for (const RunningTask& t : head->running)
      slide.playHead->running.push_back({t.stage, static_cast<int>(t.kind), t.microbatch});
  }
  if (const auto& now = selection.exchange()) {
    slide.playHead = SavedSlide::PlayHead{now->at.value(), {}};
    slide.playHead->exchange = now->replay->exchange().id;
    slide.playHead->speed = selection.exchangePlayer().speed();
  }
  // The words of today: what another version would say of the same plan may differ.
  auto still = std::make_shared<PlanContext>(*shown);
  still->search.reset();
  const QStringList sentences = SlideRenderer(slide, still, s, Theme::Kind::Print, &view).sentences();
  slide.sentence = sentences.join(u'\n').toStdString();
  slide.caption = sentences.value(0).toStdString();
  return slide;
}

/// Whether two slides show the same plans of the same settings; how long each was searched for does not
/// count.
bool samePlan(const SavedSlide& a, const SavedSlide& b) {
  return a.shown && b.shown && *a.shown->setting == *b.shown->setting && a.shown->plan == b.shown->plan &&
         a.shown->byHand == b.shown->byHand && a.beside == b.beside;
}

bool isSlide(const ScenarioDocument& document, int slide) {
  return slide >= 0 && slide < static_cast<int>(document.scenario().slides.size());
}

}  // namespace

QString keepSlide(ScenarioDocument& document, const View& view, const Selection& selection,
                  const QString& caption) {
  if (document.isEmpty()) return {};
  QString why;
  auto slide = slideOf(document.scenario(), view, selection, why);
  if (!slide) return why;
  if (!caption.isEmpty()) slide->caption = caption.toStdString();
  document.closeStep();
  document.edit({}, ScenarioDocument::tr("Add slide"), [&](Scenario& to) { to.slides.push_back(*slide); });
  return {};
}

QString addStep(ScenarioDocument& document, int at, const View& view, const Selection& selection) {
  if (!isSlide(document, at)) return {};
  const SavedSlide& slide = document.scenario().slides[static_cast<std::size_t>(at)];
  QString why;
  const auto look = slideOf(document.scenario(), view, selection, why);
  if (!look) return why;
  if (look->view != slide.view)
    return ScenarioDocument::tr("Slide %1 shows another view. Open that view first.").arg(at + 1);
  if (!samePlan(*look, slide))
    return ScenarioDocument::tr(
               "Slide %1 shows another plan. A step is another look at the same plan; add a slide.")
        .arg(at + 1);
  document.closeStep();
  document.edit({}, ScenarioDocument::tr("Add a step to slide %1").arg(at + 1), [&](Scenario& s) {
    s.slides[static_cast<std::size_t>(at)].steps.push_back(
        {look->state, look->selected, look->playHead, look->sentence});
  });
  return {};
}

void removeSteps(ScenarioDocument& document, int slide) {
  if (!isSlide(document, slide)) return;
  document.closeStep();
  document.edit({}, ScenarioDocument::tr("Remove the steps of slide %1").arg(slide + 1),
                [&](Scenario& s) { s.slides[static_cast<std::size_t>(slide)].steps.clear(); });
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

SlideRenderer::Foot footOf(const Scenario& s, int slide, int step) {
  const auto tr = [](const char* text) { return QCoreApplication::translate("nest::SlideShow", text); };
  QString place = tr("%1 of %2").arg(slide + 1).arg(s.slides.size());
  if (step > 0)
    place += tr(" · step %1 of %2").arg(step).arg(s.slides[static_cast<std::size_t>(slide)].steps.size());
  return {QString::fromStdString(s.name), place};
}

std::optional<SelectionItem> selectedIn(const SavedSlide& slide) {
  if (!slide.selected) return std::nullopt;
  const auto kind = itemKindNamed(QString::fromStdString(slide.selected->kind));
  if (!kind) return std::nullopt;
  return SelectionItem{*kind, slide.selected->index, slide.selected->level, slide.selected->other};
}

}  // namespace nest
