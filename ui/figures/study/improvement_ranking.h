#pragma once

#include <string>
#include <vector>

#include "scenario/saved_slide.h"
#include "study/improvements.h"

namespace nest {

/// What single improvements bring, as a figure shows it: without the plans, so that a slide can keep it.
struct ImprovementRanking {
  struct Row {
    std::string what;  ///< "+25 % bandwidth of level rack"
    ImprovementMeasure measure{};
    bool hasPlan = false;
    double change = 0;       ///< of the measure, with a plan; −0.061: 6.1 % less
    std::string obstacle;    ///< without one
    bool isDevices = false;  ///< more devices: what counts devices does not follow from the change
    std::string plan;        ///< what changes of the plan; empty: nothing
    friend bool operator==(const Row&, const Row&) = default;
  };
  std::vector<Row> rows;   ///< the largest gain first
  std::string measuredBy;  ///< "Changes are those of the time per token."
  bool isWhole = true;     ///< false: it was stopped before all was ranked

  bool empty() const { return rows.empty(); }
  friend bool operator==(const ImprovementRanking&, const ImprovementRanking&) = default;
};

ImprovementRanking rankingOf(const std::vector<Improvement>&);

/// A row of the table for each improvement; improvementsIn() takes it back, and passes over what it does not
/// know.
SavedTable tableOf(const ImprovementRanking&);
ImprovementRanking improvementsIn(const SavedTable&);

}  // namespace nest
