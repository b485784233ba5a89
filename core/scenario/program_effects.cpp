#include "scenario/program_effects.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cluster/levels/scale_up.h"
#include "cost/collective.h"
#include "units/at.h"

namespace nest {
namespace {

/// The least time of a block under one strategy and microbatch size, where the host issues kernels one by
/// one.
void keepHostBusy(const Setting& setting, const Hierarchy& cluster, const Strategy& strategy,
                  LayerCost& cost) {
  const Seconds least = setting.model.analytic.hostTimePerBlock;
  if (strategy.tensor < 2 || !(least > Seconds(0))) return;
  std::vector<int> ranks(std::min(strategy.tensor, scaleUpSize(cluster)));
  std::iota(ranks.begin(), ranks.end(), 0);
  const GroupShape shape = shapeOf(cluster, ranks);
  const double shown = 1 - setting.assumptions.overlap[at(Exchange::Tensor)];
  Seconds exchange;
  for (const Collective& c : cost.collectives)
    if (c.group == GroupKind::Tensor && (c.phase == Phase::Forward || c.phase == Phase::Backward))
      exchange += shown * collectiveTime(cluster, c, shape, {});
  const Seconds missing = least - exchange - cost.forward - cost.backward;
  if (!(missing > Seconds(0))) return;
  // A forward pass issues about half as many kernels as a backward one.
  cost.forward += missing * (1.0 / 3);
  cost.backward += missing * (2.0 / 3);
}

void sendOncePerHost(const TransformerArchitecture& model, const Hierarchy& cluster, const Strategy& strategy,
                     LayerCost& cost) {
  const int apart =
      strategy.foldedExperts ? 1 : strategy.width();  // devices from one rank of the group to the next
  const int inside = std::max(1, std::min(strategy.expert, scaleUpSize(cluster) / apart));
  if (inside >= strategy.expert) return;
  const ExpertLayers& e = *model.experts;
  const double all = std::ceil(double(strategy.expert) / inside);
  const double hosts = e.groups > 0 && e.groupsPerToken > 0
                           ? std::clamp(std::ceil(all * e.groupsPerToken / e.groups), 1.0, all)
                           : all;
  const int devices = std::min(cluster.deviceCount(), strategy.expert * apart);
  const NetworkLevel& outer = cluster.level(cluster.levelBetween(0, devices - 1));
  const double share = perHostShare(strategy.expert, inside, e.perToken, hosts,
                                    1 / cluster.level(scaleUpLevel(cluster)).sustained().value(),
                                    1 / outer.sustained().value());
  for (Collective& c : cost.collectives)
    if (c.kind == CollectiveKind::AllToAll) c.bytes = c.bytes * share;
}

}  // namespace

Hierarchy asProgramUses(const Hierarchy& cluster, const Assumptions& a) {
  std::vector<NetworkLevel> levels;
  for (int l = 0; l < cluster.levelCount(); ++l) {
    levels.push_back(cluster.level(l));
    if (a.flatExchange > 0) {
      levels.back().bandwidth = cluster.level(cluster.levelCount() - 1).bandwidth;
      levels.back().latency = cluster.level(cluster.levelCount() - 1).latency;
    }
    // What was measured is what exchanges sustain; what a level inside does not, none further out does.
    levels.back().efficiency = a.flatExchange > 0                         ? a.flatExchange
                               : levels.back().origin == Origin::Measured ? 1
                                                                          : a.linkEfficiency;
    if (a.crowding > 0 && (l > 0 || joinsHosts(cluster, 0))) levels.back().crowding = a.crowding;
    if (l > 0 && levels.back().sustained() > levels[static_cast<std::size_t>(l) - 1].sustained())
      levels.back().efficiency =
          levels[static_cast<std::size_t>(l) - 1].sustained() / levels.back().bandwidth;
  }
  return cluster.withLevels(std::move(levels));
}

double perHostShare(int ranks, int inside, double perToken, double hosts, double innerPerByte,
                    double outerPerByte) {
  // Of a token's experts, spread evenly over its hosts, at least one is on h·(1 − (1 − 1/h)^k) of them.
  const double reached = hosts * (1 - std::pow(1 - 1 / hosts, perToken)) / perToken;
  const double beyond = double(ranks - inside) / ranks;
  const double once = double(inside - 1) / inside * innerPerByte + reached * beyond * outerPerByte;
  const double each = double(inside - 1) / ranks * innerPerByte + beyond * outerPerByte;
  return std::min(1.0, once / each);
}

void applyNetworkOf(const Setting& setting, const Hierarchy& cluster, GraphAndProfile& made) {
  const AnalyticOptions& options = setting.model.analytic;
  const auto& architecture = setting.model.architecture;
  const bool perHost =
      options.expertExchange == ExpertExchange::PerHost && architecture && architecture->experts;
  if (!perHost && !(options.hostTimePerBlock > Seconds(0))) return;
  std::vector<bool> isBlock(made.graph.classCount, false);
  for (const Layer& l : made.graph.layers)
    if (l.kind == LayerKind::Block) isBlock[at(l.classId)] = true;
  Profile& profile = made.profile;
  for (int k = 0; k < made.graph.classCount; ++k) {
    if (!isBlock[at(k)]) continue;
    for (int s = 0; s < static_cast<int>(profile.strategies().size()); ++s)
      for (int b = 0; b < static_cast<int>(profile.microbatches().size()); ++b) {
        const LayerCost* cost = profile.cost(k, s, b);
        if (!cost) continue;
        LayerCost changed = *cost;
        const Strategy& strategy = profile.strategies()[at(s)];
        keepHostBusy(setting, cluster, strategy, changed);
        if (perHost && strategy.expert > 1) sendOncePerHost(*architecture, cluster, strategy, changed);
        profile.setCost(k, s, b, std::move(changed));
      }
  }
}

}  // namespace nest
