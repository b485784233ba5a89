#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenario/saved_slide.h"
#include "study/sensitivity.h"

namespace nest {

/// What failures cost, as a figure shows it: without the plans, so that a slide can keep it.
struct FailureRanking {
  struct Answer {
    FailureAnswer answer{};
    bool hasPlan = false;
    double change = 0;     ///< of tokens/s; with a plan
    std::string obstacle;  ///< without one
    int devicesIdle = 0, sparesNeeded = 0;
    std::string restart;  ///< "9 min"; empty: fields are missing
    std::string moved;    ///< "3.2 GiB"; empty: nothing
    std::string how;      ///< the plan in one line
    friend bool operator==(const Answer&, const Answer&) = default;
  };
  struct Row {
    std::string what;                                 ///< "host0"
    std::vector<Answer> answers;                      ///< in the order of FailureAnswer
    std::optional<double> otherBatch = std::nullopt;  ///< change with another batch (study/failure_answers.h)
    friend bool operator==(const Row&, const Row&) = default;
  };
  std::vector<Row> rows;  ///< the costliest first
  bool isWhole = true;    ///< false: it was stopped before all was ranked

  bool empty() const { return rows.empty(); }
  friend bool operator==(const FailureRanking&, const FailureRanking&) = default;
};

FailureRanking rankingOf(const std::vector<Failure>&);

/// A row of the table for each answer; rankingIn() takes it back, and passes over what it does not know.
SavedTable tableOf(const FailureRanking&);
FailureRanking rankingIn(const SavedTable&);

}  // namespace nest
