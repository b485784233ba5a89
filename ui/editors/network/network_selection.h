#pragma once

#include <optional>
#include <vector>

#include "cluster/graph/network_graph.h"
#include "document/plan_context.h"
#include "document/selection.h"
#include "figures/plan/focus.h"
#include "figures/plan/seat_map.h"

namespace nest {

/// Translates between the nodes of a drawn network and what other views point at: devices in locality order,
/// groups, stages.
class NetworkSelection {
public:
  NetworkSelection() = default;
  /// `c` is the plan of this very graph, else nothing is known.
  NetworkSelection(const NetworkGraph&, const PlanContext& c);

  /// The device, or the smallest group that holds what stands in a host or hangs below a switch.
  std::optional<SelectionItem> itemOf(int node) const;
  /// The devices that belong to an item: of a stage, a group, a device.
  std::vector<int> devicesOf(const SelectionItem&, const PlanContext&) const;
  /// What to select on the canvas: a device, or the hosts that make up a group; empty for the rest.
  std::vector<int> nodesOf(const SelectionItem&, const PlanContext&) const;
  /// What is placed at each node; Seat::kCutOff where no plan can reach a device that works.
  std::vector<Seat> seats() const;

private:
  std::shared_ptr<const Hierarchy> m_cluster;
  SeatMap m_seats;
  std::vector<int> m_nodeOf;                ///< by position
  std::vector<char> m_isWorking;            ///< by node: a device that has not failed
  std::vector<int> m_positionOf;            ///< by node; −1: no device of the plan's cluster
  std::vector<std::pair<int, int>> m_span;  ///< by node: first and last position below; second < first: none
  std::vector<int> m_hostOf;                ///< by node: host around a device, −1
};

}  // namespace nest
