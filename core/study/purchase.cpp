#include "study/purchase.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "diagnostics/field_change.h"
#include "fields/field.h"
#include "fields/field_text.h"
#include "solver/even_hosts.h"
#include "study/quiet_solve.h"
#include "units/at.h"
#include "words/metric_words.h"
#include "words/outcome_words.h"

namespace nest {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kSecondsPerDay = 86400, kHoursPerDay = 24;

/// An offer is paid for as a whole, so that the plan that takes the fewest days costs least.
Goal goalOf(PurchaseMeasure m) {
  return m == PurchaseMeasure::Energy ? Goal::Energy : Goal::Days;
}

std::string errorsOf(const Diagnostics& all) {
  std::string out;
  for (const Diagnostic& d : all)
    if (d.severity == Severity::Error)
      out += (out.empty() ? "" : "; ") + (d.code == "goal-needs" ? adviceText(d.message) : d.message);
  return out;
}

Diagnostics namedAfter(const std::string& variant, Diagnostics all) {
  std::erase_if(all, [](const Diagnostic& d) { return d.severity == Severity::Note; });
  for (Diagnostic& d : all) {
    d.message = variant + ": " + d.message;
    d.where = {d.where.file, 0, 0, "/purchase"};
  }
  return all;
}

PurchaseChoice choiceOf(const PurchaseMatrix& matrix, int job, int clusters) {
  PurchaseChoice out;
  out.job = job;
  std::vector<std::pair<double, int>> ranked;
  for (int k = 0; k < clusters; ++k)
    if (const auto v = matrix.cell(job, k, clusters).value(matrix.measure)) ranked.emplace_back(*v, k);
  if (ranked.empty()) return out;
  std::sort(ranked.begin(), ranked.end());
  const auto& [least, best] = ranked.front();
  out.best = best;
  for (std::size_t i = 1; i < ranked.size(); ++i) {
    const auto& [value, k] = ranked[i];
    if (isTooClose(matrix.cell(job, best, clusters), least, matrix.cell(job, k, clusters), value))
      out.tooClose.push_back(k);
  }
  if (ranked.size() > 1) {
    const auto& [value, k] = ranked[1];
    out.next = k;
    out.lead = least > 0 ? value / least - 1 : 0;
    const auto& price = matrix.cell(job, k, clusters).pricePerDeviceHour;
    if (matrix.measure == PurchaseMeasure::Money && price && value > 0)
      out.flipPrice = *price * least / value;
  }
  return out;
}

}  // namespace

const char* nameOf(PurchaseMeasure m) {
  return m == PurchaseMeasure::Money ? "money" : m == PurchaseMeasure::Energy ? "energy" : "days";
}

PurchaseCell solvedCell(Scenario scenario, PurchaseMeasure measure, const Control& control) {
  PurchaseCell cell;
  scenario.search.goal = goalOf(measure);
  scenario.search.topPlans = std::max(scenario.search.topPlans, 8);
  auto problem = buildProblem(scenario);
  if (!problem) {
    cell.status = "invalid";
    cell.problem = errorsOf(problem.diagnostics);
    return cell;
  }
  Control own = control;
  own.progress = nullptr, own.found = nullptr;
  auto found = std::make_shared<Outcome>(solveOnEvenHosts(*problem, own));
  found->tables.clear();
  cell.outcome = found;
  const Outcome& o = *found;
  cell.status = nameOf(o.status);
  cell.goalGap = o.goalGap ? o.goalGap : o.gap();
  if (!o.best()) {
    const words::NoPlan none = words::noPlan(o);
    cell.problem = none.title + (none.detail.empty() ? "" : ". " + adviceText(none.detail));
    return cell;
  }
  cell.plan = *o.best();
  const auto* architecture = scenario.model.architecture ? &*scenario.model.architecture : nullptr;
  const PlanMetrics m = metricsOf(*problem, architecture, *o.best());
  cell.tokensPerSecond = m.tokensPerSecond;
  cell.mfu = m.mfu;
  if (m.trainingTime) cell.days = m.trainingTime->value() / kSecondsPerDay;
  cell.pricePerDeviceHour = problem->run.pricePerDeviceHour;
  cell.reservedDevices =
      problem->cluster->deviceCount() + problem->run.spareHosts * problem->cluster->largestGroupSize(0);
  if (cell.days && cell.pricePerDeviceHour)
    cell.money = *cell.days * kHoursPerDay * cell.reservedDevices * *cell.pricePerDeviceHour;
  if (measure == PurchaseMeasure::Money && !cell.pricePerDeviceHour)
    cell.problem = "give run.price_per_device_hour";
  cell.error = m.error.time, cell.ratioError = words::ratioError(m.program, m.error);
  cell.program = scenario.program;
  cell.deviceFamily = deviceFamily(scenario.cluster.device.id);
  if (m.run) {
    cell.energyKwh = m.run->energy;
    if (m.run->prediction && !m.run->prediction->finishes) cell.problem = "does not get through its failures";
  }
  return cell;
}

std::optional<double> PurchaseCell::value(PurchaseMeasure m) const {
  return m == PurchaseMeasure::Money ? money : m == PurchaseMeasure::Energy ? energyKwh : days;
}

std::vector<PurchaseChoice> choicesOf(const PurchaseMatrix& matrix, int jobs, int clusters) {
  std::vector<PurchaseChoice> out;
  for (int job = 0; job < jobs; ++job) out.push_back(choiceOf(matrix, job, clusters));
  return out;
}

