// The fronts of the stages before a cell, from the first stage on. A prefix keeps how much backward work it
// does, behind which later syncs are hidden, so that nothing has to be assumed about it.
#include "solver/dp_through.h"

#include <algorithm>
#include <utility>

#include "solver/common.h"
#include "solver/proof/dp_tables.h"

namespace nest {

using namespace solver;

namespace {

/// Totals over the stages in front of a cell.
struct Prefix {
  double max = 0, sum = 0;
  double tail = 0;     ///< largest exposed sync + step
  double covered = 0;  ///< backward work
};

bool dominates(const Prefix& a, const Prefix& b, const Tolerance& t) {
  return a.max <= b.max + t.load && a.sum <= b.sum + t.rest && a.tail <= b.tail + t.rest &&
         a.covered >= b.covered - t.rest;
}

void insert(std::vector<Prefix>& front, const Prefix& p, const Tolerance& t) {
  if (std::any_of(front.begin(), front.end(), [&](const Prefix& o) { return dominates(o, p, t); })) return;
  std::erase_if(front, [&](const Prefix& o) { return dominates(p, o, t); });
  front.push_back(p);
}

double joined(const Prefix& p, const Label& l, const ObjectiveWeights& weights) {
  return weights.time(p.sum + l.sum, std::max(p.max, l.max),
                      std::max({p.tail, l.relative - p.covered, l.step}));
}

Prefix extended(const Prefix& p, const StageCosts::Figures& f, double backward, bool sums) {
  return {std::max(p.max, f.max), sums ? p.sum + f.sum : 0,
          std::max(p.tail, std::max(0.0, f.sync - p.covered) + f.step), p.covered + backward};
}

/// What the stages on one side of a cell lack at best.
struct Lack {
  double bytes = kInfinity;
  int stage = -1;
};
Lack worse(const Lack& a, const Lack& b) {
  return b.bytes > a.bytes ? b : a;
}

}  // namespace

struct DpThrough::Prefixes {
  using Pass = DpProbe::Tables::Pass;

  Prefixes(const DpProbe::Tables& all, const Control& control) : t(all), m_watch(control, 0) {}

  const std::vector<Prefix>& front(std::size_t pass, std::size_t slot) const { return m_fronts[pass][slot]; }
  bool fill();
  Cell cellAt(int stage, int column) const;

  const DpProbe::Tables& t;

private:
  bool extend(std::size_t pass, int stage, int from);
  void lacks(const Pass&, std::vector<Lack>& before, std::vector<Lack>& behind);

