// State (i, x): stages i … s−1 hold the layers from cut x on. Its value is the Pareto front of (largest load,
// sum of loads, largest exposed sync + step), filled from the last stage to the first:
//   front(i, x) = minima over y > x of  stage(i, x, y) ⊕ front(i + 1, y),   front(s, L) = {(0, 0, 0)}.
// No windows and no bounds: every cell that can be reached is there to be looked at.
#include "solver/dp_probe.h"

#include <algorithm>
#include <limits>

#include "solver/space/group_shapes.h"
#include "solver/space/layer_order.h"
#include "solver/space/layer_sums.h"
#include "solver/stage/stage_costs.h"

namespace nest {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr int kMostCells = 40000;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

struct Label {
  double most = 0, sum = 0, tail = 0;
  bool covers(const Label& o) const { return most <= o.most && sum <= o.sum && tail <= o.tail; }
};

}  // namespace

struct DpProbe::Tables {
  Tables(const Problem& p, const Plan& plan)
      : problem(p),
        order(*problem.graph),
        shapes(*problem.cluster),
        space(problem),
        sums(problem, order, shapes, problem.profile->microbatchIndex(plan.microbatch),
             problem.profile->strategyIndex(plan.stages.front().strategy)) {}

  Problem problem;
  planner::LayerOrder order;
  planner::GroupShapes shapes;
  planner::SearchSpace space;
  planner::LayerSums sums;
  planner::ObjectiveWeights weights;
  std::unique_ptr<planner::StageCosts> costs;
  std::vector<int> levels;       ///< per stage, towards the one before
  std::vector<double> capacity;  ///< per stage, of its smallest device
  int stages = 0, width = 0;
  std::vector<int> path;  ///< the plan's cuts
  std::vector<std::vector<Label>> fronts;
  std::vector<DpCell> cells;

  std::size_t slot(int stage, int cut) const { return at(stage) * at(order.cutCount()) + at(cut); }
  double timeOf(const Label& l) const { return weights.time(l.sum, l.most, l.tail); }
  void prepare(const Plan&);
  void fill();
  std::optional<Label> best(int stage, int cut) const;
  Label joined(const planner::StageCosts::Figures&, int from, const Label& rest) const;
};

void DpProbe::Tables::prepare(const Plan& plan) {
  stages = plan.stageCount();
  const Strategy& strategy = plan.stages.front().strategy;
  const planner::BlockLayout layout{plan.dataInner, plan.dataOuter, plan.blockStride};
  width = plan.dataInner * strategy.width();
  const auto sites = planner::placeStages(shapes, strategy, layout, stages);
  for (const auto& site : sites) levels.push_back(site.levelIn), capacity.push_back(site.memory);
  planner::StageCosts::Context c;
  c.problem = &problem, c.space = &space, c.order = &order, c.sums = &sums, c.shapes = &shapes;
  c.dataDegree = plan.dataDegree(), c.stages = stages, c.zero = plan.zero;
  c.microbatchCount = problem.microbatchCount(plan.microbatch, plan.dataDegree());
  path = {0};
  std::vector<int> stageOf(at(order.layerCount()), 0);
  for (int i = 0; i < stages; ++i) {
    for (const LayerIndex x : plan.stages[at(i)].layers()) stageOf[x.at()] = i;
    path.push_back(path.back() + static_cast<int>(plan.stages[at(i)].layers().size()));
  }
  if (const auto& tied = problem.profile->tied) {
    const int i = stageOf[tied->first.at()], j = stageOf[tied->second.at()], early = std::min(i, j);
    if (i != j)
      c.tied = planner::TiedPlace{
          i, j, shapes.reach(early * width, width, std::abs(i - j) * width, layout.outer, layout.stride)};
  }
  weights = planner::objectiveWeights(problem.search.objective, c.microbatchCount, stages, 1);
  costs = std::make_unique<planner::StageCosts>(c, sites);
}

Label DpProbe::Tables::joined(const planner::StageCosts::Figures& f, int from, const Label& rest) const {
  const double exposed = std::max(0.0, f.sync - sums.backward[at(from)]);
  return {std::max(f.load, rest.most), f.load + rest.sum, std::max(exposed + f.step, rest.tail)};
}

std::optional<Label> DpProbe::Tables::best(int stage, int cut) const {
  const auto& front = fronts[slot(stage, cut)];
  if (front.empty()) return std::nullopt;
  return *std::min_element(front.begin(), front.end(),
                           [this](const Label& a, const Label& b) { return timeOf(a) < timeOf(b); });
}

