// The best plan through each cell of a DP table against the enumeration of all plans.
#include <QtTest/QTest>
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "evaluation/evaluation.h"
#include "solver/dp_through.h"
#include "solver/exhaustive.h"
#include "solver/solve.h"
#include "support/random_instance.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;

namespace {

/// Equal in everything that a table holds fixed.
bool ofOneTable(const Plan& a, const Plan& b) {
  const auto fixed = [](const Plan& p) {
    return std::tuple(p.globalBatch, p.microbatch, p.dataInner, p.dataOuter, p.blockStride, p.zero,
                      p.shardDegree(), p.schedule, p.stageCount(), p.chunksPerStage());
  };
  if (fixed(a) != fixed(b) || !b.deviceOrder.empty()) return false;
  for (std::size_t i = 0; i < a.stages.size(); ++i)
    if (a.stages[i].strategy != b.stages[i].strategy ||
        (a.chunksPerStage() > 1 && a.stages[i].chunks != b.stages[i].chunks))
      return false;
  return true;
}

/// Layers with shared parameters are in the same stages, which a table holds fixed.
bool tiedAs(const Problem& p, const Plan& a, const Plan& b) {
  if (!p.profile->tied) return true;
  const auto stageOf = [](const Plan& plan, LayerIndex x) {
    for (int i = 0; i < plan.stageCount(); ++i)
      for (const auto& chunk : plan.stages[static_cast<std::size_t>(i)].chunks)
        if (std::find(chunk.begin(), chunk.end(), x) != chunk.end()) return i;
    return -1;
  };
  return stageOf(a, p.profile->tied->first) == stageOf(b, p.profile->tied->first) &&
         stageOf(a, p.profile->tied->second) == stageOf(b, p.profile->tied->second);
}

/// What the enumeration says of a cell.
struct Truth {
  double time = INFINITY, shortfall = INFINITY;
  double memory = 0;  ///< bytes of the fullest stage of any plan: what the shortfall is a difference of
  std::map<int, double> byEnd;  ///< time, by the number of layers before the stage's end
};

/// By stage and by what identifies a cell: in a chain the number of layers before it, in a DAG the lowest
/// layer behind it, with which several cells are one.
using Truths = std::map<std::pair<int, int>, Truth>;

Truths truthsOf(const Problem& problem, const Plan& of) {
  Truths all;
  const bool chain = problem.graph->isChain();
  visitPlans(problem, [&](const Plan& p) {
    if (!ofOneTable(of, p) || !tiedAs(problem, of, p)) return true;
    const Evaluation e = evaluate(problem, p);
    double lacking = 0;
    for (const Violation& v : e.violations) {
      if (v.kind != Violation::Kind::Memory) return true;
      lacking = std::max(lacking, v.shortfall.value());
    }
    int before = 0;
    std::set<int> left;
    for (int x = 0; x < problem.graph->layerCount(); ++x) left.insert(x);
    for (int i = 0; i < p.stageCount(); ++i) {
      const StagePlan& s = p.stages[static_cast<std::size_t>(i)];
      Truth& truth = all[{i, chain ? p.chunksPerStage() > 1 ? i : before : *left.begin()}];
      for (const LayerIndex x : s.layers()) left.erase(x.value);
      before += static_cast<int>(s.layers().size());
      truth.shortfall = std::min(truth.shortfall, lacking);
      for (const StageEvaluation& stage : e.stages)
        truth.memory = std::max(truth.memory, stage.memory.total().value());
      if (!e.feasible()) continue;
      truth.time = std::min(truth.time, e.batchTime.value());
      auto& end = truth.byEnd.try_emplace(before, INFINITY).first->second;
      end = std::min(end, e.batchTime.value());
    }
    return true;
  });
  return all;
}

bool same(double a, double b) {
  return a == b || std::abs(a - b) <= 1e-9 * std::abs(b);
}

bool sameBytes(double lacking, const Truth& t) {
  return lacking == t.shortfall || std::abs(lacking - t.shortfall) <= 1e-9 * t.memory;
}

struct Seen {
  int tables = 0, empty = 0, bounds = 0;
};

/// Compares every cell; the first difference as text.
QString differs(const Problem& problem, const Plan& plan, Seen& seen) {
  std::string why;
  const std::shared_ptr<const DpProbe> probe = DpProbe::of(problem, plan, why);
  if (!probe) return {};
  const auto through = DpThrough::of(probe, {});
  if (!through) return QStringLiteral("ended");
  ++seen.tables;
  const Truths truths = truthsOf(problem, plan);
  const bool chain = problem.graph->isChain(), chunked = plan.chunksPerStage() > 1;
  for (int i = 0; i < probe->stageCount(); ++i) {
    std::map<int, Truth> found;
    for (int x = 0; x < probe->cutCount(); ++x) {
      const auto& cell = through->cell(i, x);
      Truth& f = found[chain ? x : probe->firstLayer(x)];
      f.time = std::min(f.time, cell.time);
      f.shortfall = std::min(f.shortfall, cell.shortfall);
      seen.empty += !cell.fits() && cell.shortfall < INFINITY;
      seen.bounds += probe->cell(i, x).isBound;
      if (cell.fits() && probe->cell(i, x).time > cell.time * (1 + 1e-9))
        return QStringLiteral("stage %1 cut %2: from here %3, whole %4")
            .arg(i)
            .arg(x)
            .arg(probe->cell(i, x).time)
            .arg(cell.time);
      double best = INFINITY;
      for (const DpAlternative& a : probe->alternatives(i, x)) {
        const double time = through->time(i, x, a.to);
        best = std::min(best, time);
        if (!chain || chunked) continue;
        const auto cellTruth = truths.find({i, x});
        const double end = cellTruth == truths.end() || !cellTruth->second.byEnd.contains(a.to)
                               ? INFINITY
                               : cellTruth->second.byEnd.at(a.to);
        if (!same(time, end))
          return QStringLiteral("stage %1 from %2 to %3: %4, enumerated %5")
              .arg(i)
              .arg(x)
              .arg(a.to)
              .arg(time)
              .arg(end);
      }
      if (!same(best, cell.time))
        return QStringLiteral("stage %1 cut %2: best end %3, cell %4").arg(i).arg(x).arg(best).arg(cell.time);
    }
    for (const auto& [key, f] : found) {
      const auto it = truths.find({i, key});
      const Truth t = it == truths.end() ? Truth() : it->second;
      if (!same(f.time, t.time) || (t.time == INFINITY && !sameBytes(f.shortfall, t)))
        return QStringLiteral("stage %1 cell %2: %3 s lacking %4, enumerated %5 s lacking %6")
            .arg(i)
            .arg(key)
            .arg(f.time)
            .arg(f.shortfall)
            .arg(t.time)
            .arg(t.shortfall);
    }
  }
  return {};
}

/// Compares the tables of many random instances.
Seen compared(const InstanceFeatures& features, std::uint64_t seeds,
              const std::function<bool(const Problem&, const Plan&)>& requested = {},
              const std::function<void(Problem&)>& change = {}) {
  Seen seen;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Problem problem = randomInstance(seed, features);
    if (change) change(problem);
    const Outcome outcome = solve(problem);
    const Plan* plan = outcome.best()        ? &outcome.best()->plan
                       : outcome.nearestMiss ? &outcome.nearestMiss->plan
                                             : nullptr;
    if (!plan || (requested && !requested(problem, *plan))) continue;
    if (const QString wrong = differs(problem, *plan, seen); !wrong.isEmpty()) {
      qWarning("seed %llu: %s", static_cast<unsigned long long>(seed), qPrintable(wrong));
      return {-1, 0, 0};
    }
  }
  return seen;
}

