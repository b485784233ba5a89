#include "study/sensitivity.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "study/quiet_solve.h"
#include "units/text.h"
#include "words/outcome_words.h"

namespace nest {
std::vector<Improvement> rankImprovements(const Problem& problem, const RankedPlan& present, double fraction,
                                          const Control& control, const std::vector<NetworkLevel>& typed) {
  std::vector<Improvement> out;
  const auto levers = leversOf(problem);
  const Seconds before = present.evaluation.batchTime;
  for (std::size_t i = 0; i < levers.size(); ++i) {
    reportStudy(control, "Improvements", i, levers.size());
    Improvement one;
    one.lever = levers[i];
    one.factor = isBetterLarger(levers[i]) ? 1 + fraction : 1 / (1 + fraction);
    one.what = levers[i].kind == Lever::Kind::Devices
                   ? valueText(problem, levers[i], one.factor) + " instead of " +
                         text::count(problem.cluster->deviceCount())
                   : text::signedPercent(one.factor - 1) + " " + nameOf(problem, levers[i]);
    const Problem better = pulled(problem, levers[i], one.factor, typed);
    const Outcome found =
        studyStopped(control) ? notSolved(control) : quietSolve(better, control, &present.plan);
    one.status = found.status;
    if (const RankedPlan* best = found.best()) {
      one.batchTime = best->evaluation.batchTime;
      one.change = before.value() > 0 ? one.batchTime / before - 1 : -1;
      one.plan = diff(better, present.plan, present.evaluation, best->plan, best->evaluation);
      one.sentence = one.what + ": " + text::signedPercent(one.change);
      if (!one.plan.same()) one.sentence += ", with another plan";
    } else {
      one.sentence = one.what + ": " + words::of(found.status);
    }
    out.push_back(std::move(one));
  }
  std::stable_sort(out.begin(), out.end(), [](const Improvement& a, const Improvement& b) {
    const bool x = a.status == OutcomeStatus::Stopped, y = b.status == OutcomeStatus::Stopped;
    return x != y ? y : a.change < b.change;
  });
  return out;
}

namespace {

/// Asks whether the present plan is still the best when one lever stands at another value.
class FlipSearch {
public:
  FlipSearch(const Problem& p, const RankedPlan& present, const Lever& lever, const BreakEvenRange& range,
             const Control& control, const std::vector<NetworkLevel>& typed)
      : m_problem(p),
        m_present(present),
        m_lever(lever),
        m_range(range),
        m_control(control),
        m_typed(typed) {}

  bool cutShort = false;

  std::optional<BreakEven> towards(double end) {
    const double ratio = std::pow(end, 1.0 / m_range.steps);
    double same = 1;
    for (int i = 1; i <= m_range.steps && !studyStopped(m_control); ++i) {
      const double there = std::pow(ratio, i);
      if (!flips(there)) {
        same = there;
        continue;
      }
      return bisect(same, there);
    }
    return std::nullopt;
  }

private:
  bool flips(double factor) {
    const Problem p = pulled(m_problem, m_lever, factor, m_typed);
    const Outcome found = quietSolve(p, m_control, &m_present.plan);
    const RankedPlan* best = found.best();
    cutShort = cutShort || found.cutShort();
    if (!best || found.status != OutcomeStatus::Optimal) return false;
    const Evaluation mine = evaluate(p, m_present.plan);
    PlanDiff d = diff(p, m_present.plan, mine, best->plan, best->evaluation);
    // Equal times are no flip: the two plans are as good as each other there.
    if (!matters(d) || (mine.feasible() && d.timeRatio >= 1 - 1e-9)) return false;
    m_plan = best->plan;
    m_difference = std::move(d);
    return true;
  }

  bool matters(const PlanDiff& d) const {
    if (m_range.anyChange) return !d.same();
    return std::any_of(d.changes.begin(), d.changes.end(),
                       [](const PlanChange& c) { return c.what != "cut"; });
  }

  std::optional<BreakEven> bisect(double same, double other) {
    while (std::abs(other / same - 1) > m_range.precision && !studyStopped(m_control)) {
      const double middle = std::sqrt(same * other);
      if (flips(middle))
        other = middle;
      else
        same = middle;
    }
    if (studyStopped(m_control)) return std::nullopt;
    flips(other);
    BreakEven b{m_lever, other,        same, valueText(m_problem, m_lever, other, m_typed),
                m_plan,  m_difference, {}};
    b.sentence = "at " + b.value +
                 (m_lever.kind == Lever::Kind::Devices ? "" : " " + nameOf(m_problem, m_lever)) +
                 " the plan flips";
    if (!m_difference.changes.empty()) b.sentence += ": " + m_difference.changes.front().sentence;
    return b;
  }

