#include <algorithm>
#include <cmath>
#include <numeric>

#include "solver/baselines/equal_split.h"
#include "solver/baselines/methods.h"
#include "units/at.h"

namespace nest::baselines {
namespace {

/// A generator with the same sequence on every platform, unlike the standard distributions.
class Dice {
public:
  explicit Dice(std::uint64_t seed) : m_state(seed * 0x9E3779B97F4A7C15ull + 0x1234567ull) {}
  std::uint64_t next() {  // splitmix64
    std::uint64_t z = (m_state += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  int below(int n) { return n <= 1 ? 0 : static_cast<int>(next() % static_cast<std::uint64_t>(n)); }
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

private:
  std::uint64_t m_state;
};

/// How strongly worse plans are refused: a plan 2 % slower is accepted with probability 1/e.
constexpr double kSharpness = 50;

class Walk {
public:
  Walk(const Problem& p, const Control& control, std::uint64_t seed)
      : m_problem(p), m_control(control), m_dice(seed), m_microbatches(microbatchesOnOffer(p)) {}

  long long evaluated = 0;

  /// The plan of least energy that was visited; nullopt if no start was found.
  std::optional<RankedPlan> run(int steps) {
    std::optional<Plan> start;
    for (int tries = 0; tries < 50 && !start; ++tries) start = onOffer(randomDegrees());
    if (!start) return std::nullopt;
    RankedPlan current = judged(std::move(*start));
    RankedPlan best = current;
    for (int i = 0; i < steps && !stopped(m_control); ++i) {
      std::optional<Plan> next = onOffer(neighbour(current.plan));
      if (!next) continue;
      RankedPlan candidate = judged(std::move(*next));
      const double rise = energy(candidate) / energy(current) - 1;
      if (rise > 0 && m_dice.unit() >= std::exp(-kSharpness * rise)) continue;
      current = std::move(candidate);
      if (beats(current, best)) best = current;
    }
    return best;
  }

  /// The batch time, raised by what is missing, so that a walk finds its way to plans that fit.
  static double energy(const RankedPlan& r) {
    double penalty = 0;
    for (const Violation& v : r.evaluation.violations) {
      const double capacity = v.stage >= 0 && v.stage < static_cast<int>(r.evaluation.stages.size())
                                  ? r.evaluation.stages[at(v.stage)].memory.capacity.value()
                                  : 0;
      penalty +=
          v.kind == Violation::Kind::Memory && capacity > 0 ? 1 + 10 * v.shortfall.value() / capacity : 100;
    }
    return std::max(1e-30, r.evaluation.batchTime.value()) * (1 + penalty);
  }

  /// Whether `a` has less energy, or equal energy (relative 1e-12) and the lower ZeRO stage.
  static bool beats(const RankedPlan& a, const RankedPlan& b) {
    const double x = energy(a), y = energy(b);
    if (std::abs(x - y) <= 1e-12 * std::max(x, y)) return a.plan.zero < b.plan.zero;
    return x < y;
  }

private:
  RankedPlan judged(Plan p) {
    ++evaluated;
    RankedPlan r{std::move(p), {}, {}};
    r.evaluation = evaluate(m_problem, r.plan);
    return r;
  }

  /// The plan under an available ZeRO stage. One rank has nothing to shard: such plans are equal to those
  /// without ZeRO and are replaced by them.
  std::optional<Plan> onOffer(std::optional<Plan> p) {
    const auto& zeroStages = m_problem.search.zeroStages;
    const auto offers = [&](int z) {
      return std::find(zeroStages.begin(), zeroStages.end(), z) != zeroStages.end();
    };
    if (!p) return p;
    const bool shares = std::any_of(p->stages.begin(), p->stages.end(), [&](const StagePlan& s) {
      return p->dataDegree() * s.strategy.context > 1;
    });
    if (!shares && !offers(0)) return std::nullopt;
    if (!shares)
      p->zero = 0;
    else if (!offers(p->zero))
      p->zero = one(zeroStages);
    return p;
  }

  template <class T>
  const T& one(const std::vector<T>& all) {
    return all[at(m_dice.below(static_cast<int>(all.size())))];
  }

  std::optional<Plan> randomDegrees() {
    const Strategy strategy = one(m_problem.profile->strategies());
    const int most =
        std::min(m_problem.graph->layerCount(), m_problem.cluster->deviceCount() / strategy.width());
    if (most < 1) return std::nullopt;
    // Powers of two are as likely as all other degrees together.
    int s = 1 + m_dice.below(most);
    if (m_dice.below(2) == 0)
      for (s = 1; s * 2 <= most && m_dice.below(3) > 0;) s *= 2;
    return withDegrees(one(m_microbatches), strategy, s, 0, one(m_problem.search.zeroStages),
                       randomRecompute());
  }

  Recompute randomRecompute() {
    std::vector<Recompute> offered;
    for (int r = 0; r < kRecomputeCount; ++r)
      if (m_problem.search.recompute[at(r)]) offered.push_back(static_cast<Recompute>(r));
    return offered.empty() ? Recompute::None : one(offered);
  }

  /// d = 0: chooses one of the largest that fit.
  std::optional<Plan> withDegrees(int b, const Strategy& strategy, int s, int d, int z, Recompute r) {
    const auto all = dataDegrees(m_problem, b, s * strategy.width(), strategy);
    if (all.empty()) return std::nullopt;
    if (d == 0)
      d = all[all.size() - 1 -
              static_cast<std::size_t>(m_dice.below(std::min<int>(2, static_cast<int>(all.size()))))];
    if (!std::binary_search(all.begin(), all.end(), d)) return std::nullopt;
    Plan p = equalSplitPlan(*m_problem.graph, b, d, z, s, 1, strategy, r);
    if (p.stages.empty()) return std::nullopt;
    return p;
  }

  std::optional<Plan> neighbour(const Plan& p) {
    switch (m_dice.below(8)) {
      case 0:
        return randomDegrees();
      case 1:
        return otherDegree(p);
      case 2:
        return otherRecompute(p);
      case 3:
        return otherZero(p);
      case 4:
        return otherOrder(p);
      case 5:
        return otherArrangement(p);
      default:
        return movedCut(p);
    }
  }

  std::optional<Plan> otherDegree(const Plan& p) {
    Strategy strategy = p.stages.front().strategy;
    int s = p.stageCount(), b = p.microbatch;
    switch (m_dice.below(3)) {
      case 0:
        strategy = one(m_problem.profile->strategies());
        break;
      case 1:
        s = std::max(1, s + (m_dice.below(2) ? 1 : -1) * (1 + m_dice.below(2)));
        break;
      default:
        b = one(m_microbatches);
        break;
    }
    return withDegrees(b, strategy, s, 0, p.zero, p.stages.front().recompute);
  }

  std::optional<Plan> otherRecompute(Plan p) {
    p.stages[at(m_dice.below(p.stageCount()))].recompute = randomRecompute();
    return p;
  }

  std::optional<Plan> otherZero(Plan p) {
    p.zero = one(m_problem.search.zeroStages);
    return p;
  }

  /// Swaps two runs of devices, each as long as one replica of a stage, in the placement order.
  std::optional<Plan> otherOrder(Plan p) {
    const int devices = m_problem.cluster->deviceCount(), run = p.stages.front().strategy.width();
    const int runs = devices / run;
    if (runs < 2) return std::nullopt;
    if (p.deviceOrder.empty())
      for (int i = 0; i < devices; ++i) p.deviceOrder.push_back(DeviceIndex(i));
    const int a = m_dice.below(runs), b = m_dice.below(runs);
    if (a == b) return std::nullopt;
    std::swap_ranges(p.deviceOrder.begin() + a * run, p.deviceOrder.begin() + (a + 1) * run,
                     p.deviceOrder.begin() + b * run);
    return p;
  }

  /// Chooses how many replicas are next to each other.
  std::optional<Plan> otherArrangement(Plan p) {
    const int d = p.dataDegree();
    std::vector<int> inner;
    for (int i = 1; i <= d; ++i)
      if (d % i == 0 && p.stages.front().strategy.fitsExperts(i)) inner.push_back(i);
    if (inner.empty()) return std::nullopt;
    p.dataInner = one(inner);
    p.dataOuter = d / p.dataInner;
    p.blockStride = p.pipelineWidth();
    return p;
  }

  std::optional<Plan> movedCut(Plan p) {
    if (p.stageCount() < 2 || !m_problem.graph->isChain()) return std::nullopt;
    const auto i = static_cast<std::size_t>(m_dice.below(p.stageCount() - 1));
    auto &left = p.stages[i].chunks.front(), &right = p.stages[i + 1].chunks.front();
    if (m_dice.below(2) == 0) {
      if (left.size() < 2) return std::nullopt;
      right.insert(right.begin(), left.back());
      left.pop_back();
    } else {
      if (right.size() < 2) return std::nullopt;
      left.push_back(right.front());
      right.erase(right.begin());
    }
    return p;
  }

  const Problem& m_problem;
  const Control& m_control;
  Dice m_dice;
  std::vector<int> m_microbatches;
};

}  // namespace

BaselineResult randomWalk(const Problem& problem, const Control& control, const BaselineOptions& options) {
  BaselineResult r;
  if (problem.profile->strategies().empty() || microbatchesOnOffer(problem).empty() ||
      problem.search.zeroStages.empty()) {
    r.note = "no strategy is searched";
    return r;
  }
  int begun = 0;
  for (int i = 0; i < options.walks && !stopped(control); ++i, ++begun) {
    Walk walk(problem, control, options.seed + static_cast<std::uint64_t>(i) * 7919u);
    auto end = walk.run(options.steps);
    r.evaluated += walk.evaluated;
    if (end && (!r.plan || Walk::beats(*end, *r.plan))) r.plan = std::move(end);
    if (control.progress)
      control.progress({.phase = {},
                        .fraction = static_cast<double>(i + 1) / options.walks,
                        .best = r.plan ? std::optional(r.plan->evaluation.batchTime) : std::nullopt,
                        .states = r.evaluated});
  }
  r.complete = !stopped(control);
  const std::string walks = std::to_string(options.walks) + " walks of up to " +
                            std::to_string(options.steps) + " steps, seed " + std::to_string(options.seed);
  r.note = !r.plan      ? "no plan was found to start from"
           : r.complete ? "best of " + walks
                        : "the best met in " + std::to_string(begun) + " of " + walks;
  return r;
}

}  // namespace nest::baselines
