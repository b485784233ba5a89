#include "study/sensitivity.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "fields/field_slide.h"
#include "fields/field_text.h"
#include "problem/device_count.h"
#include "study/quiet_solve.h"
#include "units/text.h"
#include "words/outcome_words.h"

namespace nest {
namespace {

/// Asks whether the present plan is still the best when one parameter stands at another value.
class FlipSearch {
public:
  FlipSearch(const Setting& s, const Problem& p, const RankedPlan& present, const Parameter& parameter,
             const BreakEvenRange& range, const Control& control)
      : m_setting(s),
        m_problem(p),
        m_present(present),
        m_parameter(parameter),
        m_now(valueOf(s, p, parameter).value_or(0)),
        m_range(range),
        m_control(control) {
    if (!parameter.isDevices()) {
      const Field& f = *parameter.field->field;
      m_isLinear = f.slide == Slide::Linear;
      m_isWhole = f.access.measure == Measure::Count;
      m_isDoubling = f.slide == Slide::Doubling;
      m_least = f.least, m_most = f.most;
      if (m_isLinear && f.access.measure != Measure::Share) {
        m_least = std::max(m_least, range.least * m_now);
        m_most = std::min(m_most, std::max(16.0, 4 * m_now));
      }
    }
  }

  bool cutShort = false;

  bool canMove() const { return m_isLinear || m_now > 0; }

  std::optional<BreakEven> towards(bool up) {
    double same = m_now;
    for (int i = 1; i <= m_range.steps && !studyStopped(m_control); ++i) {
      const double there = stepAt(i, up);
      if (there == same) continue;
      const Answer answer = ask(there);
      if (answer == Answer::Holds) same = there;
      if (answer == Answer::Flips) return bisect(same, there);
    }
    return std::nullopt;
  }

private:
  double stepAt(int i, bool up) const {
    const double share = double(i) / m_range.steps;
    double v = 0;
    if (m_isLinear)
      v = m_now + share * ((up ? m_most : m_least) - m_now);
    else if (m_isDoubling)
      v = m_now * std::exp2(up ? i : -i);
    else
      v = m_now * std::pow(up ? m_range.most : m_range.least, share);
    if (m_isDoubling && (v != std::floor(v) || v / m_now > m_range.most || v / m_now < m_range.least))
      return m_now;
    return std::clamp(m_isWhole ? std::round(v) : v, m_least, m_most);
  }

  enum class Answer { Holds, Flips, Unknown };

  Answer ask(double value) {
    const auto p = problemAt(m_setting, m_problem, m_parameter, value);
    if (!p) return Answer::Unknown;
    const Outcome found = quietSolve(*p, m_control, &m_present.plan);
    const RankedPlan* best = found.best();
    cutShort = cutShort || found.cutShort();
    if (!best || found.cutShort()) return Answer::Unknown;
    const Evaluation mine = evaluate(*p, m_present.plan);
    PlanDiff d = diff(*p, m_present.plan, mine, best->plan, best->evaluation);
    // Equal times are no flip: the two plans are as good as each other there.
    if (!matters(d) || (mine.feasible() && d.timeRatio >= 1 - 1e-9)) return Answer::Holds;
    m_plan = best->plan;
    m_difference = std::move(d);
    return Answer::Flips;
  }

  bool matters(const PlanDiff& d) const {
    if (m_range.anyChange) return !d.same();
    return std::any_of(d.changes.begin(), d.changes.end(),
                       [](const PlanChange& c) { return c.kind != PlanChange::Kind::Cut; });
  }

  /// So small a difference is none.
  double resolution(double v) const { return m_range.finest * (m_isLinear ? m_most - m_least : std::abs(v)); }

  bool isClose(double same, double other) const {
    const double apart = std::abs(other - same);
    if (m_isDoubling || (m_isWhole && apart <= 1) || apart <= resolution(other)) return true;
    return apart <= kBelowDigits * std::abs(other) && apart <= kOfTheWay / 2 * std::abs(other - m_now);
  }

