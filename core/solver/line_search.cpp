// First what could be on any line (any_line.h). Its degrees that beat the limit come in turn: lines on which
// few of their blocks straddle groups are judged with the given cuts, changed part by part as long as that
// helps, and the best of them solved. Cost: some hundred evaluations and a few solves of one configuration
// for each of the degrees.
#include "solver/line_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "evaluation/evaluation.h"
#include "evaluation/schedule.h"
#include "model/strategy_subset.h"
#include "problem/device_count.h"
#include "solver/plain_first.h"
#include "solver/proof/any_line.h"
#include "solver/space/lines.h"
#include "solver/space/searched_plan.h"
#include "solver/tolerances.h"
#include "units/at.h"

namespace nest::solver {
namespace {

constexpr long long kLeastUnits = 40'000;   ///< of work, for the bound over all lines
constexpr int kMostDegrees = 8;             ///< that may beat the limit, and are looked at
constexpr std::size_t kMostSolved = 3;      ///< lines of one of them
constexpr std::size_t kMostImproved = 3;    ///< lines of one of them, part by part
constexpr long long kMostLooked = 100'000;  ///< devices of all plans that are judged, in each of these steps
constexpr double kFar = 1.1;  ///< times the limit, with the given cuts: other cuts hardly make up for it

using Parts = std::vector<Line::Part>;

Bound only(int value) {
  return {value, value};
}

/// The plan's degrees alone; how many replicas stand together is left open.
Problem withDegreesOf(const Problem& problem, const Plan& plan) {
  Problem p = problem;
  Constraints& c = p.constraints;
  c.microbatch = only(plan.microbatch), c.data = only(plan.dataDegree()), c.stages = only(plan.stageCount());
  c.zero = only(plan.zero), c.chunks = only(plan.chunksPerStage());
  p.search.schedules = {plan.schedule};
  p.search.topPlans = 1;
  p.search.deadlineSeconds = 0;
  std::set<int> used;
  for (const StagePlan& s : plan.stages) used.insert(p.profile->strategyIndex(s.strategy));
  p.search.strategyPerStage = p.search.strategyPerStage && used.size() > 1;
  p.profile = std::make_shared<const Profile>(
      withStrategies(*p.graph, *p.profile, std::vector<int>(used.begin(), used.end())));
  return p;
}

/// Devices by how fast they are and how much they hold: all, then those at least as good as some, the best
/// last.
std::vector<std::vector<char>> devicesAtLeast(const Hierarchy& cluster) {
  std::vector<std::vector<char>> all = {{}};
  if (cluster.hasUniformDevices()) return all;
  std::set<std::pair<double, double>> kinds;
  for (int i = 0; i < cluster.deviceCount(); ++i) {
    const DeviceFactor f = cluster.factor(DeviceIndex(i));
    kinds.insert({f.speed, f.memory.value()});
  }
  constexpr std::size_t kMostKinds = 4;
  for (auto kind = kinds.rbegin(); kind != kinds.rend() && all.size() <= kMostKinds; ++kind) {
    std::vector<char> usable;
    for (int i = 0; i < cluster.deviceCount(); ++i) {
      const DeviceFactor f = cluster.factor(DeviceIndex(i));
      usable.push_back(f.speed >= kind->first && f.memory.value() >= kind->second);
    }
    all.push_back(std::move(usable));
  }
  return all;
}

/// The plans of one set of degrees on lines, best first.
class DegreesOnLines {
public:
  DegreesOnLines(const Problem& problem, Plan plan, const Control& control)
      : m_problem(problem),
        m_plan(std::move(plan)),
        m_control(control),
        m_kinds(devicesAtLeast(*problem.cluster)) {
    m_use.unit = m_plan.stages.front().strategy.width();
    for (const StagePlan& s : m_plan.stages) m_use.unit = std::min(m_use.unit, s.strategy.width());
  }