  std::vector<std::vector<std::vector<Prefix>>> m_fronts;  ///< by pass and slot
  std::vector<std::vector<Lack>> m_before, m_behind;       ///< by pass and slot
  Tolerance m_tolerance;
  Watch m_watch;
};

bool DpThrough::Prefixes::extend(std::size_t pass, int stage, int from) {
  const Pass& p = t.passes[pass];
  auto& fronts = m_fronts[pass];
  const auto& here = fronts[t.slot(stage, from)];
  if (here.empty()) return true;
  std::vector<Part> storage;
  t.visitEnds(stage, from, [&](int to) {
    if (m_watch.shouldStop()) return false;
    if (p.fronts[t.slot(stage + 1, to)].empty()) return true;
    const Parts parts = t.partsOf(stage, from, to, storage);
    const Step step = t.stepOf(p, stage, from, parts);
    t.visitCosts(p, stage, step, parts, [&](const StageCosts::Figures& f) {
      for (const Prefix& prefix : here) {
        if (m_watch.shouldStopAfter(100 + fronts[t.slot(stage + 1, to)].size())) return;
        insert(fronts[t.slot(stage + 1, to)], extended(prefix, f, step.backward, t.weights.sum > 0),
               m_tolerance);
      }
    });
    return true;
  });
  return !m_watch.shouldStop();
}

/// The least that the fullest stage lacks, over all ways to cut the layers before and behind each cell.
void DpThrough::Prefixes::lacks(const Pass& pass, std::vector<Lack>& before, std::vector<Lack>& behind) {
  const std::size_t slots = at(t.stages + 1) * at(t.columns());
  before.assign(slots, {}), behind.assign(slots, {});
  before[t.slot(0, 0)] = behind[t.slot(t.stages, t.columns() - 1)] = {0, -1};
  std::vector<Part> storage;
  // More layers lack more, so that a chain's later ends need not be tried.
  const auto visit = [&](int i, int x, auto use) {
    t.visitEnds(i, x, [&](int to) {
      return !m_watch.shouldStop() && use(to, t.shortfall(pass, i, t.partsOf(i, x, to, storage)));
    });
  };
  for (int i = t.stages - 1; i >= 0; --i)
    for (int x = 0; x < t.columns(); ++x) {
      Lack& best = behind[t.slot(i, x)];
      visit(i, x, [&](int to, double own) {
        const Lack way = worse(behind[t.slot(i + 1, to)], {own, i});
        if (way.bytes < best.bytes) best = way;
        return own < best.bytes || !t.order.isChain() || own == kInfinity;
      });
    }
  for (int i = 0; i < t.stages; ++i)
    for (int x = 0; x < t.columns(); ++x) {
      const Lack& here = before[t.slot(i, x)];
      if (here.bytes == kInfinity) continue;
      visit(i, x, [&](int to, double own) {
        const Lack way = worse(here, {own, i});
        Lack& best = before[t.slot(i + 1, to)];
        if (way.bytes < best.bytes) best = way;
        return true;
      });
    }
}

bool DpThrough::Prefixes::fill() {
  double best = kInfinity;
  for (const Pass& pass : t.passes)
    for (const Label& l : pass.fronts[t.slot(0, 0)]) best = std::min(best, joined({}, l, t.weights));
  m_tolerance = Tolerance::of(
      best, t.problem.microbatchCount(t.plan.microbatch, t.plan.dataDegree(), t.plan.globalBatch));
  m_before.resize(t.passes.size()), m_behind.resize(t.passes.size());
  for (std::size_t k = 0; k < t.passes.size(); ++k) {
    m_fronts.emplace_back(at(t.stages + 1) * at(t.columns()));
    m_fronts[k][t.slot(0, 0)].emplace_back();
    for (int i = 0; i < t.stages; ++i)
      for (int x = 0; x < t.columns(); ++x)
        if (!extend(k, i, x)) return false;
    lacks(t.passes[k], m_before[k], m_behind[k]);
  }
  return !m_watch.shouldStop();
}

DpThrough::Cell DpThrough::Prefixes::cellAt(int stage, int column) const {
  Cell cell{kInfinity, kInfinity, -1};
  const std::size_t slot = t.slot(stage, column);
  for (std::size_t k = 0; k < t.passes.size(); ++k) {
    for (const Prefix& p : m_fronts[k][slot])
      for (const Label& l : t.passes[k].fronts[slot])
        cell.time = std::min(cell.time, joined(p, l, t.weights));
    const Lack lack = worse(m_before[k][slot], m_behind[k][slot]);
    if (lack.bytes < cell.shortfall) cell.shortfall = lack.bytes, cell.shortStage = lack.stage;
  }
  if (cell.time < kInfinity) cell.shortfall = 0, cell.shortStage = -1;
  return cell;
}

DpThrough::DpThrough(std::shared_ptr<const DpProbe> probe, std::unique_ptr<Prefixes> prefixes)
    : m_probe(std::move(probe)), m_prefixes(std::move(prefixes)), m_best(kInfinity) {}
DpThrough::~DpThrough() = default;

std::unique_ptr<DpThrough> DpThrough::of(std::shared_ptr<const DpProbe> probe, const Control& control) {
  const auto& t = *probe->m_tables;
  auto prefixes = std::make_unique<Prefixes>(t, control);
  if (!prefixes->fill()) return nullptr;
  auto all = std::unique_ptr<DpThrough>(new DpThrough(std::move(probe), std::move(prefixes)));
  all->m_cells.reserve(t.cells.size());
  for (int i = 0; i < t.stages; ++i)
    for (int x = 0; x < t.columns(); ++x) {
      if (control.shouldStop()) return nullptr;
      all->m_cells.push_back(all->m_prefixes->cellAt(i, x));
    }
  all->m_best = all->m_cells.front().time;
  return all;
}

const DpThrough::Cell& DpThrough::cell(int stage, int cut) const {
  return m_cells[m_probe->m_tables->slot(stage, cut)];
}

double DpThrough::time(int stage, int cut, int to) const {
  const auto& t = m_prefixes->t;
  double best = kInfinity;
  if (!t.mayStand(stage, cut, to)) return best;
  std::vector<Part> storage;
  const Parts parts = t.partsOf(stage, cut, to, storage);
  for (std::size_t k = 0; k < t.passes.size(); ++k) {
    const auto& pass = t.passes[k];
    const Step step = t.stepOf(pass, stage, cut, parts);
    t.visitCosts(pass, stage, step, parts, [&](const StageCosts::Figures& f) {
      for (const Prefix& p : m_prefixes->front(k, t.slot(stage, cut))) {
        const Prefix longer = extended(p, f, step.backward, t.weights.sum > 0);
        for (const Label& l : pass.fronts[t.slot(stage + 1, to)])
          best = std::min(best, joined(longer, l, t.weights));
      }
    });
  }
  return best;
}

}  // namespace nest
