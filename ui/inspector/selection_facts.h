#pragma once

#include <QString>
#include <optional>
#include <utility>
#include <vector>

#include "document/plan_context.h"
#include "document/selection.h"

namespace nest {

/// Name and figures of one thing, in words.
struct Facts {
  QString title;
  std::vector<std::pair<QString, QString>> rows;  ///< name, figure
};

/// Of what is selected, or of the whole plan when nothing is. Anything that the context does not hold is left
/// out. `times`: when a selected task runs, where that is known.
Facts factsOf(const PlanContext&, const std::optional<SelectionItem>&,
              const std::optional<TaskTimes>& times = {});

/// The stage that an item belongs to: a stage itself, a layer's, a device's; −1 if none.
int stageOf(const PlanContext&, const SelectionItem&);

}  // namespace nest
