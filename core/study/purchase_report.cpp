// A purchase as text, JSON and CSV.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "formats/results/plan_json.h"
#include "study/failure_answers.h"
#include "study/json_list.h"
#include "study/purchase_flips.h"
#include "text/csv.h"
#include "text/json_layout.h"
#include "text/text_table.h"
#include "units/amount.h"
#include "units/text.h"

namespace nest::report {
namespace {

using Json = nlohmann::ordered_json;

std::string days(double d) {
  return text::time(Seconds(d * 86400));
}

bool has(const std::vector<int>& all, int one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

std::string markOf(const PurchaseChoice& choice, int cluster) {
  if (cluster == choice.best) return choice.tooClose.empty() ? "best" : "too close to call";
  return has(choice.tooClose, cluster) ? "too close to call" : "";
}

Json optional(const std::optional<double>& v) {
  return v ? Json(*v) : Json(nullptr);
}

}  // namespace

std::string purchaseValue(const PurchaseCell& c, PurchaseMeasure m) {
  const auto v = c.value(m);
  if (!v) return "–";
  return m == PurchaseMeasure::Days    ? days(*v)
         : m == PurchaseMeasure::Money ? text::amount(*v)
                                       : text::number(*v / 1000) + " MWh";
}

std::string choiceText(const PurchaseGrid& grid, const PurchaseMatrix& m, const PurchaseChoice& c) {
  const std::string job = grid.job(c.job) + ": ";
  if (c.best < 0) return job + "no offer has a figure";
  const auto figure = [&](int k) { return purchaseValue(m.cell(c.job, k, grid.clusters()), m.measure); };
  std::string out = job + grid.cluster(c.best) + ", " + figure(c.best);
  if (!c.next) return out;
  const std::string next = grid.cluster(*c.next);
  out += c.tooClose.empty() ? "; next " + next + ", " + text::signedPercent(c.lead) : "; too close to call:";
  for (std::size_t i = 0; i < c.tooClose.size(); ++i)
    out += (i == 0 ? " " : ", ") + grid.cluster(c.tooClose[i]) + " at " + figure(c.tooClose[i]);
  if (c.flipPrice)
    out += "; " + next + " is the choice below " + text::number(*c.flipPrice) + " a device-hour";
  return out;
}

std::string flipText(const PurchaseGrid& grid, const PurchaseFlip& f) {
  return grid.job(f.job) + ": at " + f.field + " = " + f.value + " the choice flips from " +
         grid.cluster(f.before) + " to " + grid.cluster(f.after);
}

std::string deadlineText(const PurchaseGrid& grid, const PurchaseMatrix& m, const PurchaseDeadline& d) {
  const PurchaseCell& c = m.cell(d.job, d.after, grid.clusters());
  return grid.job(d.job) + ": in less than " + days(d.days) + " " + grid.cluster(d.after) +
         " is the choice, " + days(*c.days) + ", " + purchaseValue(c, m.measure) +
         (d.isTooClose ? ", though these days are too close to call" : "");
}

std::string shortfallText(const PurchaseGrid& grid, const PurchaseShortfall& s) {
  std::string out = grid.job(s.job) + ": with " + text::count(s.hosts) + " of its " + text::count(s.ofHosts) +
                    " hosts or fewer " + grid.cluster(s.before) + " falls behind " + grid.cluster(s.after);
  if (!s.otherBatchHosts || *s.otherBatchHosts == s.hosts) return out;
  const std::string where = " where the batch may differ by " + text::percent(kOtherBatch);
  return out + (*s.otherBatchHosts == 0 ? ", but with no number" + where
                                        : ", with " + text::count(*s.otherBatchHosts) + " or fewer" + where);
}

namespace {

/// "512 H200 is ahead in 2 of 3 jobs, 256 B200 in 1"; empty: as the matrix decides, or no job has a value.
std::string aheadBy(PurchaseMeasure measure, const PurchaseGrid& grid, const PurchaseMatrix& m) {
  PurchaseMatrix other = m;
  other.measure = measure;
  other.choices = choicesOf(other, grid.jobs(), grid.clusters());
  std::vector<std::pair<int, int>> won(static_cast<std::size_t>(grid.clusters()));
  bool differs = false;
  for (const PurchaseChoice& c : other.choices) {
    if (c.best < 0) continue;
    auto& [count, cluster] = won[static_cast<std::size_t>(c.best)];
    ++count, cluster = c.best;
    differs = differs || c.best != m.choices[static_cast<std::size_t>(c.job)].best;
  }
  if (!differs) return {};
  std::stable_sort(won.begin(), won.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string out;
  for (const auto& [count, cluster] : won)
    if (count > 0)
      out += (out.empty() ? "" : ", ") + grid.cluster(cluster) + (out.empty() ? " is ahead" : "") +
             (grid.jobs() == 1 ? "" : " in " + text::count(count)) +
             (out.empty() && grid.jobs() > 1 ? " of " + text::count(grid.jobs()) + " jobs" : "");
  return std::string("by ") + nameOf(measure) + " " + out;
}

}  // namespace

std::string otherMeasuresText(const PurchaseGrid& grid, const PurchaseMatrix& m) {
  std::string out;
  for (const PurchaseMeasure other :
       {PurchaseMeasure::Days, PurchaseMeasure::Money, PurchaseMeasure::Energy}) {
    const std::string one = other == m.measure ? std::string() : aheadBy(other, grid, m);
    if (!one.empty()) out += (out.empty() ? "" : "; ") + one;
  }
  if (!out.empty()) out.front() = 'B';
  return out;
}

std::vector<std::string> flipLines(const PurchaseGrid& grid, const PurchaseMatrix& m,
                                   const PurchaseFlips& flips) {
  std::vector<std::string> out;
  if (std::string other = otherMeasuresText(grid, m); !other.empty()) out.push_back(std::move(other));
  for (const PurchaseDeadline& d : deadlinesOf(m, grid.jobs(), grid.clusters()))
    out.push_back(deadlineText(grid, m, d));
  for (const PurchaseShortfall& s : flips.ofHosts) out.push_back(shortfallText(grid, s));
  for (const PurchaseFlip& f : flips.ofFields) out.push_back(flipText(grid, f));
  return out;
}

std::string purchaseText(const PurchaseGrid& grid, const PurchaseMatrix& m, const PurchaseFlips& flips) {
  std::string out;
  for (int job = 0; job < grid.jobs(); ++job) {
    const PurchaseChoice& choice = m.choices[static_cast<std::size_t>(job)];
    using Align = TextTable::Align;
    TextTable rows({{grid.job(job), Align::Left},
                    {"days"},
                    {"money"},
                    {"energy"},
                    {"MFU"},
                    {"devices"},
                    {"plan", Align::Left},
                    {"", Align::Left}});
    for (int k = 0; k < grid.clusters(); ++k) {
      const PurchaseCell& c = m.cell(job, k, grid.clusters());
      const std::string note =
          markOf(choice, k) + (c.problem.empty() ? "" : (markOf(choice, k).empty() ? "" : "; ") + c.problem);
      rows.add({grid.cluster(k), purchaseValue(c, PurchaseMeasure::Days),
                purchaseValue(c, PurchaseMeasure::Money), purchaseValue(c, PurchaseMeasure::Energy),
                c.mfu ? text::percent(*c.mfu) : "–", c.plan ? text::count(c.plan->plan.devicesUsed()) : "–",
                c.plan ? summaryOf(c.plan->plan) : c.status, note});
    }
    out += rows.text() + "\n";
  }
  out += std::string("By ") + nameOf(m.measure) + ":\n";
  for (const PurchaseChoice& c : m.choices) out += "  " + choiceText(grid, m, c) + "\n";
  const std::vector<std::string> lines = flipLines(grid, m, flips);
  if (!lines.empty()) out += "\nWhere another offer is the choice:\n";
  for (const std::string& line : lines) out += "  " + line + "\n";
  return out;
}

std::string purchaseJson(const PurchaseGrid& grid, const PurchaseMatrix& m, const PurchaseFlips& flips) {
  Json j{{"format", "nest-matrix"}, {"version", 1}, {"by", nameOf(m.measure)}, {"complete", m.isComplete}};
  j["clusters"] = Json::array(), j["jobs"] = Json::array();
  for (int k = 0; k < grid.clusters(); ++k) j["clusters"].push_back(grid.cluster(k));
  for (int k = 0; k < grid.jobs(); ++k) j["jobs"].push_back(grid.job(k));
  j["cells"] = listOf(m.cells, [&](const PurchaseCell& c) {
    const PurchaseChoice& choice = m.choices[static_cast<std::size_t>(c.job)];
    Json one{{"job", grid.job(c.job)}, {"cluster", grid.cluster(c.cluster)}, {"status", c.status}};
    if (!c.problem.empty()) one["problem"] = c.problem;
    one["days"] = optional(c.days), one["money"] = optional(c.money);
    one["energy_kwh"] = optional(c.energyKwh), one["mfu"] = optional(c.mfu);
    one["gap"] = optional(c.goalGap);
    one["best"] = choice.best == c.cluster;
    one["too_close_to_call"] =
        has(choice.tooClose, c.cluster) || (choice.best == c.cluster && !choice.tooClose.empty());
    if (c.plan) {
      one["tokens_per_s"] = c.tokensPerSecond;
      one["batch_time_s"] = c.plan->evaluation.batchTime.value();
      one["devices_used"] = c.plan->plan.devicesUsed();
      one["reserved_devices"] = c.reservedDevices;
      one["summary"] = summaryOf(c.plan->plan);
      one["plan"] = planJson(c.plan->plan);
    }
    return one;
  });
  j["choices"] = listOf(m.choices, [&](const PurchaseChoice& c) {
    Json one{{"job", grid.job(c.job)}, {"sentence", choiceText(grid, m, c)}};
    one["best"] = c.best < 0 ? Json(nullptr) : Json(grid.cluster(c.best));
    one["next"] = c.next ? Json(grid.cluster(*c.next)) : Json(nullptr);
    one["lead"] = c.next ? Json(c.lead) : Json(nullptr);
    if (c.flipPrice) one["flips_below_price_per_device_hour"] = *c.flipPrice;
    return one;
  });
  j["flips"] = listOf(flips.ofFields, [&](const PurchaseFlip& f) {
    return Json{{"job", grid.job(f.job)},
                {"field", f.field},
                {"from", f.from},
                {"at", f.at},
                {"before", grid.cluster(f.before)},
                {"after", grid.cluster(f.after)}};
  });
  j["deadlines"] = listOf(deadlinesOf(m, grid.jobs(), grid.clusters()), [&](const PurchaseDeadline& d) {
    return Json{{"job", grid.job(d.job)},
                {"in_less_than_days", d.days},
                {"before", grid.cluster(d.before)},
                {"after", grid.cluster(d.after)},
                {"too_close_to_call", d.isTooClose}};
  });
  j["fewer_hosts"] = listOf(flips.ofHosts, [&](const PurchaseShortfall& s) {
    Json one{{"job", grid.job(s.job)},
             {"hosts", s.hosts},
             {"of_hosts", s.ofHosts},
             {"before", grid.cluster(s.before)},
             {"after", grid.cluster(s.after)}};
    if (s.otherBatchHosts) one["hosts_with_other_batch"] = *s.otherBatchHosts;
    return one;
  });
  return layOut(j);
}

std::string purchaseCsv(const PurchaseGrid& grid, const PurchaseMatrix& m) {
  std::string out =
      "job,cluster,status,days,money,energy_kwh,mfu,tokens_per_s,batch_time_s,devices_used,best,"
      "too_close_to_call,plan,problem\n";
  const auto number = [](const std::optional<double>& v) { return v ? text::exact(*v) : std::string(); };
  for (const PurchaseCell& c : m.cells) {
    const PurchaseChoice& choice = m.choices[static_cast<std::size_t>(c.job)];
    const bool isBest = choice.best == c.cluster,
               isClose = has(choice.tooClose, c.cluster) || (isBest && !choice.tooClose.empty());
    out += csvCell(grid.job(c.job)) + ',' + csvCell(grid.cluster(c.cluster)) + ',' + c.status + ',' +
           number(c.days) + ',' + number(c.money) + ',' + number(c.energyKwh) + ',' + number(c.mfu) + ',' +
           (c.plan ? text::exact(c.tokensPerSecond) : "") + ',' +
           (c.plan ? text::exact(c.plan->evaluation.batchTime.value()) : "") + ',' +
           (c.plan ? std::to_string(c.plan->plan.devicesUsed()) : "") + ',' + (isBest ? "true" : "false") +
           ',' + (isClose ? "true" : "false") + ',' + csvCell(c.plan ? summaryOf(c.plan->plan) : "") + ',' +
           csvCell(c.problem) + '\n';
  }
  return out;
}

}  // namespace nest::report
