#pragma once

#include <QJsonObject>
#include <QString>
#include <functional>
#include <memory>
#include <vector>

#include "document/plan_context.h"
#include "document/scenario_document.h"
#include "document/selection.h"

namespace nest {

class View;

/// One thing to do, and when it counts as done.
struct TourStep {
  QString text;      ///< rich text
  QString view;      ///< id of the view in which it is done
  QJsonObject done;  ///< all of these must hold; see isDone()
};

/// A short way through the program, as data (":/lessons/*.json").
struct Tour {
  QString id, title, about;
  QString sample;   ///< path of the embedded sample that it begins with
  QString arrange;  ///< "explore" or "teach"
  std::vector<TourStep> steps;
};

/// The built-in lessons in their order.
const std::vector<Tour>& tours();

/// What a step is judged by.
struct TourScene {
  const ScenarioDocument* document = nullptr;
  const Selection* selection = nullptr;
  PlanContextPtr context;  ///< never null
  PlanContextPtr start;    ///< when the lesson began; null until its first plan is known
  std::function<View*(const QString& id)> view;
};

/// Conditions: "selected": [kinds, such as "stage" for any and "stage 2" for that one, or "nothing"];
/// "state": [view, key, value]; "state_not"; "score_below", "score_at_least": of the cuts drawn by hand, 100
/// = the optimum; "pinned": whether cuts are pinned; "play_head": whether it stands somewhere;
/// "bubble_below": share of the batch; "slower_by": share, against the start; "fits": whether there is a
/// plan; "kept": at least so many plans are kept; "asked": whether Search shows an answer. An unknown one
/// never holds.
bool isDone(const TourStep&, const TourScene&);

}  // namespace nest
