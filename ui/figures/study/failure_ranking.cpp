#include "figures/study/failure_ranking.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "diagnostics/field_change.h"
#include "units/text.h"

namespace nest {
namespace {

/// Columns of the table, in their order.
enum RankingColumn {
  kFailureName,
  kAnswerName,
  kChangeOf,
  kObstacleOf,
  kIdleOf,
  kSparesOf,
  kRestartOf,
  kMovedOf,
  kAnswerPlan,
  kOtherBatchOf,  ///< absent in files of earlier versions
  kRankingColumns
};
constexpr std::array<const char*, kRankingColumns> kRankingHeads{
    "failure",       "answer",          "change of tokens/s", "obstacle", "devices idle",
    "spares needed", "steps run again", "state that moves",   "plan",     "change with another batch"};
constexpr const char* kStoppedThere = "stopped";  ///< in place of a failure: what follows was not ranked

FailureRanking::Answer answerOf(const FailureResponse& r) {
  FailureRanking::Answer out;
  out.answer = r.answer;
  out.hasPlan = r.plan.has_value();
  if (!out.hasPlan) {
    out.obstacle = adviceText(r.obstacle);
    return out;
  }
  out.change = r.change;
  out.devicesIdle = r.devicesIdle, out.sparesNeeded = r.sparesNeeded;
  if (r.restart.isKnown()) out.restart = text::time(r.restart.total());
  if (r.moved && r.moved->all() > Bytes(0)) out.moved = text::memory(r.moved->all());
  out.how = summaryOf(r.plan->plan);
  return out;
}

template <class Number>
std::optional<Number> numberOfCell(const std::string& cell) {
  Number out{};
  const auto [end, wrong] = std::from_chars(cell.data(), cell.data() + cell.size(), out);
  return wrong == std::errc() && end == cell.data() + cell.size() ? std::optional(out) : std::nullopt;
}

std::optional<FailureAnswer> answerNamed(const std::string& name) {
  for (int k = 0; k < kFailureAnswerCount; ++k)
    if (name == nameOf(static_cast<FailureAnswer>(k))) return static_cast<FailureAnswer>(k);
  return std::nullopt;
}

}  // namespace

FailureRanking rankingOf(const std::vector<Failure>& all) {
  FailureRanking out;
  for (const Failure& f : all) {
    if (f.status == OutcomeStatus::Stopped) {
      out.isWhole = false;
      continue;
    }
    FailureRanking::Row row{f.what, {}};
    if (f.otherBatch) row.otherBatch = f.otherBatch->change;
    for (const FailureResponse& r : f.answers) row.answers.push_back(answerOf(r));
    if (row.answers.empty()) {  // a degraded level on which nothing fits
      FailureRanking::Answer none;
      none.answer = FailureAnswer::Replan, none.obstacle = f.obstacle;
      row.answers.push_back(none);
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

SavedTable tableOf(const FailureRanking& ranking) {
  SavedTable out;
  for (int k = 0; k < kRankingColumns; ++k)
    out.columns.push_back(
        {kRankingHeads[static_cast<std::size_t>(k)], k == kChangeOf || k == kIdleOf || k == kSparesOf});
  for (const FailureRanking::Row& row : ranking.rows)
    for (const FailureRanking::Answer& a : row.answers)
      out.rows.push_back({row.what, nameOf(a.answer), a.hasPlan ? text::exact(a.change) : std::string(),
                          a.obstacle, std::to_string(a.devicesIdle), std::to_string(a.sparesNeeded),
                          a.restart, a.moved, a.how, row.otherBatch ? text::exact(*row.otherBatch) : ""});
  if (!ranking.isWhole) {
    std::vector<std::string> last(kRankingColumns);
    last[kAnswerName] = kStoppedThere;
    out.rows.push_back(std::move(last));
  }
  return out;
}

FailureRanking rankingIn(const SavedTable& table) {
  FailureRanking out;
  for (const auto& cells : table.rows) {
    if (cells.size() <= kAnswerPlan) continue;
    if (cells[kAnswerName] == kStoppedThere) out.isWhole = false;
    const auto answer = answerNamed(cells[kAnswerName]);
    const auto change = numberOfCell<double>(cells[kChangeOf]);
    if (!answer || (!change && !cells[kChangeOf].empty())) continue;
    if (out.rows.empty() || out.rows.back().what != cells[kFailureName])
      out.rows.push_back({cells[kFailureName], {}});
    if (cells.size() > kOtherBatchOf) out.rows.back().otherBatch = numberOfCell<double>(cells[kOtherBatchOf]);
    out.rows.back().answers.push_back({*answer, change.has_value(), change.value_or(0), cells[kObstacleOf],
                                       numberOfCell<int>(cells[kIdleOf]).value_or(0),
                                       numberOfCell<int>(cells[kSparesOf]).value_or(0), cells[kRestartOf],
                                       cells[kMovedOf], cells[kAnswerPlan]});
  }
  return out;
}

}  // namespace nest
