#include "editors/network/node_table_model.h"
#include "figures/paint/phrases.h"

#include "figures/paint/phrases.h"
namespace nest {
#include "figures/paint/phrases.h"

#include "figures/paint/phrases.h"
void NodeTableModel::setGraph(const NetworkGraph& g) {
#include "figures/paint/phrases.h"
  beginResetModel();
#include "figures/paint/phrases.h"
  std::vector<int> degree(g.nodes.size(), 0), first(g.nodes.size(), -1);
#include "figures/paint/phrases.h"
  for (const auto& l : g.links)
#include "figures/paint/phrases.h"
    for (const auto& [a, b] : {std::pair(l.from, l.to), std::pair(l.to, l.from)}) {
#include "figures/paint/phrases.h"
      ++degree[a];
#include "figures/paint/phrases.h"
      if (first[a] < 0) first[a] = b;
#include "figures/paint/phrases.h"
    }
#include "figures/paint/phrases.h"
  m_rows.clear();
#include "figures/paint/phrases.h"
  m_rows.reserve(g.nodes.size());
#include "figures/paint/phrases.h"
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
#include "figures/paint/phrases.h"
    const NetworkNode& n = g.nodes[i];
#include "figures/paint/phrases.h"
    QString joined;
#include "figures/paint/phrases.h"
    if (first[i] >= 0) joined = QString::fromStdString(g.nodes[first[i]].name);
#include "figures/paint/phrases.h"
    if (degree[i] > 1) joined += tr(" and %1 more").arg(countText(degree[i] - 1));
#include "figures/paint/phrases.h"
    m_rows.push_back({QString::fromStdString(n.name),
#include "figures/paint/phrases.h"
                      n.kind == NodeKind::Device ? tr("device")
#include "figures/paint/phrases.h"
                      : n.kind == NodeKind::Host ? tr("host")
#include "figures/paint/phrases.h"
                                                 : tr("switch"),
#include "figures/paint/phrases.h"
                      QString::fromStdString(n.host), joined, n.failed});
#include "figures/paint/phrases.h"
  }
#include "figures/paint/phrases.h"
  endResetModel();
#include "figures/paint/phrases.h"
}
#include "figures/paint/phrases.h"

#include "figures/paint/phrases.h"
int NodeTableModel::rowCount(const QModelIndex& parent) const {
#include "figures/paint/phrases.h"
  return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
#include "figures/paint/phrases.h"
}
#include "figures/paint/phrases.h"
int NodeTableModel::columnCount(const QModelIndex& parent) const {
#include "figures/paint/phrases.h"
  return parent.isValid() ? 0 : 5;
#include "figures/paint/phrases.h"
}
#include "figures/paint/phrases.h"

#include "figures/paint/phrases.h"
QVariant NodeTableModel::data(const QModelIndex& index, int role) const {
#include "figures/paint/phrases.h"
  if (role == Qt::AccessibleTextRole && index.isValid() && index.column() > 0)
#include "figures/paint/phrases.h"
    return QStringLiteral("%1: %2").arg(
#include "figures/paint/phrases.h"
        headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString(),
#include "figures/paint/phrases.h"
        data(index, Qt::DisplayRole).toString());
#include "figures/paint/phrases.h"
  if (!index.isValid() || role != Qt::DisplayRole) return {};
#include "figures/paint/phrases.h"
  const Row& r = m_rows[index.row()];
#include "figures/paint/phrases.h"
  switch (index.column()) {
#include "figures/paint/phrases.h"
    case 0:
#include "figures/paint/phrases.h"
      return r.name;
#include "figures/paint/phrases.h"
    case 1:
#include "figures/paint/phrases.h"
      return r.kind;
#include "figures/paint/phrases.h"
    case 2:
#include "figures/paint/phrases.h"
      return r.host;
#include "figures/paint/phrases.h"
    case 3:
#include "figures/paint/phrases.h"
      return r.joined;
#include "figures/paint/phrases.h"
    default:
#include "figures/paint/phrases.h"
      return r.failed ? tr("failed") : tr("works");
#include "figures/paint/phrases.h"
  }
#include "figures/paint/phrases.h"
}
#include "figures/paint/phrases.h"

#include "figures/paint/phrases.h"
QVariant NodeTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
#include "figures/paint/phrases.h"
  if (role != Qt::DisplayRole) return {};
#include "figures/paint/phrases.h"
  if (orientation == Qt::Vertical) return section;
#include "figures/paint/phrases.h"
  const QString names[] = {tr("Name"), tr("Kind"), tr("Host"), tr("Joined to"), tr("State")};
#include "figures/paint/phrases.h"
  return section >= 0 && section < 5 ? names[section] : QVariant();
#include "figures/paint/phrases.h"
}
#include "figures/paint/phrases.h"

#include "figures/paint/phrases.h"
}  // namespace nest
