#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/graph/network_graph.h"

namespace nest {

/// Builds networks node by node; nothing when they outgrow 200,000 devices or 2,000,000 links. What is given
/// no place is laid out where it is drawn.
class NetworkBuilder {
public:
  int addSwitch(const std::string& id, double x = 0, double y = 0) {
    return add(id, NodeKind::Switch, {}, x, y);
  }
  int addDevice(const std::string& id, const std::string& host, double x = 0, double y = 0) {
    return add(id, NodeKind::Device, host, x, y);
  }
  int addHost(const std::string& id, double x = 0, double y = 0) { return add(id, NodeKind::Host, {}, x, y); }
  /// A host with its devices on an inner switch; returns the node numbers of the devices.
  std::vector<int> addHostWithDevices(const std::string& id, int devices, double gigabytes,
                                      double microseconds);
  void link(int a, int b, double gigabytes, double microseconds, int count = 1);
  /// Devices and links in all; false: too many, stop building.
  bool fits() const { return !m_refused && m_devices <= kMostDevices && m_graph.links.size() <= 2000000; }
  void refuse() { m_refused = true; }  ///< will be too large
  static constexpr int kMostDevices = 200000;
  std::optional<NetworkGraph> take() { return fits() ? std::optional(std::move(m_graph)) : std::nullopt; }

private:
  int add(const std::string& id, NodeKind kind, const std::string& host, double x, double y);

  NetworkGraph m_graph;
  int m_devices = 0;
  bool m_refused = false;
};

/// Where the cells of a grid stand, x fastest: planes beside each other, further axes below.
struct GridPlaces {
  GridPlaces(const std::vector<int>& sides, bool inHosts);
  std::pair<double, double> of(std::size_t cell) const;
  double width() const {
    return m_stride.front() * m_sides.front() + (m_sides.size() > 2 ? m_stride[2] * (m_sides[2] - 1) : 0);
  }

private:
  std::vector<int> m_sides;
  std::vector<double> m_stride;
};

/// A grid of devices, x fastest; wraps[i]: a ring along axis i (where it is longer than two). Returns the
/// devices.
std::vector<int> addGrid(NetworkBuilder&, const std::string& prefix, const std::vector<int>& sides,
                         const std::vector<bool>& wraps, double gigabytes, double microseconds,
                         double originX, const std::vector<std::string>& hosts = {});

/// Checked values by parameter name, all present (see networkGenerators). Nothing when too large.
std::optional<NetworkGraph> shapeNetwork(std::string_view generator,
                                         const std::map<std::string, double>& values);

}  // namespace nest
