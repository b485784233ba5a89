#include "measures/step_difference.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "schedule/pipeline_schedule.h"

namespace nest {
namespace {

constexpr double kRoundingOfStep = 1e-9;  ///< share of a step below which times differ by rounding only
constexpr double kExplained = 0.9;        ///< share of a growth that is enough to name its causes
constexpr double kSmallTerm = 0.01;       ///< of the larger time
constexpr double kSmallAgainst = 0.1;     ///< of the largest term
constexpr double kInvisible = 2e-4;       ///< of the larger time: less than three digits show

/// As bars of a comparison stack: work, then what is sent, then what happens once, then what is waited.
constexpr std::array kWaterfallOrder{TimePart::Compute, TimePart::Recompute, TimePart::Tensor,
                                     TimePart::Context, TimePart::Expert,    TimePart::Pipeline,
                                     TimePart::Data,    TimePart::Step,      TimePart::Idle};
static_assert(kWaterfallOrder.size() == kTimePartCount);

TimeSplit comparedSplit(const Evaluation& e, const Pace& p, PaceMeasure measure) {
  TimeSplit out = splitOf(e);
  if (measure == PaceMeasure::Throughput && p.tokens() > 0)
    for (Seconds& t : out) t = t / p.tokens();
  return out;
}

double sizeOf(Seconds s) {
  return std::abs(s.value());
}

/// "8", or "4–8" where stages differ.
template <class Of>
std::string rangeOf(const Plan& p, Of of) {
  if (p.stages.empty()) return "–";
  int least = of(p.stages.front()), most = least;
  for (const StagePlan& s : p.stages) least = std::min(least, of(s)), most = std::max(most, of(s));
  return least == most ? std::to_string(least) : std::to_string(least) + "–" + std::to_string(most);
}

std::string recomputeOf(const Plan& p) {
  if (p.stages.empty()) return "–";
  const Recompute first = p.stages.front().recompute;
  const bool isSame = std::all_of(p.stages.begin(), p.stages.end(),
                                  [first](const StagePlan& s) { return s.recompute == first; });
  return isSame ? nameOf(first) : "mixed";
}

std::string zeroOf(const Plan& p) {
  std::string out = std::to_string(p.zero);
  return p.shardDegree() < p.dataDegree() && p.zero > 0 ? out + '/' + std::to_string(p.shardDegree()) : out;
}

}  // namespace

StepDifference stepDifference(const Evaluation& first, const Pace& firstPace, const Evaluation& second,
                              const Pace& secondPace) {
  StepDifference d;
  d.measure = measureOf(firstPace, secondPace);
  d.before = comparedTime(firstPace, d.measure), d.after = comparedTime(secondPace, d.measure);
  if (first.stages.empty() || second.stages.empty()) return d;
  const TimeSplit a = comparedSplit(first, firstPace, d.measure),
                  b = comparedSplit(second, secondPace, d.measure);
  for (std::size_t k = 0; k < a.size(); ++k)
    if (a[k] > Seconds() || b[k] > Seconds()) d.terms.push_back({static_cast<TimePart>(k), a[k], b[k]});
  return d;
}

std::vector<PartChange> partChanges(const StepDifference& d, bool shrinking) {
  const Seconds noTime = kRoundingOfStep * std::max(d.before, d.after);
  const auto size = [shrinking](const PartChange& c) { return shrinking ? -1.0 * c.growth() : c.growth(); };
  std::vector<PartChange> all;
  Seconds whole;
  for (const PartChange& t : d.terms) {
    if (!(size(t) > noTime)) continue;
    all.push_back(t);
    whole += size(t);
  }
  std::stable_sort(all.begin(), all.end(),
                   [&](const PartChange& x, const PartChange& y) { return size(x) > size(y); });
  Seconds named;
  std::size_t count = 0;
  while (count < all.size() && named < kExplained * whole) named += size(all[count++]);
  all.resize(count);
  return all;
}

std::vector<WaterfallStep> waterfallOf(const StepDifference& d) {
  if (!d.isKnown()) return {};
  const double whole = std::max(d.before.value(), d.after.value());
  double largest = 0;
  for (const PartChange& t : d.terms) largest = std::max(largest, sizeOf(t.growth()));
  if (largest <= kRoundingOfStep * whole) return {};
  const double small = std::min(kSmallTerm * whole, kSmallAgainst * largest);
  std::vector<WaterfallStep> out;
  WaterfallStep joined;
  for (const TimePart part : kWaterfallOrder) {
    const auto t =
        std::find_if(d.terms.begin(), d.terms.end(), [part](const PartChange& c) { return c.part == part; });
    if (t == d.terms.end() || sizeOf(t->growth()) <= kRoundingOfStep * whole) continue;
    if (sizeOf(t->growth()) >= small) {
      out.push_back({{part}, t->before, t->after, {}, {}});
    } else {
      joined.parts.push_back(part);
      joined.before += t->before, joined.after += t->after;
    }
  }
  // What is left is joined; if it could not be seen, it goes into the rounding of the last step.
  if (!joined.parts.empty() && (out.empty() || sizeOf(joined.after - joined.before) > kInvisible * whole))
    out.push_back(std::move(joined));
  Seconds at = d.before;
  for (WaterfallStep& step : out) {
    step.from = at;
    at += step.growth();
    step.to = at;
  }
  out.back().to = d.after;  // but for that it is so already
  return out;
}

const char* nameOf(PlanFact::Kind kind) {
  constexpr std::array kNames = {"microbatches", "microbatch", "tensor", "context",  "expert",    "stages",
                                 "chunks",       "data",       "zero",   "schedule", "recompute", "devices"};
  static_assert(kNames.size() == static_cast<std::size_t>(PlanFact::Kind::Devices) + 1);
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<PlanFact> changedFacts(const Plan& first, const Evaluation& firstEvaluation, const Plan& second,
                                   const Evaluation& secondEvaluation) {
  using enum PlanFact::Kind;
  std::vector<PlanFact> out;
  const auto add = [&](PlanFact::Kind kind, std::string before, std::string after) {
    if (before != after) out.push_back({kind, std::move(before), std::move(after)});
  };
  const auto number = [&](PlanFact::Kind kind, int before, int after) {
    add(kind, std::to_string(before), std::to_string(after));
  };
  const auto range = [&](PlanFact::Kind kind, auto of) {
    add(kind, rangeOf(first, of), rangeOf(second, of));
  };
  number(Microbatches, firstEvaluation.microbatchCount, secondEvaluation.microbatchCount);
  number(Microbatch, first.microbatch, second.microbatch);
  range(Tensor, [](const StagePlan& s) { return s.strategy.tensor; });
  range(Context, [](const StagePlan& s) { return s.strategy.context; });
  range(Expert, [](const StagePlan& s) { return s.strategy.expert; });
  number(Stages, first.stageCount(), second.stageCount());
  number(Chunks, first.chunksPerStage(), second.chunksPerStage());
  number(Data, first.dataDegree(), second.dataDegree());
  add(Zero, zeroOf(first), zeroOf(second));
  add(Schedule, std::string(first.pipelineSchedule().label()),
      std::string(second.pipelineSchedule().label()));
  add(Recompute, recomputeOf(first), recomputeOf(second));
  number(Devices, first.devicesUsed(), second.devicesUsed());
  return out;
}

PlanObstacle obstacleIn(const Problem& problem, const Plan& plan) {
  PlanObstacle out;
  const Evaluation e = evaluate(problem, plan);
  out.exists = !e.feasible();
  for (const Violation& v : e.violations) out.shortfall = std::max(out.shortfall, v.shortfall);
  return out;
}

}  // namespace nest
