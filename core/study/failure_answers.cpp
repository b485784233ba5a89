#include "study/failure_answers.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "evaluation/schedule.h"
#include "measures/pace.h"
#include "plan/stage_work.h"
#include "problem/device_count.h"
#include "study/quiet_solve.h"
#include "units/at.h"
#include "units/text.h"
#include "words/outcome_words.h"

namespace nest {
namespace {

constexpr int kNobody = -1;
constexpr double kEquallyFast = 1e-9;
constexpr std::size_t kMostBatches = 64;  ///< of one number of replicas that are tried
constexpr double kRoom = 1.02;            ///< what a bound on tokens/s leaves for faster links than before

double tokensRateOf(const Problem& problem, const Plan& plan, const Evaluation& e) {
  return paceOf(problem, plan, e).tokensPerSecond();
}

std::vector<char> marked(int count, const std::vector<int>& positions) {
  std::vector<char> out(at(count), 0);
  for (const int p : positions) out[at(p)] = 1;
  return out;
}

std::vector<char> usedBy(const Problem& problem, const Plan& plan) {
  std::vector<char> used(at(problem.cluster->deviceCount()), 0);
  const Placement placement(plan);
  for (int i = 0; i < plan.stageCount(); ++i)
    for (int r = 0; r < placement.replicas(); ++r)
      for (int k = 0; k < placement.ranks(i); ++k) used[placement.device(i, r, k).at()] = 1;
  return used;
}

/// The device of every position that the plan counts, those between blocks included as far as they are known.
std::vector<DeviceIndex> orderOf(const Plan& plan, int devices) {
  if (!plan.deviceOrder.empty()) return plan.deviceOrder;
  std::vector<DeviceIndex> order;
  const long long end = (plan.dataOuter - 1LL) * plan.blockStride + plan.pipelineWidth();
  for (int p = 0; p < std::min<long long>(end, devices); ++p) order.emplace_back(p);
  return order;
}

class Responses {
public:
  Responses(const Problem& problem, const RankedPlan& present, const std::vector<int>& lost)
      : m_problem(problem), m_present(present), m_lost(lost) {}

  FailureResponse without(FailureAnswer answer, std::string obstacle) const {
    FailureResponse out;
    out.answer = answer;
    out.obstacle = std::move(obstacle);
    return out;
  }

  /// `plan` is feasible on the healthy cluster and uses nothing that is lost, or spares in its place.
  FailureResponse with(FailureAnswer answer, Plan plan, Evaluation e) const {
    FailureResponse out;
    out.answer = answer;
    out.status = OutcomeStatus::Optimal;
    out.tokensPerSecond = tokensRateOf(m_problem, plan, e);
    const double before = tokensRateOf(m_problem, m_present.plan, m_present.evaluation);
    out.change = before > 0 ? out.tokensPerSecond / before - 1 : 0;
    out.moved = movedBetween(m_problem, m_present.plan, plan, m_lost);
    out.restart = restartWith(m_problem, plan, e, answer == FailureAnswer::Swap);
    const int healthy = m_problem.cluster->deviceCount() - static_cast<int>(m_lost.size());
    out.devicesIdle = std::max(0, healthy - plan.devicesUsed());
    out.plan = RankedPlan{std::move(plan), std::move(e), {}};
    return out;
  }

private:
  const Problem& m_problem;
  const RankedPlan& m_present;
  const std::vector<int>& m_lost;
};

/// Tries the same plan with fewer replicas.
class Shrinking {
public:
  Shrinking(const Problem& problem, const RankedPlan& present, const std::vector<int>& lost,
            const Control& control)
      : m_problem(problem),
        m_plan(present.plan),
        m_present(present),
        m_lost(lost),
        m_control(control),
        m_placement(m_plan) {}

