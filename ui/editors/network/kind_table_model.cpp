#include "editors/network/kind_table_model.h"

#include "figures/paint/phrases.h"

namespace nest {

using Of = graph::Kind::Of;

void KindTableModel::setGraph(const NetworkGraph& g, bool editable, const std::set<double>& inBits) {
  beginResetModel();
  m_inBits = inBits;
  m_kinds = graph::kindsOf(g);
  m_editable = editable;
  endResetModel();
}

int KindTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_kinds.size());
}
int KindTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QString KindTableModel::nameOf(const graph::Kind& k) const {
  QString name;
  switch (k.of) {
    case Of::Device:
      name = tr("device");
      break;
    case Of::Host:
      name = tr("host with %1").arg(plural(k.size, QStringLiteral("device")));
      break;
    case Of::Switch:
      name = tr("switch with %1").arg(plural(k.size, QStringLiteral("link")));
      break;
    case Of::Link:
      name = tr("link %1").arg(phrase(k.between));
      break;
  }
  return k.failed ? tr("failed %1").arg(name) : name;
}

bool KindTableModel::canEdit(const graph::Kind& k, int column) const {
  if (!m_editable) return false;
  if (column == Speed || column == Memory) return k.of == Of::Device;
  return (column == Bandwidth || column == Latency || column == Parallel) && k.of == Of::Link;
}

QString KindTableModel::text(const graph::Kind& k, int column) const {
  const bool device = k.of == Of::Device, link = k.of == Of::Link;
  switch (column) {
    case What:
      return nameOf(k);
    case Count:
      return countText(static_cast<long long>(k.members.size()));
    case Speed:
      return device ? phrase(text::percent(k.speed)) : QString();
    case Memory:
      return !device ? QString() : k.memory.value() > 0 ? memoryText(k.memory) : tr("the cluster's");
    case Bandwidth:
      return !link ? QString()
             : m_inBits.contains(k.bandwidth.value())
                 ? phrase(text::bandwidth(k.bandwidth, text::BandwidthUnit::GigabitsPerSecond))
                 : phrase(text::bandwidth(k.bandwidth));
    case Latency:
      return link ? timeText(k.latency) : QString();
    case Parallel:
      return link ? countText(k.parallel) : QString();
    default:
      return {};
  }
}

QVariant KindTableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const graph::Kind& k = kind(index.row());
  if (role == Qt::DisplayRole) return text(k, index.column());
  if (role == Qt::EditRole)
    return index.column() == Speed ? phrase(text::exact(k.speed)) : text(k, index.column());
  if (role == Qt::ToolTipRole && canEdit(k, index.column()))
    return tr("Double-click to change all %1 at once")
        .arg(countText(static_cast<long long>(k.members.size())));
  if (role == Qt::TextAlignmentRole && index.column() > What) return int(Qt::AlignRight | Qt::AlignVCenter);
  if (role == Qt::AccessibleTextRole && index.column() != What && !text(k, index.column()).isEmpty())
    return QStringLiteral("%1: %2").arg(
        headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString(), text(k, index.column()));
  return {};
}

Qt::ItemFlags KindTableModel::flags(const QModelIndex& index) const {
  const Qt::ItemFlags base = QAbstractTableModel::flags(index);
  return index.isValid() && canEdit(kind(index.row()), index.column()) ? base | Qt::ItemIsEditable : base;
}

bool KindTableModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (role != Qt::EditRole || !index.isValid() || !canEdit(kind(index.row()), index.column())) return false;
  const std::string typed = value.toString().trimmed().toStdString();
  if (value.toString() == data(index, Qt::EditRole).toString()) return false;
  std::function<void(NetworkNode&)> node;
  std::function<void(NetworkLink&)> link;
  bool number = false;
  if (index.column() == Speed) {
    const double v = value.toString().toDouble(&number);
    if (number && v > 0 && v <= 1) node = [v](NetworkNode& n) { n.speed = v; };
  } else if (index.column() == Memory) {
    const auto v = typed.empty() ? std::optional(Bytes(0)) : text::readMemory(typed);
    if (v) node = [v](NetworkNode& n) { n.memory = *v; };
  } else if (index.column() == Bandwidth) {
    const auto v = text::readBandwidth(typed);
    if (v && v->value.value() > 0) {
      Q_EMIT bandwidthTyped(*v);
      link = [v](NetworkLink& l) { l.bandwidth = v->value, l.origin = Origin::Typed; };
    }
  } else if (index.column() == Latency) {
    if (const auto v = text::readTime(typed)) link = [v](NetworkLink& l) { l.latency = *v; };
  } else {
    const int v = value.toString().toInt(&number);
    if (number && v >= 1 && v <= 65536) link = [v](NetworkLink& l) { l.count = v; };
  }
  if (!node && !link) return false;
  const graph::Kind& k = kind(index.row());
  Q_EMIT edited(tr("Set %1 of %2 × %3 to %4")
                    .arg(headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString().toLower(),
                         countText(static_cast<long long>(k.members.size())), nameOf(k), value.toString()),
                {}, [members = k.members, node, link](NetworkGraph& g) {
                  for (int m : members) node ? node(g.nodes[m]) : link(g.links[m]);
                });
  return true;
}

QVariant KindTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (role != Qt::DisplayRole) return {};
  if (orientation == Qt::Vertical) return section;
  const QString names[] = {tr("Kind"),     tr("Count"),  tr("Bandwidth"), tr("Latency"),
                           tr("Parallel"), tr("Memory"), tr("Speed")};
  return section >= 0 && section < ColumnCount ? names[section] : QVariant();
}

}  // namespace nest
