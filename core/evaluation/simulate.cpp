#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "evaluation/placed_stage.h"
#include "evaluation/schedule.h"
#include "units/at.h"

namespace nest {
namespace {

/// Passes beyond this number are not simulated one by one: the schedule is periodic long before.
constexpr long long kMostPasses = 1LL << 20;
/// The stop token is polled once per this number of passes, which take less than a millisecond.
constexpr unsigned kPassesPerLook = 1U << 12;

struct ChunkTime {
  double forward = 0, backward = 0, recompute = 0;  ///< recompute is part of backward
  double weight = 0;                                ///< part of backward: weight gradients
  double activationIn = 0, gradientIn = 0;
  double stash = 0;
};

/// The visible share of each kind of exchange, given the overlap.
PerExchange<double> shownShares(const StageEvaluation& stage) {
  PerExchange<double> shares{};
  for (std::size_t k = 0; k < kExchangeCount; ++k)
    shares[k] = stage.exchange[k] > Seconds() ? 1 - stage.hiddenExchange[k] / stage.exchange[k] : 1;
  return shares;
}

/// The only chunk of a stage; its times are in the evaluation.
ChunkTime wholeStage(const StageEvaluation& stage) {
  const auto shown = shownShares(stage);
  ChunkTime t;
  t.forward = stage.forward.value();
  t.backward = (stage.backward + stage.recompute).value();
  for (std::size_t k = 0; k < kExchangeCount; ++k) {
    if (k == static_cast<std::size_t>(Exchange::Pipeline)) continue;
    t.forward += shown[k] * stage.forwardExchange[k].value();
    t.backward += shown[k] * (stage.exchange[k] - stage.forwardExchange[k]).value();
  }
  t.recompute = std::min(t.backward, (stage.recompute + stage.recomputeExchange).value());
  t.weight = std::min(t.backward, stage.weightPass.value());
  t.activationIn = shown[at(Exchange::Pipeline)] * stage.activationIn.value();
  t.gradientIn = shown[at(Exchange::Pipeline)] * stage.gradientIn.value();
  return t;
}

/// The chunks of an interleaved stage. One microbatch takes the stage's load to pass through all of them.
std::vector<ChunkTime> chunksOf(const StageWork& work, const PlacedStage& placed,
                                const StageEvaluation& stage) {
  const auto shares = shownShares(stage);
  const auto shown = [&](Exchange e, Seconds t) { return t.value() * shares[at(e)]; };
  constexpr std::array<Exchange, 3> kKinds = {Exchange::Tensor, Exchange::Context, Exchange::Expert};
  const double share = 1.0 / static_cast<double>(work.chunks.size());
  std::vector<ChunkTime> times;
  for (std::size_t q = 0; q < work.chunks.size(); ++q) {
    const ChunkWork& w = work.chunks[q];
    const PlacedChunk& p = placed.chunks[q];
    ChunkTime t;
    t.forward =
        w.forward / placed.speed + share * shown(Exchange::Data, placed.gradients.perMicrobatch.forward);
    t.recompute = w.recompute / placed.speed;
    t.backward =
        w.backward / placed.speed +
        share * shown(Exchange::Data, placed.gradients.load - placed.gradients.perMicrobatch.forward);
    t.weight = w.weightGradient / placed.speed +
               share * shown(Exchange::Data, placed.gradients.perMicrobatch.weightGradient);
    for (std::size_t g = 0; g < kKinds.size(); ++g) {
      t.forward += shown(kKinds[g], p.group[g].forward);
      t.backward += shown(kKinds[g], p.group[g].backward);
      t.recompute += shown(kKinds[g], p.group[g].recompute);
    }
    t.backward += t.recompute;
    t.activationIn = shown(Exchange::Pipeline, p.activationIn);
    t.gradientIn = shown(Exchange::Pipeline, p.gradientIn);
    t.stash = w.stash;
    times.push_back(t);
  }
  return times;
}

/// Times by stage and chunk. Only chunks need the placement again; whole stages need their work only for the
/// stash.
std::vector<std::vector<ChunkTime>> chunkTimes(const Problem& problem, const Plan& plan,
                                               const PlanCheck& check, const Evaluation& evaluation,
                                               bool detail) {
  std::vector<std::vector<ChunkTime>> times;
  const bool whole = plan.chunksPerStage() == 1;
  if (whole)
    for (const StageEvaluation& stage : evaluation.stages) times.push_back({wholeStage(stage)});
  if (whole && !detail) return times;
  if (whole) {
    const std::vector<StageWork> works = stageWorks(problem, plan, check.microbatch);
    for (std::size_t i = 0; i < works.size(); ++i) times[i].front().stash = works[i].largestStash;
    return times;
  }
  const PlacedPlan placed = placePlan(problem, plan, check);
  for (std::size_t i = 0; i < placed.works.size(); ++i)
    times.push_back(chunksOf(placed.works[i], placed.stages[i], evaluation.stages[i]));
  return times;
}

class Simulation {
public:
  Simulation(ScheduleKind kind, int microbatches, const std::vector<std::vector<ChunkTime>>& times,
             const Evaluation& evaluation, bool detail, const std::stop_token& stop)
      : m_stages(static_cast<int>(times.size())),
        m_chunks(static_cast<int>(times.front().size())),
        m_microbatches(microbatches),
        m_times(times),
        m_evaluation(evaluation),
        m_detail(detail),
        m_stop(stop) {
    m_out.kind = kind;
    m_free.assign(times.size(), 0);
    m_used.assign(times.size(), 0);
    m_out.busy.resize(times.size());
    m_intervals.resize(times.size());
    m_memory.resize(times.size());
  }

