// The engine of the search (label_setting.h) with nothing pruned: every cell that can be reached is there to
// be looked at. Cost: cells × ends of a stage × labels of a front.
#include "solver/proof/dp_tables.h"

#include <algorithm>
#include <cmath>

#include "solver/common.h"
#include "solver/models/chain_model.h"
#include "solver/models/chunk_chain_model.h"
#include "solver/space/chunk_cuts.h"

namespace nest {

using namespace solver;

DpProbe::Tables::Tables(const Problem& p, const Plan& shown)
    : problem(p), plan(shown), order(*problem.graph), shapes(*problem.cluster), space(problem) {}

int DpProbe::Tables::cutOf(const std::vector<char>& placed) const {
  const int size = static_cast<int>(std::count(placed.begin(), placed.end(), 1));
  for (int c = 0; c < order.cutCount(); ++c) {
    bool same = order.size(c) == size;
    for (int x = 0; same && x < order.layerCount(); ++x) same = order.holds(c, x) == (placed[at(x)] != 0);
    if (same) return c;
  }
  return -1;
}

/// Layers with shared parameters stay in their stages.
std::vector<Constraints::LayerPin> DpProbe::Tables::tiedLayers(const std::vector<int>& stageOf) const {
  const auto& tied = problem.profile->tied;
  if (!tied) return {};
  return {{tied->first, StageIndex(stageOf[tied->first.at()])},
          {tied->second, StageIndex(stageOf[tied->second.at()])}};
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
  const auto held = tiedLayers(stageOf);
  if (!held.empty() && held[0].stage != held[1].stage) {
    const int i = held[0].stage.value, j = held[1].stage.value, first = std::min(i, j), last = std::max(i, j);
    c.tied = TiedPlace{
        i, j,
        shapes.reachBetween(begins[at(first)] * layout.inner, plan.stages[at(first)].strategy.width(),
                            begins[at(last)] * layout.inner, plan.stages[at(last)].strategy.width(),
                            layout.inner, layout.outer, layout.stride)};
  }
  rules = std::make_unique<CutRules>(CutRules(problem.constraints, order).with(held));
  target = c.target();
  weights = target.weights;
  for (const auto& policy : space.sharedPolicies()) {
    c.sharedPolicy = policy;
    passes.push_back({std::make_unique<ChainCosts>(c, each, layout), {}});
  }
  return !passes.empty();
}

Parts DpProbe::Tables::partsOf(int stage, int from, int to, std::vector<Part>& storage) const {
  if (chunked())
    storage = chunkParts(chunkCuts, stages, plan.pipelineSchedule())[at(stage)];
  else
    storage = {{from, to}};
  return storage;
}

bool DpProbe::Tables::hasLayers(int stage, int from) const {
  if (chunked()) return from == stage;
  return (from == 0) == (stage == 0) && order.size(from) >= stage &&
         order.layerCount() - order.size(from) >= stages - stage;
}

bool DpProbe::Tables::mayStand(int stage, int from, int to) const {
  if (chunked()) return from == stage && to == stage + 1;
  const int left = stages - 1 - stage;
  if (!hasLayers(stage, from) || order.layerCount() - order.size(to) < left ||
      (to == order.last()) != (left == 0))
    return false;
  return rules->empty() || (rules->mayBegin(stage, from) && rules->mayForm(from, to));
}

double DpProbe::Tables::slowestBefore(int stage) const {
  double slowest = 1;
  for (int i = 0; i < stage; ++i) slowest = std::min(slowest, anyCosts().speed(i));
  return slowest;
}

double DpProbe::Tables::fastestBefore(int stage) const {
  double fastest = 0;
  for (int i = 0; i < stage; ++i) fastest = std::max(fastest, anyCosts().speed(i));
  return fastest > 0 ? fastest : 1;
}

std::pair<double, double> DpProbe::Tables::backwardBefore(int stage, int column) const {
  if (!chunked()) {
    const auto [least, most] = anyCosts().backwardBefore(column);
    return {least / fastestBefore(stage), most / slowestBefore(stage)};
  }
  double before = 0;  // its stages are given
  std::vector<Part> storage;
  for (int i = 0; i < column && i < stages; ++i)
    before += anyCosts().backward(i, partsOf(i, 0, 0, storage).front());
  return {before, before};
}

Step DpProbe::Tables::stepOf(const Pass& pass, int stage, int from, Parts parts) const {
  Step step;
  step.prepared = pass.costs->prepare(stage, parts);
  step.from = from;
  step.first = stage == 0;
  step.backward = pass.costs->backward(stage, parts.front());
  step.mostBackward = backwardBefore(stage, from).second;
  return step;
}

double DpProbe::Tables::shortfall(const Pass& pass, int stage, Parts parts, int policy) const {
  return pass.costs->offers(stage, parts, policy)
             ? std::max(0.0, pass.costs->memory(stage, parts, policy) - pass.costs->capacity(stage))
             : kInfinity;
}

double DpProbe::Tables::shortfall(const Pass& pass, int stage, Parts parts) const {
  double least = kInfinity;
  for (int p = 0; p < kRecomputeCount; ++p) least = std::min(least, shortfall(pass, stage, parts, p));
  return least;
}

template <class Model>
void DpProbe::Tables::fillWith(Model& model, Pass& pass) {
  const Control control;
  Watch watch(control, 0);
  LabelSetting<Model> labels(model, watch);
  labels.fill();
  pass.fronts.resize(at(stages + 1) * at(columns()));
  for (int behind = 0; behind < labels.layerCount(); ++behind)
    for (int n = 0; n < labels.layer(behind).size(); ++n) {
      auto& node = labels.layer(behind).node(n);
      pass.fronts[slot(stages - behind, static_cast<int>(node.state.number()))] = std::move(node.labels);
    }
  fillFirst(pass);
}

/// A search ends with the fastest pipeline; here the first cell has its front like any other.
void DpProbe::Tables::fillFirst(Pass& pass) {
  auto& first = pass.fronts[slot(0, 0)];
  first.clear();
  visitEnds(0, 0, [&](int to) {
    if (pass.fronts[slot(1, to)].empty()) return true;
    std::vector<Part> storage;
    const Parts parts = partsOf(0, 0, to, storage);
    const Step step = stepOf(pass, 0, 0, parts);
    visitCosts(pass, 0, step, parts, [&](const StageCosts::Figures& f) {
      for (const Label& l : pass.fronts[slot(1, to)]) {
        const Label whole = extended(l, step, f, weights.sum > 0);
        if (std::any_of(first.begin(), first.end(), [&](const Label& o) { return dominates(o, whole, {}); }))
          continue;
        std::erase_if(first, [&](const Label& o) { return dominates(whole, o, {}); });
        first.push_back(whole);
      }
    });
    return true;
  });
}

void DpProbe::Tables::fill() {
  for (Pass& pass : passes)
    if (chunked()) {
      ChunkChainModel model(*pass.costs, chunkCuts, weights);
      fillWith(model, pass);
    } else {
      const Control control;
      Watch watch(control, 0);
      ChainModel model(*pass.costs, nullptr, *rules, target, watch);
      fillWith(model, pass);
    }
  describeCells();
}

void DpProbe::Tables::describeCells() {
  cells.resize(at(stages) * at(columns()));
  int devices = 0;
  for (int i = stages - 1; i >= 0; --i) {
    devices += plan.dataInner * anyCosts().width(i);
    for (int x = 0; x < columns(); ++x) {
      DpCell& cell = cells[slot(i, x)];
      cell.stage = i, cell.cut = x, cell.level = i > 0 ? anyCosts().levelIn(i) : -1;
      cell.stages = stages - i, cell.devices = devices;
      cell.onPath = path[at(i)] == x;
      const auto [least, most] = backwardBefore(i, x);
      double latest = kInfinity;  // with the least backward work before
      cell.time = kInfinity;
      for (const Pass& pass : passes)
        for (const Label& l : pass.fronts[slot(i, x)]) {
          ++cell.labels;
          const double tail = std::max(l.relative - most, l.step), time = weights.time(l.sum, l.max, tail);
          latest = std::min(latest, weights.time(l.sum, l.max, std::max(l.relative - least, l.step)));
          if (time >= cell.time) continue;
          cell.time = time, cell.largestLoad = l.max, cell.sumOfLoads = l.sum, cell.tail = tail;
        }
      cell.reached = cell.labels > 0;
      if (!cell.reached) cell.time = 0;
      cell.isBound = cell.reached && latest > cell.time * kRoundUp;
    }
  }
}

}  // namespace nest
