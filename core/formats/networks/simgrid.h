#pragma once

#include <string>
#include <string_view>

#include "cluster/graph/network_graph.h"
#include "diagnostics/diagnostic.h"

namespace nest {

/// The generated clusters of a SimGrid platform file (version 4): `<cluster id prefix radical suffix speed bw
/// lat topology topo_parameters>`, each host one device. No topology or FLAT: all hosts on one switch (bb_bw,
/// bb_lat: a backbone behind it). FAT_TREE "levels;down,…;up,…;parallel,…", TORUS "x,y,…", DRAGONFLY
/// "groups,links; chassis,links;routers,links;hosts". One cluster per file; hand-written zones (hosts, links,
/// routes) are refused with the way out. Up to 4 MiB and 200,000 hosts; entities are not expanded.
Reading<NetworkGraph> readSimGrid(std::string_view text, const std::string& file = {});

}  // namespace nest