  /// Returns nullopt if the order is a deadlock (possible only if chunks do not suit the number of
  /// microbatches), or if a stop was requested.
  std::optional<Schedule> run() {
    if (const auto* alternating = dynamic_cast<const AlternatingSchedule*>(&scheduleOf(m_out.kind));
        alternating && !m_detail && m_chunks == 1)
      return totals(*alternating);
    m_forwardEnd.assign(slot(m_stages * m_chunks, 0), -1);
    m_backwardEnd = m_forwardEnd;
    std::vector<std::vector<PipelineTask>> orders;
    for (int i = 0; i < m_stages; ++i) {
      orders.push_back(scheduleOf(m_out.kind).taskOrder(i, m_stages, m_chunks, m_microbatches));
      rest(i);
      if (m_stop.stop_requested()) return std::nullopt;
    }
    std::vector<std::size_t> next(orders.size(), 0);
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t i = 0; i < orders.size(); ++i)
        while (next[i] < orders[i].size() && step(static_cast<int>(i), orders[i][next[i]])) {
          ++next[i];
          moved = true;
          if (++m_passes % kPassesPerLook == 0 && m_stop.stop_requested()) return std::nullopt;
        }
    }
    for (std::size_t i = 0; i < orders.size(); ++i)
      if (next[i] < orders[i].size()) return std::nullopt;
    for (int i = 0; i < m_stages; ++i) finish(i);
    if (m_detail && !joinStages()) return std::nullopt;
    return std::move(m_out);
  }

private:
  /// Runs the same passes in the order of AlternatingSchedule::taskOrder without listing them. A stage that
  /// has done `backward` passes is at most its warm-up and one pass ahead of them, and so are its neighbours,
  /// so no more ends than that must be kept.
  std::optional<Schedule> totals(const AlternatingSchedule& schedule) {
    const auto m = static_cast<std::size_t>(m_microbatches), stages = m_times.size();
    std::vector<std::size_t> forward(stages, 0), backward(stages, 0), ahead(stages);
    for (std::size_t i = 0; i < stages; ++i)
      ahead[i] =
          static_cast<std::size_t>(schedule.warmup(static_cast<int>(i), m_stages, m_microbatches, m_chunks));
    m_waiting = std::bit_ceil(*std::max_element(ahead.begin(), ahead.end()) + 1);
    m_forwardEnd.resize(stages * m_waiting);
    m_backwardEnd = m_forwardEnd;
    // Activations move on with a sweep from the first stage to the last, gradients with one back.
    bool moved = true;
    const auto look = [&](std::size_t i) {
      const std::size_t before = forward[i] + backward[i];
      advance(i, ahead[i], forward, backward);
      moved = moved || forward[i] + backward[i] > before;
    };
    while (std::exchange(moved, false)) {
      if (m_stop.stop_requested()) return std::nullopt;
      for (std::size_t i = 0; i < stages; ++i) look(i);
      for (std::size_t i = stages; i-- > 0;) look(i);
    }
    for (const std::size_t done : backward)
      if (done < m) return std::nullopt;
    for (int i = 0; i < m_stages; ++i) finish(i);
    return std::move(m_out);
  }

