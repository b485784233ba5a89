// One strategy for all stages (UniformSearch), then from its best plan strategies per stage (MixedSearch),
// then ties, the front, and the evaluator's word on every plan. The lower bound is the
// least over what each of them has left.
#include "solver/solve.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "evaluation/schedule.h"
#include "platform/process.h"
#include "problem/runs_schedule.h"
#include "run/goal.h"
#include "schedule/pipeline_schedule.h"
#include "solver/exhaustive.h"
#include "solver/mixed_search.h"
#include "solver/plain_first.h"
#include "solver/proof/nearest_miss.h"
#include "solver/proof/plan_front.h"
#include "solver/space/searched_plan.h"
#include "solver/uniform_search.h"
#include "units/text.h"

namespace nest {
namespace solver {
namespace {

RankedPlan rank(const Problem& problem, Plan plan) {
  RankedPlan ranked;
  ranked.plan = std::move(plan);
  ranked.evaluation = evaluate(problem, ranked.plan);
  ranked.simulated = simulate(problem, ranked.plan, ranked.evaluation, false).total;
  return ranked;
}

/// Empty if the evaluator confirms the planner's time and finds no violation.
std::optional<Diagnostic> disagreement(const CandidatePlan& found, const RankedPlan& ranked) {
  const double told = ranked.evaluation.ranked.value();
  if (!ranked.evaluation.feasible())
    return error("plan-not-confirmed", {},
                 "the evaluator rejects " + summaryOf(ranked.plan) + ": " +
                     ranked.evaluation.violations.front().message,
                 "report this scenario as a defect of the planner");
  if (std::abs(told - found.time) <= kEvaluatorAgreement * std::max(std::abs(told), std::abs(found.time)))
    return std::nullopt;
  return error("time-not-confirmed", {},
               "planner and evaluator disagree on " + summaryOf(ranked.plan) + ": " +
                   text::exact(found.time) + " s and " + text::exact(told) + " s",
               "report this scenario as a defect of the planner");
}

/// None where it is no plan of the search: options or constraints may have changed since it was found.
std::optional<CandidatePlan> startOf(const Problem& problem, const SearchSpace& space, const Plan* start) {
  if (!start || !isSearched(space, *start)) return std::nullopt;
  const Evaluation e = evaluate(problem, *start);
  if (!e.feasible()) return std::nullopt;
  CandidatePlan f;
  f.given = *start;
  f.microbatchIndex = problem.profile->microbatchIndex(start->microbatch);
  f.dataDegree = start->dataDegree();
  f.zero = start->zero;
  f.chunks = start->chunksPerStage();
  f.schedule = start->schedule;
  for (const StagePlan& s : start->stages) {
    f.strategies.push_back(problem.profile->strategyIndex(s.strategy));
    f.cut.policies.push_back(static_cast<int>(s.recompute));
  }
  f.layout = {start->dataInner, start->dataOuter, start->blockStride, start->shardReplicas};
  f.batch = e.globalBatch, f.microbatchCount = e.microbatchCount;
  f.time = e.ranked.value();
  f.devices = start->devicesUsed();
  for (const StageEvaluation& s : e.stages) f.memory = std::max(f.memory, s.memory.total().value());
  return f;
}

/// None of search.schedules runs any of the chunks per stage that are available and allowed.
Diagnostic noSchedule(const Problem& problem) {
  const auto& named = problem.search.schedules;
  const auto& c = problem.constraints;
  const auto problemWith = [&](std::string message, std::string remedy) {
    return error("no-schedule", {"", 0, 0, "/search/schedules"}, std::move(message), std::move(remedy));
  };
  if (named.empty()) return problemWith("no schedule to try", "`search.schedules += 1f1b`");
  std::string labels;
  bool isExpressible = !c.megatronExpressible, isRun = false;
  for (const ScheduleKind kind : named) {
    labels += (labels.empty() ? "" : ", ") + std::string(scheduleOf(kind).label());
    isExpressible = isExpressible || scheduleOf(kind).isInMegatron();
    isRun = isRun || runsSchedule(problem, scheduleOf(kind));
  }
  if (!isExpressible || !isRun)
    return problemWith((isExpressible ? problem.program.program->name : megatronName(problem)) +
                           (named.size() == 1 ? " does not run " + labels
                                              : " runs none of the schedules to try (" + labels + ")"),
                       "`search.schedules += 1f1b`");
  for (const int v : {1, 2})
    if (std::any_of(named.begin(), named.end(), [&](ScheduleKind k) { return scheduleOf(k).takesChunks(v); }))
      return problemWith("none of the schedules to try (" + labels + ") runs with the VPP values to try",
                         c.chunks.allows(v) ? "`search.chunks_per_stage += " + std::to_string(v) + "`"
                                            : "allow " + std::to_string(v) +
                                                  " in `constraints.chunks`, or add other schedules");
  return problemWith("none of the schedules to try (" + labels + ") can be planned",
                     "`search.schedules += 1f1b`");
}

Diagnostics checked(const Problem& problem, const LayerOrder& order, const SearchSpace& space) {
  Diagnostics out;
  if (problem.graph->layerCount() == 0) out.push_back(error("no-layers", {}, "the model has no layers"));
  if (order.tooMany())
    out.push_back(
        error("too-many-downsets", {},
              "the layer graph can be cut in more than " + text::count(LayerOrder::kMostCuts) + " ways",
              "merge layers that stand in series, or branches that run side by side"));
  if (space.microbatches().empty())
    out.push_back(error("no-microbatch", {}, "no microbatch size to try is in the profile and allowed"));
  if (space.strategies().empty())
    out.push_back(error("no-strategy", {}, "no strategy of the search is allowed"));
  if (space.zeroStages().empty())
    out.push_back(error("no-zero-stage", {}, "no ZeRO stage from 0 to 3 is allowed"));
  if (space.chunkCounts().empty() && space.schedules().empty())
    out.push_back(error("no-chunks", {}, "no number of virtual pipeline stages (VPP) is allowed"));
  if (!space.chunkCounts().empty() && space.schedules().empty()) out.push_back(noSchedule(problem));
  return out;
}

class Solver {
public:
  Solver(const Problem& problem, const Control& control, const Plan* start, const Tuning& tuning)
      : m_problem(problem),
        m_start(start),
        m_tuning(tuning),
        m_front(control.front),
        m_watch(control, problem.search.deadlineSeconds, m_tuning.pace),
        m_order(*problem.graph),
        m_space(problem),
        m_shapes(*problem.cluster),
        m_incumbents(static_cast<std::size_t>(std::max(1, problem.search.topPlans))) {
    m_watch.bounds().turnOff(tuning.withoutBounds);
    m_shapes.countIn(m_watch.bounds());
  }

