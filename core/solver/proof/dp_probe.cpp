// The engine of the search (label_setting.h) with nothing pruned: every cell that can be reached is there to
// be looked at.
#include "solver/dp_probe.h"
#include "solver/common.h"

#include <algorithm>
#include <map>

#include "solver/models/chain_model.h"
#include "solver/models/chunk_chain_model.h"
#include "solver/space/chunk_cuts.h"

namespace nest {
namespace {

using namespace solver;

constexpr long long kMostCells = 40000, kMostPairs = 4'000'000;

}  // namespace

struct DpProbe::Tables {
  Tables(const Problem& p, const Plan& shown)
      : problem(p), plan(shown), order(*problem.graph), shapes(*problem.cluster), space(problem) {}

  Problem problem;
  Plan plan;
  LayerOrder order;
  GroupShapes shapes;
  SearchSpace space;
  std::map<int, std::unique_ptr<LayerSums>> sums;  ///< by strategy
  Target target;
  ObjectiveWeights weights;
  std::unique_ptr<ChainCosts> costs;
  int stages = 0;
  std::vector<Constraints::LayerPin> held;  ///< layers with shared parameters stay in their stages
  std::vector<int> path;                    ///< of each stage the column at which it begins, and the last one
  std::vector<int> chunkCuts;               ///< empty: one chunk a stage
  std::vector<std::vector<Label>> fronts;
  std::vector<DpCell> cells;

