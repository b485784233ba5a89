#pragma once

#include <string>
#include <string_view>

#include "cluster/devices/device_spec.h"
#include "formats/networks/host_topology.h"

namespace nest {

/// What a matrix of connection kinds is worth, one way. Nominal NVLink, usual PCIe generations; all are
/// estimates.
struct HostLinkFigures {
  BytesPerSecond nvlink{25e9};  ///< one link: A100, H100; 50e9 from Blackwell on
  BytesPerSecond pcie{48e9};    ///< x16, fifth generation; 24e9 for the fourth
  BytesPerSecond socket{16e9};  ///< across the sockets' interconnect
  BytesPerSecond adapter{50e9};
  Seconds nvlinkLatency{1e-6}, pcieLatency{1e-6}, socketLatency{0.5e-6}, adapterLatency{1e-6};
};

/// With the device's adapter rate, and the NVLink of its generation (the newer one from 900 GB/s on).
HostLinkFigures hostFiguresOf(const DeviceSpec&);

/// The matrix that `nvidia-smi topo -m` prints: NV#, PIX, PXB, PHB, NODE, SYS (and SOC), escape sequences
/// removed, GPU, NIC and mlx5_# columns, legends. All GPUs joined by the same NV# that no direct wiring could
/// give (more than 18 links a GPU) hang on one NVSwitch; otherwise each NV# is a link of its own. The other
/// kinds nest: one switch per PCIe bridge, host bridge, socket and host. Up to 1 MiB, 128 devices.
Reading<HostTopology> readNvidiaTopo(std::string_view text, const std::string& file = {},
                                     const HostLinkFigures& = {});

}  // namespace nest
