#pragma once

#include <QPoint>
#include <QString>
#include <QStringList>
#include <vector>

#include "solver/dp_through.h"

namespace nest {

/// Cells in rows and columns, each with a multiple of the best time: what the DP table and the table of
/// configurations have in common.
struct DpGrid {
  enum class Kind {
    Blank,    ///< there can be nothing
    Waiting,  ///< not known yet
    Short,    ///< lacks memory
    Value,    ///< exact
    AtLeast,  ///< a lower bound
  };
  struct Cell {
    Kind kind = Kind::Blank;
    double ratio = 0;  ///< to the best; 0: without one
    QString text;
  };

  int rowCount() const { return static_cast<int>(rows.size()); }
  int columnCount() const { return static_cast<int>(columns.size()); }
  const Cell& at(int row, int column) const {
    return cells[static_cast<std::size_t>(row) * columns.size() + static_cast<std::size_t>(column)];
  }

  QStringList rows, columns;
  QString rowTitle, columnTitle;
  std::vector<Cell> cells;
  std::vector<QPoint> path;  ///< (column, row): the plan, from the first stage on
};

/// The DP table. `through`: null while it is not known, or while the table is filled with `filled` rows from
/// the end: each cell then has its time from there to the end.
DpGrid gridOf(const DpProbe&, const DpThrough* through, int filled);

}  // namespace nest