  FailureResponse run() {
    const Responses responses(m_problem, m_present, m_lost);
    const std::vector<int> bad = hitReplicas();
    if (bad.empty()) return responses.with(FailureAnswer::Shrink, m_plan, m_present.evaluation);
    const int replicas = m_placement.replicas();
    if (static_cast<int>(bad.size()) >= replicas)
      return responses.without(FailureAnswer::Shrink, replicas == 1 ? "the plan has one replica"
                                                                    : "every replica has lost a device");
    for (int level = kByNumber; level + 1 < m_problem.cluster->levelCount(); ++level)
      tryOrder(dropOrder(bad, level), static_cast<int>(bad.size()));
    if (!m_best)
      return responses.without(
          FailureAnswer::Shrink,
          m_isCut              ? words::of(OutcomeStatus::Stopped)
          : m_obstacle.empty() ? "no smaller data degree divides a batch that `job.batch_tolerance` allows"
                               : m_obstacle);
    auto out = responses.with(FailureAnswer::Shrink, std::move(m_best->plan), std::move(m_best->evaluation));
    out.replicasDropped = replicas - out.plan->plan.dataDegree();
    return out;
  }

private:
  static constexpr int kByNumber = -1;

  std::vector<int> hitReplicas() const {
    const auto lost = marked(m_problem.cluster->deviceCount(), m_lost);
    std::vector<int> bad;
    for (int r = 0; r < m_placement.replicas(); ++r) {
      bool isHit = false;
      for (int i = 0; i < m_plan.stageCount(); ++i)
        for (int k = 0; k < m_placement.ranks(i); ++k)
          isHit = isHit || lost[m_placement.device(i, r, k).at()];
      if (isHit) bad.push_back(r);
    }
    return bad;
  }

  /// Those that are hit, then the others by how near they stand: whole groups of the level around what
  /// failed, or one by one.
  std::vector<int> dropOrder(const std::vector<int>& bad, int level) const {
    const auto placeOf = [&](int replica) {
      return level == kByNumber ? replica
                                : m_problem.cluster->groupOf(level, m_placement.device(0, replica, 0).value);
    };
    std::vector<std::pair<int, int>> byDistance;  // distance, replica
    for (int r = 0; r < m_placement.replicas(); ++r) {
      int distance = std::abs(placeOf(r) - placeOf(bad.front())) + 1;
      for (const int b : bad) distance = std::min(distance, std::abs(placeOf(r) - placeOf(b)) + 1);
      if (std::find(bad.begin(), bad.end(), r) != bad.end()) distance = 0;
      byDistance.emplace_back(distance, r);
    }
    std::sort(byDistance.begin(), byDistance.end());
    std::vector<int> order;
    for (const auto& [distance, r] : byDistance) order.push_back(r);
    return order;
  }

  /// No plan with so many replicas trains more tokens a second: m microbatches take at least m loads.
  double mostTokens(int replicas) const {
    Seconds load;
    for (const StageEvaluation& s : m_present.evaluation.stages)
      load = std::max(load, s.load - (s.exchange[Exchange::Data] - s.hiddenExchange[Exchange::Data]));
    return load > Seconds()
               ? kRoom * replicas * m_plan.microbatch * m_problem.job.sequenceLength / load.value()
               : 0;
  }

  void tryOrder(const std::vector<int>& order, int least) {
    if (!m_seen.insert(order).second) return;
    for (int dropped = least; dropped < static_cast<int>(order.size()); ++dropped) {
      if (m_control.shouldStop()) {
        m_isCut = true;
        return;
      }
      const int left = static_cast<int>(order.size()) - dropped;
      if (m_best && mostTokens(left) < m_mostTokens) return;
      std::vector<int> kept(order.begin() + dropped, order.end());
      std::sort(kept.begin(), kept.end());
      tryReplicas(kept);
    }
  }

