#include "lessons/lesson_scene.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <optional>

#include "document/item_names.h"
#include "editors/cuts/cut_canvas.h"
#include "editors/cuts/cut_view.h"
#include "measures/metrics.h"
#include "measures/score.h"
#include "views/search/search_view.h"
#include "views/view.h"

namespace nest {
namespace {

bool isSelected(const QJsonArray& kinds, const Selection& selection) {
  const auto& item = selection.selected();
  if (!item) return kinds.contains(QStringLiteral("nothing"));
  const QString kind = nameOf(item->kind);
  return kinds.contains(kind) || kinds.contains(QStringLiteral("%1 %2").arg(kind).arg(item->index + 1));
}

bool hasState(const QJsonArray& wanted, const LessonScene& scene) {
  const View* view = scene.view(wanted.at(0).toString());
  if (!view) return false;
  const auto state = view->state();
  const auto it = state.find(wanted.at(1).toString().toStdString());
  return it != state.end() && it->second == OptionValue(wanted.at(2).toString().toStdString());
}

/// Of the plan drawn by hand: 100 for the optimum, less for any that is slower; nullopt: nothing is drawn.
std::optional<double> handScore(const LessonScene& scene) {
  const auto* cuts = qobject_cast<const CutView*>(scene.view(QStringLiteral("cuts")));
  if (!cuts || !cuts->canvas().plan() || !scene.context->plan || !scene.context->current) return std::nullopt;
  return scoreOf(cuts->canvas().evaluation(), scene.context->plan->evaluation.batchTime);
}

double bubbleShare(const PlanContext& c) {
  if (!c.plan || !c.problem || !c.current) return 1;
  return metricsOf(*c.problem, nullptr, *c.plan).bubble.fillAndDrain;
}

double slowerBy(const LessonScene& scene) {
  if (!scene.context->plan || !scene.start || !scene.start->plan) return 0;
  return scene.context->plan->evaluation.batchTime / scene.start->plan->evaluation.batchTime - 1;
}

bool partHolds(const QString& what, const QJsonValue& value, const LessonScene& scene) {
  if (what == QLatin1String("selected")) return isSelected(value.toArray(), *scene.selection);
  if (what == QLatin1String("state")) return hasState(value.toArray(), scene);
  if (what == QLatin1String("state_not")) return !hasState(value.toArray(), scene);
  if (what == QLatin1String("score_below")) return handScore(scene).value_or(1e9) < value.toDouble();
  if (what == QLatin1String("score_at_least")) return handScore(scene).value_or(-1) >= value.toDouble();
  if (what == QLatin1String("pinned"))
    return scene.document->scenario().constraints.layerPins.empty() != value.toBool();
  if (what == QLatin1String("play_head")) return scene.selection->playhead().has_value() == value.toBool();
  if (what == QLatin1String("exchange")) return scene.selection->exchange().has_value() == value.toBool();
  if (what == QLatin1String("bubble_below")) return bubbleShare(*scene.context) < value.toDouble();
  if (what == QLatin1String("slower_by")) return slowerBy(scene) >= value.toDouble();
  if (what == QLatin1String("fits"))
    return scene.context->current && (scene.context->plan != nullptr) == value.toBool();
  if (what == QLatin1String("kept"))
    return static_cast<int>(scene.document->scenario().keptPlans.size()) >= value.toInt();
  if (what == QLatin1String("asked")) {
    const auto* search = qobject_cast<const SearchView*>(scene.view(QStringLiteral("search")));
    return search && search->isAnswered() == value.toBool();
  }
  return false;
}

}  // namespace

bool holds(const std::string& condition, const LessonScene& scene) {
  const QJsonObject parts = QJsonDocument::fromJson(QByteArray::fromStdString(condition)).object();
  if (parts.isEmpty() || scene.document->isEmpty()) return false;
  for (auto it = parts.begin(); it != parts.end(); ++it)
    if (!partHolds(it.key(), it.value(), scene)) return false;
  return true;
}

}  // namespace nest
