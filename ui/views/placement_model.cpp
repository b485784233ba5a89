#include "views/placement_model.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "figures/paint/phrases.h"

namespace nest {

void PlacementModel::setContext(const PlanContext& context, const Theme& theme) {
  beginResetModel();
  m_context = context;
  m_theme = &theme;
  m_seats = {};
  m_ranks.clear();
  m_order.clear();
  if (context.problem) {
    const int devices = context.problem->cluster->deviceCount();
    if (const Plan* plan = context.shownPlan()) {
      m_seats = SeatMap(*plan, devices);
      // Ranks count the devices in use in locality order: the order of a hostfile.
      m_ranks.assign(devices, -1);
      int next = 0;
      for (int d = 0; d < devices; ++d)
        if (!m_seats.at(d).idle()) m_ranks[d] = next++;
    }
    if (m_sortColumn >= 0) order(m_sortColumn, m_direction);
  }
  endResetModel();
}

int PlacementModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !m_context.problem ? 0 : m_context.problem->cluster->deviceCount();
}

int PlacementModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QString PlacementModel::textOf(int device, int column) const {
  const Seat seat = m_seats.at(device);
  switch (column) {
    case Rank:
      return m_ranks.empty() || seat.idle() ? QStringLiteral("–") : QString::number(m_ranks[device]);
    case Host:
      return phrase(m_context.problem->cluster->identity(DeviceIndex(device)).host);
    case Slot:
      return QString::number(m_context.problem->cluster->identity(DeviceIndex(device)).slot);
    case Stage:
      return seat.idle() ? (m_context.shownPlan() ? tr("idle") : QStringLiteral("–"))
                         : stageNumber(seat.stage);
    case Replica:
      return seat.idle() ? QStringLiteral("–") : QString::number(seat.replica);
    case InReplica:
      return seat.idle() ? QStringLiteral("–") : QString::number(seat.rank);
    default:
      return {};
  }
}

QVariant PlacementModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
  const int device = deviceAt(index.row());
  switch (role) {
    case Qt::DisplayRole:
      return textOf(device, index.column());
    case DeviceRole:
      return device;
    case Qt::TextAlignmentRole:
      return index.column() == Host ? QVariant(Qt::AlignLeft | Qt::AlignVCenter)
                                    : QVariant(Qt::AlignRight | Qt::AlignVCenter);
    case Qt::ToolTipRole: {
      const Seat seat = m_seats.at(device);
      return seat.idle()
                 ? tr("%1: nothing is placed here").arg(deviceName(*m_context.problem->cluster, device))
                 : tr("%1: stage %2, replica %3, rank %4 of the replica")
                       .arg(deviceName(*m_context.problem->cluster, device), stageNumber(seat.stage),
                            QString::number(seat.replica), QString::number(seat.rank));
    }
    case Qt::BackgroundRole:
      if (const int stage = m_seats.at(device).stage; index.column() == Stage && stage >= 0)
        return m_theme->stage(stage);
      return {};
    case Qt::ForegroundRole:
      if (const int stage = m_seats.at(device).stage; index.column() == Stage && stage >= 0)
        return m_theme->textOn(m_theme->stage(stage));
      return {};
    default:
      return {};
  }
}

QVariant PlacementModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
  static const std::array<const char*, ColumnCount> names{
      QT_TR_NOOP("Rank"),  QT_TR_NOOP("Host"),    QT_TR_NOOP("Device"),
      QT_TR_NOOP("Stage"), QT_TR_NOOP("Replica"), QT_TR_NOOP("Rank in replica")};
  static const std::array<const char*, ColumnCount> tips{
      QT_TR_NOOP("Index among the devices in use, in locality order"),
      QT_TR_NOOP("Host as named in the input"),
      QT_TR_NOOP("Index of the device in its host"),
      QT_TR_NOOP("Pipeline stage"),
      QT_TR_NOOP("Data-parallel copy"),
      QT_TR_NOOP("Context rank × tensor degree + tensor rank")};
  if (role == Qt::DisplayRole) return tr(names[section]);
  if (role == Qt::ToolTipRole) return tr(tips[section]);
  return {};
}