  void tryReplicas(const std::vector<int>& kept) {
    const int d = static_cast<int>(kept.size());
    auto batches = m_problem.batchChoices(m_plan.microbatch, d);
    if (batches.empty()) return;
    auto plan = onReplicas(kept);
    if (!plan) return;
    if (batches.size() > kMostBatches) batches.resize(kMostBatches);
    for (const Problem::BatchChoice& one : batches) {
      plan->globalBatch = one.batch == m_problem.job.globalBatch ? 0 : one.batch;
      Evaluation e = evaluate(m_problem, *plan);
      if (!e.feasible()) {
        const Violation& first = e.violations.front();
        const bool isMemory = first.kind == Violation::Kind::Memory,
                   isSchedule = first.kind == Violation::Kind::Chunks;
        if (m_obstacle.empty())
          m_obstacle = (isMemory     ? "does not fit; "
                        : isSchedule ? "the schedule refuses; "
                                     : "") +
                       first.message;
        if (!isMemory && !isSchedule) return;
        continue;
      }
      const double tokens = tokensRateOf(m_problem, *plan, e);
      if (!m_best || tokens > m_mostTokens) {
        m_mostTokens = tokens;
        m_best = RankedPlan{*plan, std::move(e), {}};
      }
      return;  // with fewer microbatches a token takes longer
    }
  }

  std::optional<Plan> onReplicas(const std::vector<int>& kept) const {
    const int d = static_cast<int>(kept.size());
    Plan plan = m_plan;
    const auto holds = [&](int inner) {
      return std::all_of(plan.stages.begin(), plan.stages.end(),
                         [&](const StagePlan& s) { return s.strategy.fitsExperts(inner); });
    };
    plan.dataInner = m_plan.dataOuter == 1 ? d : std::gcd(d, m_plan.dataInner);
    if (!holds(plan.dataInner)) plan.dataInner = d;
    if (!holds(plan.dataInner)) return std::nullopt;
    plan.dataOuter = d / plan.dataInner;
    plan.blockStride = plan.pipelineWidth();
    if (plan.shardReplicas == d) plan.shardReplicas = 0;
    const bool shards = std::any_of(plan.stages.begin(), plan.stages.end(),
                                    [](const StagePlan& s) { return s.strategy.context > 1; });
    if (d == 1 && !shards) plan.zero = 0, plan.shardReplicas = 0;
    plan.deviceOrder.assign(at(plan.devicesUsed()), DeviceIndex(0));
    int begin = 0;
    for (int i = 0; i < plan.stageCount(); ++i) {
      const int width = m_placement.ranks(i);
      for (int r = 0; r < d; ++r)
        for (int k = 0; k < width; ++k)
          plan.deviceOrder[at((r / plan.dataInner) * plan.blockStride + begin + (r % plan.dataInner) * width +
                              k)] = m_placement.device(i, kept[at(r)], k);
      begin += plan.dataInner * width;
    }
    return plan;
  }

