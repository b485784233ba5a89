#include "study/report_parts.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "study/study_curve.h"
#include "units/text.h"

namespace nest {
namespace {
constexpr double kWorthALine = 1e-3;
constexpr std::size_t kMostLines = 10;
constexpr double kImprovedBy = 0.25;
constexpr long long kImprovementWork = 2'000'000, kScalingWork = 1'000'000;

/// A part of a longer computation: from `begin` to `end` of its progress.
Control controlOfPart(const Control& whole, long long work, double begin, double end) {
  Control part;
  part.stop = whole.stop;
  part.work = std::make_shared<WorkLimit>(work);
  if (whole.progress)
    part.progress = [report = whole.progress, begin, end](Progress p) {
      p.fraction = begin + (end - begin) * p.fraction;
      report(p);
    };
  return part;
}
}  // namespace

ReportPart improvementsPart(const std::vector<Improvement>& all, double error) {
  ReportPart out{.id = "improvements", .title = "What one improvement would bring, each with its best plan"};
  TextTable table({{"improvement", TextTable::Align::Left},
                   {"step time"},
                   {"change"},
                   {"plan", TextTable::Align::Left},
                   {"", TextTable::Align::Left}});
  for (const Improvement& one : all) {
    if (!(one.batchTime > Seconds()) || one.change > -kWorthALine || table.rows().size() == kMostLines)
      continue;
    std::string changes;
    for (std::size_t i = 0; i < std::min<std::size_t>(2, one.plan.changes.size()); ++i)
      changes += (i > 0 ? "; " : "") + one.plan.changes[i].sentence;
    table.add({one.what, text::time(one.batchTime), changeText(one), changes.empty() ? "the same" : changes,
               std::abs(one.change) <= error ? "within the error" : ""});
  }
  if (table.rows().empty()) return out;
  out.table = std::move(table);
  const auto isOfTime = [](const Improvement& one) {
    return one.measure == ImprovementMeasure::TimePerToken;
  };
  if (!std::all_of(all.begin(), all.end(), isOfTime)) out.lines = {measuredBy(all)};
  return out;
}

ReportStudies reportStudies(const Setting& s, const Problem& problem, const RankedPlan* best,
                            bool withScaling, const Control& control) {
  ReportStudies out;
  const double share = best && withScaling ? 0.8 : best ? 1 : 0;  // of the improvements
  if (best)
    out.improvements =
        rankImprovements(s, problem, *best, kImprovedBy, controlOfPart(control, kImprovementWork, 0, share));
  if (withScaling) out.scaling = scalingStudy(s, problem, controlOfPart(control, kScalingWork, share, 1));
  return out;
}

TextTable studyTable(const StudyRecord& r) {
  using Align = TextTable::Align;
  const bool isGrid = !r.upName.empty();
  std::vector<TextTable::Column> columns = {{r.acrossName}};
  if (isGrid) columns.push_back({r.upName});
  columns.push_back({r.quantity});
  columns.push_back({"plan", Align::Left});
  if (!isGrid) columns.push_back({"what changes", Align::Left});
  TextTable table(std::move(columns));
  for (std::size_t i = 0; i < r.results.size(); ++i) {
    const StudyRecord::Result& one = r.results[i];
    std::vector<std::string> row = {r.across[i % r.across.size()].text};
    if (isGrid) row.push_back(r.up[i / r.across.size()].text);
    row.push_back(one.y > 0 ? one.yText : "–");
    row.push_back(one.y > 0 ? one.plan : one.none);
    if (!isGrid) row.push_back(one.change);
    table.add(std::move(row));
  }
  return table;
}

}  // namespace nest
