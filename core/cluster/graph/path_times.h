#pragma once

#include <vector>

#include "cluster/graph/fabric.h"

namespace nest {

/// Latency and width of the paths from one device to all nodes, for shortest-transfer questions.
///
/// A transfer of D bytes takes min over widths w of latency_w + D/w, latency_w the least latency of a path
/// whose links are all at least w wide. One Dijkstra run per width on offer; widths closer than 0.1 % are
/// one.
class PathTimes {
public:
  /// `mostWidths`: if the network has more distinct widths, that many are kept, spread over them, the
  /// narrowest included.
  PathTimes(const Fabric& fabric, std::size_t mostWidths = 12);

  const std::vector<double>& widths() const { return m_widths; }  ///< bytes/s, widest first
  bool widthsAreComplete() const { return m_complete; }

  void startAt(int node);
  /// Seconds; infinity where no path leads. `startAt` first.
  double transferSeconds(int to, double bytes) const;
  /// Least latency of a path at least `width` wide; infinity if there is none.
  double latency(int to, double width) const;

private:
  const Fabric& m_fabric;
  std::vector<double> m_widths;
  bool m_complete = true;
  std::vector<std::vector<double>> m_latency;  ///< per width, per node
};

}  // namespace nest
