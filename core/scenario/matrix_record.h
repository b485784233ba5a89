#pragma once

#include <string>
#include <vector>

namespace nest {

/// A purchase as it stands: each offer for each job in words, so that it can be shown again without solving.
struct MatrixRecord {
  struct Cell {
    std::string days, money, energy, mfu, devices;  ///< "–" where there is none
    std::string plan;                               ///< one line; of no plan, its status
    std::string problem;                            ///< why there is no plan, or what a value lacks
    bool isBest = false;
    bool isTooClose = false;  ///< to the best one, or the best one to another
    bool isSolved = true;     ///< false: it is still to come, or was stopped
    friend bool operator==(const Cell&, const Cell&) = default;
  };

  std::string by;  ///< "days", "money", "energy"
  std::vector<std::string> clusters, jobs;
  std::vector<Cell> cells;             ///< job by job
  std::vector<std::string> sentences;  ///< the choice of each job, then where choices flip

  bool isEmpty() const { return jobs.empty() || clusters.empty(); }
  const Cell& cell(std::size_t job, std::size_t cluster) const {
    return cells[job * clusters.size() + cluster];
  }
  friend bool operator==(const MatrixRecord&, const MatrixRecord&) = default;
};

}  // namespace nest
