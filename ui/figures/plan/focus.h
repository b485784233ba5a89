#pragma once

#include <optional>
#include <utility>

#include "figures/paint/figure.h"

namespace nest {

/// The stage that an item belongs to: itself, the one that holds the layer or device; a group or pair of one
/// stage's devices. nullopt otherwise.
std::optional<int> stageOf(const SelectionItem&, const PlanContext&);

/// The two devices or groups of a pair; nullopt for all else, and where the cluster has none of them.
std::optional<std::pair<SelectionItem, SelectionItem>> endsOf(const SelectionItem&, const Hierarchy&);

/// Which stages stand out in a figure, from what is hovered and selected anywhere.
class Focus {
public:
  Focus(const PlanContext&, const FigureStyle&);

  bool dims(int stage) const { return m_hovered && *m_hovered != stage; }
  bool hovers(int stage) const { return m_hovered == stage; }
  bool selects(int stage) const { return m_selected == stage; }
  std::optional<int> selected() const { return m_selected; }

private:
  std::optional<int> m_hovered, m_selected;
};

}  // namespace nest