  const Problem& m_problem;
  const RankedPlan& m_present;
  Lever m_lever;
  const BreakEvenRange& m_range;
  const Control& m_control;
  const std::vector<NetworkLevel>& m_typed;
  Plan m_plan;
  PlanDiff m_difference;
};

}  // namespace

std::vector<BreakEven> breakEvens(const Problem& problem, const RankedPlan& present, const Lever& lever,
                                  const BreakEvenRange& range, const Control& control,
                                  const std::vector<NetworkLevel>& typed, bool* cutShort) {
  std::vector<BreakEven> out;
  FlipSearch search(problem, present, lever, range, control, typed);
  for (const double end : {range.least, range.most})
    if (auto b = search.towards(end)) out.push_back(std::move(*b));
  if (cutShort) *cutShort = *cutShort || search.cutShort || studyStopped(control);
  return out;
}

namespace {

struct Loss {
  std::string what;
  std::vector<int> positions;
  int degradedLevel = -1;
};

std::vector<Loss> lossesOf(const Problem& p) {
  std::vector<Loss> out;
  const Hierarchy& h = *p.cluster;
  for (int l = 0; l < h.levelCount(); ++l) {
    std::set<int> seen;
    for (int g = 0; g < h.groupCount(l); ++g) {
      const auto [begin, end] = h.groupSpan(l, g);
      if (!seen.insert(end - begin).second || seen.size() > 8) continue;
      if (l == 0 && end - begin > 1) out.push_back({"one device of " + h.groupName(0, g), {end - 1}, -1});
      if (end - begin == h.deviceCount()) continue;
      Loss loss{h.groupName(l, g), {}, -1};
      for (int i = begin; i < end; ++i) loss.positions.push_back(i);
      out.push_back(std::move(loss));
    }
    if (h.largestGroupSize(l) > (l == 0 ? 1 : h.largestGroupSize(l - 1)))
      out.push_back({"half the bandwidth of level " + h.level(l).name, {}, l});
  }
  return out;
}

Failure afterLoss(const Problem& problem, const RankedPlan& present, const Loss& loss, const Control& control,
                  const std::vector<NetworkLevel>& typed) {
  const bool degraded = loss.degradedLevel >= 0;
  const Problem left = degraded ? pulled(problem, {Lever::Kind::Bandwidth, loss.degradedLevel}, 0.5, typed)
                                : withoutDevices(problem, loss.positions);
  const Outcome found = quietSolve(left, control, degraded ? &present.plan : nullptr);
  Failure f{loss.what, loss.positions, found.status, {}, 0, 0, {}};
  if (const RankedPlan* best = found.best()) {
    f.batchTime = best->evaluation.batchTime;
    f.change = present.evaluation.batchTime.value() > 0 ? f.batchTime / present.evaluation.batchTime - 1 : 0;
    f.devicesIdle = left.cluster->deviceCount() - best->plan.devicesUsed();
    f.plan = diff(left, present.plan, present.evaluation, best->plan, best->evaluation);
  }
  return f;
}

}  // namespace

std::vector<Failure> rankFailures(const Problem& problem, const RankedPlan& present, const Control& control,
                                  const std::vector<NetworkLevel>& typed) {
  const auto losses = lossesOf(problem);
  std::vector<Failure> out;
  for (const Loss& loss : losses)
    out.push_back({loss.what, loss.positions, OutcomeStatus::Stopped, {}, 0, 0, {}});
  std::atomic<std::size_t> next = 0;
  std::mutex reporting;
  std::size_t done = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < losses.size() && !studyStopped(control); i = next++) {
      out[i] = afterLoss(problem, present, losses[i], control, typed);
      const std::scoped_lock lock(reporting);
      reportStudy(control, "Failures", ++done, losses.size());
    }
  };
  {
    reportStudy(control, "Failures", 0, losses.size());
    std::jthread second;
    if (losses.size() > 1 && std::thread::hardware_concurrency() > 1) second = std::jthread(work);
    work();
  }
  const auto rank = [](const Failure& f) {
    return f.status == OutcomeStatus::Infeasible ? 1e300
           : f.status == OutcomeStatus::Stopped  ? -1e300
                                                 : f.change;
  };
  std::stable_sort(out.begin(), out.end(),
                   [&](const Failure& a, const Failure& b) { return rank(a) > rank(b); });
  return out;
}

}  // namespace nest
