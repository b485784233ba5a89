#pragma once

#include <QRectF>
#include <QString>
#include <vector>

#include "theme/theme.h"

namespace nest {

class FigurePainter;

/// One perceptual ramp for a magnitude, linear from zero or logarithmic from the smallest value that occurs.
/// Where all values read the same it is a single colour.
class MagnitudeScale {
public:
  enum class Unit { Data, Time };

  MagnitudeScale() = default;
  MagnitudeScale(double smallest, double largest, bool logarithmic, Unit unit);

  QColor color(double value, const Theme&) const;
  bool empty() const { return !(m_largest > 0); }
  double fraction(double value) const;
  struct Tick {
    double value;
    QString text;
  };
  /// Round values: 1, 10, 100 of a unit when logarithmic, else round steps from 0.
  std::vector<Tick> ticks(int most) const;
  /// Ramp with ticks, labels to its right; a swatch at the top of the bar where there is one value. Returns
  /// the bottom of what was painted.
  double paintLegend(FigurePainter&, const QRectF& bar) const;

private:
  QString textOf(double value) const;
  double m_smallest = 0, m_largest = 0;
  bool m_logarithmic = false, m_isOneValue = true;
  Unit m_unit = Unit::Data;
};

}  // namespace nest
