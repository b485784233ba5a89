#pragma once

#include <string>
#include <utility>

#include "units/quantity.h"

namespace nest {

/// A figure together with its origin and, where there is one, its citation or note.
template <class T>
struct Sourced {
  T value{};
  Origin origin = Origin::Typed;
  std::string citation;

  Sourced() = default;
  Sourced(T v, Origin o = Origin::Typed, std::string c = {})
      : value(std::move(v)), origin(o), citation(std::move(c)) {}
  friend bool operator==(const Sourced&, const Sourced&) = default;
};

}  // namespace nest