  Outcome run() {
    m_out.diagnostics = checked(m_problem, m_order, m_space);
    if (hasErrors(m_out.diagnostics)) {
      m_out.status = m_order.tooMany() ? OutcomeStatus::Failed : OutcomeStatus::Infeasible;
      return finish();
    }
    if (auto given = startOf(m_problem, m_space, m_start)) m_incumbents.offer(std::move(*given));
    m_shown = m_incumbents.lead().time;  // the caller knows that plan
    m_showNext = m_tuning.patience;
    if (m_watch.control().found) m_watch.whenReporting([this] { show(); });
    UniformSearch& search =
        m_search.emplace(m_problem, m_order, m_shapes, m_space, m_incumbents, m_watch, m_tuning);
    const bool choose = choosesStrategies(m_problem, m_space);
    // Chains with one strategy for all stages are looked at again where each chooses.
    const bool twice = choose && m_order.isChain() && m_space.stageCountDecidesNoZero();
    bool complete = twice ? search.run({m_tuning.firstShare, m_tuning.firstStates}) : search.run();
    if (complete) m_out.finished = SearchExtent::OneStrategy;
    m_out.statistics.tuples = search.tuples();
    double bound = search.lowerBound();
    if (choose && (complete || !m_watch.shouldStop())) {
      if (!complete) bound = kInfinity;
      complete = chooseStrategies(search, bound);
    } else if (!complete && !(bound > 0)) {
      bound = leastTime(m_problem, m_order, m_space, search);  // not all candidates are listed
    } else if (choose) {
      bound = std::min(bound, leastTime(m_problem, m_order, m_space, search));
    }
    if (m_incumbents.best().empty() && bound == kInfinity) complete = true;  // nothing is left to look at
    m_incumbents.sort(m_problem, [&](CandidatePlan& f) {
      if (!m_watch.stopped()) search.settleTies(f);
    });
    search.fillLog(m_out);
    rankAll();
    if (m_front != FrontEffort::None)
      rankFront(complete ? frontOf(m_problem, search, m_incumbents.all(), m_front, m_watch)
                         : metFront(m_incumbents.all()));
    settleProof(complete, choose, bound);
    settleStatus(complete, search);
    if (complete || m_out.status == OutcomeStatus::Optimal) m_out.finished = SearchExtent::Everything;
    if (hasErrors(m_out.diagnostics)) m_out.status = OutcomeStatus::Failed;
    return finish();
  }

private:
  void show() {
    const double begin = m_watch.seconds();
    const auto& best = m_incumbents.best();
    if (begin < m_showNext || best.empty() || !(best.front().time < m_shown * (1 - kEvaluatorAgreement)))
      return;
    const RankedPlan plan = rank(m_problem, planOf(m_problem, m_order, best.front()));
    m_shown = best.front().time;
    if (!disagreement(best.front(), plan)) m_watch.control().found(plan);
    const double end = m_watch.seconds();
    m_showNext = end + std::max(m_tuning.patience, 20 * (end - begin));
  }