void DpProbe::Tables::fill() {
  const int last = order.last();
  fronts.resize(at(stages + 1) * at(order.cutCount()));
  fronts[slot(stages, last)] = {Label{}};
  for (int i = stages - 1; i >= 0; --i)
    for (int x = i; x <= last - (stages - i); ++x) {
      if (i == 0 && x > 0) break;
      auto& front = fronts[slot(i, x)];
      for (int y = x + 1; y <= last - (stages - i - 1); ++y) {
        const auto& rest = fronts[slot(i + 1, y)];
        if (rest.empty()) continue;
        const auto f = costs->best(i, x, y);
        if (f.policy < 0) continue;
        for (const Label& r : rest) {
          const Label l = joined(f, x, r);
          if (std::any_of(front.begin(), front.end(), [&](const Label& o) { return o.covers(l); })) continue;
          std::erase_if(front, [&](const Label& o) { return l.covers(o); });
          front.push_back(l);
        }
      }
    }
  cells.resize(fronts.size());
  for (int i = 0; i < stages; ++i)
    for (int x = 0; x <= last; ++x) {
      DpCell& cell = cells[slot(i, x)];
      cell.stage = i, cell.cut = x, cell.level = levels[at(i)];
      cell.stages = stages - i, cell.devices = cell.stages * width;
      cell.onPath = path[at(i)] == x;
      cell.labels = static_cast<int>(fronts[slot(i, x)].size());
      if (const auto l = best(i, x)) {
        cell.reached = true;
        cell.time = timeOf(*l), cell.largestLoad = l->most, cell.sumOfLoads = l->sum, cell.tail = l->tail;
      }
    }
}

DpProbe::DpProbe(std::unique_ptr<Tables> tables) : m_tables(std::move(tables)) {}
DpProbe::~DpProbe() = default;

std::unique_ptr<DpProbe> DpProbe::of(const Problem& problem, const Plan& plan, std::string& why) {
  const auto refuse = [&why](const char* reason) {
    why = reason;
    return std::unique_ptr<DpProbe>();
  };
  if (plan.stages.empty()) return refuse("there is no plan");
  if (!problem.graph->isChain())
    return refuse("the model is not a chain of layers: its table has a cell for every downset");
  if (plan.chunksPerStage() > 1) return refuse("interleaved plans are enumerated, not found by the DP");
  for (const StagePlan& s : plan.stages)
    if (s.strategy != plan.stages.front().strategy)
      return refuse("the stages have different strategies: the table has more dimensions than a picture");
  if (problem.profile->strategyIndex(plan.stages.front().strategy) < 0 ||
      problem.profile->microbatchIndex(plan.microbatch) < 0 ||
      problem.microbatchCount(plan.microbatch, plan.dataDegree()) < 1 || !plan.deviceOrder.empty())
    return refuse("the plan is not one of the search space");
  if ((plan.stageCount() + 1) * (problem.graph->layerCount() + 1) > kMostCells)
    return refuse("the table has more cells than can be shown");
  auto tables = std::make_unique<Tables>(problem, plan);
  if (!tables->sums.offered())
    return refuse("the profile has no costs for this strategy and microbatch size");
  tables->prepare(plan);
  tables->fill();
  return std::unique_ptr<DpProbe>(new DpProbe(std::move(tables)));
}

int DpProbe::stageCount() const {
  return m_tables->stages;
}
int DpProbe::cutCount() const {
  return m_tables->order.cutCount();
}
const DpCell& DpProbe::cell(int stage, int cut) const {
  return m_tables->cells[m_tables->slot(stage, cut)];
}

std::vector<DpAlternative> DpProbe::alternatives(int stage, int cut) const {
  const Tables& t = *m_tables;
  std::vector<DpAlternative> all;
  for (int y = cut + 1; y <= t.order.last() - (t.stages - stage - 1); ++y) {
    DpAlternative a;
    a.to = y;
    a.time = kNever;
    const auto f = t.costs->best(stage, cut, y);
    a.policy = f.policy;
    a.load = f.load;
    a.chosen = t.path[at(stage)] == cut && t.path[at(stage) + 1] == y;
    if (f.policy >= 0) {
      for (const Label& r : t.fronts[t.slot(stage + 1, y)])
        a.time = std::min(a.time, t.timeOf(t.joined(f, cut, r)));
    } else {
      double least = kNever;
      for (int p = 0; p < kRecomputeCount; ++p)
        if (t.costs->offers(stage, cut, y, p)) least = std::min(least, t.costs->memory(stage, cut, y, p));
      a.shortfall = least < kNever ? std::max(0.0, least - t.capacity[at(stage)]) : 0;
    }
    all.push_back(a);
  }
  return all;
}

}  // namespace nest
