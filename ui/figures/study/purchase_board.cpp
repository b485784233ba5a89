#include "figures/study/purchase_board.h"

#include <algorithm>
#include <charconv>

#include "units/at.h"
#include "units/text.h"

namespace nest {
namespace {

/// Columns of the table, in their order.
enum BoardColumn {
  kBoardJob,
  kBoardCluster,
  kBoardDays,
  kBoardMoney,
  kBoardEnergy,
  kBoardMfu,
  kBoardMark,
  kBoardDevices,
  kBoardPlan,
  kBoardProblem,
  kBoardColumnCount
};
constexpr std::array<const char*, kBoardColumnCount> kBoardHeads{
    "job", "cluster", "days", "money", "energy, kWh", "MFU", "mark", "devices", "plan", "problem"};
constexpr std::array<const char*, 3> kMarkNames{"", "best", "too close to call"};
constexpr const char* kOpenCell = "not solved";  ///< as a mark
constexpr const char* kBoardLine = "by";  ///< as a mark: the cluster names the measure, the plan is a line

std::string exactOrEmpty(const std::optional<double>& v) {
  return v ? text::exact(*v) : std::string();
}

std::optional<double> valueOfCell(const std::string& cell) {
  double out = 0;
  const auto [end, wrong] = std::from_chars(cell.data(), cell.data() + cell.size(), out);
  return wrong == std::errc() && end == cell.data() + cell.size() ? std::optional(out) : std::nullopt;
}

int placeAmong(std::vector<std::string>& names, const std::string& name) {
  const auto it = std::find(names.begin(), names.end(), name);
  if (it != names.end()) return static_cast<int>(it - names.begin());
  names.push_back(name);
  return static_cast<int>(names.size()) - 1;
}

}  // namespace

const char* nameOf(PurchaseQuantity q) {
  return q == PurchaseQuantity::Mfu ? "mfu" : nameOf(measureFor(q));
}

std::optional<PurchaseQuantity> purchaseQuantityNamed(std::string_view name) {
  for (int k = 0; k < kPurchaseQuantityCount; ++k)
    if (name == nameOf(static_cast<PurchaseQuantity>(k))) return static_cast<PurchaseQuantity>(k);
  return std::nullopt;
}

PurchaseMeasure measureFor(PurchaseQuantity q) {
  return q == PurchaseQuantity::Money    ? PurchaseMeasure::Money
         : q == PurchaseQuantity::Energy ? PurchaseMeasure::Energy
                                         : PurchaseMeasure::Days;
}

int PurchaseBoard::solved() const {
  return static_cast<int>(
      std::count_if(cells.begin(), cells.end(), [](const Cell& c) { return c.isSolved; }));
}

bool PurchaseBoard::isClose(int job) const {
  for (std::size_t k = 0; k < clusters.size(); ++k)
    if (cell(job, static_cast<int>(k)).mark == Mark::TooClose) return true;
  return false;
}

PurchaseBoard boardOf(const PurchaseGrid& grid, const PurchaseMatrix& m, const PurchaseFlips& flips) {
  PurchaseBoard out;
  out.measure = m.measure;
  for (int k = 0; k < grid.clusters(); ++k) out.clusters.push_back(grid.cluster(k));
  for (int k = 0; k < grid.jobs(); ++k) out.jobs.push_back(grid.job(k));
  for (const PurchaseCell& c : m.cells) {
    PurchaseBoard::Cell one;
    one.isSolved = c.status != nameOf(OutcomeStatus::Stopped);
    one.values = {c.days, c.money, c.energyKwh, c.mfu};
    one.devices = c.reservedDevices;
    if (c.plan) one.plan = summaryOf(c.plan->plan);
    one.problem = c.problem;
    out.cells.push_back(std::move(one));
  }
  for (const PurchaseChoice& choice : m.choices) {
    if (choice.best < 0) continue;
    const auto cellOf = [&](int k) -> PurchaseBoard::Cell& {
      return out.cells[at(choice.job) * out.clusters.size() + at(k)];
    };
    cellOf(choice.best).mark = PurchaseBoard::Mark::Best;
    for (const int k : choice.tooClose) cellOf(k).mark = PurchaseBoard::Mark::TooClose;
    out.lines.push_back(report::choiceText(grid, m, choice));
  }
  for (std::string& line : report::flipLines(grid, m, flips)) out.lines.push_back(std::move(line));
  return out;
}

std::string valueText(const PurchaseBoard::Cell& c, PurchaseQuantity q) {
  const auto& v = c.values[at(q)];
  if (!v) return "–";
  if (q == PurchaseQuantity::Mfu) return text::percent(*v);
  PurchaseCell one;
  one.days = c.values[at(PurchaseQuantity::Days)], one.money = c.values[at(PurchaseQuantity::Money)],
  one.energyKwh = c.values[at(PurchaseQuantity::Energy)];
  return report::purchaseValue(one, measureFor(q));
}

SavedTable tableOf(const PurchaseBoard& b) {
  SavedTable out;
  for (int k = 0; k < kBoardColumnCount; ++k)
    out.columns.push_back({kBoardHeads[at(k)], (k >= kBoardDays && k <= kBoardMfu) || k == kBoardDevices});
  for (std::size_t i = 0; i < b.cells.size(); ++i) {
    const PurchaseBoard::Cell& c = b.cells[i];
    std::vector<std::string> row{b.jobs[i / b.clusters.size()], b.clusters[i % b.clusters.size()]};
    for (const auto& v : c.values) row.push_back(exactOrEmpty(v));
    row.emplace_back(c.isSolved ? kMarkNames[at(c.mark)] : kOpenCell);
    row.push_back(std::to_string(c.devices));
    row.push_back(c.plan);
    row.push_back(c.problem);
    out.rows.push_back(std::move(row));
  }
  for (const std::string& line : b.lines) {
    std::vector<std::string> row(kBoardColumnCount);
    row[kBoardMark] = kBoardLine, row[kBoardCluster] = nameOf(b.measure), row[kBoardPlan] = line;
    out.rows.push_back(std::move(row));
  }
  return out;
}

PurchaseBoard boardIn(const SavedTable& table) {
  PurchaseBoard out;
  std::vector<std::pair<std::pair<int, int>, PurchaseBoard::Cell>> cells;
  for (const auto& row : table.rows) {
    if (row.size() < kBoardColumnCount) continue;
    if (row[kBoardMark] == kBoardLine) {
      for (const PurchaseMeasure m : {PurchaseMeasure::Days, PurchaseMeasure::Money, PurchaseMeasure::Energy})
        if (row[kBoardCluster] == nameOf(m)) out.measure = m;
      out.lines.push_back(row[kBoardPlan]);
      continue;
    }
    PurchaseBoard::Cell c;
    for (int k = 0; k < kPurchaseQuantityCount; ++k) c.values[at(k)] = valueOfCell(row[at(kBoardDays + k)]);
    c.isSolved = row[kBoardMark] != kOpenCell;
    for (std::size_t k = 0; k < kMarkNames.size(); ++k)
      if (row[kBoardMark] == kMarkNames[k]) c.mark = static_cast<PurchaseBoard::Mark>(k);
    c.devices = static_cast<int>(valueOfCell(row[kBoardDevices]).value_or(0));
    c.plan = row[kBoardPlan], c.problem = row[kBoardProblem];
    const int job = placeAmong(out.jobs, row[kBoardJob]),
              cluster = placeAmong(out.clusters, row[kBoardCluster]);
    cells.push_back({{job, cluster}, std::move(c)});
  }
  out.cells.resize(out.jobs.size() * out.clusters.size());
  for (auto& [place, c] : cells)
    out.cells[at(place.first) * out.clusters.size() + at(place.second)] = std::move(c);
  return out;
}

}  // namespace nest
