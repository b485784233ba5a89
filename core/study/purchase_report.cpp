// A purchase as text, JSON and CSV.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "formats/results/plan_json.h"
#include "study/json_list.h"
#include "study/purchase.h"
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

std::string purchaseText(const PurchaseGrid& grid, const PurchaseMatrix& m,
                         const std::vector<PurchaseFlip>& flips) {
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
  for (const PurchaseFlip& f : flips) out += "  " + flipText(grid, f) + "\n";
  return out;
}

std::string purchaseJson(const PurchaseGrid& grid, const PurchaseMatrix& m,
                         const std::vector<PurchaseFlip>& flips) {
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
  j["flips"] = listOf(flips, [&](const PurchaseFlip& f) {
    return Json{{"job", grid.job(f.job)},
                {"field", f.field},
                {"from", f.from},
                {"at", f.at},
                {"before", grid.cluster(f.before)},
                {"after", grid.cluster(f.after)}};
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
