#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace nest {

/// How the parts of a uniform network (all links alike) are nested: an order of the parts, and the tier at
/// which each meets its successor. Tier 0 is the innermost.
struct LatticeOrder {
  enum class Kind { Flat, NestedDimensions, HopClasses };
  Kind kind = Kind::Flat;
  std::vector<int>
      order;  ///< part numbers; neighbours in the order are neighbours in the network where possible
  std::vector<std::uint8_t> gaps;  ///< part count − 1 entries
  std::vector<std::string>
      tierNames;  ///< "line", "plane", "cube" or "1 hop", "2 hops", "beyond"; one for Flat
};

/// Finds the nesting of n parts joined by equal links. A product of rings and lines (mesh, torus, hypercube)
/// with two or more dimensions gives nested dimensions, shortest first, in snake order; it is recognised by
/// the squares of the graph (incident links without a common square, and opposite sides of a square, share a
/// dimension) and verified link by link. Another sparse network gives hop classes: runs of a walk whose ends
/// are at most 1 hop apart, 2 (or 3) hops, and the rest. Complete or dense ones are flat. `links`: each pair
/// once.
LatticeOrder latticeOrder(int n, const std::vector<std::pair<int, int>>& links);

}  // namespace nest
