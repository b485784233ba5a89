#include "solver/dp_probe.h"

#include <algorithm>

#include "solver/common.h"
#include "solver/proof/dp_tables.h"

namespace nest {

using namespace solver;

namespace {

constexpr long long kMostCells = 40000, kMostPairs = 4'000'000;

}  // namespace

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
  tables->fill();
  return std::unique_ptr<DpProbe>(new DpProbe(std::move(tables)));
}

int DpProbe::stageCount() const {
  return m_tables->stages;
}
int DpProbe::chunkCount() const {
  return m_tables->plan.chunksPerStage();
}
double DpProbe::sumWeight() const {
  return m_tables->weights.sum;
}
double DpProbe::maxWeight() const {
  return m_tables->weights.max;
}
bool DpProbe::fillsByLoad() const {
  return m_tables->target.byLoad();
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

bool DpProbe::hasLayers(int stage, int cut) const {
  return m_tables->hasLayers(stage, cut);
}

namespace {

/// The terms of a label in which a stage stands in front of the best continuation.
DpTerms termsOf(const Label& behind, const StageCosts::Figures& f, const Label& whole, const Step& step) {
  return {f.sum, behind.sum, f.max, behind.max, std::max(whole.relative - step.mostBackward, whole.step)};
}

}  // namespace

/// The best continuation of a stage with these costs, if it is better than what `a` has.
void DpProbe::Tables::improve(DpAlternative& a, const Pass& pass, int stage, const Step& step,
                              const StageCosts::Figures& f) const {
  if (a.policy < 0) a.policy = f.policy, a.load = f.load;
  for (const Label& r : pass.fronts[slot(stage + 1, a.to)]) {
    const Label whole = extended(r, step, f, weights.sum > 0);
    const DpTerms terms = termsOf(r, f, whole, step);
    const double time = weights.time(whole.sum, whole.max, terms.tail);
    if (time >= a.time) continue;
    a.time = time, a.terms = terms, a.policy = f.policy, a.load = f.load;
  }
}

std::vector<DpAlternative> DpProbe::Tables::policiesOf(int stage) const {
  std::vector<DpAlternative> all;
  std::vector<Part> storage;
  const Parts parts = partsOf(stage, 0, 0, storage);
  for (int p = 0; p < kRecomputeCount; ++p) {
    DpAlternative a;
    a.to = stage + 1;
    a.time = kInfinity;
    double lacking = kInfinity;
    for (const Pass& pass : passes) {
      const Step step = stepOf(pass, stage, stage, parts);
      const Transfers transfers = pass.costs->transfers(stage, parts);
      for (int k = 0; k < step.prepared.count; ++k)
        if (const auto& choice = step.prepared.choices[at(k)]; choice.policy == p)
          improve(a, pass, stage, step, step.prepared.under(choice, transfers));
      lacking = std::min(lacking, shortfall(pass, stage, parts, p));
    }
    a.shortfall = a.policy < 0 && lacking < kInfinity ? lacking : 0;
    a.chosen = a.policy >= 0 && static_cast<int>(plan.stages[at(stage)].recompute) == p;
    all.push_back(a);
  }
  return all;
}

std::vector<DpAlternative> DpProbe::Tables::endsOf(int stage, int cut) const {
  std::vector<DpAlternative> all;
  std::vector<Part> storage;
  const int left = stages - stage - 1;
  for (int to = cut + 1; to < columns(); ++to) {
    if (order.size(to) > order.layerCount() - left || !order.subset(cut, to)) continue;
    const Parts parts = partsOf(stage, cut, to, storage);
    DpAlternative a;
    a.to = to;
    a.time = a.load = kInfinity;
    a.allowed = rules->empty() || (rules->mayBegin(stage, cut) && rules->mayForm(cut, to));
    a.chosen = path[at(stage)] == cut && path[at(stage) + 1] == to;
    double lacking = kInfinity;
    for (const Pass& pass : passes) {
      const Step step = stepOf(pass, stage, cut, parts);
      if (step.prepared.count == 0) lacking = std::min(lacking, shortfall(pass, stage, parts));
      visitCosts(pass, stage, step, parts,
                 [&](const StageCosts::Figures& f) { improve(a, pass, stage, step, f); });
    }
    if (!a.allowed) a.time = kInfinity;
    a.shortfall = a.policy < 0 && lacking < kInfinity ? lacking : 0;
    all.push_back(a);
  }
  return all;
}

std::vector<DpAlternative> DpProbe::alternatives(int stage, int cut) const {
  if (!m_tables->chunked()) return m_tables->endsOf(stage, cut);
  return cut == stage ? m_tables->policiesOf(stage) : std::vector<DpAlternative>();
}

}  // namespace nest
