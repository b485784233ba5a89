#pragma once

#include <cstddef>
#include <type_traits>

namespace nest {

/// What counts or names something, as an index of a container.
constexpr std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}
template <class Enum>
requires std::is_enum_v<Enum>
constexpr std::size_t at(Enum e) {
  return static_cast<std::size_t>(e);
}

}  // namespace nest