  bool chunked() const { return !chunkCuts.empty(); }
  int columns() const { return chunked() ? stages + 1 : order.cutCount(); }
  std::size_t slot(int stage, int column) const { return at(stage) * at(columns()) + at(column); }
  bool prepare();
  int cutOf(const std::vector<char>& placed) const;
  template <class Model>
  void fill(Model& model);
  void describeCells();
  Parts partsOf(int stage, int from, int to, std::vector<Part>& storage) const;
  Step stepOf(int stage, int from, Parts) const;
  /// The objective of a stage and those behind it.
  double timeOf(const Label&, const Step&) const;
};

int DpProbe::Tables::cutOf(const std::vector<char>& placed) const {
  const int size = static_cast<int>(std::count(placed.begin(), placed.end(), 1));
  for (int c = 0; c < order.cutCount(); ++c) {
    bool same = order.size(c) == size;
    for (int x = 0; same && x < order.layerCount(); ++x) same = order.holds(c, x) == (placed[at(x)] != 0);
    if (same) return c;
  }
  return -1;
}

bool DpProbe::Tables::prepare() {
  stages = plan.stageCount();
  const BlockLayout layout{plan.dataInner, plan.dataOuter, plan.blockStride, plan.shardReplicas};
  const int b = problem.profile->microbatchIndex(plan.microbatch);
  ChainConfiguration c;
  std::vector<LayerSums*> each;
  std::vector<int> begins = {0};
  for (const StagePlan& s : plan.stages) {
    auto& own = sums[problem.profile->strategyIndex(s.strategy)];
    if (!own)
      own = std::make_unique<LayerSums>(problem, order, shapes, b, problem.profile->strategyIndex(s.strategy),
                                        plan.pipelineSchedule().coversExchanges());
    if (!own->offered()) return false;
    each.push_back(own.get());
    begins.push_back(begins.back() + s.strategy.width());
  }
  c.problem = &problem, c.space = &space, c.order = &order, c.shapes = &shapes, c.sums = each.front();
  c.dataDegree = plan.dataDegree(), c.stages = stages, c.zero = plan.zero;
  c.shardDegree = plan.shardDegree();
  c.chunks = plan.chunksPerStage();
  c.schedule = &plan.pipelineSchedule();
  c.microbatchCount = problem.microbatchCount(plan.microbatch, plan.dataDegree(), plan.globalBatch);
  std::vector<int> stageOf(at(order.layerCount()), 0);
  std::vector<char> placed(at(order.layerCount()), 0);
  path = {0};
  for (int i = 0; i < stages; ++i) {
    for (const LayerIndex x : plan.stages[at(i)].layers()) stageOf[x.at()] = i, placed[x.at()] = 1;
    path.push_back(c.chunks > 1 ? i + 1 : cutOf(placed));
    if (path.back() < 0) return false;
  }
  if (c.chunks > 1) {
    chunkCuts = {0};
    for (int part = 0; part < c.chunks * stages; ++part) {
      const StagePlan& s = plan.stages[at(c.schedule->stageOf(part, stages))];
      chunkCuts.push_back(chunkCuts.back() + static_cast<int>(s.chunks[at(part / stages)].size()));
    }
  }
  if (const auto& tied = problem.profile->tied) {
    const int i = stageOf[tied->first.at()], j = stageOf[tied->second.at()];
    held = {{tied->first, StageIndex(i)}, {tied->second, StageIndex(j)}};
    const int first = std::min(i, j), last = std::max(i, j);
    if (i != j)
      c.tied = TiedPlace{
          i, j,
          shapes.reachBetween(begins[at(first)] * layout.inner, plan.stages[at(first)].strategy.width(),
                              begins[at(last)] * layout.inner, plan.stages[at(last)].strategy.width(),
                              layout.inner, layout.outer, layout.stride)};
  }
  target = c.target();
  weights = target.weights;
  costs = std::make_unique<ChainCosts>(c, each, layout);
  return true;
}

Parts DpProbe::Tables::partsOf(int stage, int from, int to, std::vector<Part>& storage) const {
  if (chunked())
    storage = chunkParts(chunkCuts, stages, plan.pipelineSchedule())[at(stage)];
  else
    storage = {{from, to}};
  return storage;
}

template <class Model>
void DpProbe::Tables::fill(Model& model) {
  const Control control;
  Watch watch(control, 0);
  LabelSetting<Model> labels(model, watch);
  labels.fill();
  fronts.resize(at(stages + 1) * at(columns()));
  for (int behind = 0; behind < labels.layerCount(); ++behind)
    for (int n = 0; n < labels.layer(behind).size(); ++n) {
      auto& node = labels.layer(behind).node(n);
      fronts[slot(stages - behind, static_cast<int>(node.state.number()))] = std::move(node.labels);
    }
  // A search ends with the fastest pipeline; here the first cell has its front like any other.
  auto& first = fronts[slot(0, 0)];
  first.clear();
  for (int to = 1; to < columns(); ++to) {
    std::vector<Part> storage;
    if (fronts[slot(1, to)].empty()) continue;
    const Parts parts = partsOf(0, 0, to, storage);
    const Step step = stepOf(0, 0, parts);
    if (step.prepared.count == 0) continue;
    for (const Label& l : fronts[slot(1, to)]) {
      const Label whole = extended(l, step, step.prepared.with(costs->transfers(0, parts)), weights.sum > 0);
      if (std::any_of(first.begin(), first.end(), [&](const Label& o) { return dominates(o, whole, {}); }))
        continue;
      std::erase_if(first, [&](const Label& o) { return dominates(whole, o, {}); });
      first.push_back(whole);
    }
  }
}

Step DpProbe::Tables::stepOf(int stage, int from, Parts parts) const {
  Step step;
  step.prepared = costs->prepare(stage, parts);
  step.from = from;
  step.first = stage == 0;
  step.backward = costs->backward(stage, parts.front());
  double slowest = 1;
  for (int i = 0; i < stage; ++i) slowest = std::min(slowest, costs->speed(i));
  step.mostBackward = costs->backwardBefore(parts.front().from).second / slowest;
  return step;
}

double DpProbe::Tables::timeOf(const Label& l, const Step& step) const {
  return weights.time(l.sum, l.max, std::max(l.relative - step.mostBackward, l.step));
}

void DpProbe::Tables::describeCells() {
  cells.resize(at(stages) * at(columns()));
  int devices = 0;
  for (int i = stages - 1; i >= 0; --i) {
    devices += plan.dataInner * costs->width(i);
    double slowest = 1;
    for (int q = 0; q < i; ++q) slowest = std::min(slowest, costs->speed(q));
    for (int x = 0; x < columns(); ++x) {
      DpCell& cell = cells[slot(i, x)];
      const auto& front = fronts[slot(i, x)];
      cell.stage = i, cell.cut = x, cell.level = i > 0 ? costs->levelIn(i) : -1;
      cell.stages = stages - i, cell.devices = devices;
      cell.onPath = path[at(i)] == x;
      cell.labels = static_cast<int>(front.size());
      cell.reached = !front.empty();
      const double before = costs->backwardBefore(chunked() ? chunkCuts[at(x)] : x).second / slowest;
      cell.time = kInfinity;
      for (const Label& l : front) {
        const double tail = std::max(l.relative - before, l.step), time = weights.time(l.sum, l.max, tail);
        if (time >= cell.time) continue;
        cell.time = time, cell.largestLoad = l.max, cell.sumOfLoads = l.sum, cell.tail = tail;
      }
      if (!cell.reached) cell.time = 0;
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
  bool known = problem.profile->microbatchIndex(plan.microbatch) >= 0 && plan.deviceOrder.empty() &&
               problem.microbatchCount(plan.microbatch, plan.dataDegree(), plan.globalBatch) >= 1;
  for (const StagePlan& s : plan.stages) known = known && problem.profile->strategyIndex(s.strategy) >= 0;
  if (!known) return refuse("the plan is not one of the search space");
  auto tables = std::make_unique<Tables>(problem, plan);
  const long long stages = plan.stageCount(), cuts = tables->order.cutCount();
  if (tables->order.tooMany() || (stages + 1) * cuts > kMostCells ||
      (!tables->order.isChain() && stages * cuts * cuts > kMostPairs))
    return refuse("the table has more cells than can be shown");
  if (!tables->prepare())
    return refuse("the profile has no costs for this plan's strategies and microbatch size");
  if (tables->chunked()) {
    ChunkChainModel model(*tables->costs, tables->chunkCuts, tables->weights);
    tables->fill(model);
  } else {
    const CutRules rules = CutRules({}, tables->order).with(tables->held);
    const Control control;
    Watch watch(control, 0);
    ChainModel model(*tables->costs, nullptr, rules, tables->target, watch);
    tables->fill(model);
  }
  tables->describeCells();
  return std::unique_ptr<DpProbe>(new DpProbe(std::move(tables)));
}

int DpProbe::stageCount() const {
  return m_tables->stages;
}
int DpProbe::cutCount() const {
  return m_tables->columns();
}
int DpProbe::firstLayer(int cut) const {
  const Tables& t = *m_tables;
  if (t.chunked()) return cut < t.stages ? t.chunkCuts[at(cut)] : -1;
  for (int x = 0; x < t.order.layerCount(); ++x)
    if (!t.order.holds(cut, x)) return x;
  return -1;
}
const DpCell& DpProbe::cell(int stage, int cut) const {
  return m_tables->cells[m_tables->slot(stage, cut)];
}

std::vector<DpAlternative> DpProbe::alternatives(int stage, int cut) const {
  const Tables& t = *m_tables;
  std::vector<DpAlternative> all;
  std::vector<Part> storage;
  const auto timeOf = [&](const Step& step, const StageCosts::Figures& f, int to) {
    double time = kInfinity;
    for (const Label& r : t.fronts[t.slot(stage + 1, to)])
      time = std::min(time, t.timeOf(extended(r, step, f, t.weights.sum > 0), step));
    return time;
  };
  const auto shortfall = [&](Parts parts, int policy) {
    return t.costs->offers(stage, parts, policy)
               ? std::max(0.0, t.costs->memory(stage, parts, policy) - t.costs->capacity(stage))
               : kInfinity;
  };
  if (t.chunked()) {
    if (cut != stage) return all;
    const Parts parts = t.partsOf(stage, 0, 0, storage);
    const Step step = t.stepOf(stage, stage, parts);
    const Transfers transfers = t.costs->transfers(stage, parts);
    for (int p = 0; p < kRecomputeCount; ++p) {
      DpAlternative a;
      a.to = cut + 1;
      a.time = kInfinity;
      for (int k = 0; k < step.prepared.count; ++k)
        if (const auto& choice = step.prepared.choices[at(k)]; choice.policy == p) {
          const auto f = step.prepared.under(choice, transfers);
          a.policy = p, a.load = f.load, a.time = timeOf(step, f, a.to);
        }
      a.shortfall = a.policy < 0 && shortfall(parts, p) < kInfinity ? shortfall(parts, p) : 0;
      a.chosen = a.policy >= 0 && static_cast<int>(t.plan.stages[at(stage)].recompute) == p;
      all.push_back(a);
    }
    return all;
  }
  const int left = t.stages - stage - 1, layers = t.order.layerCount();
  for (int to = cut + 1; to < t.columns(); ++to) {
    if (t.order.size(to) > layers - left || !t.order.subset(cut, to)) continue;
    const Parts parts = t.partsOf(stage, cut, to, storage);
    const Step step = t.stepOf(stage, cut, parts);
    DpAlternative a;
    a.to = to;
    a.time = kInfinity;
    a.load = kInfinity;
    a.chosen = t.path[at(stage)] == cut && t.path[at(stage) + 1] == to;
    if (step.prepared.count > 0) {
      const auto f = step.prepared.with(t.costs->transfers(stage, parts));
      a.policy = f.policy;
      a.load = f.load;
      a.time = timeOf(step, f, to);
    } else {
      double least = kInfinity;
      for (int p = 0; p < kRecomputeCount; ++p) least = std::min(least, shortfall(parts, p));
      a.shortfall = least < kInfinity ? least : 0;
    }
    all.push_back(a);
  }
  return all;
}

}  // namespace nest
