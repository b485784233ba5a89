#include "study/report_parts.h"

#include <algorithm>
#include <cmath>

#include "units/text.h"

namespace nest {
namespace {
constexpr double kWorthALine = 1e-3;
constexpr std::size_t kMostLines = 10;
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

}  // namespace nest
