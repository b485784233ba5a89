#pragma once

#include <compare>
#include <cstddef>

namespace nest {

/// A zero-based position in one kind of sequence; indices of different kinds do not mix.
template <class Tag>
struct Index {
  int value = 0;

  constexpr Index() = default;
  constexpr explicit Index(int v) : value(v) {}
  constexpr std::size_t at() const { return static_cast<std::size_t>(value); }  ///< for subscripts
  friend constexpr auto operator<=>(Index, Index) = default;
};

using DeviceIndex = Index<struct DeviceTag>;  ///< place in the locality order of a Hierarchy
using LayerIndex = Index<struct LayerTag>;    ///< place in the topological order of a LayerGraph
using StageIndex = Index<struct StageTag>;    ///< 0 = the stage that reads the input

}  // namespace nest
