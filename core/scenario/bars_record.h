#pragma once

#include <string>
#include <vector>

#include "run/run_unit.h"

namespace nest {

/// Bars as they stand (improvements, failures under each answer, what spare hosts buy): all that their figure
/// shows, so that it can be shown again without solving.
struct BarsRecord {
  struct Bar {
    RunAmounts amounts;  ///< by RunUnit; all absent: see `none`
    std::string note;    ///< "12 devices idle, 3.2 GB move, steps run again in 5 min"
    std::string none;    ///< why there is no value: "does not fit"
    friend bool operator==(const Bar&, const Bar&) = default;
  };
  struct Row {
    std::string name;
    std::vector<Bar> bars;  ///< one for each of `series`
    std::string detail;     ///< what else changes, one line
    std::string pointer;    ///< of the field that What-if tries; empty: none
    double value = 0;       ///< that it tries; of spare hosts, how many
    friend bool operator==(const Row&, const Row&) = default;
  };

  std::string question;             ///< "improvements", "failures", "spares"; empty: nothing was asked
  std::vector<std::string> series;  ///< "swap", "shrink", "re-plan"; one alone has no name
  std::vector<Row> rows;            ///< ranked
  double error = 0;      ///< relative: smaller differences are within the error of predictions; 0: not known
  std::string sentence;  ///< what follows, above the bars; may be empty
  bool isWhole = true;   ///< false: it was stopped

  friend bool operator==(const BarsRecord&, const BarsRecord&) = default;
};

}  // namespace nest