// Runs of one program on one family of devices err together; others each for themselves.
bool isTooClose(const PurchaseCell& a, double valueOfA, const PurchaseCell& b, double valueOfB) {
  const double least = std::min(valueOfA, valueOfB), most = std::max(valueOfA, valueOfB);
  const bool together = a.program == b.program && a.deviceFamily == b.deviceFamily;
  const double error = together ? std::max(a.ratioError, b.ratioError) : std::hypot(a.error, b.error);
  return most <= least * (1 + std::max(error, 1e-9));
}

Reading<PurchaseGrid> PurchaseGrid::build(std::string_view scenario, const std::string& file,
                                          const ReferenceLoader& load) {
  Reading<PurchaseGrid> result;
  PurchaseGrid grid;
  grid.m_load = load, grid.m_file = file;
  auto base = readScenario(scenario, file, load);
  result.diagnostics = std::move(base.diagnostics);
  if (!base) return result;
  grid.m_clusters = base->purchase.clusters, grid.m_jobs = base->purchase.jobs;
  if (grid.m_clusters.empty() && grid.m_jobs.empty()) {
    result.diagnostics.push_back(error("no-purchase", {file, 0, 0, "/purchase"},
                                       "the scenario has no offers and no jobs to compare",
                                       "list \"clusters\" and \"jobs\" in a section \"purchase\", each with "
                                       "a name and the sections it changes"));
    return result;
  }
  const std::string own = base->name.empty() ? "this scenario" : base->name;
  if (grid.m_clusters.empty()) grid.m_clusters.push_back({own, "{}"});
  if (grid.m_jobs.empty()) grid.m_jobs.push_back({own, "{}"});
  base->purchase = {};
  grid.m_text = writeScenario(*base);
  // Each offer and each job is read once by itself: what is wrong with it is wrong in a whole row or column.
  const auto check = [&](int job, int cluster, const std::string& name) {
    auto one = grid.scenarioOf(job, cluster);
    if (!one || hasErrors(one.diagnostics))
      for (Diagnostic& d : namedAfter(name, std::move(one.diagnostics)))
        result.diagnostics.push_back(std::move(d));
  };
  for (int k = 0; k < grid.clusters(); ++k) check(0, k, "offer \"" + grid.cluster(k) + '"');
  if (!hasErrors(result.diagnostics))
    for (int k = 1; k < grid.jobs(); ++k) check(k, 0, "job \"" + grid.job(k) + '"');
  if (!hasErrors(result.diagnostics)) result.value = std::move(grid);
  return result;
}

Reading<Scenario> PurchaseGrid::scenarioOf(int job, int cluster) const {
  Json j = Json::parse(m_text);
  for (const PurchaseVariant* v : {&m_clusters[at(cluster)], &m_jobs[at(job)]}) {
    const Json changes = Json::parse(v->changes);
    // Another network takes the place of the one that is there, whatever it is written as.
    if (changes.contains("cluster"))
      for (const char* network : {"levels", "network", "graph"})
        if (changes["cluster"].contains(network))
          for (const char* other :
               {"levels", "network", "graph", "host_sizes", "host_names", "exceptions", "states"})
            j["cluster"].erase(other);
    if (changes.contains("model"))
      for (const char* held : {"path", "architecture", "config", "profile"})
        if (changes["model"].contains(held))
          for (const char* other : {"path", "architecture", "config", "profile"}) j["model"].erase(other);
    j.merge_patch(changes);
  }
  j["name"] = job >= 0 ? m_jobs[at(job)].name + " on " + m_clusters[at(cluster)].name : "";
  return readScenario(j.dump(), m_file, m_load);
}

PurchaseMatrix solvePurchase(
    const PurchaseGrid& grid, PurchaseMeasure measure, int threads, const Control& control,
    const std::function<void(const PurchaseCell&, std::size_t done, std::size_t all)>& onCell) {
  PurchaseMatrix out;
  out.measure = measure;
  const int clusters = grid.clusters();
  out.cells.resize(at(clusters) * at(grid.jobs()));
  for (std::size_t i = 0; i < out.cells.size(); ++i) {
    out.cells[i].job = static_cast<int>(i) / clusters, out.cells[i].cluster = static_cast<int>(i) % clusters;
    out.cells[i].status = nameOf(OutcomeStatus::Stopped);
  }
  std::atomic<std::size_t> next = 0;
  std::mutex reporting;
  std::size_t done = 0;
  reportStudy(control, "Matrix", 0, out.cells.size());
  const auto work = [&] {
    for (std::size_t i = next++; i < out.cells.size() && !studyStopped(control); i = next++) {
      const int job = out.cells[i].job, cluster = out.cells[i].cluster;
      auto scenario = grid.scenarioOf(job, cluster);
      PurchaseCell cell;
      if (scenario) {
        cell = solvedCell(std::move(*scenario), measure, control);
      } else {
        cell.status = "invalid";
        cell.problem = errorsOf(scenario.diagnostics);
      }
      cell.job = job, cell.cluster = cluster;
      const std::scoped_lock lock(reporting);
      out.cells[i] = std::move(cell);
      reportStudy(control, "Matrix", ++done, out.cells.size());
      if (onCell) onCell(out.cells[i], done, out.cells.size());
    }
  };
  {
    std::vector<std::jthread> others;
    for (int k = 1; k < threads && at(k) < out.cells.size(); ++k) others.emplace_back(work);
    work();
  }
  out.isComplete = std::none_of(out.cells.begin(), out.cells.end(), [](const PurchaseCell& c) {
    return c.status == nameOf(OutcomeStatus::Stopped) || c.status == nameOf(OutcomeStatus::BestSoFar);
  });
  out.choices = choicesOf(out, grid.jobs(), clusters);
  return out;
}

}  // namespace nest
