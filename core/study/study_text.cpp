#include <algorithm>
#include <string>
#include <vector>

#include "study/study_report.h"
#include "units/text.h"
#include "words/outcome_words.h"

namespace nest::report {
namespace {

/// Rows of cells, columns as wide as their widest cell.
class Rows {
public:
  void add(std::vector<std::string> cells) { m_rows.push_back(std::move(cells)); }

  std::string text() const {
    std::vector<std::size_t> widths;
    for (const auto& row : m_rows)
      for (std::size_t c = 0; c < row.size(); ++c) {
        if (widths.size() <= c) widths.push_back(0);
        widths[c] = std::max(widths[c], shown(row[c]));
      }
    std::string out;
    for (const auto& row : m_rows) {
      std::string line;
      for (std::size_t c = 0; c < row.size(); ++c)
        line += row[c] + std::string(widths[c] - shown(row[c]) + 2, ' ');
      while (!line.empty() && line.back() == ' ') line.pop_back();
      out += line + '\n';
    }
    return out;
  }

private:
  static std::size_t shown(const std::string& s) {
    return static_cast<std::size_t>(std::count_if(
        s.begin(), s.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
  }

  std::vector<std::vector<std::string>> m_rows;
};

}  // namespace

std::string comparisonText(const Problem& problem, const Outcome& exact,
                           const std::vector<BaselineResult>& baselines) {
  Rows rows;
  rows.add({"method", "step time", "throughput", "devices", "plan", "remark"});
  const RankedPlan* best = exact.best();
  const auto row = [&](const std::string& name, const RankedPlan* plan, const char* lacking,
                       const std::string& remark) {
    const bool runs = plan && !lacking;
    rows.add({name, runs ? text::time(plan->evaluation.batchTime) : lacking,
              best && runs ? text::percent(best->evaluation.batchTime / plan->evaluation.batchTime) : "–",
              plan ? text::count(plan->plan.devicesUsed()) : "–", plan ? summaryOf(plan->plan) : "–",
              remark});
  };
  row("NEST Explorer", best, best ? nullptr : words::of(exact), words::verdict(exact));
  for (const BaselineResult& b : baselines)
    row(nameOf(b.kind), b.plan ? &*b.plan : nullptr, b.runs() ? nullptr : words::obstacleTo(b), b.note);
  std::string out = rows.text();
  if (best)
    out += "\nThroughput is relative to NEST Explorer's " +
           samplesRate(problem.job.globalBatch / best->evaluation.batchTime.value()) + ".\n";
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

std::string breakEvensText(const std::vector<BreakEven>& all, bool cutShort) {
  std::string out;
  for (const BreakEven& b : all) {
    std::string sentence = b.sentence;
    sentence[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence[0])));
    out += sentence + "\n";
    for (std::size_t i = 1; i < b.difference.changes.size(); ++i)
      out += "    " + b.difference.changes[i].sentence + "\n";
  }
  if (cutShort) return out + "The search was cut short: there may be more values at which the plan changes\n";
  return out.empty() ? "Between 1/16 and 16 times its value, no parameter changes the plan\n" : out;
}

std::string failuresText(const std::vector<Failure>& all) {
  Rows rows;
  rows.add({"lost", "step time", "change", "idle", "plan"});
  for (const Failure& f : all) {
    const bool fits = f.batchTime.value() > 0;
    rows.add({f.what, fits ? text::time(f.batchTime) : "–", fits ? text::signedPercent(f.change) : f.obstacle,
              fits ? text::count(f.devicesIdle) : "–",
              !fits           ? ""
              : f.plan.same() ? "the same plan"
                              : f.plan.changes.front().sentence});
  }
  return rows.text();
}

std::string scalingText(const std::vector<ScalingPoint>& all) {
  Rows rows;
  rows.add({"devices", "step time", "samples/s", "efficiency", "plan", "what changed"});
  for (const ScalingPoint& p : all) {
    const RankedPlan* best = p.outcome.best();
    std::string changes;
    if (p.change)
      for (const PlanChange& c : p.change->changes)
        if (c.stage < 0 && c.kind != PlanChange::Kind::Cut)
          changes += (changes.empty() ? "" : "; ") + c.sentence;
    if (best)
      rows.add({text::count(p.devices), text::time(best->evaluation.batchTime),
                text::rate(p.samplesPerSecond), text::percent(p.efficiency), summaryOf(best->plan), changes});
    else
      rows.add({text::count(p.devices), words::of(p.outcome)});
  }
  return rows.text();
}

std::string devicesText(const std::vector<DeviceAnswer>& all, bool target) {
  Rows rows;
  rows.add({"device", "step time", target ? "meets it" : "", "bandwidths", "plan"});
  for (const DeviceAnswer& a : all) {
    std::string links;
    for (const BytesPerSecond b : a.bandwidths) links += (links.empty() ? "" : ", ") + text::bandwidth(b);
    const RankedPlan* best = a.outcome.best();
    rows.add({a.device.name,
              best                       ? text::time(a.batchTime)
              : hasErrors(a.diagnostics) ? "cannot be used"
                                         : words::of(a.outcome),
              !target       ? ""
              : a.meets     ? "yes"
              : a.decided() ? "no"
                            : "not decided",
              links,
              best                    ? summaryOf(best->plan)
              : a.diagnostics.empty() ? ""
                                      : a.diagnostics.front().message});
  }
  return rows.text() +
         "\nHosts keep their size. A level has the catalog's bandwidth of the device's links where the "
         "scenario has that of its own device; measured and other typed bandwidths, and drawn links, stay.\n";
}

}  // namespace nest::report
