#pragma once

#include <QPointF>
#include <QRectF>
#include <vector>

#include "document/plan_context.h"
#include "evaluation/schedule_replay.h"
#include "figures/topology/topology_layout.h"

namespace nest {

class FigurePainter;

/// Where the stages of the first replica stand in the picture: the other replicas do the same at the same
/// time.
class StagePlaces {
public:
  StagePlaces() = default;
  StagePlaces(const Plan&, const TopologyLayout&);

  int count() const { return static_cast<int>(m_places.size()); }
  /// The devices of a stage in its first host, in units of the layout.
  const QRectF& of(int stage) const { return m_places[static_cast<std::size_t>(stage)].rect; }
  /// From stage to stage: out of the group on its side of the level that is crossed, into the other one.
  std::vector<QPointF> path(int from, int to) const;
  double closest() const { return m_closest; }  ///< the least distance between two stages, in units

private:
  struct Place {
    QRectF rect;
    std::vector<TopologyLayout::Box> around;  ///< its box on each level
  };
  std::vector<Place> m_places;
  double m_closest = 0;
};

/// A point of a path, `share` of its length from its beginning.
QPointF alongPath(const std::vector<QPointF>&, double share);

/// How units of the layout become pixels.
struct TopologyScale {
  QPointF origin;
  double scale = 1;
  QPointF operator()(const QPointF& p) const { return origin + p * scale; }
  QRectF operator()(const QRectF& r) const { return {origin + r.topLeft() * scale, r.size() * scale}; }
};

/// Microbatches as they are worked on and travel: a tag that points right on its way forward and left on its
/// way back, with its number, at the stage or on the line between two; a bar for the memory of each stage.
void paintTokens(FigurePainter&, const ScheduleInstant&, const StagePlaces&, const TopologyScale&,
                 const PlanContext&);

}  // namespace nest
