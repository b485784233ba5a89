#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// The public NEST artifact's own cost model, as shared/reference/nest/cost-model.md defines it, its
/// peculiarities included. It lives with the tests: the planner itself never uses it. Times in the instance's
/// own unit.
namespace nest::artifact {

struct Node {
  double forward = 0, backward = 0, activation = 0, parameters = 0;
};
struct Edge {
  int from = 0, to = 0;
  double bytes = 0;
};

/// The model for one tensor degree; nodes in topological order, each reading its predecessor.
struct Width {
  int tensor = 1;
  std::vector<Node> nodes;
  std::vector<Edge> edges;
};

struct Instance {
  int devices = 1;              ///< K
  int microbatches = 1;         ///< G
  double memory = 0;            ///< M
  std::vector<int> groupSizes;  ///< devices per level: D_0, D_1, …
  std::vector<double> bandwidth, latency;
  int expert = 1, context = 1;
  bool recompute = false, adam = false;
  double cyclesPerMs = 1.05e6;
  std::vector<Width> widths;

  int nodeCount() const { return static_cast<int>(widths.front().nodes.size()); }
  int devicesOf(const Width& w) const { return w.tensor * expert * context; }  ///< a
};

/// `dp`: what the artifact's solver reads. `latencies`: {width: {layer: [forward, backward]}} to use instead,
/// or null. `communicationInMs`: bandwidths ÷ 1000, latencies × 1000.
Instance readInstance(const nlohmann::json& dp, const nlohmann::json& latencies = {},
                      bool communicationInMs = false);

/// Lowest level whose groups hold both devices.
int levelBetween(const Instance&, long long a, long long b);
/// Point-to-point time of `bytes` at a level.
double transfer(const Instance&, int level, double bytes);
/// Gradient all-reduce of `bytes` over d ranks spaced `spacing` devices.
double allReduce(const Instance&, int d, long long spacing, double bytes);

/// Layers [first, last] with `fromEnd` stages from this one to the end (1 = last), the network level of its
/// incoming and outgoing boundary.
double stageLoad(const Instance&, const Width&, int first, int last, int fromEnd, int levelIn, int levelOut);
bool stageFits(const Instance&, const Width&, int first, int last, int fromEnd);

/// The value that the artifact reports for a plan without ZeRO: stages begin at `starts` (ends with
/// nodeCount).
double batchTime(const Instance&, const Width&, int d, const std::vector<int>& starts);

}  // namespace nest::artifact
