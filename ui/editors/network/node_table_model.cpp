#include "editors/network/node_table_model.h"

namespace nest {

void NodeTableModel::setGraph(const NetworkGraph& g) {
  beginResetModel();
  std::vector<int> degree(g.nodes.size(), 0), first(g.nodes.size(), -1);
  for (const auto& l : g.links)
    for (const auto& [a, b] : {std::pair(l.from, l.to), std::pair(l.to, l.from)}) {
      ++degree[a];
      if (first[a] < 0) first[a] = b;
    }
  m_rows.clear();
  m_rows.reserve(g.nodes.size());
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const NetworkNode& n = g.nodes[i];
    QString joined;
    if (first[i] >= 0) joined = QString::fromStdString(g.nodes[first[i]].name);
    if (degree[i] > 1) joined += tr(" and %1 more").arg(degree[i] - 1);
    m_rows.push_back({QString::fromStdString(n.name),
                      n.kind == NodeKind::Device ? tr("device")
                      : n.kind == NodeKind::Host ? tr("host")
                                                 : tr("switch"),
                      QString::fromStdString(n.host), joined, n.failed});
  }
  endResetModel();
}

int NodeTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}
int NodeTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : 5;
}

QVariant NodeTableModel::data(const QModelIndex& index, int role) const {
  if (role == Qt::AccessibleTextRole && index.isValid() && index.column() > 0)
    return QStringLiteral("%1: %2").arg(
        headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString(),
        data(index, Qt::DisplayRole).toString());
  if (!index.isValid() || role != Qt::DisplayRole) return {};
  const Row& r = m_rows[index.row()];
  switch (index.column()) {
    case 0:
      return r.name;
    case 1:
      return r.kind;
    case 2:
      return r.host;
    case 3:
      return r.joined;
    default:
      return r.failed ? tr("failed") : tr("works");
  }
}

QVariant NodeTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (role != Qt::DisplayRole) return {};
  if (orientation == Qt::Vertical) return section;
  const QString names[] = {tr("Name"), tr("Kind"), tr("Host"), tr("Joined to"), tr("State")};
  return section >= 0 && section < 5 ? names[section] : QVariant();
}

}  // namespace nest
