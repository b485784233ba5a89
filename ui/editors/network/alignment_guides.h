#pragma once

#include <QLineF>
#include <QPointF>
#include <QRectF>
#include <vector>

namespace nest {

/// Where a box that is being moved comes into line with others: edges with edges, centres with centres. Lines
/// to be drawn say with what.
class AlignmentGuides {
public:
  struct Snap {
    QPointF by;                 ///< to be added to the moved box
    bool x = false, y = false;  ///< whether there is anything to align with, each way
    std::vector<QLineF> lines;  ///< from the first to the last of those in line, the moved box among them
  };

  AlignmentGuides() = default;
  explicit AlignmentGuides(const std::vector<QRectF>& others);

  /// `reach`: how far a box is drawn to a line, scene units.
  Snap at(const QRectF& moved, double reach) const;

private:
  /// One edge or the centre of a box, in one direction, with the span that it has in the other.
  struct Mark {
    double at, from, to;
    bool operator<(const Mark& m) const { return at < m.at; }
  };
  enum Kind { Low, Centre, High, KindCount };
  using Marks = std::vector<Mark>;  ///< sorted

  static Mark markOf(const QRectF&, Kind, bool horizontal);
  static const Mark* nearest(const Marks&, double at);
  /// Shift along one axis to the nearest line; false: none within reach.
  bool shift(const QRectF& moved, double reach, bool horizontal, double& by) const;
  void addLines(const QRectF& moved, bool horizontal, std::vector<QLineF>& out) const;

  Marks m_x[KindCount], m_y[KindCount];
};

}  // namespace nest
