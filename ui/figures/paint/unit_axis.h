#pragma once

#include "figures/paint/axis.h"
#include "run/run_unit.h"

namespace nest {

inline constexpr double kUnitAxisHeight = kHorizontalAxisHeight;

/// A horizontal axis from zero in a unit of the run, with round ticks: "%", "days", "M device-hours".
struct UnitAxis {
  Axis axis;

  /// `largest`: an amount, as RunAmounts have it.
  static UnitAxis of(RunUnit, double largest, double pixels);
  void paint(FigurePainter& ink, const QRectF& plot, const QString& title) const {
    paintHorizontalAxis(ink, plot, axis, title);
  }
};

/// The unit of an axis whose largest amount is this, and how many of the amount's own unit it has.
struct NamedUnit {
  double size = 1;
  QString name;
};
NamedUnit axisUnitOf(RunUnit, double largest);

}  // namespace nest
