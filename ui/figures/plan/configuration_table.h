#pragma once

#include <memory>
#include <vector>

#include "figures/plan/dp_grid.h"
#include "solver/outcome.h"

namespace nest {

/// The candidates of a search by pipeline stages (rows) and strategy (columns): in each cell the best of all
/// microbatch sizes, replicas, chunks and schedules.
class ConfigurationTable {
public:
  /// nullptr if the outcome lists no candidates.
  static std::shared_ptr<const ConfigurationTable> of(std::shared_ptr<const Outcome>);

  const DpGrid& grid() const { return m_grid; }
  /// Those of a cell, the best first.
  const std::vector<const Candidate*>& candidates(int row, int column) const;
  QString sentence(int row, int column) const;
  const std::shared_ptr<const Outcome>& outcome() const { return m_outcome; }

private:
  explicit ConfigurationTable(std::shared_ptr<const Outcome>);
  void fill();

  std::shared_ptr<const Outcome> m_outcome;
  DpGrid m_grid;
  std::vector<std::vector<const Candidate*>> m_candidates;  ///< by row and column
};

}  // namespace nest
