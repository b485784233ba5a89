#pragma once

#include <array>
#include <cstddef>

namespace nest {

/// One value for each enumerator of E, which are counted from 0. A number looks into it too, for loops over
/// all.
template <class E, class T, int kCount>
struct EnumArray : std::array<T, kCount> {
  using std::array<T, kCount>::operator[];
  constexpr T& operator[](E e) { return (*this)[static_cast<std::size_t>(e)]; }
  constexpr const T& operator[](E e) const { return (*this)[static_cast<std::size_t>(e)]; }
};

}  // namespace nest
