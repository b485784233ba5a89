#pragma once

#include <string>
#include <string_view>

#include "formats/networks/host_topology.h"

namespace nest {

/// The topology that NCCL writes to NCCL_TOPO_DUMP_FILE: system › cpu › pci › gpu, nic › net, nvlink, c2c.
/// One file is one host. PCIe links count link_speed · link_width · 0.75; NVLink what NCCL itself reckons per
/// link (20.0 GB/s up to SM 8x, 20.6 on SM 9x, 40.1 from SM 10x on); sockets 16 GB/s; adapters their stated
/// speed. RCCL's xgmi links count 24, 36 or 48 GB/s by generation. A file made for NCCL_TOPO_FILE, which
/// names no GPUs, gives those of its PCI devices that are display controllers, with a warning. Unknown
/// attributes and elements are ignored. Up to 16 MiB, PCI trees up to 32 deep.
Reading<HostTopology> readNcclXml(std::string_view text, const std::string& file = {});

}  // namespace nest
