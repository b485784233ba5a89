#include "figures/study/improvement_ranking.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "diagnostics/field_change.h"
#include "units/text.h"

namespace nest {
namespace {

/// Columns of the table, in their order.
enum ImprovementColumn {
  kImprovedName,
  kImprovedMeasure,
  kImprovedChange,
  kImprovedObstacle,
  kImprovedDevices,
  kImprovedPlan,
  kImprovementColumns
};
constexpr std::array<const char*, kImprovementColumns> kImprovementHeads{
    "improvement", "measured by", "change", "obstacle", "devices", "plan"};
constexpr const char* kMoreDevices = "more";
/// In place of a measure: what follows was not ranked, or the improvement is a line about all.
constexpr const char *kRankingStopped = "stopped", *kRankingLine = "line";

constexpr std::array kImprovementMeasures{ImprovementMeasure::TimePerToken, ImprovementMeasure::Days,
                                          ImprovementMeasure::Money, ImprovementMeasure::Energy};

}  // namespace

ImprovementRanking rankingOf(const std::vector<Improvement>& all) {
  ImprovementRanking out;
  std::vector<Improvement> ranked;
  for (const Improvement& one : all) {
    if (one.status == OutcomeStatus::Stopped) {
      out.isWhole = false;
      continue;
    }
    ranked.push_back(one);
    ImprovementRanking::Row row;
    row.what = one.what, row.measure = one.measure;
    row.hasPlan = one.batchTime > Seconds();
    row.isDevices = one.parameter.isDevices();
    if (row.hasPlan) {
      row.change = one.change;
      for (const PlanChange& c : one.plan.changes) row.plan += (row.plan.empty() ? "" : "; ") + c.sentence;
    } else {
      row.obstacle = adviceText(one.obstacle);
    }
    out.rows.push_back(std::move(row));
  }
  out.measuredBy = measuredBy(ranked);
  return out;
}

SavedTable tableOf(const ImprovementRanking& ranking) {
  SavedTable out;
  for (int k = 0; k < kImprovementColumns; ++k)
    out.columns.push_back({kImprovementHeads[static_cast<std::size_t>(k)], k == kImprovedChange});
  for (const ImprovementRanking::Row& row : ranking.rows)
    out.rows.push_back({row.what, nameOf(row.measure), row.hasPlan ? text::exact(row.change) : std::string(),
                        row.obstacle, row.isDevices ? kMoreDevices : "", row.plan});
  const auto add = [&](const std::string& text, const char* mark) {
    std::vector<std::string> last(kImprovementColumns);
    last[kImprovedName] = text, last[kImprovedMeasure] = mark;
    out.rows.push_back(std::move(last));
  };
  if (!ranking.measuredBy.empty()) add(ranking.measuredBy, kRankingLine);
  if (!ranking.isWhole) add({}, kRankingStopped);
  return out;
}

ImprovementRanking improvementsIn(const SavedTable& table) {
  ImprovementRanking out;
  for (const auto& cells : table.rows) {
    if (cells.size() < kImprovementColumns) continue;
    const std::string& measure = cells[kImprovedMeasure];
    if (measure == kRankingStopped) out.isWhole = false;
    if (measure == kRankingLine) out.measuredBy = cells[kImprovedName];
    const auto known = std::find_if(kImprovementMeasures.begin(), kImprovementMeasures.end(),
                                    [&](ImprovementMeasure m) { return measure == nameOf(m); });
    if (known == kImprovementMeasures.end()) continue;
    ImprovementRanking::Row row;
    row.what = cells[kImprovedName], row.measure = *known;
    const std::string& change = cells[kImprovedChange];
    const auto [end, wrong] = std::from_chars(change.data(), change.data() + change.size(), row.change);
    row.hasPlan = !change.empty() && wrong == std::errc() && end == change.data() + change.size();
    if (!row.hasPlan && !change.empty()) continue;
    row.obstacle = cells[kImprovedObstacle], row.isDevices = cells[kImprovedDevices] == kMoreDevices;
    row.plan = cells[kImprovedPlan];
    out.rows.push_back(std::move(row));
  }
  return out;
}

}  // namespace nest