  /// Lowers `bound` to what was left out. Returns whether the best plan is proven.
  bool chooseStrategies(UniformSearch& search, double& bound) {
    MixedSearch& strategies =
        m_strategies.emplace(m_problem, m_order, m_shapes, m_space, search, m_incumbents, m_watch);
    const bool complete = strategies.run();
    bound = std::min(bound, strategies.lowerBound());
    if (!m_watch.shouldStop()) strategies.settleTies();
    m_allProven = m_incumbents.size() == 1 || (complete && strategies.runMany());
    m_out.statistics.tuples += strategies.tuples();
    return complete;
  }

  /// Whether more plans are costed, from `begin` on. Of a search that was ended those are left out that take
  /// long.
  bool hasTimeFor(double begin) {
    constexpr double kPatience = 0.01;
    m_watch.poll();
    return !m_watch.stopped() &&
           (m_watch.cause() != StopCause::Deadline || m_watch.seconds() <= begin + kPatience);
  }
  void rankAll() {
    const double begin = m_watch.seconds();
    for (const CandidatePlan& f : m_incumbents.best()) {
      RankedPlan ranked = rank(m_problem, planOf(m_problem, m_order, f));
      if (auto problem = disagreement(f, ranked)) m_out.diagnostics.push_back(std::move(*problem));
      m_out.plans.push_back(std::move(ranked));
      if (!hasTimeFor(begin)) break;
    }
  }

  void rankFront(const PlanFront& front) {
    m_out.frontReach = front.reach;
    const double begin = m_watch.seconds();
    for (const CandidatePlan& f : front.plans) {
      const Plan plan = planOf(m_problem, m_order, f);
      const auto known = std::find_if(m_out.plans.begin(), m_out.plans.end(),
                                      [&](const RankedPlan& r) { return r.plan == plan; });
      if (known != m_out.plans.end())
        m_out.front.push_back(*known);
      else if (hasTimeFor(begin))
        m_out.front.push_back(rank(m_problem, plan));
      else
        m_out.frontReach = FrontReach::Encountered;  // it is not whole
    }
  }

  /// `bound`: of all that was not looked at.
  void settleProof(bool complete, bool choose, double bound) {
    if (m_out.plans.empty()) {
      if (std::isfinite(bound)) m_out.lowerBound = Seconds(bound);
      return;
    }
    std::size_t proven = 0;
    if (complete) {
      proven = m_allProven ? m_out.plans.size() : 1;
    } else {
      // Of one strategy for all stages every plan faster than the bound was met; else only the best.
      const std::size_t most = choose ? 1 : m_out.plans.size();
      while (proven < most && m_out.plans[proven].evaluation.ranked.value() <= bound * (1 + kEqualTimes))
        ++proven;
    }
    m_out.provenPlans = static_cast<int>(proven);
    const Seconds best = m_out.plans.front().evaluation.ranked;
    m_out.lowerBound = proven > 0 ? best : std::min(best, Seconds(bound));
  }