void PlacementModel::order(int column, Qt::SortOrder direction) {
  const int n = m_context.problem ? m_context.problem->cluster->deviceCount() : 0;
  m_order.resize(n);
  std::iota(m_order.begin(), m_order.end(), 0);
  if (column == Host) {
    // Natural order: "host10" comes after "host9". Keys once, hosts are shared.
    const Hierarchy& h = *m_context.problem->cluster;
    std::vector<std::pair<QString, int>> hosts;
    std::vector<int> rankOfDevice(n);
    for (int g = 0; g < h.groupCount(0); ++g)
      hosts.emplace_back(phrase(h.identity(DeviceIndex(h.groupSpan(0, g).first)).host), g);
    std::vector<int> place(hosts.size());
    const auto natural = [](const QString& s) {
      QString key, digits;
      for (const QChar ch : s + QChar(u' ')) {
        if (ch.isDigit()) {
          digits += ch;
          continue;
        }
        if (!digits.isEmpty()) key += digits.rightJustified(12, u'0');
        digits.clear();
        key += ch.toLower();
      }
      return key;
    };
    for (auto& host : hosts) host.first = natural(host.first);
    std::stable_sort(hosts.begin(), hosts.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < hosts.size(); ++i) place[hosts[i].second] = static_cast<int>(i);
    for (int d = 0; d < n; ++d) rankOfDevice[d] = place[h.groupOf(0, d)];
    std::stable_sort(m_order.begin(), m_order.end(), [&](int a, int b) {
      const int x = rankOfDevice[a], y = rankOfDevice[b];
      return direction == Qt::AscendingOrder ? x < y : x > y;
    });
    return;
  }
  std::vector<int> keys(n);
  for (int d = 0; d < n; ++d) {
    const Seat seat = m_seats.at(d);
    int& key = keys[d];
    if (column == Rank) key = m_ranks.empty() ? d : m_ranks[d];
    if (column == Slot) key = m_context.problem->cluster->identity(DeviceIndex(d)).slot;
    if (column == Stage) key = seat.stage;
    if (column == Replica) key = seat.replica;
    if (column == InReplica) key = seat.rank;
    // Idle devices stand last in both directions.
    if (column != Slot && key < 0) key = direction == Qt::AscendingOrder ? n + 1 : -1;
  }
  std::stable_sort(m_order.begin(), m_order.end(), [&](int a, int b) {
    const int x = keys[a], y = keys[b];
    return direction == Qt::AscendingOrder ? x < y : x > y;
  });
}

void PlacementModel::sort(int column, Qt::SortOrder direction) {
  if (!m_context.problem || column >= ColumnCount) return;
  m_sortColumn = column, m_direction = direction;
  Q_EMIT layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
  const QModelIndexList before = persistentIndexList();
  std::vector<int> devices;
  for (const QModelIndex& i : before) devices.push_back(deviceAt(i.row()));
  if (column < 0)
    m_order.clear();
  else
    order(column, direction);
  QModelIndexList after;
  for (qsizetype i = 0; i < before.size(); ++i) after << index(rowOf(devices[i]), before[i].column());
  changePersistentIndexList(before, after);
  Q_EMIT layoutChanged({}, QAbstractItemModel::VerticalSortHint);
}

int PlacementModel::rowOf(int device) const {
  if (m_order.empty()) return device >= 0 && device < rowCount() ? device : -1;
  const auto at = std::find(m_order.begin(), m_order.end(), device);
  return at == m_order.end() ? -1 : static_cast<int>(at - m_order.begin());
}

int PlacementModel::find(const QString& text, int from) const {
  const int n = rowCount();
  if (text.isEmpty() || n == 0) return -1;
  from = std::clamp(from, 0, n);
  for (int i = 0; i < n; ++i) {
    const int row = (from + i) % n;
    for (int column = 0; column < ColumnCount; ++column)
      if (textOf(deviceAt(row), column).contains(text, Qt::CaseInsensitive)) return row;
  }
  return -1;
}

QString PlacementModel::csv() const {
  std::vector<int> rows(rowCount());
  std::iota(rows.begin(), rows.end(), 0);
  return csv(rows);
}

QString PlacementModel::csv(const std::vector<int>& rows) const {
  const auto quoted = [](const QString& s) {
    if (!s.contains(u',') && !s.contains(u'"') && !s.contains(u'\n')) return s;
    return u'"' + QString(s).replace(u'"', QStringLiteral("\"\"")) + u'"';
  };
  QString out = QStringLiteral("rank,host,device,stage,replica,rank_in_replica\r\n");
  for (int row : rows) {
    const int device = deviceAt(row);
    const bool idle = m_seats.at(device).idle();
    for (int column = 0; column < ColumnCount; ++column) {
      if (column > 0) out += u',';
      // An empty cell says "none" to programs; the dash is for eyes.
      if (!idle || column == Host || column == Slot) out += quoted(textOf(device, column));
    }
    out += QStringLiteral("\r\n");
  }
  return out;
}

}  // namespace nest
