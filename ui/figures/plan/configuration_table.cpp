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

QString tr(const char* text) {
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
  QString out = tr("MBS %1, DP %2").arg(c.microbatch).arg(c.dataDegree);
  if (c.schedule != usualSchedule(c.chunks))
    out += QStringLiteral(", ") + toQt(std::string(scheduleOf(c.schedule).label()));
  else if (c.chunks > 1)
    out += tr(", VPP %1").arg(c.chunks);
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
  std::map<int, int> rows;
  std::map<std::pair<int, std::string>, int> columns;
  for (const Candidate& c : m_outcome->log.candidates) rows[c.stageCount], columns[columnOf(c)];
  for (auto& [stages, row] : rows) {
    row = m_grid.rowCount();
    m_grid.rows << (stages > 0 ? QString::number(stages) : tr("any"));
  }
  for (auto& [strategy, column] : columns) {
    column = m_grid.columnCount();
    m_grid.columns << toQt(strategy.second);
  }
  m_grid.rowTitle = tr("Pipeline stages");
  m_grid.columnTitle = tr("Strategy of the stages");
  m_candidates.resize(rows.size() * columns.size());
  for (const Candidate& c : m_outcome->log.candidates) {
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
  QString out = tr("%1 stages of %2: ").arg(m_grid.rows[row], m_grid.columns[column]);
  if (m_grid.rows[row] == QStringLiteral("1")) out = tr("One stage of %1: ").arg(m_grid.columns[column]);
  if (all.empty()) return out + tr("not among the candidates that the search lists.");
  const Candidate& first = *all.front();
  using enum DpGrid::Kind;
  switch (cell.kind) {
    case Value:
      return out + tr("%1 with %2, %3 × the best. %4.")
                       .arg(timeText(*first.best), degreesOf(first), cell.text,
                            plural(static_cast<long long>(all.size()), tr("candidate")));
    case AtLeast:
      return out + tr("at least %1 (a bound), %2 × the best. %3.")
                       .arg(timeText(Seconds(leastTime(first, optimumOf(*m_outcome)))), cell.text.mid(1),
                            plural(static_cast<long long>(all.size()), tr("candidate")));
    case Short:
      return out + tr("does not fit; a stage lacks %1 or more.").arg(memoryText(first.shortfall));
    case Waiting:
      return out + tr("the search ended before reaching it.");
    case Blank:
      break;
  }
  return out + tr("not in the model's profile.");
}

}  // namespace nest
