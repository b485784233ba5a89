#include <algorithm>

#include "cluster/levels/scale_up.h"
#include "solver/baselines/equal_split.h"
#include "solver/baselines/methods.h"

namespace nest::baselines {
namespace {

int hostSize(const Problem& p) {
  return scaleUpSize(*p.cluster);
}

bool matches(const std::optional<int>& typed, int value) {
  return !typed || *typed == value;
}

/// The strategies in the order in which a person tries them: no context parallelism unless requested, then by
/// number of devices, sequence parallelism wherever available, few expert groups first.
std::vector<Strategy> strategiesByHand(const Problem& p, const ManualDegrees& typed) {
  std::vector<Strategy> out;
  for (const Strategy& s : p.profile->strategies()) {
    if (!matches(typed.tensor, s.tensor) || !matches(typed.expert, s.expert)) continue;
    if (typed.context ? s.context != *typed.context : s.context != 1) continue;
    if (!typed.tensor && s.tensor > hostSize(p)) continue;
    out.push_back(s);
  }
  std::sort(out.begin(), out.end(), [](const Strategy& a, const Strategy& b) {
    if (a.width() != b.width()) return a.width() < b.width();
    if (a.sequence != b.sequence) return a.sequence;
    return a.expert < b.expert;
  });
  return out;
}

class Rules {
public:
  Rules(const Problem& p, const Control& control, const ManualDegrees& typed)
      : m_problem(p), m_control(control), m_typed(typed) {}

  BaselineResult run() {
    const auto strategies = strategiesByHand(m_problem, m_typed);
    const int widest = strategies.empty() ? 0 : strategies.back().width();
    // The tensor degree grows within a host first; only then does the number of stages grow.
    const int most = m_problem.graph->layerCount();
    for (int s = m_typed.stages.value_or(1); s <= m_typed.stages.value_or(most) && !done(); ++s)
      for (const Strategy& strategy : strategies) {
        if (s > 1 && !m_typed.tensor && !m_typed.stages && strategy.width() < widest) continue;
        if (tryAll(s, strategy)) break;
      }
    if (!m_result.plan && m_nearest) {
      m_result.plan = std::move(m_nearest);
      m_result.note = "no manual plan fits; this is the closest one";
    } else if (!m_result.plan) {
      m_result.note = strategies.empty() ? "no such strategy is searched"
                                         : "the degrees do not suit the batch or the cluster";
    }
    m_result.complete = !stopped(m_control);
    return std::move(m_result);
  }

private:
  bool done() const { return m_result.plan.has_value() || stopped(m_control); }

  bool tryAll(int s, const Strategy& strategy) {
    const auto offered = microbatchesOnOffer(m_problem);
    for (const int b : offered) {
      if (m_typed.microbatch ? b != *m_typed.microbatch : b != offered.front()) continue;
      const auto degrees = dataDegrees(m_problem, b, s * strategy.width(), strategy);
      for (const int z : zeroStages()) {
        for (const Recompute r : {Recompute::None, Recompute::Selective, Recompute::Full}) {
          if (m_typed.recompute ? r != *m_typed.recompute : !m_problem.search.recompute[r]) continue;
          for (auto d = degrees.rbegin(); d != degrees.rend(); ++d) {
            if (m_typed.data && *m_typed.data != *d) continue;
            // One rank has nothing to shard.
            if (z > 0 && !m_typed.zero && *d * strategy.context == 1) continue;
            if (judge(equalSplitPlan(*m_problem.graph, b, *d, z, s, 1, strategy, r))) return true;
            break;  // hand rules use all devices that the batch allows
          }
        }
      }
    }
    return false;
  }

  /// ZeRO-0 and 1; the lowest available stage if neither is.
  std::vector<int> zeroStages() const {
    if (m_typed.zero) return {*m_typed.zero};
    std::vector<int> all = m_problem.search.zeroStages;
    std::sort(all.begin(), all.end());
    while (all.size() > 1 && all.back() > 1) all.pop_back();
    return all;
  }

  bool judge(Plan plan) {
    if (plan.stages.empty() || done()) return false;
    ++m_result.evaluated;
    RankedPlan r{std::move(plan), {}, {}};
    r.evaluation = evaluate(m_problem, r.plan);
    if (r.evaluation.feasible()) {
      m_result.plan = std::move(r);
      m_result.note = "tensor degree up to one host, then the fewest stages that fit, equal layers";
      return true;
    }
    const Bytes missing = lack(r.evaluation);
    if (!m_nearest || missing < lack(m_nearest->evaluation)) m_nearest = std::move(r);
    return false;
  }

  static Bytes lack(const Evaluation& e) {
    Bytes most;
    for (const Violation& v : e.violations)
      most = std::max(most, v.kind == Violation::Kind::Memory ? v.shortfall : Bytes(1e30));
    return most;
  }

  const Problem& m_problem;
  const Control& m_control;
  const ManualDegrees& m_typed;
  BaselineResult m_result;
  std::optional<RankedPlan> m_nearest;
};

}  // namespace

BaselineResult manual(const Problem& problem, const Control& control, const ManualDegrees& typed) {
  return Rules(problem, control, typed).run();
}

}  // namespace nest::baselines
