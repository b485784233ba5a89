#include "moments/moment_edits.h"

#include <QRegularExpression>
#include <algorithm>
#include <array>
#include <utility>

#include "document/item_names.h"
#include "figures/phrases.h"
#include "units/text.h"

namespace nest {
namespace {

/// "Stages, 16.9 s per step (stage 1 selected)": the time is the plan's.
QString captionFor(const View& view, const Selection& selection) {
  QString text = view.title();
  if (const auto c = view.shownContext(); c->plan)
    text += ScenarioDocument::tr(", %1 per step").arg(timeText(c->plan->evaluation.batchTime));
  if (const auto& item = selection.selected(); item && item->kind == ItemKind::Stage)
    text += ScenarioDocument::tr(" (stage %1 selected)").arg(stageNumber(item->index));
  return text;
}

bool isKept(const Scenario& s, const PlanContext& c) {
  return std::any_of(s.keptPlans.begin(), s.keptPlans.end(), [&](const KeptPlan& k) {
    return *k.plan == c.plan->plan && *k.setting == c.scenario->setting();
  });
}

/// The names that slides give to the plans they bring along, with the number of the slide.
QString planOfSlide() {
  return ScenarioDocument::tr("Plan of slide %1");
}
QString besideOnSlide() {
  return ScenarioDocument::tr("%1, of slide %2");
}

/// What stands before and after the slide's number in a name that a slide gave; nullopt: it is another's.
std::optional<std::pair<QString, QString>> aroundSlideNumber(const QString& name) {
  const auto pattern = [](const QString& words, const char* number) {
    QString p = QRegularExpression::escape(words);
    p.replace(QRegularExpression::escape(QLatin1String(number)), QStringLiteral(")\\d+("));
    p.replace(QRegularExpression::escape(QStringLiteral("%1")), QStringLiteral(".+"));
    return QRegularExpression(QStringLiteral("^(%1)(?: \\(\\d+\\))?$").arg(p));
  };
  static const std::array patterns{pattern(planOfSlide(), "%1"), pattern(besideOnSlide(), "%2")};
  for (const auto& p : patterns)
    if (const auto match = p.match(name); match.hasMatch())
      return std::pair(match.captured(1), match.captured(2));
  return std::nullopt;
}

/// Plans that slides brought along are named after the first slide that shows them.
void nameAfterSlides(Scenario& s) {
  std::vector<std::pair<KeptPlan*, QString>> renamed;
  for (KeptPlan& kept : s.keptPlans) {
    const QString name = QString::fromStdString(kept.name);
    const auto around = aroundSlideNumber(name);
    const auto first = std::find_if(s.moments.begin(), s.moments.end(),
                                    [&](const SavedMoment& m) { return showsPlan(m, kept.name); });
    if (!around || first == s.moments.end()) continue;
    const auto number = QString::number(first - s.moments.begin() + 1);
    const QString wanted = around->first + number + around->second;
    if (name != wanted && !name.startsWith(wanted + QStringLiteral(" (")))
      renamed.emplace_back(&kept, wanted);
  }
  // First out of each other's way.
  const auto call = [&s](KeptPlan& kept, const std::string& name) {
    for (SavedMoment& m : s.moments) {
      if (m.plan == kept.name) m.plan = name;
      for (SavedMoment::Beside& b : m.beside)
        if (b.kept == kept.name) b.kept = name;
    }
    kept.name = name;
  };
  for (auto& [kept, wanted] : renamed) call(*kept, freeName(s, QStringLiteral("slide")).toStdString());
  for (auto& [kept, wanted] : renamed) call(*kept, freeName(s, wanted).toStdString());
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
  const auto beside = view.plansBeside();  // before the slide's own plan is kept, which is not beside itself
  SavedMoment moment;
  moment.caption = (caption.isEmpty() ? captionFor(view, selection) : caption).toStdString();
  moment.view = view.id().toStdString();
  moment.state = view.state();
  if (const auto& item = selection.selected())
    moment.selected =
        SavedMoment::Item{nameOf(item->kind).toStdString(), item->index, item->level, item->other};
  document.history().beginMacro(ScenarioDocument::tr("Add slide"));
  moment.plan =
      keepPlan(document, *shown, planOfSlide().arg(document.scenario().moments.size() + 1)).toStdString();
  for (const View::PlanBeside& b : beside) {
    SavedMoment::Beside one{b.name.toStdString(), b.note.toStdString(), {}, {}};
    const PlanContext& own = *shown;
    if (own.scenario && b.context->scenario->setting() == own.scenario->setting() &&
        !isKept(document.scenario(), *b.context))
      one.plan = b.context->plan->plan;
    else
      one.kept = keepPlan(document, *b.context,
                          besideOnSlide().arg(b.name).arg(document.scenario().moments.size() + 1))
                     .toStdString();
    moment.beside.push_back(std::move(one));
  }
  moment.study = view.study();
  document.edit({}, ScenarioDocument::tr("Add slide"), [&](Scenario& s) { s.moments.push_back(moment); });
  document.history().endMacro();
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
  document.edit({}, ScenarioDocument::tr("Remove slide %1").arg(moment + 1), [&](Scenario& s) {
    const SavedMoment removed = s.moments[moment];
    s.moments.erase(s.moments.begin() + moment);
    std::erase_if(s.keptPlans, [&](const KeptPlan& kept) {
      const QString name = QString::fromStdString(kept.name);
      return showsPlan(removed, kept.name) && slidesOf(s, name) == 0 && aroundSlideNumber(name);
    });
    nameAfterSlides(s);
  });
}

void moveMoment(ScenarioDocument& document, int moment, int to) {
  if (!isMoment(document, moment) || !isMoment(document, to)) return;
  document.closeStep();
  document.edit({}, ScenarioDocument::tr("Move slide %1 to %2").arg(moment + 1).arg(to + 1),
                [&](Scenario& s) {
                  SavedMoment moved = std::move(s.moments[moment]);
                  s.moments.erase(s.moments.begin() + moment);
                  s.moments.insert(s.moments.begin() + to, std::move(moved));
                  nameAfterSlides(s);
                });
}

PlanContextPtr contextOf(const SavedMoment& moment, const Scenario& s, const PlanContextPtr& own,
                         KeptContexts& contexts) {
  const KeptPlan* kept = keptPlanNamed(s, moment.plan);
  if (!kept) return own;
  const bool same = own->current && own->plan && own->scenario && own->plan->plan == *kept->plan &&
                    own->scenario->setting() == *kept->setting;
  return same ? own : contexts.of(*kept, s);
}

std::vector<View::PlanBeside> besideOf(const SavedMoment& moment, const PlanContextPtr& own,
                                       const Scenario& s, KeptContexts& contexts) {
  std::vector<View::PlanBeside> out;
  for (const SavedMoment::Beside& b : moment.beside) {
    PlanContextPtr context;
    if (const KeptPlan* kept = keptPlanNamed(s, b.kept)) {
      context = contexts.of(*kept, s);
    } else if (b.plan && own->problem) {
      auto ranked = std::make_shared<RankedPlan>();
      ranked->plan = *b.plan;
      ranked->evaluation = evaluate(*own->problem, *b.plan);
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

std::optional<SelectionItem> selectedIn(const SavedMoment& moment) {
  if (!moment.selected) return std::nullopt;
  const auto kind = itemKindNamed(QString::fromStdString(moment.selected->kind));
  if (!kind) return std::nullopt;
  return SelectionItem{*kind, moment.selected->index, moment.selected->level, moment.selected->other};
}

}  // namespace nest
