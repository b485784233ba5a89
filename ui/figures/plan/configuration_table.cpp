#include "figures/plan/configuration_table.h"

#include <QCoreApplication>
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "figures/paint/phrases.h"
#include "figures/plan/dp_words.h"
#include "schedule/pipeline_schedule.h"
#include "theme/qt_text.h"

namespace nest {
namespace {

QString translated(const char* text) {
  return QCoreApplication::translate("ConfigurationTable", text);
}

double optimumOf(const Outcome& o) {
  return o.best() ? o.best()->evaluation.batchTime.value() : 0;
}

/// No plan of the candidate takes less. A candidate that was pruned below the optimum is proven by cuts.
double leastTime(const Candidate& c, double optimum) {
  if (c.best) return c.best->value();
  return c.result == CandidateResult::Bounded ? std::max(c.lowerBound.value(), optimum)
                                              : c.lowerBound.value();
}

bool hasTime(const Candidate& c) {
  return c.best || c.result == CandidateResult::Bounded || c.result == CandidateResult::NotReached;
}

bool precedes(const Candidate& a, const Candidate& b, double optimum) {
  const auto key = [&](const Candidate& c) {
    return std::tuple(c.result != CandidateResult::Won, !hasTime(c),
                      hasTime(c) ? leastTime(c, optimum) : c.shortfall.value(), !c.best);
  };
  return key(a) < key(b);
}

QString degreesOf(const Candidate& c) {
  QString out = translated("MBS %1, DP %2").arg(c.microbatch).arg(c.dataDegree);
  if (c.schedule != usualSchedule(c.chunks))
    out += QStringLiteral(", ") + toQt(std::string(scheduleOf(c.schedule).label()));
  else if (c.chunks > 1)
    out += translated(", VPP %1").arg(c.chunks);
  return out;
}

DpGrid::Cell cellOf(const std::vector<const Candidate*>& all, double optimum) {
  using enum DpGrid::Kind;
  if (all.empty()) return {};
  const Candidate& first = *all.front();
  if (!hasTime(first)) {
    const bool lacks = std::any_of(
        all.begin(), all.end(), [](const Candidate* c) { return c->result == CandidateResult::OutOfMemory; });
    return {lacks ? Short : Blank, 0, lacks ? QStringLiteral("×") : QString()};
  }
  const double time = leastTime(first, optimum);
  if (optimum == 0 || time == 0) return {Waiting, 0, {}};
  const double ratio = time / optimum;
  return {first.best ? Value : AtLeast, ratio,
          (first.best ? QString() : QStringLiteral("≥")) + dp::ratioText(ratio)};
}

}  // namespace

ConfigurationTable::ConfigurationTable(std::shared_ptr<const Outcome> outcome)
    : m_outcome(std::move(outcome)) {
  fill();
}

std::shared_ptr<const ConfigurationTable> ConfigurationTable::of(std::shared_ptr<const Outcome> outcome) {
  if (!outcome || outcome->log.candidates.empty()) return nullptr;
  return std::shared_ptr<const ConfigurationTable>(new ConfigurationTable(std::move(outcome)));
}

void ConfigurationTable::fill() {
  const double optimum = optimumOf(*m_outcome);
  const auto columnOf = [](const Candidate& c) { return std::pair(c.strategy.width(), toText(c.strategy)); };
  // Of many numbers of stages, only those that come near the best.
  constexpr std::size_t kMostRows = 24;
  constexpr double kNear = 1.5;
  std::map<int, int> rows, near;
  std::map<std::pair<int, std::string>, int> columns;
  for (const Candidate& c : m_outcome->log.candidates) {
    rows[c.stageCount], columns[columnOf(c)];
    if (optimum > 0 && hasTime(c) && leastTime(c, optimum) < kNear * optimum) near[c.stageCount];
  }
  const bool leavesOut = rows.size() > kMostRows && !near.empty() && near.size() < rows.size();
  if (leavesOut) rows = near;
  for (auto& [stages, row] : rows) {
    row = m_grid.rowCount();
    m_grid.rows << (stages > 0 ? QString::number(stages) : translated("any"));
  }
  for (auto& [strategy, column] : columns) {
    column = m_grid.columnCount();
    m_grid.columns << toQt(strategy.second);
  }
  m_grid.rowTitle = leavesOut ? translated("Pipeline stages below 1.5 ×") : translated("Pipeline stages");
  m_grid.columnTitle = translated("Strategy of the stages");
  m_candidates.resize(rows.size() * columns.size());
  for (const Candidate& c : m_outcome->log.candidates) {
    if (!rows.contains(c.stageCount)) continue;
    const int row = rows[c.stageCount], column = columns[columnOf(c)];
    m_candidates[static_cast<std::size_t>(row) * columns.size() + static_cast<std::size_t>(column)].push_back(
        &c);
    if (c.result == CandidateResult::Won) m_grid.path = {{column, row}};
  }
  for (auto& all : m_candidates) {
    std::stable_sort(all.begin(), all.end(),
                     [&](const Candidate* a, const Candidate* b) { return precedes(*a, *b, optimum); });
    m_grid.cells.push_back(cellOf(all, optimum));
  }
}

const std::vector<const Candidate*>& ConfigurationTable::candidates(int row, int column) const {
  return m_candidates[static_cast<std::size_t>(row) * static_cast<std::size_t>(m_grid.columnCount()) +
                      static_cast<std::size_t>(column)];
}

QString ConfigurationTable::sentence(int row, int column) const {
  const auto& all = candidates(row, column);
  const DpGrid::Cell& cell = m_grid.at(row, column);
  QString out = translated("%1 stages of %2: ").arg(m_grid.rows[row], m_grid.columns[column]);
  if (m_grid.rows[row] == QStringLiteral("1"))
    out = translated("One stage of %1: ").arg(m_grid.columns[column]);
  if (all.empty()) return out + translated("not among the candidates that the search lists.");
  const Candidate& first = *all.front();
  using enum DpGrid::Kind;
  switch (cell.kind) {
    case Value:
      return out + translated("%1 with %2, %3 × the best. %4.")
                       .arg(timeText(*first.best), degreesOf(first), cell.text,
                            plural(static_cast<long long>(all.size()), translated("candidate")));
    case AtLeast:
      return out + translated("at least %1 (a bound), %2 × the best. %3.")
                       .arg(timeText(Seconds(leastTime(first, optimumOf(*m_outcome)))), cell.text.mid(1),
                            plural(static_cast<long long>(all.size()), translated("candidate")));
    case Short:
      return out + translated("does not fit; a stage lacks %1 or more.").arg(memoryText(first.shortfall));
    case Waiting:
      return out + translated("the search ended before reaching it.");
    case Blank:
      break;
  }
  return out + translated("not in the model's profile.");
}

}  // namespace nest