  const Problem& m_problem;
  const Plan& m_plan;
  const RankedPlan& m_present;
  const std::vector<int>& m_lost;
  const Control& m_control;
  const Placement m_placement;
  std::set<std::vector<int>> m_seen;
  std::optional<RankedPlan> m_best;
  double m_mostTokens = 0;
  std::string m_obstacle;
  bool m_isCut = false;
};

/// How one kind of state of one stage is split, and who holds each piece.
struct Split {
  int experts = 1, tensors = 1, zeros = 1;
  std::size_t size() const { return at(experts) * at(tensors) * at(zeros); }
  std::size_t cell(int e, int t, int z) const { return (at(e) * at(tensors) + at(t)) * at(zeros) + at(z); }
};
struct Piece {
  int expert = 0, tensor = 0, zero = 0;
};

enum State { DenseWeights, ExpertWeights, DenseOptimizer, ExpertOptimizer };
constexpr std::array kStates = {DenseWeights, ExpertWeights, DenseOptimizer, ExpertOptimizer};

bool isOfExperts(State s) {
  return s == ExpertWeights || s == ExpertOptimizer;
}
bool isSharded(State s, int zero) {
  return zero >= (s == DenseWeights || s == ExpertWeights ? 3 : 1);
}

Split splitOfState(const Plan& plan, int stage, State state) {
  const Strategy& s = plan.stages[at(stage)].strategy;
  const bool whole = isOfExperts(state) && s.foldedExperts;
  Split out;
  out.tensors = whole ? 1 : s.tensor;
  if (isOfExperts(state)) out.experts = s.expert;
  if (!isSharded(state, plan.zero)) return out;
  const int ranks = plan.shardDegree() * s.context * (whole ? s.tensor : 1);
  out.zeros = std::max(1, isOfExperts(state) ? ranks / s.expert : ranks);
  return out;
}

Piece pieceOf(const Plan& plan, int stage, State state, int replica, int rank) {
  const Strategy& s = plan.stages[at(stage)].strategy;
  const Split split = splitOfState(plan, stage, state);
  const int tensor = rank % s.tensor, context = rank / s.tensor, inRun = replica % plan.shardDegree();
  Piece out;
  if (isOfExperts(state) && s.foldedExperts) {
    const int width = s.width();
    out.expert = (replica * width + rank) % s.expert;
    out.zero = (inRun * width + rank) / s.expert % split.zeros;
    return out;
  }
  out.tensor = tensor;
  if (isOfExperts(state)) out.expert = replica % s.expert;
  out.zero = (isOfExperts(state) ? inRun / s.expert * s.context + context : inRun * s.context + context) %
             split.zeros;
  return out;
}

/// Parts [first, last] of `count` equal ones that overlap part k of n, and the share of the whole that
/// overlaps with one of them.
struct Overlap {
  int first, last;
  int k, n, count;
  Overlap(int part, int parts, int others)
      : first(static_cast<int>(1LL * part * others / parts)),
        last(static_cast<int>((1LL * (part + 1) * others - 1) / parts)),
        k(part),
        n(parts),
        count(others) {}
  double share(int other) const {
    const double begin = std::max(double(k) / n, double(other) / count),
                 end = std::min(double(k + 1) / n, double(other + 1) / count);
    return std::max(0.0, end - begin);
  }
};

/// Parameters of layers that one stage has before and another one after, each once: dense and of experts.
struct SharedLayers {
  double dense = 0, expert = 0;
};

SharedLayers& operator+=(SharedLayers& a, const SharedLayers& b) {
  a.dense += b.dense, a.expert += b.expert;
  return a;
}

class Moving {
public:
  Moving(const Problem& problem, const Plan& before, const Plan& after, const std::vector<int>& lost)
      : m_problem(problem),
        m_before(before),
        m_after(after),
        m_lost(marked(problem.cluster->deviceCount(), lost)) {
    m_out.overLevel.assign(at(problem.cluster->levelCount()), Bytes());
  }

  MovedState run() {
    const int microbatch = m_problem.profile->microbatchIndex(m_after.microbatch);
    if (microbatch < 0) return m_out;
    const std::vector<int> from = stageOfLayers(m_problem, m_before), to = stageOfLayers(m_problem, m_after);
    std::map<std::pair<int, int>, SharedLayers> shared;
    for (int x = 0; x < m_problem.graph->layerCount(); ++x) {
      if (from[at(x)] < 0 || to[at(x)] < 0) continue;
      const Strategy& s = m_after.stages[at(to[at(x)])].strategy;
      const LayerCost* cost = m_problem.profile->cost(m_problem.graph->layers[at(x)].classId,
                                                      m_problem.profile->strategyIndex(s), microbatch);
      if (!cost) continue;
      shared[{from[at(x)], to[at(x)]}] +=
          {cost->denseParameters * s.tensor,
           cost->expertParameters * s.expert * (s.foldedExperts ? 1 : s.tensor)};
    }
    for (const State state : kStates) {
      const auto& regime = m_problem.job.optimizer;
      const double bytes =
          state == DenseWeights || state == ExpertWeights ? regime.weightBytes : regime.optimizerBytes;
      for (const auto& [stages, layers] : shared) {
        const double parameters = isOfExperts(state) ? layers.expert : layers.dense;
        if (parameters > 0 && bytes > 0) move(state, stages.first, stages.second, parameters * bytes);
      }
    }
    return m_out;
  }

private:
  /// The healthy devices that hold each piece of a stage, ascending.
  const std::vector<std::vector<int>>& holdersOf(State state, int stage) {
    auto [it, isNew] = m_holders.try_emplace({state, stage});
    if (!isNew) return it->second;
    const Split split = splitOfState(m_before, stage, state);
    it->second.resize(split.size());
    const Placement placement(m_before);
    for (int r = 0; r < placement.replicas(); ++r)
      for (int k = 0; k < placement.ranks(stage); ++k) {
        const int device = placement.device(stage, r, k).value;
        if (m_lost[at(device)]) continue;
        const Piece p = pieceOf(m_before, stage, state, r, k);
        it->second[split.cell(p.expert, p.tensor, p.zero)].push_back(device);
      }
    for (auto& all : it->second) std::sort(all.begin(), all.end());
    return it->second;
  }

