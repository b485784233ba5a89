#include "formats/results/difference_report.h"

#include <algorithm>
#include <cmath>

#include "diagnostics/field_change.h"
#include "fields/setting_difference.h"
#include "measures/plan_diff.h"
#include "scenario/scenario.h"
#include "text/printable.h"
#include "units/text.h"
#include "words/difference_words.h"
#include "words/headline.h"
#include "words/metric_words.h"
#include "words/outcome_words.h"

namespace nest {
namespace {

std::string nameOf(const DifferenceSide& side, const char* otherwise) {
  const std::string name = printable(side.source.scenario, false);
  return name.empty() ? otherwise : name;
}

std::string plainNoPlan(const Outcome& o) {
  const words::NoPlan none = words::noPlan(o);
  return none.title + (none.detail.empty() ? "" : ". " + adviceText(none.detail));
}

/// What a reader may conclude: nothing, if the error of ratios is larger than the difference.
std::string certainty(const DifferenceSide& before, const DifferenceSide& after, const StepDifference& d) {
  const Problem &x = *before.source.problem, &y = *after.source.problem;
  if (!(*x.graph == *y.graph) || !(x.program == y.program)) return {};
  const double error = words::ratioError(y.program, y.error);
  if (error <= 0) return {};
  const bool isInside = std::abs(d.after / d.before - 1) <= error;
  return std::string(isInside ? "too close to call: " : "") + "the ratio of two plans errs by ± " +
         text::percent(error);
}

std::string finding(const DifferenceSide& before, const DifferenceSide& after, const StepDifference& d,
                    const std::vector<PlanFact>& facts) {
  const RankedPlan *first = before.plan, *second = after.plan;
  const auto runs = [](const RankedPlan& r) { return text::time(r.evaluation.batchTime) + " per step"; };
  if (!first && !second)
    return "Neither has a plan. First: " + plainNoPlan(*before.outcome) +
           ". Second: " + plainNoPlan(*after.outcome) + ".";
  if (!first) return "Only the second fits: " + runs(*second) + " · first: " + plainNoPlan(*before.outcome);
  if (!second) return "Only the first fits: " + runs(*first) + " · second: " + plainNoPlan(*after.outcome);
  std::string out = words::cause(d, facts);
  if (const std::size_t colon = out.find(": "); colon != std::string::npos) out.replace(colon, 2, " · ");
  const char* of = d.measure == PaceMeasure::BatchTime ? " per step" : " per token";
  out += " · " + text::time(d.before) + " → " + text::time(d.after) + of;
  if (const std::string changed = words::of(facts); !changed.empty()) out += " · " + changed;
  if (const std::string sure = certainty(before, after, d); !sure.empty()) out += " · " + sure;
  return out;
}

ReportPart changesPart(const DifferenceSide& before, const DifferenceSide& after) {
  ReportPart out{.id = "changes", .title = "What differs between the scenarios", .isAhead = true};
  for (const std::string& change : settingDifferences(before.scenario->setting(), after.scenario->setting()))
    out.items.push_back(adviceText(change));
  if (out.items.empty()) out.lines.emplace_back("Nothing that a plan depends on.");
  return out;
}

ReportPart timePart(const StepDifference& d) {
  const bool isStep = d.measure == PaceMeasure::BatchTime;
  ReportPart out{.id = "time",
                 .title = isStep ? "Where the time of a step goes" : "Where the time of a token goes"};
  TextTable table({{"", TextTable::Align::Left}, {"first"}, {"second"}, {"change"}});
  for (const PartChange& c : d.terms)
    table.add({words::of(c.part), text::time(c.before), text::time(c.after), words::signedTime(c.growth())});
  table.add({"all", text::time(d.before), text::time(d.after), words::signedTime(d.after - d.before)});
  out.table = std::move(table);
  return out;
}

/// A row for each figure that one of the two has, in the order of the second.
ReportPart figuresPart(const DifferenceSide& before, const DifferenceSide& after) {
  using Facts = std::vector<std::pair<std::string, std::string>>;
  const auto factsOf = [](const DifferenceSide& side) {
    Facts out = side.plan ? planFacts(side.source, *side.plan) : Facts{{"plan", plainNoPlan(*side.outcome)}};
    if (side.outcome) out.emplace_back("result", words::verdict(*side.outcome));
    return out;
  };
  const Facts first = factsOf(before);
  Facts second = factsOf(after);
  const auto valueOf = [](const Facts& facts, const std::string& name) {
    const auto it = std::find_if(facts.begin(), facts.end(), [&](const auto& f) { return f.first == name; });
    return it == facts.end() ? std::string("–") : it->second;
  };
  TextTable table({{"", TextTable::Align::Left},
                   {nameOf(before, "first"), TextTable::Align::Left},
                   {nameOf(after, "second"), TextTable::Align::Left}});
  for (const auto& [name, value] : second) table.add({name, valueOf(first, name), value});
  for (const auto& [name, value] : first)
    if (valueOf(second, name) == "–") table.add({name, value, "–"});
  return {.id = "figures", .title = "Both plans", .table = std::move(table)};
}

}  // namespace

PlanReport differenceReportOf(const DifferenceSide& before, const DifferenceSide& after) {
  PlanReport out;
  out.title.push_back(nameOf(before, "first") + " → " + nameOf(after, "second"));
  for (const DifferenceSide* side : {&before, &after})
    if (!side->source.assumed.empty())
      out.title.push_back(nameOf(*side, side == &before ? "first" : "second") + ": " + side->source.assumed);
  const RankedPlan *first = before.plan, *second = after.plan;
  StepDifference d;
  std::vector<PlanFact> facts;
  if (first && second) {
    d = stepDifference(first->evaluation, paceOf(*before.source.problem, *first), second->evaluation,
                       paceOf(*after.source.problem, *second));
    facts = changedFacts(first->plan, first->evaluation, second->plan, second->evaluation);
  }
  out.finding = finding(before, after, d, facts);
  out.parts.push_back(changesPart(before, after));
  if (d.isKnown()) out.parts.push_back(timePart(d));
  out.parts.push_back(figuresPart(before, after));
  return out;
}

}  // namespace nest