  void settleStatus(bool complete, UniformSearch& search) {
    if (!m_out.plans.empty()) {
      m_out.status = m_out.provenPlans > 0 ? OutcomeStatus::Optimal : OutcomeStatus::BestSoFar;
      return;
    }
    if (!complete) {
      m_out.status = OutcomeStatus::Stopped;
      return;
    }
    m_out.status = OutcomeStatus::Infeasible;
    if (!m_tuning.findsMisses) return;
    m_out.nearestMiss = findNearestMiss(m_problem, m_order, m_shapes, m_space, search, m_watch);
    m_out.diagnostics.push_back(
        m_out.nearestMiss ? note("nothing-fits", {}, "no plan fits the memory of the devices")
        : m_watch.poll()
            ? warning(kMissUnknown, {}, "no plan exists; the search for what is short was stopped",
                      "raise the deadline to get an explanation")
        : m_problem.limitsHostMemory()
            ? note("nothing-allowed", {},
                   "no plan meets the batch size, the device count, the constraints and the memory of the "
                   "hosts together",
                   "keep less of the optimizer state there (assumptions.offloaded_optimizer_share)")
            : note("nothing-allowed", {},
                   "no plan meets the batch size, the device count and the constraints together"));
  }

  Outcome finish() {
    // What the watch did not end took more memory than Tuning allows.
    if (m_out.cutShort())
      m_out.stopCause = m_watch.cause() == StopCause::None ? StopCause::MemoryLimit : m_watch.cause();
    m_out.statistics.states = m_watch.states();
    m_out.statistics.bounds = m_watch.bounds().all();
    m_out.statistics.elapsed = Seconds(m_watch.seconds());
    m_out.statistics.peakMemory = peakMemory();
    m_out.notSearched = notSearched(m_problem, m_out.shownPlan());
    return std::move(m_out);
  }

