#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "document/plan_context.h"
#include "figures/plan/seat_map.h"
#include "theme/theme.h"

namespace nest {

/// One row per device: rank, host, device, stage, replica. Rows are computed when asked for, so that 131,072
/// of them cost nothing until they are seen.
class PlacementModel : public QAbstractTableModel {
  Q_OBJECT
public:
  enum Column { Rank, Host, Slot, Stage, Replica, InReplica, ColumnCount };
  enum Role { ExactRole = Qt::UserRole, DeviceRole };

  using QAbstractTableModel::QAbstractTableModel;

  void setContext(const PlanContext&, const Theme&);
  int deviceAt(int row) const { return m_order.empty() ? row : m_order[row]; }
  int rowOf(int device) const;
  /// First row at or after `from`, going round, whose text in any column contains `text`; −1 if there is
  /// none.
  int find(const QString& text, int from) const;
  /// All rows in their present order, RFC 4180, with a heading.
  QString csv() const;
  QString csv(const std::vector<int>& rows) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex&, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation, int role = Qt::DisplayRole) const override;
  void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

private:
  QString textOf(int device, int column) const;
  void order(int column, Qt::SortOrder direction);

  PlanContext m_context;
  const Theme* m_theme = &Theme::of(Theme::Kind::Light);
  SeatMap m_seats;
  std::vector<int> m_ranks;  ///< device → global rank, −1 idle
  std::vector<int> m_order;  ///< row → device; empty: the same
  int m_sortColumn = -1;
  Qt::SortOrder m_direction = Qt::AscendingOrder;
};

}  // namespace nest
