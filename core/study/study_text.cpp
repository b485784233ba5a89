#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "diagnostics/field_change.h"
#include "measures/pace.h"
#include "measures/plan_diff.h"
#include "study/study_report.h"
#include "units/amount.h"
#include "units/text.h"
#include "words/difference_words.h"
#include "words/in_sentence.h"
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

/// From the best plan to another: the cause, then by what the times differ, then which degrees do.
std::string differenceText(const Problem& problem, const RankedPlan& best, const std::string& name,
                           const RankedPlan& other) {
  const PlanDiff d = diff(problem, best.plan, best.evaluation, other.plan, other.evaluation);
  if (d.same() || !d.time.isKnown()) return {};
  const std::string obstacle =
      other.evaluation.feasible() ? "" : std::string(" (") + words::obstacleTo(other.evaluation) + ")";
  std::string out = "\n" + name + obstacle + ", " + words::inSentence(words::cause(d.time, d.facts)) +
                    "\n    " + words::of(d.time) + "\n";
  if (!d.facts.empty()) out += "    " + words::of(d.facts) + "\n";
  return out;
}

}  // namespace

std::string comparisonText(const Problem& problem, const Outcome& exact,
                           const std::vector<BaselineResult>& baselines) {
  Rows rows;
  rows.add({"method", "step time", "throughput", "devices", "plan", "remark"});
  const RankedPlan* best = exact.best();
  const auto samplesPerSecond = [](const RankedPlan& r) {
    return r.evaluation.globalBatch / r.evaluation.batchTime.value();
  };
  const auto row = [&](const std::string& name, const RankedPlan* plan, const char* lacking,
                       const std::string& remark) {
    const bool runs = plan && !lacking;
    rows.add({name, runs ? text::time(plan->evaluation.batchTime) : lacking,
              best && runs ? text::percent(samplesPerSecond(*plan) / samplesPerSecond(*best)) : "–",
              plan ? text::count(plan->plan.devicesUsed()) : "–", plan ? summaryOf(plan->plan) : "–",
              remark});
  };
  row("NEST Explorer", best, best ? nullptr : words::of(exact), words::verdict(exact));
  for (const BaselineResult& b : baselines)
    row(nameOf(b.kind), b.plan ? &*b.plan : nullptr, b.runs() ? nullptr : words::obstacleTo(b), b.note);
  std::string out = rows.text();
  for (const BaselineResult& b : baselines)
    if (best && b.plan) out += differenceText(problem, *best, nameOf(b.kind), *b.plan);
  if (best)
    out += "\nThroughput is relative to NEST Explorer's " +
           tokensRate(paceOf(problem, *best).tokensPerSecond()) + " (" +
           samplesRate(samplesPerSecond(*best)) + ").\n";
  return out;
}

std::string improvementsText(const std::vector<Improvement>& all) {
  if (all.empty()) return {};
  std::string out = measuredBy(all) + "\n";
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

namespace {

/// "1.2 TB".
std::string bytesText(Bytes b) {
  return text::amount(b.value()) + "B";
}

const FailureResponse* answerOf(const std::vector<FailureResponse>& all, FailureAnswer answer) {
  const auto it = std::find_if(all.begin(), all.end(), [&](const auto& r) { return r.answer == answer; });
  return it == all.end() ? nullptr : &*it;
}

std::string changeOf(const FailureResponse* r) {
  if (!r) return "–";
  if (!r->plan) return adviceText(r->obstacle.substr(0, r->obstacle.find("; ")));
  return std::abs(r->change) < 5e-5 ? "0 %" : text::signedPercent(r->change);
}

/// "1.2 GB over leaf, 3 GB from the store".
std::string movesText(const Problem& problem, const FailureResponse& r) {
  std::string out;
  if (!r.moved) return out;
  const auto add = [&](Bytes b, const std::string& where) {
    if (b > Bytes(0)) out += (out.empty() ? "" : ", ") + bytesText(b) + where;
  };
  for (std::size_t l = 0; l < r.moved->overLevel.size(); ++l)
    add(r.moved->overLevel[l], " over " + problem.cluster->level(static_cast<int>(l)).name);
  add(r.moved->fromStore, " from the store");
  return out.empty() ? "nothing" : out;
}

std::string howText(const FailureResponse& r) {
  if (!r.plan) return {};
  if (r.answer == FailureAnswer::Swap) {
    if (r.sparesNeeded > 0)
      return "on " + text::count(r.sparesNeeded) + (r.sparesNeeded == 1 ? " spare host" : " spare hosts");
    return r.usesIdle ? "on devices that were idle" : "uses nothing that failed";
  }
  return summaryOf(r.plan->plan);
}

/// Introduces what another batch would leave, and says which field allows it.
std::string withOtherBatchText() {
  return "With a batch that may differ by " + text::percent(kOtherBatch) +
         " (job.batch_tolerance = " + text::number(kOtherBatch) + "):";
}

std::string fieldsText(const std::vector<std::string>& keys) {
  std::string out;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::string name = keys[i].substr(1);
    std::replace(name.begin(), name.end(), '/', '.');
    out += (i == 0 ? "" : i + 1 == keys.size() ? " and " : ", ") + name;
  }
  return out;
}

}  // namespace

