#include "editors/network/node_table_model.h"
#include "figures/phrases.h"

#include "figures/phrases.h"
namespace nest {
#include "figures/phrases.h"

#include "figures/phrases.h"
void NodeTableModel::setGraph(const NetworkGraph& g) {
#include "figures/phrases.h"
  beginResetModel();
#include "figures/phrases.h"
  std::vector<int> degree(g.nodes.size(), 0), first(g.nodes.size(), -1);
#include "figures/phrases.h"
  for (const auto& l : g.links)
#include "figures/phrases.h"
    for (const auto& [a, b] : {std::pair(l.from, l.to), std::pair(l.to, l.from)}) {
#include "figures/phrases.h"
      ++degree[a];
#include "figures/phrases.h"
      if (first[a] < 0) first[a] = b;
#include "figures/phrases.h"
    }
#include "figures/phrases.h"
  m_rows.clear();
#include "figures/phrases.h"
  m_rows.reserve(g.nodes.size());
#include "figures/phrases.h"
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
#include "figures/phrases.h"
    const NetworkNode& n = g.nodes[i];
#include "figures/phrases.h"
    QString joined;
#include "figures/phrases.h"
    if (first[i] >= 0) joined = QString::fromStdString(g.nodes[first[i]].name);
#include "figures/phrases.h"
    if (degree[i] > 1) joined += tr(" and %1 more").arg(countText(degree[i] - 1));
#include "figures/phrases.h"
    m_rows.push_back({QString::fromStdString(n.name),
#include "figures/phrases.h"
                      n.kind == NodeKind::Device ? tr("device")
#include "figures/phrases.h"
                      : n.kind == NodeKind::Host ? tr("host")
#include "figures/phrases.h"
                                                 : tr("switch"),
#include "figures/phrases.h"
                      QString::fromStdString(n.host), joined, n.failed});
#include "figures/phrases.h"
  }
#include "figures/phrases.h"
  endResetModel();
#include "figures/phrases.h"
}
#include "figures/phrases.h"

#include "figures/phrases.h"
int NodeTableModel::rowCount(const QModelIndex& parent) const {
#include "figures/phrases.h"
  return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
#include "figures/phrases.h"
}
#include "figures/phrases.h"
int NodeTableModel::columnCount(const QModelIndex& parent) const {
#include "figures/phrases.h"
  return parent.isValid() ? 0 : 5;
#include "figures/phrases.h"
}
#include "figures/phrases.h"

#include "figures/phrases.h"
QVariant NodeTableModel::data(const QModelIndex& index, int role) const {
#include "figures/phrases.h"
  if (role == Qt::AccessibleTextRole && index.isValid() && index.column() > 0)
#include "figures/phrases.h"
    return QStringLiteral("%1: %2").arg(
#include "figures/phrases.h"
        headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString(),
#include "figures/phrases.h"
        data(index, Qt::DisplayRole).toString());
#include "figures/phrases.h"
  if (!index.isValid() || role != Qt::DisplayRole) return {};
#include "figures/phrases.h"
  const Row& r = m_rows[index.row()];
#include "figures/phrases.h"
  switch (index.column()) {
#include "figures/phrases.h"
    case 0:
#include "figures/phrases.h"
      return r.name;
#include "figures/phrases.h"
    case 1:
#include "figures/phrases.h"
      return r.kind;
#include "figures/phrases.h"
    case 2:
#include "figures/phrases.h"
      return r.host;
#include "figures/phrases.h"
    case 3:
#include "figures/phrases.h"
      return r.joined;
#include "figures/phrases.h"
    default:
#include "figures/phrases.h"
      return r.failed ? tr("failed") : tr("works");
#include "figures/phrases.h"
  }
#include "figures/phrases.h"
}
#include "figures/phrases.h"

#include "figures/phrases.h"
QVariant NodeTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
#include "figures/phrases.h"
  if (role != Qt::DisplayRole) return {};
#include "figures/phrases.h"
  if (orientation == Qt::Vertical) return section;
#include "figures/phrases.h"
  const QString names[] = {tr("Name"), tr("Kind"), tr("Host"), tr("Joined to"), tr("State")};
#include "figures/phrases.h"
  return section >= 0 && section < 5 ? names[section] : QVariant();
#include "figures/phrases.h"
}
#include "figures/phrases.h"

#include "figures/phrases.h"
}  // namespace nest
