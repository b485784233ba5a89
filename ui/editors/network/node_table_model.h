#pragma once

#include <QAbstractTableModel>

#include "cluster/graph/network_graph.h"

namespace nest {

/// The drawn network as a table, for reading it without seeing it: one row per node.
class NodeTableModel : public QAbstractTableModel {
  Q_OBJECT
public:
  using QAbstractTableModel::QAbstractTableModel;

  void setGraph(const NetworkGraph&);
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex&, int role) const override;
  QVariant headerData(int section, Qt::Orientation, int role) const override;

private:
  struct Row {
    QString name, kind, host, joined;
    bool failed = false;
  };
  std::vector<Row> m_rows;
};

}  // namespace nest
