#include "support/artifact_cost_model.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace nest::artifact {

Instance readInstance(const nlohmann::json& dp, const nlohmann::json& latencies, bool communicationInMs) {
  Instance in;
  in.devices = dp.at("maxDevices").get<int>();
  in.microbatches = static_cast<int>(dp.at("mbsInBatch").get<double>());
  in.memory = dp.at("maxMemoryPerDevice").get<double>();
  in.groupSizes = dp.at("devices_per_level").get<std::vector<int>>();
  in.bandwidth = dp.at("bws").get<std::vector<double>>();
  in.latency = dp.at("latency_per_level").get<std::vector<double>>();
  if (communicationInMs) {
    for (double& b : in.bandwidth) b /= 1000;
    for (double& l : in.latency) l *= 1000;
  }
  in.expert = dp.at("ep_degree").get<int>();
  in.context = dp.at("cp_degree").get<int>();
  in.recompute = dp.at("activationRecomputation").get<bool>();
  in.adam = dp.at("optimizerAlgorithm").get<std::string>() == "Adam";
  in.cyclesPerMs = dp.at("frequency").get<double>();
  std::map<int, std::string> byWidth;
  for (const auto& [key, nodes] : dp.at("nodes").items()) byWidth[std::stoi(key)] = key;
  for (const auto& [tensor, key] : byWidth) {
    Width w;
    w.tensor = tensor;
    std::map<int, Node> byId;
    for (const auto& n : dp.at("nodes").at(key)) {
      const int id = n.at("id").get<int>();
      Node node{n.at("optimalLatencyFw").get<double>(), n.at("optimalLatencyBw").get<double>(),
                n.at("activationSize").get<double>(), n.at("parameterSize").get<double>()};
      if (latencies.is_object()) {
        const auto& l = latencies.at(key).at(id >= 0 ? "0" : "-1");
        node.forward = l.at(0).get<double>();
        node.backward = l.at(1).get<double>();
      }
      byId[id] = node;
    }
    std::map<int, int> index;
    for (const auto& [id, node] : byId) {
      index[id] = static_cast<int>(w.nodes.size());
      w.nodes.push_back(node);
    }
    for (const auto& e : dp.at("edges").at(key))
      w.edges.push_back({index.at(e.at("sourceId").get<int>()), index.at(e.at("destId").get<int>()),
                         e.at("communicationCost").get<double>()});
    in.widths.push_back(std::move(w));
  }
  return in;
}

int levelBetween(const Instance& in, long long a, long long b) {
  long long size = 1;
  const int levels = static_cast<int>(in.groupSizes.size());
  for (int l = 0; l < levels; ++l) {
    size *= in.groupSizes[l];
    if (a / size == b / size) return l;
  }
  return levels - 1;
}

double transfer(const Instance& in, int level, double bytes) {
  double b = in.bandwidth[0];
  for (int l = 1; l <= level; ++l) b = std::min(b, in.bandwidth[l]);
  const double one = bytes / b + in.latency[level];
  return level == 0 ? one : 2 * one;
}

double allReduce(const Instance& in, int d, long long spacing, double bytes) {
  if (d <= 1) return 0;
  const int outer = levelBetween(in, 0, (d - 1) * spacing);
  double t = 0, low = 0, part = bytes;
  for (int k = d; k > 1; k /= 2, part /= 2) t += in.latency[0] + 1 / in.bandwidth[0] * part;
  for (int l = 1; l <= outer; ++l) {
    const auto at = static_cast<std::size_t>(l);
    t += 2 * (in.latency[at] + 1 / in.bandwidth[at] * bytes) + low;
    low += t;
  }
  return t;
}

namespace {

bool inside(int v, int first, int last) {
  return first <= v && v <= last;
}

/// Walks the stage forward; `external` prices arrivals from outside (none if null), `work` each node.
template <class Work>
double walkForward(const Instance& in, const Width& w, int first, int last, int level, bool external,
                   Work work) {
  std::vector<double> done(last - first + 1, 0);
  std::vector<double> start(done.size(), 0);
  for (const Edge& e : w.edges)
    if (external && inside(e.to, first, last) && !inside(e.from, first, last)) {
      double& s = start[e.to - first];
      s = std::max(s, transfer(in, level, e.bytes));
    }
  for (int v = first; v <= last; ++v) {
    double st = start[v - first];
    for (const Edge& e : w.edges)
      if (e.to == v && inside(e.from, first, last)) st = std::max(st, done[e.from - first]);
    done[v - first] = st + work(w.nodes[v]);
  }
  return done.back();
}

double walkBackward(const Instance& in, const Width& w, int first, int last, int level, double begin) {
  std::vector<double> done(last - first + 1, 0);
  for (int v = last; v >= first; --v) {
    double st = begin;
    for (const Edge& e : w.edges) {
      if (e.from != v) continue;
      st = std::max(st, inside(e.to, first, last) ? done[e.to - first] : transfer(in, level, e.bytes));
    }
    done[v - first] = st + w.nodes[v].backward;
  }
  return done.front();
}

}  // namespace

double stageLoad(const Instance& in, const Width& w, int first, int last, int fromEnd, int levelIn,
                 int levelOut) {
  const double forward =
      walkForward(in, w, first, last, levelIn, true, [](const Node& n) { return n.forward; });
  double begin = 0;
  // The artifact charges a recomputed forward at backward speed.
  if (in.recompute && fromEnd > 1)
    begin = walkForward(in, w, first, last, 0, false, [](const Node& n) { return n.backward; });
  return forward + walkBackward(in, w, first, last, levelOut, begin);
}

bool stageFits(const Instance& in, const Width& w, int first, int last, int fromEnd) {
  double parameters = 0, activation = 0, stash = 0;
  for (int v = first; v <= last; ++v) {
    parameters += w.nodes[v].parameters;
    activation += w.nodes[v].activation;
  }
  if (in.recompute) {
    for (const Edge& e : w.edges)
      if (inside(e.to, first, last) && !inside(e.from, first, last)) stash += e.bytes;
  } else {
    stash = activation;
  }
  return 2 * parameters + (in.adam ? 6 * parameters : 0) + activation + (fromEnd - 1) * stash <= in.memory;
}

double batchTime(const Instance& in, const Width& w, int d, const std::vector<int>& starts) {
  const int s = static_cast<int>(starts.size()) - 1, a = in.devicesOf(w);
  double slowest = 0;
  for (int i = 0; i < s; ++i) {
    const int fromEnd = s - i;
    const auto boundary = [&](int p) {
      return p >= 1 && p < s
                 ? levelBetween(in, static_cast<long long>(p - 1) * a, static_cast<long long>(p) * a)
                 : 0;
    };
    const auto at = static_cast<std::size_t>(i);
    slowest = std::max(slowest, stageLoad(in, w, starts[at], starts[at + 1] - 1, fromEnd, boundary(fromEnd),
                                          boundary(fromEnd - 1)));
  }
  double parameters = 0;
  for (int v = 0; v < starts[1]; ++v) parameters += w.nodes[v].parameters;
  return slowest * ((in.microbatches + d - 1) / d + s - 1) +
         allReduce(in, d, static_cast<long long>(s) * a, parameters);
}

}  // namespace nest::artifact