  void move(State state, int from, int to, double bytes) {
    const auto& holders = holdersOf(state, from);
    const Split old = splitOfState(m_before, from, state), now = splitOfState(m_after, to, state);
    const Placement placement(m_after);
    for (int r = 0; r < placement.replicas(); ++r)
      for (int k = 0; k < placement.ranks(to); ++k) {
        const Piece p = pieceOf(m_after, to, state, r, k);
        const Overlap experts(p.expert, now.experts, old.experts),
            tensors(p.tensor, now.tensors, old.tensors), zeros(p.zero, now.zeros, old.zeros);
        for (int e = experts.first; e <= experts.last; ++e)
          for (int t = tensors.first; t <= tensors.last; ++t)
            for (int z = zeros.first; z <= zeros.last; ++z)
              bring(placement.device(to, r, k).value, holders[old.cell(e, t, z)],
                    bytes * experts.share(e) * tensors.share(t) * zeros.share(z));
      }
  }

  /// The nearest device in locality order is one of the nearest in the network.
  void bring(int device, const std::vector<int>& holders, double bytes) {
    if (holders.empty()) {
      m_out.fromStore += Bytes(bytes);
      return;
    }
    const auto next = std::lower_bound(holders.begin(), holders.end(), device);
    // A spare stands in the place of a device that is lost, and holds nothing.
    if (next != holders.end() && *next == device) return;
    int level = m_problem.cluster->levelCount() - 1;
    if (next != holders.end()) level = std::min(level, m_problem.cluster->levelBetween(device, *next));
    if (next != holders.begin())
      level = std::min(level, m_problem.cluster->levelBetween(device, *(next - 1)));
    m_out.overLevel[at(level)] += Bytes(bytes);
  }