  const Problem& m_problem;
  const Plan* m_start;
  Tuning m_tuning;
  FrontEffort m_front;
  Watch m_watch;
  LayerOrder m_order;
  SearchSpace m_space;
  GroupShapes m_shapes;
  Incumbents m_incumbents;
  std::optional<UniformSearch> m_search;
  std::optional<MixedSearch> m_strategies;
  Outcome m_out;
  bool m_allProven = true;             ///< not the best plan alone
  double m_shown = 0, m_showNext = 0;  ///< Control::found: a step time; when it may be called
};

/// Searches with a strategy for each stage know one batch. They run for each batch of the range in turn.
Outcome solveEachBatch(const Problem& problem, const Control& control, const Plan* start,
                       const Tuning& tuning) {
  Outcome all;
  all.status = OutcomeStatus::Infeasible;
  double bound = kInfinity;
  std::vector<RankedPlan> front;
  const int least = problem.leastBatch(), most = problem.mostBatch();
  for (int batch = most; batch >= least; --batch) {
    Problem one = problem;
    one.job.globalBatch = batch;
    one.job.batchTolerance = 0;
    Tuning own = tuning;
    own.findsMisses = tuning.findsMisses && batch == least && all.plans.empty();  // it holds least in flight
    const Plan* from = start && problem.batchOf(start->globalBatch) == batch ? start : nullptr;
    Control quiet = control;
    quiet.found = nullptr;
    if (control.progress)
      quiet.progress = [&](Progress p) {
        p.fraction = (most - batch + p.fraction) / (most - least + 1);
        p.best.reset(), p.lowerBound = 0, p.settled = false;
        control.progress(p);
      };
    Plan begin;
    if (from) begin = *from, begin.globalBatch = 0, from = &begin;
    Outcome o = solver::solveAtOnce(one, quiet, from, own);
    all.statistics.add(o.statistics);
    all.takeTablesOf(o);
    const auto ofRange = [&](const RankedPlan& r) {
      RankedPlan out = r;
      out.plan.globalBatch = batch == problem.job.globalBatch ? 0 : batch;
      out.evaluation = evaluate(problem, out.plan);
      return out;
    };
    for (const RankedPlan& r : o.plans) all.plans.push_back(ofRange(r));
    for (const RankedPlan& r : o.front) front.push_back(ofRange(r));
    if (o.status != OutcomeStatus::Infeasible)
      bound = std::min(bound, o.lowerBound.value() * problem.job.globalBatch / batch);
    if (o.cutShort()) {
      all.stopCause = o.stopCause;
      if (batch > least) bound = 0;  // of the other batches nothing is known
    }
    if (o.status == OutcomeStatus::Failed || batch == most) all.notSearched = std::move(o.notSearched);
    if (o.nearestMiss) all.nearestMiss = std::move(o.nearestMiss);
    if (o.plans.empty() && (batch == least || o.status == OutcomeStatus::Failed))
      all.diagnostics = std::move(o.diagnostics);
    if (o.status == OutcomeStatus::Failed) {
      all.status = OutcomeStatus::Failed;
      return all;
    }
    if (o.cutShort()) break;
  }
  std::stable_sort(all.plans.begin(), all.plans.end(), nest::precedes);
  const auto count = static_cast<std::size_t>(std::max(1, problem.search.topPlans));
  if (all.plans.size() > count) all.plans.resize(count);
  std::stable_sort(front.begin(), front.end(), nest::precedes);
  const auto peak = [](const RankedPlan& r) {
    Bytes bytes;
    for (const StageEvaluation& s : r.evaluation.stages) bytes = std::max(bytes, s.memory.total());
    return bytes;
  };
  for (RankedPlan& r : front)
    if (std::none_of(all.front.begin(), all.front.end(), [&](const RankedPlan& f) {
          return f.plan.devicesUsed() <= r.plan.devicesUsed() && peak(f) <= peak(r);
        }))
      all.front.push_back(std::move(r));
  const bool isCut = all.stopCause != StopCause::None;
  if (!isCut) all.finished = SearchExtent::Everything;
  if (all.plans.empty()) {
    if (isCut) all.status = OutcomeStatus::Stopped;
    return all;
  }
  all.nearestMiss.reset();
  all.diagnostics.clear();
  const Seconds best = all.plans.front().evaluation.ranked;
  const bool isProven = !isCut || bound >= best.value() * (1 - kEqualTimes);
  all.status = isProven ? OutcomeStatus::Optimal : OutcomeStatus::BestSoFar;
  all.provenPlans = isProven ? 1 : 0;
  all.lowerBound = isProven ? best : Seconds(bound);
  if (isProven) all.stopCause = StopCause::None;
  all.notSearched = notSearched(problem, all.shownPlan());
  return all;
}

}  // namespace
}  // namespace solver

Outcome solver::solveAtOnce(const Problem& problem, const Control& control, const Plan* start,
                            const Tuning& tuning) {
  if (problem.leastBatch() < problem.mostBatch() && choosesStrategies(problem, SearchSpace(problem)))
    return solveEachBatch(problem, control, start, tuning);
  auto solver = std::make_unique<solver::Solver>(problem, control, start, tuning);
  Outcome outcome = solver->run();
  // Who ends a search early waits for its end, but not until its tables are freed.
  if (outcome.cutShort() || control.shouldStop()) outcome.tables.push_back(std::move(solver));
  return outcome;
}
Outcome solve(const Problem& problem, const Control& control, const Plan* start, const Tuning& tuning) {
  return solver::underGoal(problem,
                           solver::solvePlainFirst(problem, control, start, tuning, solver::solveAtOnce));
}

// STATEMENT.md (11.5): no plan counts less than the bound, whatever its checkpoints take.
Outcome solver::underGoal(const Problem& problem, Outcome o) {
  if (!o.best()) return o;
  double counted = o.best()->evaluation.ranked.value();
  if (problem.deviceWeights) {
    const RankedPlan* least = nullptr;
    for (const auto* plans : {&o.plans, &o.front})
      for (const RankedPlan& r : *plans)
        if (const auto value = valueUnderGoal(problem, r.plan, r.evaluation);
            value && (!least || *value < counted * (1 - kEqualTimes)))
          least = &r, counted = *value;
    if (!least) return o;  // no run gets through its failures
    if (least != o.best()) {
      RankedPlan best = *least;
      std::erase_if(o.plans, [&](const RankedPlan& r) { return r.plan == best.plan; });
      o.plans.insert(o.plans.begin(), std::move(best));
    }
    o.frontReach = FrontReach::Encountered;  // it is one of weighted times
    if (o.lowerBound > Seconds()) o.goalGap = std::max(0.0, 1 - o.lowerBound.value() / counted);
    if (o.goalGap && *o.goalGap > kEvaluatorAgreement) {
      if (o.status == OutcomeStatus::Optimal) o.status = OutcomeStatus::WithinGap;
      o.provenPlans = 0;
    } else {
      o.provenPlans = std::min(o.provenPlans, 1);
    }
  }
  const Evaluation& best = o.best()->evaluation;
  if (counted != best.batchTime.value()) o.lowerBound = o.lowerBound * (best.batchTime.value() / counted);
  return o;
}
Outcome solve(const Problem& problem, const Control& control, const Plan* start) {
  return solve(problem, control, start, {});
}

}  // namespace nest