  /// With each number of replicas in a block: where each stands is cheapest, all cost the same. What is far
  /// above `limit` is left as it is.
  void look(double limit) {
    const int replicas = m_plan.dataDegree();
    for (int inner = replicas; inner >= 1; --inner)
      if (replicas % inner == 0 && m_problem.constraints.dataInner.allows(inner)) {
        packBlocksOf(inner);
        m_looked = 0;
        findStarts();
      }
    std::stable_sort(m_starts.begin(), m_starts.end(),
                     [](const auto& a, const auto& b) { return a.time < b.time; });
    for (std::size_t k = 0; k < std::min(kMostImproved, m_starts.size()); ++k) {
      const Start& start = m_starts[k];
      if (!(start.time < limit * kFar)) break;
      packBlocksOf(start.inner);
      m_looked = 0;
      improve(Line(*m_problem.cluster, start.level, start.unit, m_kinds[start.kind]), start.time,
              start.parts);
    }
    std::erase_if(m_lines, [&](const Judged& j) { return !(j.time < limit * kFar); });
    std::stable_sort(m_lines.begin(), m_lines.end(),
                     [](const auto& a, const auto& b) { return a.time < b.time; });
  }

  /// The best of its lines, solved.
  std::optional<RankedPlan> solve(const Tuning& tuning) {
    const Problem own = withDegreesOf(m_problem, m_plan);
    Control quiet = m_control;
    quiet.progress = nullptr, quiet.found = nullptr;
    quiet.front = FrontEffort::None;
    std::optional<RankedPlan> best;
    for (std::size_t k = 0; k < std::min(kMostSolved, m_lines.size()) && !m_control.shouldStop(); ++k) {
      const std::vector<int>& positions = m_lines[k].positions;
      Plan begin = m_plan;
      begin.dataInner = m_lines[k].inner, begin.dataOuter = m_plan.dataDegree() / begin.dataInner;
      begin.blockStride = begin.pipelineWidth();
      const Problem onThis = onLine(own, positions);
      const Outcome o = solveAtOnce(onThis, quiet, &begin, tuning);
      statistics.add(o.statistics);
      if (!o.best()) continue;
      RankedPlan r;
      r.plan = o.best()->plan;
      const long long end = (r.plan.dataOuter - 1LL) * r.plan.blockStride + r.plan.pipelineWidth();
      for (long long i = 0; i < end; ++i) r.plan.deviceOrder.emplace_back(positions[at(i)]);
      r.evaluation = evaluate(m_problem, r.plan);
      if (r.evaluation.feasible() && (!best || r.evaluation.ranked < best->evaluation.ranked))
        best = std::move(r);
    }
    return best;
  }

  SolveStatistics statistics;

private:
  void packBlocksOf(int inner) {
    const int replicas = m_plan.dataDegree();
    m_plan.dataInner = inner, m_plan.dataOuter = replicas / inner;
    m_plan.blockStride = m_plan.pipelineWidth();
    m_use.cell = m_plan.stageWidth(0), m_use.devices = m_plan.devicesUsed();
    m_use.crossings = m_plan.dataOuter == 1 ? crossingCosts() : std::vector<double>();
    m_seen.clear();
  }

  /// Boundaries that cross groups should stand where stages do little: the largest load counts most.
  std::vector<double> crossingCosts() const {
    const int stages = m_plan.stageCount();
    std::vector<double> loads, costs;
    for (const StageEvaluation& s : evaluate(m_problem, m_plan).stages)
      loads.push_back((s.load - s.exchange[Exchange::Pipeline]).value());
    for (int i = 1; i < stages; ++i)
      if (m_plan.stageWidth(i) != m_plan.stageWidth(0)) return {};
    if (static_cast<int>(loads.size()) != stages) return {};
    const double most = *std::max_element(loads.begin(), loads.end());
    constexpr double kSharpness = 32, kEach = 0.01;
    for (int i = 0; i + 1 < stages; ++i)
      costs.push_back(kEach + std::pow(std::max(loads[at(i)], loads[at(i + 1)]) / most, kSharpness));
    return costs;
  }

