#include <algorithm>
#include <initializer_list>

#include "study/study_report.h"
#include "units/text.h"

namespace nest::report {
namespace {

std::string padded(const std::string& s, std::size_t width) {
  std::size_t shown = 0;
  for (const char c : s) shown += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return shown < width ? s + std::string(width - shown, ' ') : s + " ";
}

void line(std::string& out, std::initializer_list<std::pair<std::string, std::size_t>> cells) {
  std::string text;
  for (const auto& [cell, width] : cells) text += padded(cell, width);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  out += text + "\n";
}

}  // namespace

std::string comparisonText(const Problem& problem, const Outcome& exact,
                           const std::vector<BaselineResult>& baselines) {
  std::string out;
  line(out,
       {{"method", 18}, {"batch time", 12}, {"throughput", 13}, {"devices", 9}, {"plan", 40}, {"remark", 0}});
  const RankedPlan* best = exact.best();
  const auto row = [&](const std::string& name, const RankedPlan* plan, bool runs,
                       const std::string& remark) {
    if (!plan) return line(out, {{name, 18}, {"–", 12}, {"–", 13}, {"–", 9}, {"–", 40}, {remark, 0}});
    const double relative = best && runs ? best->evaluation.batchTime / plan->evaluation.batchTime : 0;
    line(out, {{name, 18},
               {runs ? text::time(plan->evaluation.batchTime) : "–", 12},
               {relative > 0 ? text::percent(relative) : "does not run", 13},
               {text::count(plan->plan.devicesUsed()), 9},
               {summaryOf(plan->plan), 40},
               {remark, 0}});
  };
  const std::string status = exact.status == OutcomeStatus::Optimal
                                 ? "optimal in " + text::time(exact.statistics.elapsed)
                             : exact.status == OutcomeStatus::BestSoFar
                                 ? "best so far, at most " + text::percent(exact.gap()) + " above the optimum"
                                 : std::string(nameOf(exact.status));
  row("NEST Explorer", best, best != nullptr, status);
  for (const BaselineResult& b : baselines)
    row(nameOf(b.kind), b.plan ? &*b.plan : nullptr, b.runs(), b.note);
  if (best)
    out += "\nThroughput is relative to NEST Explorer's " +
           text::number(problem.job.globalBatch / best->evaluation.batchTime.value()) + " samples/s.\n";
  return out;
}

std::string improvementsText(const std::vector<Improvement>& all) {
  std::string out;
  for (const Improvement& i : all) {
    out += i.sentence + "\n";
    for (const PlanChange& c : i.plan.changes) out += "    " + c.sentence + "\n";
  }
  return out;
}

std::string breakEvensText(const std::vector<BreakEven>& all) {
  std::string out;
  for (const BreakEven& b : all) {
    std::string sentence = b.sentence;
    sentence[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence[0])));
    out += sentence + "\n";
    for (std::size_t i = 1; i < b.difference.changes.size(); ++i)
      out += "    " + b.difference.changes[i].sentence + "\n";
  }
  return out.empty() ? "No lever flips the plan within a sixteenth to sixteen times its value\n" : out;
}

std::string failuresText(const std::vector<Failure>& all) {
  std::string out;
  line(out, {{"lost", 34}, {"batch time", 12}, {"change", 10}, {"idle", 6}, {"plan", 0}});
  for (const Failure& f : all) {
    const bool fits = f.batchTime.value() > 0;
    line(out, {{f.what, 34},
               {fits ? text::time(f.batchTime) : "–", 12},
               {fits ? text::signedPercent(f.change) : "nothing fits", 10},
               {text::count(f.devicesIdle), 6},
               {!fits           ? ""
                : f.plan.same() ? "the same plan"
                                : f.plan.changes.front().sentence,
                0}});
  }
  return out;
}

std::string scalingText(const std::vector<ScalingPoint>& all) {
  std::string out;
  line(out, {{"devices", 9},
             {"batch time", 12},
             {"samples/s", 12},
             {"efficiency", 12},
             {"plan", 40},
             {"what changed", 0}});
  for (const ScalingPoint& p : all) {
    const RankedPlan* best = p.outcome.best();
    std::string changes;
    if (p.change)
      for (const PlanChange& c : p.change->changes)
        if (c.stage < 0 && c.what != "cut") changes += (changes.empty() ? "" : "; ") + c.sentence;
    if (best)
      line(out, {{text::count(p.devices), 9},
                 {text::time(best->evaluation.batchTime), 12},
                 {text::number(p.samplesPerSecond, 4), 12},
                 {text::percent(p.efficiency), 12},
                 {summaryOf(best->plan), 40},
                 {changes, 0}});
    else
      line(out, {{text::count(p.devices), 9}, {"nothing fits", 0}});
  }
  return out;
}

std::string devicesText(const std::vector<DeviceAnswer>& all, bool target) {
  std::string out;
  line(out, {{"device", 16}, {"batch time", 14}, {target ? "meets it" : "", target ? 10u : 0u}, {"plan", 0}});
  for (const DeviceAnswer& a : all) {
    const RankedPlan* best = a.outcome.best();
    line(out, {{a.device.name, 16},
               {best ? text::time(a.batchTime) : "nothing fits", 14},
               {target ? (a.meets ? "yes" : "no") : "", target ? 10u : 0u},
               {best                    ? summaryOf(best->plan)
                : a.diagnostics.empty() ? ""
                                        : a.diagnostics.front().message,
                0}});
  }
  return out;
}

}  // namespace nest::report
