#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/results/outcome_json.h"
#include "text/text_table.h"

namespace nest {

/// One part of a report, in the order in which a page says it: heading, sentences, list, named figures,
/// table.
struct ReportPart {
  std::string id;          ///< "stages": what other programs and links call it
  std::string title = {};  ///< heading; empty: it goes on from what stands before
  bool isApart = false;    ///< a blank line before a part without heading
  bool isAhead = false;    ///< on a page above the figures, as parts without heading are
  std::vector<std::string> lines = {};
  std::vector<std::string> items = {};
  std::vector<std::pair<std::string, std::string>> facts = {};  ///< name and value, in words
  std::optional<TextTable> table = std::nullopt;
  /// Of a page alone: paragraphs of HTML that the program has made, <b>, <i>, <code> and <br>; what is shown,
  /// with the figure, after a click on `foldedTitle`; the id of the figure, which then stands nowhere else.
  std::vector<std::string> html = {};
  std::string foldedTitle = {};
  std::vector<std::string> folded = {};
  std::string figure = {};
};

/// What is said about a plan, once for all programs: the command line prints it, a page shows it.
struct PlanReport {
  std::vector<std::string> title;  ///< the scenario's name; what an import assumed
  std::string finding;             ///< the headline, or why there is no plan; empty for a plan that was given
  std::vector<ReportPart> parts;
};

/// The figures of a plan with their units, by name: "step time", "16.1 s ± 9 %".
std::vector<std::pair<std::string, std::string>> planFacts(const ReportSource&, const RankedPlan&);

/// The scenario and the finding alone.
PlanReport briefReportOf(const ReportSource&, const Outcome&);

/// The answer of a solve: the figures of the best plan with their units, a row per stage with its load and
/// its memory, the next best, what was not searched; when nothing fits, which stage is short by how much and
/// what would make it fit. `free`: the outcome of the same scenario under the preset "free", for comparison;
/// may be null.
PlanReport reportOf(const ReportSource&, const Outcome&, const Outcome* free = nullptr);

/// The same for one plan that was given, with what is wrong with it. `calibration`: a measured step time to
/// compare with the model's, may be null.
PlanReport reportOf(const ReportSource&, const RankedPlan&, const Calibration* calibration = nullptr);

}  // namespace nest
