#pragma once

#include <QRectF>
#include <QSizeF>
#include <algorithm>
#include <cstddef>
#include <vector>

namespace nest {

/// Things by the cells of a grid over a room, so that thousands of them stay quick to look through.
template <class Thing>
class RectIndex {
public:
  explicit RectIndex(const QRectF& room)
      : m_room(room),
        m_columns(std::clamp(static_cast<int>(room.width() / kCell.width()), 1, kMostCells)),
        m_rows(std::clamp(static_cast<int>(room.height() / kCell.height()), 1, kMostCells)),
        m_cells(static_cast<std::size_t>(m_columns) * static_cast<std::size_t>(m_rows)) {}

  void add(const Thing& thing, const QRectF& around) {
    visit(around, [&](std::size_t cell) {
      m_cells[cell].push_back(static_cast<int>(m_things.size()));
      return false;
    });
    m_things.push_back(thing);
  }

  /// Whether `is` holds of any of the things whose cells a box touches.
  template <class Is>
  bool any(const QRectF& box, Is is) const {
    return visit(box, [&](std::size_t cell) {
      return std::ranges::any_of(m_cells[cell],
                                 [&](int i) { return is(m_things[static_cast<std::size_t>(i)]); });
    });
  }

private:
  static constexpr QSizeF kCell = QSizeF(32, 16);
  static constexpr int kMostCells = 1000;  ///< in a row and in a column

  /// The cells that a box touches, until `each` holds.
  template <class Visit>
  bool visit(const QRectF& box, Visit each) const {
    // What stands beside the grid is in the cells at its edge.
    const auto column = [&](double x) {
      return static_cast<int>(std::min(std::max(0.0, (x - m_room.left()) / kCell.width()), m_columns - 1.0));
    };
    const auto row = [&](double y) {
      return static_cast<int>(std::min(std::max(0.0, (y - m_room.top()) / kCell.height()), m_rows - 1.0));
    };
    for (int y = row(box.top()), last = row(box.bottom()); y <= last; ++y)
      for (int x = column(box.left()), right = column(box.right()); x <= right; ++x)
        if (each(static_cast<std::size_t>(y * m_columns + x))) return true;
    return false;
  }

  QRectF m_room;
  int m_columns, m_rows;
  std::vector<Thing> m_things;
  std::vector<std::vector<int>> m_cells;
};

}  // namespace nest
