#include "formats/networks/network_check.h"

#include <nlohmann/json.hpp>

#include "evaluation/routed_plan.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr std::size_t kMostLines = 5;

void describeBusiest(const NetworkGraph& graph, NetworkCheck& check) {
  if (check.traffic.busiest < 0) return;
  const LinkLoad& l = check.traffic.links[check.traffic.busiest];
  const bool forward = l.forwardTime() >= l.backwardTime();
  check.busiest = nameOfLink(graph, l);
  check.busiestRate = forward ? l.forwardRate : l.backwardRate;
  check.busiestBytes = forward ? l.forward : l.backward;
}

}  // namespace

std::optional<NetworkCheck> checkOnNetwork(const ClusterSource* cluster, const Problem& problem,
                                           const Plan& plan, const Until& until) {
  const auto* source = cluster ? std::get_if<GraphSource>(&cluster->network) : nullptr;
  if (!source) return std::nullopt;
  NetworkCheck check;
  check.from = source->importedFrom;
  check.traffic.complete = false;
  if (until.shouldStop()) return check;
  auto levels = abstractLevels(*source, problem.cluster->device());
  if (!levels) return std::nullopt;
  auto routed = routePlan(*source, problem, plan, &*levels, until);
  if (!routed && hasErrors(routed.diagnostics)) return std::nullopt;
  if (routed) check.traffic = std::move(*routed);
  describeBusiest(source->graph, check);
  check.distortion = levels->distortion;
  const auto nameOf = [&](int device) {
    const auto node = static_cast<std::size_t>(levels->deviceNodes[device]);
    const NetworkNode& n = source->graph.nodes[node];
    return n.name.empty() ? n.id : n.name;
  };
  if (check.distortion->pairs > 0)
    check.distorted = nameOf(check.distortion->worstFrom) + " to " + nameOf(check.distortion->worstTo);
  check.irregularities = std::move(levels->irregularities);
  return check;
}

std::vector<std::pair<const char*, std::string>> networkCheckLines(const NetworkCheck& c, Seconds batchTime) {
  std::vector<std::pair<const char*, std::string>> out;
  if (!c.from.empty()) out.emplace_back("from", c.from);
  if (c.busiest.empty() && c.traffic.complete) {
    out.emplace_back("busiest link", "none: nothing is sent");
  } else if (!c.busiest.empty()) {
    out.emplace_back("busiest link", c.busiest + ": " + text::memory(c.busiestBytes) + " per step at " +
                                         text::bandwidth(c.busiestRate));
    const bool slower = c.traffic.bound > batchTime;
    out.emplace_back("lower bound",
                     text::time(c.traffic.bound) + " for that link alone, " +
                         text::percent(c.traffic.bound / batchTime) + " of the model's step time" +
                         (slower ? ": the levels promise more than this network can carry" : ""));
  }
  if (!c.traffic.complete)
    out.emplace_back("routed", (c.traffic.total.value() > 0
                                    ? text::percent(c.traffic.routed / c.traffic.total) + " of the bytes"
                                    : std::string("nothing")) +
                                   "; stopped before the rest");
  if (!c.distortion) return out;
  std::string distortion = text::number(c.distortion->atMegabyte) + " at 1 MB, " +
                           text::number(c.distortion->atGigabyte) +
                           " at 1 GB (largest ratio of modelled to shortest-path time";
  distortion += c.distortion->sampled ? ", pairs sampled" : "";
  distortion +=
      ", of a transfer alone; " + text::number(c.distortion->whenAllSend) + " when all devices send";
  distortion += c.distorted.empty() ? ")" : "; " + c.distorted + ")";
  out.emplace_back("distortion", distortion);
  const std::size_t count = c.irregularities.size();
  if (count == 0) out.emplace_back("irregular", "nothing");
  for (std::size_t i = 0; i < std::min(count, kMostLines); ++i)
    out.emplace_back(i == 0 ? "irregular" : "", c.irregularities[i]);
  if (count > kMostLines)
    out.emplace_back("", "and " + text::count(static_cast<long long>(count - kMostLines)) + " more");
  return out;
}

nlohmann::ordered_json networkCheckJson(const NetworkCheck& c, Seconds batchTime) {
  nlohmann::ordered_json j;
  if (!c.from.empty()) j["imported_from"] = c.from;
  j["lower_bound_s"] = c.traffic.bound.value();
  j["model_batch_time_s"] = batchTime.value();
  if (!c.busiest.empty())
    j["busiest_link"] = {{"name", c.busiest},
                         {"bytes", c.busiestBytes.value()},
                         {"bandwidth_bytes_per_s", c.busiestRate.value()}};
  j["total_bytes"] = c.traffic.total.value();
  j["routed_bytes"] = c.traffic.routed.value();
  j["complete"] = c.traffic.complete;
  if (!c.distortion) return j;
  j["distortion"] = {{"at_1_mb", c.distortion->atMegabyte},
                     {"at_1_gb", c.distortion->atGigabyte},
                     {"sampled", c.distortion->sampled}};
  if (!c.distorted.empty()) j["distortion"]["pair"] = c.distorted;
  j["irregularities"] = c.irregularities;
  return j;
}

}  // namespace nest
