#include "solver/stage/chosen_stages.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "solver/stage/messages.h"

namespace nest::solver {

ChosenStages::ChosenStages(const Configuration& c, const std::vector<LayerSums*>& sums) : m_configuration(c) {
  const auto degrees = [](const LayerSums* s) {
    const Strategy& k = s->strategy();
    return std::tuple(k.tensor, k.context, k.expert, k.sequence, k.foldedExperts);
  };
  std::vector<decltype(degrees(nullptr))> order;
  for (const LayerSums* s : sums) order.push_back(degrees(s));
  std::sort(order.begin(), order.end());
  for (LayerSums* s : sums) {
    Chosen chosen;
    chosen.costs = std::make_unique<StageCosts>(
        StageCosts::Context{c.problem, s, c.shapes, c.layout.shardDegree(), c.zero,
                            std::numeric_limits<double>::infinity(), c.target});
    chosen.width = s->strategy().width();
    chosen.rank = static_cast<int>(std::lower_bound(order.begin(), order.end(), degrees(s)) - order.begin());
    chosen.slots = IndexedVector<UnitCount, int>(c.units.value, -1);
    m_strategies.append(std::move(chosen));
  }
  findSenders();
  const Hierarchy& cluster = *c.problem->cluster;
  if (!cluster.hasUniformDevices()) m_slowest = cluster.slowest(0, cluster.deviceCount());
}

void ChosenStages::findSenders() {
  std::map<int, std::vector<StrategyId>> ofWidth;
  for (const StrategyId k : strategies()) {
    auto& others = ofWidth[width(k)];
    const auto first = std::find_if(others.begin(), others.end(),
                                    [&](StrategyId o) { return sums(o).boundary == sums(k).boundary; });
    m_strategies[k].sender = first == others.end() ? k : *first;
    m_strategies[m_strategies[k].sender].alike.push_back(k.value);
    if (first != others.end()) continue;
    others.push_back(k);
    m_senders.push_back(k);
  }
}

int ChosenStages::slot(StrategyId k, UnitCount begin) {
  int& slot = m_strategies[k].slots[begin];
  if (slot < 0)
    slot = m_strategies[k].costs->addSlot(placeStage(*m_configuration.shapes, strategy(k),
                                                     m_configuration.layout,
                                                     begin.value * m_configuration.layout.inner));
  return slot;
}

Level ChosenStages::levelBetween(int begin, int width, int other, int otherWidth) const {
  const BlockLayout& l = m_configuration.layout;
  return Level(m_configuration.shapes->reachBetween(begin * l.inner, width, other * l.inner, otherWidth,
                                                    l.inner, l.outer, l.stride));
}

double ChosenStages::transfer(Level level, double bytes) const {
  return transferSeconds(*m_configuration.problem->cluster, level.value, bytes);
}

double ChosenStages::share(StrategyId k) const {
  const auto& tied = m_configuration.problem->profile->tied;
  return tied ? tied->trained(at(sums(k).strategyIndex())) : 0;
}

double ChosenStages::tiedSeconds(int begin, StrategyId earlier, int later, StrategyId laterStrategy) const {
  const double bytes =
      std::max(share(earlier), share(laterStrategy)) * m_configuration.problem->job.optimizer.gradientBytes;
  return solver::tiedSeconds(*m_configuration.problem->cluster,
                             levelBetween(begin, width(earlier), later, width(laterStrategy)).value, bytes);
}

}  // namespace nest::solver