  /// With enough digits to tell it from the present value.
  std::string shown(double v) const {
    if (m_isWhole || m_isDoubling) return valueText(m_setting, m_parameter, v);
    const double most = kOfTheWay * std::abs(v - m_now);
    const auto digits = [&](double number, double unit) {
      int n = 3;
      while (n < 6 && std::abs(std::stod(text::number(number, n)) * unit - v) > most) ++n;
      return text::number(number, n);
    };
    const FieldAt& field = *m_parameter.field;
    if (field.field->access.measure == Measure::Number) return digits(v, 1);
    std::string out = valueText(m_setting, m_parameter, v);
    const auto read = readNumberText(m_setting, field, out);
    if ((read && std::abs(*read - v) <= most) || !(m_now > 0)) return out;
    return digits(v / m_now, m_now) + " × " + valueText(m_setting, m_parameter, m_now);
  }

  std::optional<BreakEven> bisect(double same, double other) {
    while (!isClose(same, other) && !studyStopped(m_control)) {
      double middle = m_isLinear ? (same + other) / 2 : std::sqrt(same * other);
      if (m_isWhole) middle = std::round(middle);
      if (m_isWhole && (middle == same || middle == other)) middle = same + (other > same ? 1 : -1);
      const Answer answer = ask(middle);
      if (answer == Answer::Unknown) return std::nullopt;
      (answer == Answer::Flips ? other : same) = middle;
    }
    if (studyStopped(m_control)) return std::nullopt;
    BreakEven b{m_parameter, other, same, m_now > 0 ? other / m_now : 0, {}, m_plan, m_difference, {}};
    const bool isBeside =
        !m_isWhole && !m_isDoubling && same == m_now && std::abs(other - same) <= resolution(other);
    if (isBeside)
      b.value = (other > m_now ? "> " : "< ") + valueText(m_setting, m_parameter, m_now);
    else
      b.value = shown(other);
    b.sentence = m_parameter.isDevices()
                     ? "at " + b.value + " devices the plan flips"
                     : "at " + m_parameter.name() + (isBeside ? " " : " = ") + b.value + " the plan flips";
    if (!m_difference.changes.empty()) b.sentence += ": " + m_difference.changes.front().sentence;
    return b;
  }

  static constexpr double kBelowDigits =
      1e-4;                                  ///< of three digits that are printed, a part that does not show
  static constexpr double kOfTheWay = 0.04;  ///< of the way from the present value, what may be lost

