#include "figures/plan/focus.h"

#include <algorithm>

#include "figures/plan/seat_map.h"

namespace nest {

std::optional<int> stageOf(const SelectionItem& item, const PlanContext& c) {
  const Plan* plan = c.shownPlan();
  if (!plan || !c.problem) return std::nullopt;
  switch (item.kind) {
    case ItemKind::Stage:
    case ItemKind::Task:
      return item.index >= 0 && item.index < plan->stageCount() ? std::optional(item.index) : std::nullopt;
    case ItemKind::Layer:
      for (int i = 0; i < plan->stageCount(); ++i)
        for (const auto& chunk : plan->stages[i].chunks)
          if (std::find(chunk.begin(), chunk.end(), LayerIndex(item.index)) != chunk.end()) return i;
      return std::nullopt;
    case ItemKind::Device: {
      const Seat seat = SeatMap(*plan, c.problem->cluster->deviceCount()).at(item.index);
      return seat.idle() ? std::nullopt : std::optional(seat.stage);
    }
    case ItemKind::Group: {
      const Hierarchy& h = *c.problem->cluster;
      if (item.level < 0 || item.level >= h.levelCount() || item.index < 0 ||
          item.index >= h.groupCount(item.level))
        return std::nullopt;
      const SeatMap seats(*plan, h.deviceCount());
      const auto [begin, end] = h.groupSpan(item.level, item.index);
      const int first = seats.at(begin).stage;
      for (int p = begin + 1; p < end; ++p)
        if (seats.at(p).stage != first) return std::nullopt;
      return first < 0 ? std::nullopt : std::optional(first);
    }
    default:
      return std::nullopt;
  }
}

std::optional<std::pair<SelectionItem, SelectionItem>> endsOf(const SelectionItem& pair, const Hierarchy& h) {
  if (pair.kind != ItemKind::Pair || pair.level < -1 || pair.level >= h.levelCount()) return std::nullopt;
  const int count = pair.level < 0 ? h.deviceCount() : h.groupCount(pair.level);
  if (pair.index < 0 || pair.index >= count || pair.other < 0 || pair.other >= count) return std::nullopt;
  const ItemKind kind = pair.level < 0 ? ItemKind::Device : ItemKind::Group;
  const int level = std::max(0, pair.level);
  return std::pair(SelectionItem{kind, pair.index, level}, SelectionItem{kind, pair.other, level});
}

Focus::Focus(const PlanContext& c, const FigureStyle& style) {
  if (style.standalone) return;
  if (style.hovered) m_hovered = stageOf(*style.hovered, c);
  if (style.selected) m_selected = stageOf(*style.selected, c);
}

}  // namespace nest
