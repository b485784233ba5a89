#pragma once

#include <vector>

#include "fields/field.h"

namespace nest {

/// The values that a slider over a field of a setting spans, and those at which it stops.
struct SlideRange {
  Slide slide = Slide::None;
  double least = 0, most = 0;
  double floor = 0;  ///< what stands at the very start; `least`, or 0 where the field may be 0
  bool isWhole = false;
  double unit = 1;      ///< stops are round numbers in it: a slider that says 37.382 GB/s promises too much
  double doubling = 1;  ///< of Doubling: stops are powers of two times this

  double at(double share) const;       ///< share in [0, 1] of the slider
  double shareOf(double value) const;  ///< of a value outside: the nearer end
};

/// Around the present value, within what the field allows.
SlideRange slideRangeOf(const Setting&, const FieldAt&);

/// The value so many steps of the arrow keys up (positive) or down.
double stepped(const FieldAt&, double from, int steps);

/// Values to study, ascending, the present one among them: `fine` for a curve, else for a side of a grid.
std::vector<double> studyValues(const Setting&, const FieldAt&, bool fine);

}  // namespace nest
