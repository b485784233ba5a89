#pragma once

#include <utility>
#include <vector>

namespace nest::solver {

/// How the stages of a pipeline may stand in the groups of one level of the network, from the last stage to
/// the first, on any line (STATEMENT.md (6.18)). Each node is a stage.
struct LineAutomaton {
  struct Node {
    bool crosses = false;   ///< the boundary to the stage behind it crosses to a level further out
    bool isDear = false;    ///< it straddles groups, or stands on lesser devices
    int lacks = 0;          ///< stages that must stand in front of it, at least
    std::vector<int> next;  ///< nodes of the stage in front of it
  };
  std::vector<Node> nodes;
  std::vector<int> begins;  ///< nodes of the last stage

  /// So many boundaries cross, and so many stages are dear.
  static LineAutomaton counting(int crossing, int dear);
  /// One block, whose stages stand in groups that hold so many of them each: (stages, groups), or straddle
  /// some, which makes them dear. Where there are many ways to use the groups, some count as larger ones;
  /// no nodes: there would be too many.
  static LineAutomaton grouped(std::vector<std::pair<int, int>> capacities, int stages);
};

}  // namespace nest::solver