  void findStarts() {
    const Hierarchy& cluster = *m_problem.cluster;
    for (std::size_t kind = 0; kind < m_kinds.size(); ++kind)
      for (int level = 0; level == 0 || level + 1 < cluster.levelCount(); ++level)
        for (const int unit : std::set<int>{1, m_use.unit}) {
          const Line line(cluster, level, unit, m_kinds[kind]);
          Start best{std::numeric_limits<double>::infinity(), m_plan.dataInner, level, unit, kind, {}};
          for (Parts& parts : startsOn(line, m_kinds[kind]))
            if (const double time = judge(line, parts); time < best.time)
              best.time = time, best.parts = std::move(parts);
          if (!best.parts.empty()) m_starts.push_back(std::move(best));
        }
  }

  /// Where devices differ, the slow ones also at either end.
  std::vector<Parts> startsOn(const Line& line, const std::vector<char>& usable) const {
    auto all = partsFor(line, m_use);
    if (m_problem.cluster->hasUniformDevices() || !usable.empty()) return all;
    const std::size_t before = all.size();
    for (std::size_t k = 0; k < before; ++k)
      for (const bool slowFirst : {false, true}) {
        Parts parts = all[k];
        const auto speed = [&](const Line::Part& p) {
          double least = 1;
          for (const int position : line.positions({p}, p.taken))
            least = std::min(least, m_problem.cluster->factor(DeviceIndex(position)).speed);
          return slowFirst ? least : -least;
        };
        std::stable_sort(parts.begin(), parts.end(),
                         [&](const auto& a, const auto& b) { return speed(a) < speed(b); });
        all.push_back(std::move(parts));
      }
    return all;
  }

  bool mayLook() const { return m_looked < kMostLooked && !m_control.shouldStop(); }

  double judge(const Line& line, const Parts& parts) {
    constexpr double kNone = std::numeric_limits<double>::infinity();
    if (!mayLook()) return kNone;
    m_looked += m_plan.devicesUsed();
    const std::vector<int> positions = line.positions(parts, m_use.devices);
    if (static_cast<long long>(positions.size()) < m_plan.devicesUsed() || !m_seen.insert(positions).second)
      return kNone;
    Plan plan = m_plan;
    for (const int p : positions) plan.deviceOrder.emplace_back(p);
    const Evaluation e = evaluate(m_problem, plan);
    if (!e.feasible()) return kNone;
    m_lines.push_back({e.ranked.value(), m_plan.dataInner, positions});
    return e.ranked.value();
  }

  /// Exchanges two parts, moves some of one to another, or to a group that gives none yet, as long as that
  /// helps.
  void improve(const Line& line, double time, Parts parts) {
    const auto better = [&](const Parts& next) {
      const double own = judge(line, next);
      if (!(own < time * (1 - kEvaluatorAgreement))) return false;
      time = own, parts = next;
      return true;
    };
    std::vector<int> steps = {m_use.unit, std::max(1, m_use.cell / 2), m_use.cell};
    for (bool improves = true; improves && mayLook();) {
      improves = false;
      // Groups that give nothing stand behind.
      for (int g = 0; g < line.groups(); ++g)
        if (std::none_of(parts.begin(), parts.end(), [g](const auto& p) { return p.group == g; }))
          parts.push_back({g, 0});
      for (std::size_t i = 0; i < parts.size() && !improves && mayLook(); ++i)
        for (std::size_t j = 0; j < parts.size() && !improves && mayLook(); ++j) {
          if (i == j) continue;
          if (i < j) {
            Parts next = parts;
            std::swap(next[i], next[j]);
            improves = better(next);
          }
          for (const int step : steps) {
            if (improves || parts[i].taken < step || parts[j].taken + step > line.room(parts[j].group))
              continue;
            Parts next = parts;
            next[i].taken -= step, next[j].taken += step;
            improves = better(next);
          }
        }
    }
  }