std::string failuresText(const std::vector<Failure>& all) {
  Rows rows;
  const bool hasBatch = std::any_of(all.begin(), all.end(), [](const Failure& f) { return f.otherBatch; });
  rows.add({"lost", "swap", "shrink", "re-plan", "idle", "re-planned step", "plan"});
  for (const Failure& f : all) {
    const bool fits = f.batchTime.value() > 0;
    rows.add({f.what, changeOf(answerOf(f.answers, FailureAnswer::Swap)),
              changeOf(answerOf(f.answers, FailureAnswer::Shrink)),
              fits ? changeOf(answerOf(f.answers, FailureAnswer::Replan)) : f.obstacle,
              fits ? text::count(f.devicesIdle) : "–", fits ? text::time(f.batchTime) : "–",
              !fits           ? ""
              : f.plan.same() ? "the same plan"
                              : f.plan.changes.front().sentence});
  }
  std::string out = "Change of tokens/s under each answer, ranked by re-plan:\n" + rows.text();
  if (!hasBatch) return out;
  out += withOtherBatchText();
  for (const Failure& f : all)
    if (f.otherBatch)
      out += (out.back() == ':' ? " " : "; ") + f.what + ' ' + text::signedPercent(f.otherBatch->change);
  return out + ".\n";
}

std::string answersText(const Problem& problem, const std::vector<FailureResponse>& all) {
  Rows rows;
  rows.add({"answer", "tokens/s", "change", "idle", "steps again in", "state that moves", "how"});
  std::vector<std::string> missing;
  for (const FailureResponse& r : all) {
    if (!r.plan) {
      rows.add({nameOf(r.answer), "–", adviceText(r.obstacle)});
      continue;
    }
    rows.add({nameOf(r.answer), text::amount(r.tokensPerSecond), changeOf(&r), text::count(r.devicesIdle),
              r.restart.isKnown() ? text::time(r.restart.total()) : "–", movesText(problem, r), howText(r)});
    for (const std::string& key : r.restart.missing)
      if (std::find(missing.begin(), missing.end(), key) == missing.end()) missing.push_back(key);
  }
  std::string out = rows.text();
  if (!missing.empty()) out += "Give " + fieldsText(missing) + " for the time until steps run again.\n";
  return out;
}

std::string sparesText(const SpareAdvice& s) {
  if (!s.pooled.missing.empty())
    return "Give " + fieldsText(s.pooled.missing) + " for the number of spare hosts.\n";
  const auto hosts = [](int n) { return text::count(n) + (n == 1 ? " spare host is" : " spare hosts are"); };
  std::string out = hosts(s.pooled.needed) + " enough " + text::percent(s.pooled.covered) +
                    " of the time: of " + text::count(s.hosts) + " hosts " + text::number(s.pooled.failed) +
                    " are in repair on average.\n";
  if (s.elsewhere && s.elsewhere->leaves > 1) {
    out += "Under each of the " + text::count(s.elsewhere->leaves) + " groups of level " + s.leafLevel + ' ' +
           hosts(s.ofLeaf.needed) + " enough, " + text::count(s.ofLeaf.needed * s.elsewhere->leaves) +
           " in all";
    out += s.elsewhere->change > -5e-5
               ? "; a spare in another group costs nothing, so that they can stand anywhere.\n"
               : "; a spare in another group costs " + text::percent(-s.elsewhere->change) +
                     " of tokens/s until the host is back.\n";
  }
  return out;
}

