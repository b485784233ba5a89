#include "document/carried_selection.h"

namespace nest {
namespace {

std::optional<int> deviceIn(const Hierarchy& after, const DeviceIdentity& who) {
  for (int p = 0; p < after.deviceCount(); ++p)
    if (const auto other = after.identity(DeviceIndex(p)); other.host == who.host && other.slot == who.slot)
      return p;
  return std::nullopt;
}

std::optional<int> groupIn(const Hierarchy& after, int level, const std::string& name) {
  for (int g = 0; level < after.levelCount() && g < after.groupCount(level); ++g)
    if (after.groupName(level, g) == name) return g;
  return std::nullopt;
}

std::optional<int> carried(int index, int level, const Hierarchy& before, const Hierarchy& after) {
  if (index < 0 || index >= (level < 0 ? before.deviceCount() : before.groupCount(level)))
    return std::nullopt;
  return level < 0 ? deviceIn(after, before.identity(DeviceIndex(index)))
                   : groupIn(after, level, before.groupName(level, index));
}

}  // namespace

std::optional<SelectionItem> carriedOver(const SelectionItem& item, const Hierarchy& before,
                                         const Hierarchy& after) {
  const bool device = item.kind == ItemKind::Device, group = item.kind == ItemKind::Group;
  if (!device && !group && item.kind != ItemKind::Pair) return item;
  const int level = device ? -1 : item.level;
  if (level < -1) return item;
  if (level >= before.levelCount()) return std::nullopt;
  SelectionItem out = item;
  const auto index = carried(item.index, level, before, after);
  if (!index) return std::nullopt;
  out.index = *index;
  if (item.kind != ItemKind::Pair) return out;
  const auto other = carried(item.other, level, before, after);
  if (!other) return std::nullopt;
  out.other = *other;
  return out;
}

bool isThere(const SelectionItem& item, const PlanContext& c) {
  if (!c.problem || !c.plan) return true;
  const Hierarchy& cluster = *c.problem->cluster;
  const auto below = [](int i, int count) { return i >= 0 && i < count; };
  const auto groups = [&](int level) {
    return level < 0 ? cluster.deviceCount() : level < cluster.levelCount() ? cluster.groupCount(level) : 0;
  };
  switch (item.kind) {
    case ItemKind::Stage:
    case ItemKind::Task:
      return below(item.index, c.plan->plan.stageCount());
    case ItemKind::Layer:
      return below(item.index, c.problem->graph->layerCount());
    case ItemKind::Device:
      return below(item.index, cluster.deviceCount());
    case ItemKind::Level:
      return below(item.index, cluster.levelCount());
    case ItemKind::Group:
      return item.level >= 0 && below(item.index, groups(item.level));
    case ItemKind::Pair:
      break;
  }
  return item.level < -1 || (below(item.index, groups(item.level)) && below(item.other, groups(item.level)));
}

}  // namespace nest