  const Problem& m_problem;
  Plan m_plan;
  const Control& m_control;
  LineUse m_use;
  long long m_looked = 0;
  std::set<std::vector<int>> m_seen;
  struct Judged {
    double time;  ///< with the given cuts
    int inner;
    std::vector<int> positions;
  };
  struct Start {
    double time;
    int inner, level, unit;
    std::size_t kind;
    Parts parts;
  };
  std::vector<std::vector<char>> m_kinds;  ///< devicesAtLeast()
  std::vector<Start> m_starts;
  std::vector<Judged> m_lines;
};

}  // namespace

OnLines searchLines(const Problem& problem, double limit, long long states, const Control& control,
                    const Tuning& tuning) {
  OnLines out;
  // A unit of work is some 64 steps.
  const long long units = kLeastUnits + states / 64;
  Control own = control;
  const long long given = control.work ? std::min(units, control.work->left()) : units;
  own.work = std::make_shared<WorkLimit>(given);
  const AnyLine any = boundAnyLine(problem, limit, kMostDegrees, own, tuning);
  if (control.work) control.work->spend(given - own.work->left());
  out.bound = any.bound;
  out.isComplete = any.isComplete;
  out.statistics = any.statistics;
  Tuning quick = tuning;
  quick.findsMisses = false;
  for (std::size_t k = 0; k < any.open.size() && !control.shouldStop(); ++k) {
    if (any.times[k] >= limit) break;
    DegreesOnLines degrees(problem, any.open[k], control);
    degrees.look(limit);
    auto found = degrees.solve(quick);
    out.statistics.add(degrees.statistics);
    if (!found || found->evaluation.ranked.value() >= limit * (1 - kEvaluatorAgreement)) continue;
    limit = found->evaluation.ranked.value();
    out.best = std::move(found);
  }
  if (out.best) out.best->simulated = simulate(problem, out.best->plan, out.best->evaluation, false).total;
  return out;
}

double leastOnAnyLine(const Problem& problem, double limit, const Tuning& tuning) {
  Control none;
  none.work = std::make_shared<WorkLimit>(0);
  return boundAnyLine(problem, limit, 1, none, tuning).bound;
}

std::optional<RankedPlan> planOnLine(const Problem& problem, const Plan& plan) {
  const Hierarchy& cluster = *problem.cluster;
  if (plan.deviceOrder.empty() || plan.stages.empty()) return std::nullopt;
  std::vector<int> positions;
  std::vector<std::set<int>> left(at(cluster.levelCount()));
  for (const DeviceIndex d : plan.deviceOrder) {
    if (d.value < 0 || d.value >= cluster.deviceCount()) return std::nullopt;
    for (int l = 0; l < cluster.levelCount(); ++l) {
      const int group = cluster.groupOf(l, d.value);
      if (left[at(l)].contains(group)) return std::nullopt;  // it was left before
      if (!positions.empty() && cluster.groupOf(l, positions.back()) != group)
        left[at(l)].insert(cluster.groupOf(l, positions.back()));
    }
    positions.push_back(d.value);
  }
  if (std::set<int>(positions.begin(), positions.end()).size() < positions.size()) return std::nullopt;
  const Problem line = onLine(problem, positions);
  RankedPlan r;
  r.plan = plan;
  r.plan.deviceOrder.clear();
  if (!isSearched(SearchSpace(line), r.plan) || !evaluate(line, r.plan).feasible()) return std::nullopt;
  r.plan.deviceOrder = plan.deviceOrder;
  r.evaluation = evaluate(problem, r.plan);
  if (!r.evaluation.feasible()) return std::nullopt;
  r.simulated = simulate(problem, r.plan, r.evaluation, false).total;
  return r;
}

}  // namespace nest::solver
