#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/results/plan_report.h"

namespace nest {

struct Scenario;

/// A picture of a page: a whole <svg> element. What carries data-stage="N" lights up with all else of its
/// stage.
struct PageFigure {
  std::string id, title, svg;
  std::string finding = {};  ///< what it shows, as a heading; empty: its title alone heads it
  std::optional<TextTable> table = std::nullopt;  ///< below it
};

/// A scenario that a page holds.
struct PageScenario {
  const Scenario* scenario = nullptr;
  std::string fileName;  ///< to save it under: "llama.nest.json"
};

/// What a page holds in addition to its report.
struct PageContent {
  std::vector<PageFigure> figures;
  /// One, or the first and the second of a difference. The page opens as the last.
  std::vector<PageScenario> scenarios;
  std::string program;  ///< "NEST Explorer 0.1.0"
  std::string date;     ///< "27 November 2026"; empty: none is printed
  std::string style;    ///< CSS that the figures need in addition to the page's own; may be empty
  std::string saving;   ///< how a reader gets at the scenario: "with the button below"
};

/// The assumptions that a plan rests on: each field that is measured, estimated or of a catalogue, with its
/// value and source.
ReportPart assumptionPart(const Scenario&);
/// Fingerprint of a scenario on pages and below figures: 8 hexadecimal digits.
std::string shortHashOf(const Scenario&);
/// How anyone comes to the same answer, with commands.
ReportPart reproductionPart(const PageContent&);

/// All of the report, as plain HTML without script.
std::string reportBody(const PlanReport&, const PageContent&);

/// One HTML file for people who have a browser and not the program: finding, figures, tables, and
/// each scenario as a file to save. It asks nothing of a network, prints to A4, and follows the reader's
/// light or dark setting.
std::string writeReportPage(const PlanReport&, const PageContent&);

}  // namespace nest
