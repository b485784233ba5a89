#pragma once

#include <QRectF>
#include <QString>
#include <vector>

namespace nest {

class FigurePainter;

/// More ticks beside a column are noise, however tall it is.
inline constexpr int kMostTicks = 10;

/// A time or memory axis from zero: one unit chosen by size, round ticks.
struct Axis {
  double largest = 0;         ///< SI value at the far end
  double unit = 1;            ///< SI value of one unit
  QString unitName;           ///< "ms", "GiB"
  std::vector<double> ticks;  ///< in units

  static Axis time(double largestSeconds, int mostTicks);
  static Axis memory(double largestBytes, int mostTicks);
  QString tickText(std::size_t i) const;
  double fraction(std::size_t i) const { return largest > 0 ? ticks[i] * unit / largest : 0; }
};

/// Grid lines and labels left of `plot`; the unit stands above the topmost label.
void paintVerticalAxis(FigurePainter&, const QRectF& plot, const Axis&, const QString& title);
/// Ticks and labels below `plot`, which shows [begin, begin + axis.largest], and below them title and unit:
/// kHorizontalAxisHeight in all.
inline constexpr double kHorizontalAxisHeight = 38;
void paintHorizontalAxis(FigurePainter&, const QRectF& plot, const Axis&, const QString& title);

}  // namespace nest