  const Problem& m_problem;
  const Plan &m_before, &m_after;
  const std::vector<char> m_lost;
  std::map<std::pair<State, int>, std::vector<std::vector<int>>> m_holders;
  MovedState m_out;
};

std::string lowered(std::string_view s) {
  std::string out(s);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

std::optional<int> wholeOf(std::string_view s) {
  if (s.empty() || s.size() > 9 ||
      !std::all_of(s.begin(), s.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return std::nullopt;
  return std::stoi(std::string(s));
}

/// The positions that a name stands for; empty: nothing is called so.
std::vector<int> positionsCalled(const Hierarchy& h, std::string_view text) {
  const std::string name = lowered(text);
  std::vector<int> out;
  for (int l = 0; l < h.levelCount(); ++l)
    for (int g = 0; g < h.groupCount(l); ++g) {
      if (lowered(h.groupName(l, g)) != name) continue;
      const auto [begin, end] = h.groupSpan(l, g);
      for (int i = begin; i < end; ++i) out.push_back(i);
      return out;
    }
  const auto slash = name.rfind('/');
  const bool isDevice = name.starts_with("device ");
  const auto number = isDevice                     ? wholeOf(trimmed(std::string_view(name).substr(7)))
                      : slash != std::string::npos ? wholeOf(std::string_view(name).substr(slash + 1))
                                                   : std::nullopt;
  if (!number) return out;
  for (int i = 0; i < h.deviceCount(); ++i) {
    const DeviceIdentity id = h.identity(DeviceIndex(i));
    if (isDevice ? id.source == *number : id.slot == *number && lowered(id.host) == name.substr(0, slash))
      return {i};
  }
  return out;
}

}  // namespace

const char* nameOf(FailureAnswer a) {
  return a == FailureAnswer::Swap ? "swap" : a == FailureAnswer::Shrink ? "shrink" : "re-plan";
}

Bytes MovedState::all() const {
  Bytes sum = fromStore;
  for (const Bytes b : overLevel) sum += b;
  return sum;
}

Reading<LostDevices> readLost(const Problem& problem, std::string_view text) {
  Reading<LostDevices> result;
  LostDevices out;
  std::set<int> all;
  const Hierarchy& h = *problem.cluster;
  const auto take = [&](std::string_view one) {
    const auto positions = positionsCalled(h, one);
    all.insert(positions.begin(), positions.end());
    if (!positions.empty()) out.what += (out.what.empty() ? "" : " and ") + std::string(one);
    return !positions.empty();
  };
  if (!take(trimmed(text))) {
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      const std::string_view one = trimmed(text.substr(begin, end - begin));
      if (!take(one))
        result.diagnostics.push_back(
            error("no-such-part", {}, "the cluster has no part called \"" + std::string(one) + '"',
                  "name a host or a group as Topology does (\"" + h.groupName(0, 0) +
                      "\"), \"device 0\", or \"" + h.identity(DeviceIndex(0)).host + "/0\""));
      begin = end + 1;
    }
  }
  if (static_cast<int>(all.size()) == h.deviceCount())
    result.diagnostics.push_back(
        error("nothing-left", {}, "\"" + std::string(text) + "\" is the whole cluster: no device is left"));
  out.positions.assign(all.begin(), all.end());
  if (!hasErrors(result.diagnostics)) result.value = std::move(out);
  return result;
}

MovedState movedBetween(const Problem& problem, const Plan& before, const Plan& after,
                        const std::vector<int>& lost) {
  return Moving(problem, before, after, lost).run();
}

FailureResponse shrunk(const Problem& problem, const RankedPlan& present, const std::vector<int>& lost,
                       const Control& control) {
  return Shrinking(problem, present, lost, control).run();
}

namespace {

/// The positions that a plan uses and that are lost, and the healthy ones that it does not use.
struct Hit {
  std::vector<int> lost, idle;
  int hosts = 0;  ///< with one of `lost`
};
Hit hitOf(const Problem& problem, const Plan& plan, const std::vector<int>& lost) {
  Hit out;
  const Hierarchy& h = *problem.cluster;
  const auto used = usedBy(problem, plan), gone = marked(h.deviceCount(), lost);
  std::set<int> hosts;
  for (int i = 0; i < h.deviceCount(); ++i) {
    if (used[at(i)] && gone[at(i)]) out.lost.push_back(i), hosts.insert(h.groupOf(0, i));
    if (!used[at(i)] && !gone[at(i)]) out.idle.push_back(i);
  }
  out.hosts = static_cast<int>(hosts.size());
  return out;
}

/// The same plan, with the nearest idle devices in place of the lost ones; nullopt: they are too few, or do
/// not hold it.
std::optional<RankedPlan> onIdleDevices(const Problem& problem, const Plan& present, Hit hit) {
  if (hit.idle.size() < hit.lost.size()) return std::nullopt;
  const Hierarchy& h = *problem.cluster;
  Plan plan = present;
  plan.deviceOrder = orderOf(plan, h.deviceCount());
  for (const int device : hit.lost) {
    const auto nearest = std::min_element(hit.idle.begin(), hit.idle.end(), [&](int a, int b) {
      return std::pair(h.levelBetween(device, a), a) < std::pair(h.levelBetween(device, b), b);
    });
    const auto place = std::find(plan.deviceOrder.begin(), plan.deviceOrder.end(), DeviceIndex(device));
    if (place != plan.deviceOrder.end()) *place = DeviceIndex(*nearest);
    hit.idle.erase(nearest);
  }
  // Ranks are then placed by a list of hosts, whatever order a launcher has by itself.
  Problem anyOrder = problem;
  anyOrder.constraints.megatronExpressible = false;
  Evaluation e = evaluate(anyOrder, plan);
  if (!e.feasible()) return std::nullopt;
  return RankedPlan{std::move(plan), std::move(e), {}};
}

}  // namespace

FailureResponse swapped(const Problem& problem, const RankedPlan& present, const std::vector<int>& lost) {
  const Responses responses(problem, present, lost);
  const Hit hit = hitOf(problem, present.plan, lost);
  if (problem.run.spareHosts < hit.hosts)
    if (auto idle = onIdleDevices(problem, present.plan, hit)) {
      FailureResponse out =
          responses.with(FailureAnswer::Swap, std::move(idle->plan), std::move(idle->evaluation));
      out.usesIdle = true;
      return out;
    }
  FailureResponse out = responses.with(FailureAnswer::Swap, present.plan, present.evaluation);
  out.sparesNeeded = hit.hosts;
  return out;
}

namespace {

/// The plan with groups of a level exchanged, so that as many as can stand where they stood under the plan
/// before: groups of equal size inside one parent.
Plan keptInPlace(const Hierarchy& h, const Plan& before, Plan plan) {
  const std::vector<DeviceIndex> old = orderOf(before, h.deviceCount());
  std::vector<DeviceIndex>& order = plan.deviceOrder;
  struct Run {
    std::size_t begin, length;
    int group;
  };
  for (int l = h.levelCount() - 2; l >= 0; --l) {
    std::vector<Run> runs;
    std::map<int, std::size_t> runOf;
    for (std::size_t p = 0; p < order.size(); ++p) {
      const int group = h.groupOf(l, order[p].value);
      if (runs.empty() || runs.back().group != group) {
        if (!runOf.emplace(group, runs.size()).second) return plan;  // it is left and entered again
        runs.push_back({p, 0, group});
      }
      ++runs.back().length;
    }
    const auto stoodAt = [&](const Run& run) {
      return run.begin < old.size() ? h.groupOf(l, old[run.begin].value) : kNobody;
    };
    for (Run& run : runs) {
      const auto other = runOf.find(stoodAt(run));
      if (other == runOf.end() || other->first == run.group) continue;
      Run& from = runs[other->second];
      if (from.length != run.length || stoodAt(from) == from.group ||
          h.groupOf(l + 1, order[from.begin].value) != h.groupOf(l + 1, order[run.begin].value))
        continue;
      std::swap_ranges(order.begin() + static_cast<std::ptrdiff_t>(run.begin),
                       order.begin() + static_cast<std::ptrdiff_t>(run.begin + run.length),
                       order.begin() + static_cast<std::ptrdiff_t>(from.begin));
      std::swap(runOf[run.group], runOf[from.group]);
      std::swap(run.group, from.group);
    }
  }
  return plan;
}

}  // namespace

FailureResponse replanned(const Problem& problem, const RankedPlan& present, const std::vector<int>& lost,
                          const Problem& left, const Outcome& outcome, const FailureResponse* shrunk) {
  const Responses responses(problem, present, lost);
  if (!outcome.best()) {
    FailureResponse out = responses.without(FailureAnswer::Replan, words::of(outcome));
    out.status = outcome.status;
    return out;
  }
  // The devices of the rest, as the healthy cluster counts them: a device keeps its host and slot.
  const auto nameOf = [](const Problem& p, DeviceIndex d) {
    const DeviceIdentity id = p.cluster->identity(d);
    return std::pair(id.host, id.slot);
  };
  std::map<std::pair<std::string, int>, int> positionOf;
  for (int i = 0; i < problem.cluster->deviceCount(); ++i) positionOf[nameOf(problem, DeviceIndex(i))] = i;
  Plan plan = outcome.best()->plan;
  for (DeviceIndex& d : plan.deviceOrder = orderOf(plan, left.cluster->deviceCount()))
    d = DeviceIndex(positionOf.at(nameOf(left, d)));
  Plan inPlace = keptInPlace(*problem.cluster, present.plan, plan);
  FailureResponse out = responses.with(FailureAnswer::Replan, std::move(plan), outcome.best()->evaluation);
  // Of plans that are as fast the one that moves least: the search knows nothing of what stands where.
  const auto consider = [&](const RankedPlan& r) {
    FailureResponse other = responses.with(FailureAnswer::Replan, r.plan, r.evaluation);
    if (other.tokensPerSecond >= out.tokensPerSecond * (1 - kEquallyFast) &&
        other.moved->all() < out.moved->all())
      out = std::move(other);
  };
  if (const Hit hit = hitOf(problem, present.plan, lost); hit.lost.empty())
    consider(present);
  else if (const auto idle = onIdleDevices(problem, present.plan, hit))
    consider(*idle);
  if (shrunk && shrunk->plan) consider(*shrunk->plan);
  Evaluation e = evaluate(problem, inPlace);
  consider({std::move(inPlace), std::move(e), {}});
  out.status = outcome.status;
  return out;
}

std::vector<FailureResponse> answersTo(const Problem& problem, const RankedPlan& present,
                                       const std::vector<int>& lost, const Control& control) {
  std::vector<FailureResponse> out;
  out.reserve(kFailureAnswerCount);
  out.push_back(swapped(problem, present, lost));
  out.push_back(shrunk(problem, present, lost, control));
  const Problem left = withoutDevices(problem, lost);
  out.push_back(replanned(problem, present, lost, left,
                          studyStopped(control) ? notSolved(control) : quietSolve(left, control), &out[1]));
  return out;
}

const FailureResponse* bestWithoutSpares(const std::vector<FailureResponse>& all) {
  const FailureResponse* best = nullptr;
  for (const FailureResponse& r : all)
    if (r.plan && r.sparesNeeded == 0 && (!best || r.tokensPerSecond > best->tokensPerSecond)) best = &r;
  return best;
}

std::optional<SpareElsewhere> spareElsewhere(const Problem& problem, const RankedPlan& present) {
  const Hierarchy& h = *problem.cluster;
  if (h.levelCount() < 2 || h.groupCount(1) < 2 || h.uniformGroupSize(0) == 0) return std::nullopt;
  const auto used = usedBy(problem, present.plan);
  std::map<int, int> hostOf;  // of each leaf, the first host that the plan uses
  for (int i = h.deviceCount(); i-- > 0;)
    if (used[at(i)]) hostOf[h.groupOf(1, i)] = h.groupOf(0, i);
  SpareElsewhere out;
  out.leaves = static_cast<int>(hostOf.size());
  const double before = tokensRateOf(problem, present.plan, present.evaluation);
  const int with = h.groupCount(1) - 1, size = h.uniformGroupSize(0), spare = h.groupSpan(1, with).second;
  const Problem larger = withExtraHost(problem, with);
  for (const auto& [leaf, host] : hostOf) {
    if (leaf == with) continue;
    const int begin = h.groupSpan(0, host).first;
    Plan plan = present.plan;
    plan.deviceOrder = orderOf(plan, h.deviceCount());
    for (DeviceIndex& d : plan.deviceOrder) {
      if (d.value >= begin && d.value < begin + size)
        d = DeviceIndex(spare + d.value - begin);
      else if (d.value >= spare)
        d = DeviceIndex(d.value + size);
    }
    const Evaluation e = evaluate(larger, plan);
    if (e.feasible() && before > 0)
      out.change = std::min(out.change, tokensRateOf(larger, plan, e) / before - 1);
    if (h.isRegular()) break;  // hosts of the other leaves are alike
  }
  return out;
}

SpareAdvice spareAdvice(const Problem& problem, const RankedPlan& present, double confidence) {
  SpareAdvice out;
  out.confidence = confidence;
  const auto used = usedBy(problem, present.plan);
  std::set<int> hosts;
  for (int i = 0; i < problem.cluster->deviceCount(); ++i)
    if (used[at(i)]) hosts.insert(problem.cluster->groupOf(0, i));
  out.hosts = static_cast<int>(hosts.size());
  const double each = out.hosts > 0 ? double(present.plan.devicesUsed()) / out.hosts : 0;
  out.pooled = spareHostsFor(problem.run, out.hosts, each, confidence);
  if (!out.pooled.missing.empty()) return out;
  out.elsewhere = spareElsewhere(problem, present);
  if (out.elsewhere) out.leafLevel = problem.cluster->level(1).name;
  // All leaves together are to be covered as often.
  if (out.elsewhere && out.elsewhere->leaves > 0)
    out.ofLeaf = spareHostsFor(problem.run, (out.hosts + out.elsewhere->leaves - 1) / out.elsewhere->leaves,
                               each, std::pow(confidence, 1.0 / out.elsewhere->leaves));
  return out;
}

}  // namespace nest