  /// Runs a stage as far as its inputs have been produced.
  void advance(std::size_t i, std::size_t ahead, std::vector<std::size_t>& forward,
               std::vector<std::size_t>& backward) {
    const auto m = static_cast<std::size_t>(m_microbatches);
    const ChunkTime& t = m_times[i].front();
    const double activation = std::max(0.0, t.activationIn), gradient = std::max(0.0, t.gradientIn);
    const bool first = i == 0, last = i + 1 == m_times.size();
    const std::size_t arrived = first ? m : forward[i - 1], returned = last ? m : backward[i + 1];
    const std::size_t place = m_waiting - 1;  // the lower bits of a pass index it among those that are kept
    const double* inputs = first ? nullptr : &m_forwardEnd[(i - 1) * m_waiting];
    const double* gradients = last ? nullptr : &m_backwardEnd[(i + 1) * m_waiting];
    std::size_t f = forward[i], b = backward[i];
    double now = m_free[i], busy = m_out.busy[i].value();
    for (; b < m;) {
      const bool isForward = f < std::min(m, b + ahead + 1);
      if (isForward ? f >= arrived : b >= returned) break;
      if (const double* from = isForward ? inputs : gradients)
        now = std::max(now, from[(isForward ? f : b) & place]);
      const double transfer = isForward ? activation : gradient, pass = isForward ? t.forward : t.backward;
      now = now + transfer + pass;
      busy = busy + transfer + pass;
      (isForward ? m_forwardEnd : m_backwardEnd)[i * m_waiting + ((isForward ? f++ : b++) & place)] = now;
    }
    forward[i] = f, backward[i] = b;
    m_free[i] = now, m_out.busy[i] = Seconds(busy);
  }

  std::size_t slot(int part, int microbatch) const {
    return static_cast<std::size_t>(part) * static_cast<std::size_t>(m_microbatches) +
           static_cast<std::size_t>(microbatch);
  }

  /// Runs a pass if its input has been produced.
  bool step(int stage, const PipelineTask& task) {
    const ChunkTime& t = m_times[at(stage)][at(task.chunk)];
    if (task.pass == Pass::WeightGradient) {
      occupy(stage, task, TaskKind::WeightGradient, t.weight, 0);
      use(stage, -t.stash);
      return true;
    }
    const bool forward = task.pass == Pass::Forward;
    const int part = scheduleOf(m_out.kind).partOf(stage, task.chunk, m_stages);
    const int source = forward ? part - 1 : part + 1;
    const bool hasSource = forward ? part > 0 : source < m_stages * m_chunks;
    double ready = 0;
    if (hasSource) {
      ready = (forward ? m_forwardEnd : m_backwardEnd)[slot(source, task.microbatch)];
      if (ready < 0) return false;
    }
    double& now = m_free[at(stage)];
    now = std::max(now, ready);
    const double transfer = forward ? t.activationIn : t.gradientIn;
    if (transfer > 0)
      occupy(stage, task, forward ? TaskKind::ActivationTransfer : TaskKind::GradientTransfer, transfer, 0);
    if (forward) {
      use(stage, t.stash);
      occupy(stage, task, TaskKind::Forward, t.forward, 0);
      m_forwardEnd[slot(part, task.microbatch)] = now;
    } else {
      const double workspace = m_evaluation.stages[at(stage)].memory[MemoryPart::Workspace].value();
      const bool whole = task.pass == Pass::Backward;
      use(stage, workspace);
      occupy(stage, task, TaskKind::Backward, whole ? t.backward : t.backward - t.weight, t.recompute);
      use(stage, whole ? -workspace - t.stash : -workspace);
      m_backwardEnd[slot(part, task.microbatch)] = now;
    }
    return true;
  }

  void occupy(int stage, const PipelineTask& task, TaskKind kind, double duration, double recompute) {
    double& now = m_free[at(stage)];
    if (m_detail)
      m_intervals[at(stage)].push_back({stage, task.chunk, task.microbatch, kind, Seconds(now),
                                        Seconds(now + duration), Seconds(recompute)});
    now += duration;
    m_out.busy[at(stage)] += Seconds(duration);
  }

  /// The memory that a stage uses throughout.
  void rest(int stage) {
    const MemoryUse& m = m_evaluation.stages[at(stage)].memory;
    double bytes = 0;
    for (int k = 0; k < kMemoryPartCount; ++k)
      if (MemoryPart(k) != MemoryPart::Stash && MemoryPart(k) != MemoryPart::Workspace)
        bytes += m[at(k)].value();
    use(stage, bytes);
  }

  void use(int stage, double bytes) {
    if (!m_detail) return;
    double& used = m_used[at(stage)];
    used += bytes;
    if (bytes != 0) m_memory[at(stage)].push_back({stage, Seconds(m_free[at(stage)]), Bytes(used)});
  }

