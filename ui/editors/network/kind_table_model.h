#pragma once

#include <QAbstractTableModel>
#include <set>

#include "cluster/graph/graph_kinds.h"
#include "editors/network/network_canvas.h"
#include "units/text.h"

namespace nest {

/// Which devices, hosts, switches and links there are, with counts. Figures are typed once for all of a kind:
/// the model emits the edit.
class KindTableModel : public QAbstractTableModel {
  Q_OBJECT
public:
  enum Column { What, Count, Bandwidth, Latency, Parallel, Memory, Speed, ColumnCount };

  using QAbstractTableModel::QAbstractTableModel;

  /// `inBits`: bandwidths to be shown in bits.
  void setGraph(const NetworkGraph&, bool editable, const std::set<double>& inBits = {});
  const graph::Kind& kind(int row) const { return m_kinds[row]; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex&, int role) const override;
  bool setData(const QModelIndex&, const QVariant&, int role) override;
  Qt::ItemFlags flags(const QModelIndex&) const override;
  QVariant headerData(int section, Qt::Orientation, int role) const override;

Q_SIGNALS:
  void bandwidthTyped(const nest::text::BandwidthText&);
  void edited(const QString& verb, const QString& field, const nest::NetworkCanvas::GraphEdit& edit);

private:
  QString text(const graph::Kind&, int column) const;
  QString nameOf(const graph::Kind&) const;
  bool canEdit(const graph::Kind&, int column) const;

  std::vector<graph::Kind> m_kinds;
  std::set<double> m_inBits;
  bool m_editable = false;
};

}  // namespace nest
