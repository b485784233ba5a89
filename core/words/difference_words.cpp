#include "words/difference_words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "units/text.h"
#include "words/metric_words.h"

namespace nest::words {
namespace {

constexpr double kEquallyFast = 5e-7;     ///< relative, as in lists of plans
constexpr double kSecondCause = 1.0 / 3;  ///< of the largest term: a term of that size is named, too

const PlanFact* factOf(const std::vector<PlanFact>& facts, std::initializer_list<PlanFact::Kind> kinds) {
  for (const PlanFact::Kind kind : kinds) {
    const auto fact =
        std::find_if(facts.begin(), facts.end(), [kind](const PlanFact& f) { return f.kind == kind; });
    if (fact != facts.end()) return &*fact;
  }
  return nullptr;
}

/// What decides a part of the time first.
const PlanFact* factBehind(TimePart part, const std::vector<PlanFact>& facts) {
  using enum PlanFact::Kind;
  switch (part) {
    case TimePart::Tensor:
      return factOf(facts, {Tensor});
    case TimePart::Context:
      return factOf(facts, {Context});
    case TimePart::Expert:
      return factOf(facts, {Expert, Tensor});
    case TimePart::Pipeline:
      return factOf(facts, {Stages, Chunks, Microbatches});
    case TimePart::Data:
      return factOf(facts, {Zero, Data, Microbatches});
    case TimePart::Recompute:
      return factOf(facts, {Recompute});
    case TimePart::Idle:
      return factOf(facts, {Stages, Chunks, Schedule, Microbatches});
    case TimePart::Step:
      return factOf(facts, {Zero, Data});
    case TimePart::Compute:
      break;
  }
  return factOf(facts, {Devices});
}

std::string factText(const PlanFact& f) {
  return std::string(briefly(f.kind)) + ' ' + f.before + " → " + f.after;
}

std::string headOf(const StepDifference& d) {
  const double change = d.after / d.before - 1;
  const bool isStep = d.measure == PaceMeasure::BatchTime;
  if (std::abs(change) < kEquallyFast) return isStep ? "As fast" : "As fast per token";
  const std::string size = text::percent(std::abs(change));
  return size + (change > 0 ? " slower" : " less time") + (isStep ? "" : " per token");
}

}  // namespace

std::string signedTime(Seconds t) {
  if (t.value() == 0) return "±0 s";
  return (t.value() < 0 ? "−" : "+") + text::time(Seconds(std::abs(t.value())));
}

const char* briefly(PlanFact::Kind kind) {
  constexpr std::array kNames = {"microbatches", "MBS", "TP",   "CP",       "EP",        "PP",
                                 "VPP",          "DP",  "ZeRO", "schedule", "recompute", "devices"};
  static_assert(kNames.size() == static_cast<std::size_t>(PlanFact::Kind::Devices) + 1);
  return kNames[static_cast<std::size_t>(kind)];
}

std::string of(const WaterfallStep& step) {
  return step.isJoined() ? "other" : of(step.parts.front());
}

std::string brief(const WaterfallStep& step) {
  return step.isJoined() ? "other" : brief(step.parts.front());
}

std::string of(const StepDifference& d) {
  if (!d.isKnown()) return {};
  std::string out = text::time(d.before) + " → " + text::time(d.after) +
                    (d.measure == PaceMeasure::BatchTime ? " per step" : " per token");
  const auto steps = waterfallOf(d);
  for (std::size_t i = 0; i < steps.size(); ++i)
    out += (i ? ", " : ": ") + of(steps[i]) + ' ' + signedTime(steps[i].growth());
  return out;
}

std::string of(const std::vector<PlanFact>& facts) {
  std::string out;
  for (const PlanFact& f : facts) out += (out.empty() ? "" : ", ") + factText(f);
  return out;
}

std::string cause(const StepDifference& d, const std::vector<PlanFact>& facts) {
  if (!(d.before > Seconds() && d.after > Seconds())) return {};
  std::string out = headOf(d);
  const bool isSlower = d.after > d.before;
  std::vector<WaterfallStep> steps = waterfallOf(d);
  std::erase_if(steps, [&](const WaterfallStep& s) {
    return s.isJoined() || (isSlower ? s.growth().value() <= 0 : s.growth().value() >= 0);
  });
  std::stable_sort(steps.begin(), steps.end(), [](const WaterfallStep& a, const WaterfallStep& b) {
    return std::abs(a.growth().value()) > std::abs(b.growth().value());
  });
  const bool differs = std::abs(d.after / d.before - 1) >= kEquallyFast;
  for (std::size_t i = 0; differs && i < std::min<std::size_t>(2, steps.size()); ++i) {
    const double size = std::abs(steps[i].growth().value());
    if (i > 0 && size < kSecondCause * std::abs(steps.front().growth().value())) break;
    out += (i ? ", " : ": ") + of(steps[i]) + ' ' + signedTime(steps[i].growth());
    if (const PlanFact* fact = factBehind(steps[i].parts.front(), facts)) out += " (" + factText(*fact) + ")";
  }
  return out;
}

std::string of(const PlanObstacle& o, bool isFirst) {
  if (!o.exists) return {};
  const std::string where = isFirst ? "now" : "before";
  return std::string("the ") + (isFirst ? "first" : "second") + " plan " +
         (o.shortfall > Bytes(0) ? "is short by " + text::memory(o.shortfall) + ' ' + where
                                 : "cannot run " + where);
}

}  // namespace nest::words