  void finish(int stage) {
    const StageEvaluation& e = m_evaluation.stages[at(stage)];
    const Seconds sync = e.sync - e.hiddenSync;
    if (sync > Seconds()) occupy(stage, {}, TaskKind::Sync, sync.value(), 0);
    if (e.step > Seconds()) occupy(stage, {}, TaskKind::Step, e.step.value(), 0);
    m_out.total = std::max(m_out.total, Seconds(m_free[at(stage)]));
  }

  /// Joins the lists of the stages, each of which is in the order of time.
  bool joinStages() {
    std::size_t intervals = 0, steps = 0;
    for (std::size_t i = 0; i < m_intervals.size(); ++i)
      intervals += m_intervals[i].size(), steps += m_memory[i].size();
    m_out.intervals.reserve(intervals);
    m_out.memory.reserve(steps);
    for (std::size_t i = 0; i < m_intervals.size(); ++i) {
      if (m_stop.stop_requested()) return false;
      m_out.intervals.insert(m_out.intervals.end(), m_intervals[i].begin(), m_intervals[i].end());
      m_out.memory.insert(m_out.memory.end(), m_memory[i].begin(), m_memory[i].end());
      m_intervals[i] = {};
      m_memory[i] = {};
    }
    return true;
  }

  int m_stages, m_chunks, m_microbatches;
  const std::vector<std::vector<ChunkTime>>& m_times;
  const Evaluation& m_evaluation;
  bool m_detail;
  const std::stop_token& m_stop;
  unsigned m_passes = 0;
  Schedule m_out;
  std::vector<std::vector<ScheduleInterval>> m_intervals;  ///< by stage
  std::vector<std::vector<MemoryStep>> m_memory;           ///< by stage
  /// By part and microbatch, −1 if not yet run; in totals(), by stage, the last m_waiting.
  std::vector<double> m_forwardEnd, m_backwardEnd;
  std::size_t m_waiting = 0;
  std::vector<double> m_free, m_used;  ///< by stage
};

Schedule run(ScheduleKind kind, int microbatches, const std::vector<std::vector<ChunkTime>>& times,
             const Evaluation& evaluation, bool detail, const std::stop_token& stop) {
  for (const ScheduleKind order : {kind, ScheduleKind::GPipe}) {
    auto schedule = Simulation(order, microbatches, times, evaluation, detail, stop).run();
    if (schedule) return *std::move(schedule);
    if (stop.stop_requested()) break;
  }
  Schedule stopped;
  stopped.kind = kind;
  return stopped;
}

}  // namespace

Schedule simulate(const Problem& problem, const Plan& plan, const Evaluation& evaluation, ScheduleKind kind,
                  bool detail, std::stop_token stop) {
  Schedule empty;
  empty.kind = kind;
  const PlanCheck check = checkPlan(problem, plan);
  if (!check.countable || check.microbatch < 0 || evaluation.stages.size() != plan.stages.size())
    return empty;
  const std::size_t v = plan.stages.front().chunks.size();
  for (const StagePlan& s : plan.stages)
    if (s.chunks.size() != v || v == 0) return empty;
  if (!scheduleOf(kind).takesChunks(static_cast<int>(v))) kind = usualSchedule(static_cast<int>(v));
  // Under some schedules, stages hold other parts or show less of their exchanges.
  const PipelineSchedule &own = plan.pipelineSchedule(), &other = scheduleOf(kind);
  if (own.takesChunks(static_cast<int>(v)) &&
      (own.isFolded() != other.isFolded() || own.coversExchanges() != other.coversExchanges())) {
    const Plan changed = underSchedule(plan, kind);
    return simulate(problem, changed, evaluate(problem, changed), kind, detail, std::move(stop));
  }

  const auto times = chunkTimes(problem, plan, check, evaluation, detail);
  const int m = check.microbatches, s = plan.stageCount();
  const long long width = static_cast<long long>(s) * static_cast<long long>(v);
  const long long reached = std::max<long long>(8 * s, kMostPasses / std::max<long long>(1, width)) / s * s;
  if (m <= reached) return run(kind, m, times, evaluation, detail, stop);

  // In the steady state, each further group of s microbatches takes as long as the one before.
  const int few = static_cast<int>(reached) + m % s;
  Schedule schedule = run(kind, few, times, evaluation, detail, stop);
  const Schedule fewer = run(kind, few - s, times, evaluation, false, stop);
  if (stop.stop_requested()) return empty;
  const double groups = static_cast<double>(m - few) / s;
  for (std::size_t i = 0; i < schedule.busy.size(); ++i)
    schedule.busy[i] += groups * (schedule.busy[i] - fewer.busy[i]);
  schedule.total += groups * (schedule.total - fewer.total);
  return schedule;
}

}  // namespace nest
