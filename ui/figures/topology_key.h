#pragma once

#include <QRectF>

#include "figures/topology_painter.h"

namespace nest {

/// Below the boxes of a topology: what the levels are and carry, and which stage has which colour.
double topologyKeyHeight(const PlanContext&);
void paintTopologyKey(Ink&, const QRectF& area, const PlanContext&, const TopologyClasses&,
                      const LevelTraffic&);

}  // namespace nest
