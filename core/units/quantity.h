#pragma once

#include <compare>
#include <string_view>

namespace nest {

/// A number with a physical unit. All values are SI: seconds, bytes, bytes per second, floating-point
/// operations. Only meaningful combinations compile; `value()` is for arithmetic kernels and for printing.
template <class Unit>
class Quantity {
public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(double value) : m_value(value) {}

  constexpr double value() const { return m_value; }

  constexpr Quantity& operator+=(Quantity o) {
    m_value += o.m_value;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity o) {
    m_value -= o.m_value;
    return *this;
  }
  constexpr Quantity& operator*=(double k) {
    m_value *= k;
    return *this;
  }
  constexpr Quantity& operator/=(double k) {
    m_value /= k;
    return *this;
  }

  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.m_value + b.m_value); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.m_value - b.m_value); }
  friend constexpr Quantity operator-(Quantity a) { return Quantity(-a.m_value); }
  friend constexpr Quantity operator*(Quantity a, double k) { return Quantity(a.m_value * k); }
  friend constexpr Quantity operator*(double k, Quantity a) { return Quantity(a.m_value * k); }
  friend constexpr Quantity operator/(Quantity a, double k) { return Quantity(a.m_value / k); }
  friend constexpr double operator/(Quantity a, Quantity b) { return a.m_value / b.m_value; }
  friend constexpr auto operator<=>(Quantity, Quantity) = default;

private:
  double m_value = 0;
};

using Seconds = Quantity<struct SecondsUnit>;
using Bytes = Quantity<struct BytesUnit>;
using BytesPerSecond = Quantity<struct BytesPerSecondUnit>;
using Flops = Quantity<struct FlopsUnit>;                    ///< operations, not a rate
using FlopsPerSecond = Quantity<struct FlopsPerSecondUnit>;  ///< a rate

constexpr Seconds operator/(Bytes d, BytesPerSecond b) {
  return Seconds(d.value() / b.value());
}
constexpr Bytes operator*(Seconds t, BytesPerSecond b) {
  return Bytes(t.value() * b.value());
}
constexpr Seconds operator/(Flops w, FlopsPerSecond r) {
  return Seconds(w.value() / r.value());
}

/// Where a figure comes from; shown beside it everywhere.
enum class Origin { Typed, Measured, Estimated, Catalog };
std::string_view nameOf(Origin);

}  // namespace nest
