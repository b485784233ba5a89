#pragma once

#include <QRectF>
#include <functional>

#include "cluster/levels/lost_parts.h"
#include "figures/topology_painter.h"

namespace nest {

/// Below the boxes of a topology: what the levels are and carry, and which stage has which colour, or what
/// the ranks of one colour have in common.
double topologyKeyHeight(const PlanContext&);
void paintTopologyKey(Ink&, const QRectF& area, const PlanContext&, const TopologyClasses&,
                      const LevelTraffic&, Together colouredBy = Together::Stage);

/// What has failed and what is cut off, each a box with its name and devices, side by side in one row.
inline constexpr double kLostRow = 26;
void paintLostParts(Ink&, const QRectF& row, const LostParts&);

/// Which stage has which colour, and how many devices are idle. Also below the drawn network.
void paintStageKey(Ink&, const QRectF& row, int stages, int idleDevices,
                   const std::function<bool(int)>& dims);

}  // namespace nest