bool strategiesDiffer(const Problem&, const Plan& plan) {
  return std::any_of(plan.stages.begin(), plan.stages.end(),
                     [&](const StagePlan& s) { return s.strategy != plan.stages.front().strategy; });
}

}  // namespace

class TestDpThrough : public QObject {
  Q_OBJECT
private slots:
  void everyCellOfAChain() {
    const Seen seen = compared(uniformStrategyChain(), 200);
    QVERIFY2(seen.tables > 100 && seen.empty > 50, qPrintable(QString::number(seen.tables)));
  }
  void underRules() {
    auto features = uniformStrategyChain();
    features.constraints = features.memoryToTheByte = true;
    QVERIFY(compared(features, 200).tables > 50);
  }
  /// Stages that must recompute in the same way are not mixed in one cell.
  void underOnePolicy() {
    auto features = uniformStrategyChain();
    features.tightMemory = true;
    const auto change = [](Problem& p) { p.constraints.megatronExpressible = true; };
    QVERIFY(compared(features, 200, {}, change).tables > 80);
  }
  void everyCellOfADag() {
    auto features = uniformStrategyChain();
    features.dags = true;
    QVERIFY(compared(features, 200, [](const Problem& p, const Plan&) {
              return !p.graph->isChain();
            }).tables > 30);
  }
  void chunksAndOneStage() {
    auto features = uniformStrategyChain();
    features.interleave = true;
    features.interleaved = 1;
    QVERIFY(compared(features, 200, [](const Problem&, const Plan& p) {
              return p.chunksPerStage() > 1;
            }).tables > 20);
    QVERIFY(compared(uniformStrategyChain(), 200, [](const Problem&, const Plan& p) {
              return p.stageCount() == 1;
            }).tables > 10);
  }
  /// Where a cell's own time is a bound, that of the whole plan is exact all the same.
  void aStrategyForEachStage() {
    auto features = uniformStrategyChain();
    features.strategyPerStage = true;
    features.freeStrategies = 1;
    QVERIFY(compared(features, 900, strategiesDiffer).tables > 15);
  }
  void devicesThatDiffer() {
    auto features = uniformStrategyChain();
    features.deviceFactors = true;
    const Seen seen = compared(features, 300,
                               [](const Problem& p, const Plan&) { return !p.cluster->hasUniformDevices(); });
    QVERIFY(seen.tables > 30);
    QVERIFY(seen.bounds > 0);
  }
  void everySchedule() {
    auto features = uniformStrategyChain();
    features.schedules = features.interleave = true;
    QVERIFY(compared(features, 400, [](const Problem&, const Plan& p) {
              return p.schedule != ScheduleKind::OneForwardOneBackward;
            }).tables > 20);
  }
  /// The plan passes through cells of ratio 1, and the terms of an end add up to its time.
  void thePlanIsTheBest() {
    int tables = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      const Problem problem = randomInstance(seed, uniformStrategyChain());
      const Outcome outcome = solve(problem);
      std::string why;
      const std::shared_ptr<const DpProbe> probe =
          outcome.best() ? DpProbe::of(problem, outcome.best()->plan, why) : nullptr;
      if (!probe) continue;
      const auto through = DpThrough::of(probe, {});
      ++tables;
      QVERIFY(same(through->best(), outcome.best()->evaluation.batchTime.value()));
      for (int i = 0; i < probe->stageCount(); ++i)
        for (int x = 0; x < probe->cutCount(); ++x) {
          if (probe->cell(i, x).onPath) QVERIFY(same(through->ratio(i, x), 1));
          QVERIFY(!through->cell(i, x).fits() || through->ratio(i, x) >= 1 - 1e-9);
          for (const DpAlternative& a : probe->alternatives(i, x)) {
            if (!std::isfinite(a.time)) continue;
            const DpTerms& t = a.terms;
            QVERIFY(same(a.time, probe->sumWeight() * (t.fill + t.fillBehind) +
                                     probe->maxWeight() * std::max(t.pace, t.paceBehind) + t.tail));
          }
        }
    }
    QVERIFY(tables > 50);
  }
  void canBeStopped() {
    const Problem problem = randomInstance(3, uniformStrategyChain());
    const Outcome outcome = solve(problem);
    QVERIFY(outcome.best());
    std::string why;
    const std::shared_ptr<const DpProbe> probe = DpProbe::of(problem, outcome.best()->plan, why);
    QVERIFY(probe);
    std::stop_source source;
    source.request_stop();
    Control control;
    control.stop = source.get_token();
    QVERIFY(!DpThrough::of(probe, control));
  }
};
NEST_TEST(TestDpThrough)
#include "test_dp_through.moc"
