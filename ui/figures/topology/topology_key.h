#pragma once

#include <QRectF>

#include "cluster/levels/lost_parts.h"
#include "figures/topology/topology_painter.h"

namespace nest {

/// Below the boxes of a topology: what the levels are and carry, and which stage has which colour, or what
/// the ranks of one colour have in common.
double topologyKeyHeight(const PlanContext&);
void paintTopologyKey(FigurePainter&, const QRectF& area, const PlanContext&, const TopologyClasses&,
                      const LevelTraffic&, Together colouredBy = Together::Stage);

/// What has failed and what is cut off, each a box with its name and devices, side by side in one row.
inline constexpr double kLostRow = 26;
void paintLostParts(FigurePainter&, const QRectF& row, const LostParts&);

}  // namespace nest
