#pragma once

#include <QRectF>
#include <QString>
#include <functional>
#include <vector>

#include "cluster/levels/cluster_source.h"
#include "cluster/levels/lost_parts.h"
#include "figures/topology/topology_painter.h"

namespace nest {

/// Below the boxes of a topology: what the levels are and carry, and which stage has which colour, or what
/// the ranks of one colour have in common.
double topologyKeyHeight(const PlanContext&);
void paintTopologyKey(FigurePainter&, const QRectF& area, const PlanContext&, const TopologyClasses&,
                      const LevelTraffic&, Together colouredBy = Together::Stage,
                      DeviceShade shade = DeviceShade::None);

/// What has failed and what is cut off, each a box with its name and devices, side by side in one row.
inline constexpr double kLostRow = 26;
void paintLostParts(FigurePainter&, const QRectF& row, const LostParts&);

/// How the hosts of a state are drawn; a word stands beside it wherever there is room.
struct StateLook {
  int hatch = 1;  ///< pattern of FigurePainter::hatchLines
  double spacing = 6;
  Theme::Role ink = Theme::Role::MutedText;
};
StateLook lookOf(HostState);

/// A swatch and "12 busy" for each state that has hosts; returns how wide it is. 0: there are none.
double paintStateKey(FigurePainter&, const QRectF& row, const std::function<int(HostState)>& hosts);

/// Hosts that plans leave out, or devices of them, of one state.
struct UnplannedGroup {
  HostState state = HostState::Busy;
  std::vector<std::string> hosts;
  std::string words;      ///< the source's own: "alloc"; may be empty
  bool isPartly = false;  ///< only some devices of each host
};
std::vector<UnplannedGroup> unplannedGroups(const ClusterSource&);

/// The same as boxes side by side: one for each host where there is room in two rows, else one for each
/// state. Height: 0 where all hosts are planned on.
double unplannedRowsHeight(const std::vector<UnplannedGroup>&, double width);
void paintUnplanned(FigurePainter&, const QRectF& rows, const std::vector<UnplannedGroup>&);
/// What the box at a place says, with all of its hosts; empty: there is none.
QString unplannedTipAt(const std::vector<UnplannedGroup>&, const QRectF& rows, const QPointF& at,
                       QRectF* box);

}  // namespace nest