namespace {

constexpr std::size_t kMostChoiceRows = 12;

/// All of a few; of many the first ones, the cheapest and, evenly, some of the others.
std::vector<SpareChoice> rowsOf(const SpareBenefit& b) {
  if (b.choices.size() <= kMostChoiceRows) return b.choices;
  std::vector<SpareChoice> out;
  const std::size_t every = (b.choices.size() + kMostChoiceRows - 2) / (kMostChoiceRows - 1);
  for (std::size_t i = 0; i < b.choices.size(); ++i)
    if (i % every == 0 || i + 1 == b.choices.size() || b.choices[i].spares == b.cheapest)
      out.push_back(b.choices[i]);
  return out;
}

std::string hostCount(int n, const char* kind) {
  return text::count(n) + ' ' + kind + (n == 1 ? "host" : "hosts");
}

}  // namespace

std::string spareBenefitText(const SpareBenefit& b) {
  if (!b.missing.empty() || b.choices.empty()) return {};
  const bool hasDays = std::any_of(b.choices.begin(), b.choices.end(), [](auto& c) { return c.total; });
  const bool hasMoney = hasDays && b.choices.back().money, hasEnergy = hasDays && b.choices.back().energy;
  Rows rows;
  std::vector<std::string> titles{"spare hosts", "throughput", "tokens/s"};
  if (hasDays) titles.insert(titles.end(), {"time", "device-hours"});
  if (hasMoney) titles.emplace_back("money");
  if (hasEnergy) titles.emplace_back("energy");
  rows.add(titles);
  for (const SpareChoice& c : rowsOf(b)) {
    std::vector<std::string> cells{text::count(c.spares), text::percent(c.share),
                                   text::amount(c.tokensPerSecond)};
    if (hasDays) cells.push_back(c.total ? text::time(*c.total) : "–");
    if (hasDays) cells.push_back(c.deviceHours ? text::amount(*c.deviceHours) : "–");
    if (hasMoney) cells.push_back(c.money ? text::amount(*c.money) : "–");
    if (hasEnergy) cells.push_back(c.energy ? text::number(*c.energy / 1000) + " MWh" : "–");
    rows.add(std::move(cells));
  }
  std::string out = "What spare hosts buy, with failed hosts away until they are repaired:\n" + rows.text();
  out += "The fewest device-hours: " + hostCount(b.cheapest, "spare ") + ".\n";
  std::string left;
  for (const ThroughputLeft& l : b.left)
    left += (left.empty() ? "Throughput left without " : ", ") + hostCount(l.hosts, "") + ' ' +
            text::percent(l.share) + (l.answer ? std::string(" (") + nameOf(*l.answer) + ')' : "");
  if (!left.empty()) out += left + ".\n";
  if (b.within > 0) out += "Times are too long by " + text::percent(b.within) + " at most.\n";
  if (!b.missingForDays.empty())
    out += "Give " + fieldsText(b.missingForDays) + " for the time of the run.\n";
  return out;
}

std::string failureStudyText(const Problem& problem, const RankedPlan& present, const FailureStudy& all) {
  std::string out = "Now " + tokensRate(paceOf(problem, present).tokensPerSecond()) + " with " +
                    summaryOf(present.plan) + "\n\n";
  if (all.given.empty()) out += failuresText(all.single) + "\n";
  for (std::size_t i = 0; i < all.given.size(); ++i) {
    const auto count = static_cast<int>(all.given[i].positions.size());
    out += "Without " + all.given[i].what + " (" + text::count(count) +
           (count == 1 ? " device" : " devices") + "):\n" + answersText(problem, all.answers[i]);
    if (const auto& other = all.otherBatch[i])
      out += withOtherBatchText() + " " + text::signedPercent(other->change) + " tokens/s, at a batch of " +
             text::count(other->batch) + ".\n";
    out += "\n";
  }
  out += sparesText(all.spares);
  const std::string benefit = spareBenefitText(all.benefit);
  return benefit.empty() ? out : out + '\n' + benefit;
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