  const Setting& m_setting;
  const Problem& m_problem;
  const RankedPlan& m_present;
  const Parameter& m_parameter;
  double m_now;
  const BreakEvenRange& m_range;
  const Control& m_control;
  bool m_isLinear = false, m_isWhole = true, m_isDoubling = false;
  double m_least = 1, m_most = 1 << 20;
  Plan m_plan;
  PlanDiff m_difference;
};

}  // namespace

std::vector<BreakEven> breakEvens(const Setting& s, const Problem& problem, const RankedPlan& present,
                                  const Parameter& parameter, const BreakEvenRange& range,
                                  const Control& control, bool* cutShort) {
  std::vector<BreakEven> out;
  if (!valueOf(s, problem, parameter)) return out;
  FlipSearch search(s, problem, present, parameter, range, control);
  if (!search.canMove()) return out;
  for (const bool up : {false, true})
    if (auto b = search.towards(up)) out.push_back(std::move(*b));
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

/// Of what was typed, where levels are typed; they are clamped as everywhere.
Problem withHalfTheBandwidth(const Setting& setting, const Problem& problem, int level) {
  if (auto f = fieldAt(setting, "/cluster/levels/" + std::to_string(level) + "/bandwidth")) {
    const double half = *numberOf(setting, *f) / 2;
    if (auto p = problemAt(setting, problem, {std::move(f)}, half)) return std::move(*p);
  }
  std::vector<NetworkLevel> levels;
  for (int l = 0; l < problem.cluster->levelCount(); ++l) levels.push_back(problem.cluster->level(l));
  levels[level].bandwidth *= 0.5;
  Problem out = problem;
  out.cluster = std::make_shared<const Hierarchy>(problem.cluster->withLevels(std::move(levels)));
  return out;
}

Failure afterLoss(const Setting& setting, const Problem& problem, const RankedPlan& present, const Loss& loss,
                  const Control& control) {
  const bool degraded = loss.degradedLevel >= 0;
  const Problem left = degraded ? withHalfTheBandwidth(setting, problem, loss.degradedLevel)
                                : withoutDevices(problem, loss.positions);
  const Outcome found = quietSolve(left, control, degraded ? &present.plan : nullptr);
  Failure f{loss.what, loss.positions, found.status, words::of(found), {}, 0, 0, {}, {}, loss.degradedLevel};
  if (!degraded) {
    f.answers.reserve(kFailureAnswerCount);
    f.answers.push_back(swapped(problem, present, loss.positions));
    f.answers.push_back(shrunk(problem, present, loss.positions, control));
    f.answers.push_back(replanned(problem, present, loss.positions, left, found, &f.answers[1]));
    f.otherBatch = withOtherBatch(problem, present, loss.positions, f.answers, control);
  }
  if (const RankedPlan* best = found.best()) {
    f.batchTime = best->evaluation.batchTime;
    const Seconds before = paceOf(problem, present).perToken();
    f.change = before.value() > 0 ? paceOf(left, *best).perToken() / before - 1 : 0;
    if (degraded) f.answers = {replanned(left, present, {}, left, found, nullptr)};
    f.devicesIdle = left.cluster->deviceCount() - best->plan.devicesUsed();
    f.plan = diff(left, present.plan, present.evaluation, best->plan, best->evaluation);
  }
  return f;
}

}  // namespace

std::vector<Failure> rankFailures(const Setting& setting, const Problem& problem, const RankedPlan& present,
                                  const Control& control) {
  const auto losses = lossesOf(problem);
  std::vector<Failure> out;
  for (const Loss& loss : losses)
    out.push_back({loss.what,
                   loss.positions,
                   OutcomeStatus::Stopped,
                   words::of(OutcomeStatus::Stopped),
                   {},
                   0,
                   0,
                   {},
                   {},
                   loss.degradedLevel});
  std::atomic<std::size_t> next = 0;
  std::mutex reporting;
  std::size_t done = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < losses.size() && !studyStopped(control); i = next++) {
      out[i] = afterLoss(setting, problem, present, losses[i], control);
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

bool FailureStudy::isComplete() const {
  const auto isOpen = [](const auto& one) { return one.status == OutcomeStatus::Stopped; };
  return benefit.isComplete && std::none_of(single.begin(), single.end(), isOpen) &&
         std::none_of(answers.begin(), answers.end(),
                      [&](const auto& all) { return std::any_of(all.begin(), all.end(), isOpen); });
}

FailureStudy studyFailures(const Setting& setting, const Problem& problem, const RankedPlan& present,
                           std::vector<LostDevices> given, double confidence, const Control& control) {
  FailureStudy out;
  out.spares = spareAdvice(problem, present, confidence);
  if (given.empty()) out.single = rankFailures(setting, problem, present, control);
  out.given = std::move(given);
  for (std::size_t i = 0; i < out.given.size(); ++i) {
    reportStudy(control, "Failures", i, out.given.size());
    const std::vector<int>& lost = out.given[i].positions;
    out.answers.push_back(answersTo(problem, present, lost, control));
    out.otherBatch.push_back(withOtherBatch(problem, present, lost, out.answers.back(), control));
  }
  out.benefit = spareBenefit(problem, present, confidence, control);
  return out;
}

}  // namespace nest
