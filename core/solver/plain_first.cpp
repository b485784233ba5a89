// Everything at once lists and bounds millions of candidates before it looks at the first plan. The plain
// search takes a tenth of a second on the same cluster, and its best plan is among those of everything: so it
// is the incumbent that the whole search begins from.
#include "solver/plain_first.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "evaluation/evaluation.h"
#include "solver/space/search_space.h"
#include "units/text.h"

namespace nest::solver {
namespace {

using Clock = std::chrono::steady_clock;

/// More candidates than there are: what listing all of them costs at most.
double mostCandidates(const Problem& problem) {
  const SearchSpace space(problem);
  int narrow = problem.cluster->deviceCount();
  for (const int k : space.strategies())
    narrow = std::min(narrow, problem.profile->strategies()[static_cast<std::size_t>(k)].width());
  double degrees = 0;
  for (const int b : space.microbatches())
    degrees += static_cast<double>(space.dataDegrees(b, narrow).size());
  return degrees * static_cast<double>(space.strategies().size()) *
         static_cast<double>(space.schedules().size()) * problem.graph->layerCount();
}

/// `part` of what is left of time and work.
class Share {
public:
  Share(const Control& whole, double part) : m_whole(whole), m_own(whole) {
    if (whole.deadline) {
      const auto now = Clock::now();
      const auto left = std::max(Clock::duration(0), *whole.deadline - now);
      m_own.deadline = now + std::chrono::duration_cast<Clock::duration>(left * part);
    }
    if (whole.work) {
      m_given = static_cast<long long>(static_cast<double>(whole.work->left()) * part);
      m_own.work = std::make_shared<WorkLimit>(m_given);
    }
  }
  ~Share() {
    if (m_own.work) m_whole.work->spend(m_given - m_own.work->left());
  }
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;
  Control& control() { return m_own; }

private:
  const Control& m_whole;
  Control m_own;
  long long m_given = 0;
};

constexpr double kPlainShare = 0.5;     ///< of time and work, at most; mostly it takes far less
constexpr double kPlainProgress = 0.1;  ///< of the fraction that is reported

Outcome solvePlain(const Problem& plain, const Control& whole, const Plan* start, Tuning tuning,
                   CompleteSolve all) {
  tuning.findsMisses = false;
  Share share(whole, kPlainShare);
  Control& own = share.control();
  own.front = FrontEffort::None;
  if (whole.progress)
    own.progress = [&whole](Progress p) {
      p.phase = "plain search";
      p.fraction *= kPlainProgress;
      p.lowerBound = 0;
      p.settled = false;
      whole.progress(p);
    };
  return all(plain, own, start, tuning);
}

/// The faster one of a plan that the caller knows and the best plain one.
const Plan* fasterOf(const Problem& problem, const Plan* start, const Outcome& plain) {
  const RankedPlan* best = plain.best();
  if (!best) return start;
  if (!start) return &best->plan;
  const Evaluation own = evaluate(problem, *start);
  return own.feasible() && own.ranked <= best->evaluation.ranked ? start : &best->plan;
}

}  // namespace

std::optional<Problem> plainSearchOf(const Problem& problem, const Tuning& tuning) {
  Problem plain = problem;
  SearchOptions& s = plain.search;
  const Constraints& c = problem.constraints;
  s.strategyPerStage = false;
  s.padLastMicrobatch = false;
  s.shardGroups = ShardGroups::All;
  const auto offers = [](const auto& all, auto one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  };
  if (offers(s.chunksPerStage, 1) && c.chunks.allows(1)) {
    s.chunksPerStage = {1};
    if (offers(s.schedules, ScheduleKind::OneForwardOneBackward))
      s.schedules = {ScheduleKind::OneForwardOneBackward};
  }
  const auto hasContext = [](const Strategy& k) { return k.context > 1; };
  const auto& strategies = problem.profile->strategies();
  const bool drops = c.context.allows(1) && std::any_of(strategies.begin(), strategies.end(), hasContext) &&
                     !std::all_of(strategies.begin(), strategies.end(), hasContext);
  if (drops) plain.constraints.context.least = plain.constraints.context.most = 1;
  if (s == problem.search && !drops) return std::nullopt;
  if (mostCandidates(problem) <= static_cast<double>(tuning.plainFirst)) return std::nullopt;
  s.topPlans = 1;
  return plain;
}

Outcome solvePlainFirst(const Problem& problem, const Control& control, const Plan* start,
                        const Tuning& tuning, CompleteSolve all) {
  const auto plain = plainSearchOf(problem, tuning);
  if (!plain) return all(problem, control, start, tuning);
  Control own = control.within(problem.search.deadlineSeconds);
  Outcome first = solvePlain(*plain, own, start, tuning, all);
  const auto known = first.best() ? std::optional(first.best()->evaluation.ranked) : std::nullopt;
  if (control.progress)
    own.progress = [&control, &known](Progress p) {
      p.fraction = kPlainProgress + (1 - kPlainProgress) * p.fraction;
      if (known && (!p.best || *known < *p.best)) p.best = known;
      control.progress(p);
    };
  if (control.found && known)
    own.found = [&control, &known](const RankedPlan& r) {
      if (r.evaluation.ranked < *known) control.found(r);
    };
  Outcome o = all(problem, own, fasterOf(problem, start, first), tuning);
  o.statistics.add(first.statistics);
  if (own.shouldStop()) o.takeTablesOf(first);
  const bool isFinished = !first.cutShort() && first.status != OutcomeStatus::Failed;
  if (isFinished) o.finished = std::max(o.finished, SearchExtent::Plain);
  if (o.finished == SearchExtent::Plain && o.cutShort())
    o.diagnostics.push_back(
        note("search-not-finished", {},
             (known ? "no plan of the plain search takes less than " + text::time(*known)
                    : std::string("no plan of the plain search fits")) +
                 " (one strategy for all stages, 1F1B without VPP, no CP, no padding, no shard groups); the "
                 "rest of the search was stopped",
             "raise the deadline to search on"));
  return o;
}

}  // namespace nest::solver
