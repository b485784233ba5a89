#include "lab/ranking.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "lab/ranking_sweeps.h"
#include "program/program.h"
#include "text/json_fields.h"
#include "text/json_layout.h"
#include "text/text_table.h"
#include "units/text.h"

namespace nest {
namespace {

using nlohmann::json;

constexpr double kApart = 1.1;    ///< measured ratio from which a pair counts
constexpr double kDoubtful = 10;  ///< a sweep whose times are so far from the predicted ones has another unit
/// Hidden states that exchanges of the first stage's blocks leave reserved: two a block, of as many blocks as
/// its host issues before it waits for a message, and no more than the launches of a full queue (1,024) make
/// up. It waits when it has issued the forward passes of its warm-up.
Bytes heldExchangeBuffers(const PublishedRun& r, const PublishedPlan& ran) {
  constexpr int kLaunchesOfBlock = 36;
  int blocks = 0;
  for (const LayerIndex x : ran.plan.stages.front().layers())
    blocks += ran.problem->graph->layers[x.at()].kind == LayerKind::Block ? 1 : 0;
  const double passes = std::max(1.0, ran.evaluation.stages.front().inFlight - 1);
  const double issued = std::min<double>(blocks * passes, 1024 / kLaunchesOfBlock);
  return Bytes(2 * issued * r.microbatch.value_or(1) * r.sequence * r.model.hidden * 2);
}

/// Whether the run's host takes longer for a block than its program usually does, and its devices wait for it
/// (STATEMENT.md (10.3)).
bool waitsForSlowHost(const PublishedRun& r, const PublishedPlan& ran, const PublishedOptions& options) {
  PublishedRun usual = r;
  std::erase_if(usual.settings, [](const ProgramValue& v) { return v.field == kHostTimeField; });
  if (usual.settings.size() == r.settings.size()) return false;
  const auto quicker = planOf(usual, options);
  return quicker && quicker->evaluation.stages.front().load < ran.evaluation.stages.front().load;
}

/// A column of published runs (study/published_results.h) that sweeps do not have; empty: there is none.
std::string columnOfRuns(const json& sets) {
  for (const json& set : sets) {
    if (!set.is_object() || !set.contains("columns") || !set["columns"].is_array()) continue;
    for (const json& column : set["columns"])
      for (const char* name : {"t", "p", "tflops_per_gpu", "iter_s", "mfu", "params_B"})
        if (column == name) return name;
  }
  return {};
}

/// What keeps the run from being formed here; empty: nothing.
std::string predict(RankedRun& r, const PublishedOptions& options) {
  const auto ran = planOf(r.run, options);
  if (!ran)
    return "TP " + std::to_string(r.run.tensor) + " · PP " + std::to_string(r.run.stages) + " · MBS " +
           std::to_string(r.run.microbatch.value_or(1)) + " on " + text::count(r.run.devices) + " devices, " +
           (ran.diagnostics.empty() ? "by which its batch or its layers do not divide"
                                    : ran.diagnostics.front().message);
  r.predicted = ran->evaluation.batchTime.value();
  r.fits = std::none_of(ran->evaluation.violations.begin(), ran->evaluation.violations.end(),
                        [](const Violation& v) { return v.kind == Violation::Kind::Memory; });
  const Program* program = findProgram(r.run.program);
  for (const StageEvaluation& s : ran->evaluation.stages) {
    const Bytes handedOut = s.memory.handedOut();
    r.predictedMemory =
        std::max(r.predictedMemory, (handedOut * ran->problem->assumptions.allocatorFactor).value());
    if (program && program->logsFirstStage) break;
  }
  // A host that devices wait for does not run ahead. Whether they do in pipelines, whose stages wait for each
  // other besides, is known where the sweep says what its hosts take.
  if (program && program->holdsExchangeBuffers && r.run.tensor > 1 && (r.run.stages == 1 || r.saysHostTime) &&
      !waitsForSlowHost(r.run, *ran, options)) {
    const Problem& p = *ran->problem;
    const double room = (deviceOf(r.run, options)->memory.value - p.assumptions.reserve).value();
    r.predictedMemory = std::max(
        r.predictedMemory, std::min(r.predictedMemory + heldExchangeBuffers(r.run, *ran).value(), room));
  }
  return {};
}

/// Runs that are left out, and times that are in another unit.
void tellOddities(const Sweep& s, int notFormed, const std::string& why, const Place& where,
                  Diagnostics& out) {
  if (notFormed > 0)
    out.push_back(warning("ranking-not-formed", where,
                          s.name + ": " + text::count(notFormed) + " of " +
                              text::count(static_cast<long long>(s.runs.size())) +
                              " runs cannot be formed here and are not compared; the first: " + why));
  std::vector<double> ratios;
  for (const RankedRun& r : s.runs)
    if (r.ran() && r.predicted > 0) ratios.push_back(r.measured / r.predicted);
  if (ratios.empty()) return;
  std::nth_element(ratios.begin(), ratios.begin() + std::ptrdiff_t(ratios.size() / 2), ratios.end());
  if (const double middle = ratios[ratios.size() / 2]; middle > kDoubtful || middle < 1 / kDoubtful)
    out.push_back(
        warning("ranking-unit", where,
                s.name + ": measured steps take " + text::number(middle, 3) + " times as long as predicted",
                "check that step_s is in seconds, tokens are per device, and the model is the one "
                "that ran"));
}

void judge(Sweep& s) {
  double best = 0;
  for (const RankedRun& r : s.runs)
    if (r.ran() && (best == 0 || r.measured < best)) best = r.measured;
  const auto isCompared = [&](const RankedRun& r) {
    return r.predicted > 0 && (!r.ran() || r.measured <= RankingReport::kComparable * best);
  };
  std::vector<const RankedRun*> fitting;
  for (const RankedRun& r : s.runs) {
    if (!isCompared(r)) ++s.notCompared;
    if (isCompared(r) && r.fits) fitting.push_back(&r);
  }
  std::stable_sort(fitting.begin(), fitting.end(),
                   [](const RankedRun* a, const RankedRun* b) { return a->predicted < b->predicted; });
  std::vector<const RankedRun*> both;
  for (const RankedRun* r : fitting)
    if (r->ran()) both.push_back(r);
  long long agree = 0, all = 0;
  for (std::size_t i = 0; i < both.size(); ++i)
    for (std::size_t j = i + 1; j < both.size(); ++j) {
      const double a = both[i]->measured, b = both[j]->measured;  // i is predicted to be no slower
      if (a == b || both[i]->predicted == both[j]->predicted) continue;
      ++all;
      agree += a < b ? 1 : -1;
      if (std::max(a, b) / std::min(a, b) <= kApart) continue;
      ++s.pairs;
      s.right += a < b ? 1 : 0;
    }
  s.tau = all > 0 ? double(agree) / double(all) : 0;
  if (fitting.empty() || best == 0) return;
  s.hasPick = true;
  s.pickRan = fitting.front()->ran();
  s.regret = s.pickRan ? fitting.front()->measured / best - 1 : 0;
  double five = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(5, fitting.size()); ++i)
    if (fitting[i]->ran() && (five == 0 || fitting[i]->measured < five)) five = fitting[i]->measured;
  s.regretOfFive = five > 0 ? five / best - 1 : 0;
}

}  // namespace

double RankingReport::pairsRight() const {
  long long all = 0, right = 0;
  for (const Sweep& s : sweeps) all += s.pairs, right += s.right;
  return all > 0 ? double(right) / double(all) : 0;
}
int RankingReport::picks() const {
  return static_cast<int>(
      std::count_if(sweeps.begin(), sweeps.end(), [](const Sweep& s) { return s.hasPick; }));
}
int RankingReport::picksThatRan() const {
  return static_cast<int>(
      std::count_if(sweeps.begin(), sweeps.end(), [](const Sweep& s) { return s.hasPick && s.pickRan; }));
}
double RankingReport::meanRegret() const {
  double sum = 0;
  for (const Sweep& s : sweeps)
    if (s.hasPick && s.pickRan) sum += s.regret;
  return picksThatRan() > 0 ? sum / picksThatRan() : 0;
}
int RankingReport::memoryRuns() const {
  int n = 0;
  for (const Sweep& s : sweeps)
    for (const RankedRun& r : s.runs) n += r.measuredMemory > 0 && r.predictedMemory > 0 ? 1 : 0;
  return n;
}
double RankingReport::memoryError() const {
  double sum = 0;
  for (const Sweep& s : sweeps)
    for (const RankedRun& r : s.runs)
      if (r.measuredMemory > 0 && r.predictedMemory > 0)
        sum += std::abs(r.predictedMemory / r.measuredMemory - 1);
  return memoryRuns() > 0 ? sum / memoryRuns() : 0;
}

Reading<RankingReport> replayRanking(std::string_view text, const std::string& file,
                                     const PublishedOptions& options) {
  const auto jsonText = readJsonText(text, file);
  Diagnostics out = jsonText.diagnostics;
  if (!jsonText) return {std::nullopt, out};
  const json& root = jsonText->root();
  if (!root.is_object() || !root.contains("sets") || !root["sets"].is_array()) {
    out.push_back(error("ranking-not-sets", jsonText->placeOf(""),
                        "measured sweeps are an object with a list \"sets\""));
    return {std::nullopt, out};
  }
  if (const std::string column = columnOfRuns(root["sets"]); !holdsSweeps(text) && !column.empty()) {
    out.push_back(
        error("ranking-runs", jsonText->placeOf(""),
              "these are runs, not sweeps over configurations: they have a column \"" + column + '"',
              "Compare them with nest-plan study validation"));
    return {std::nullopt, out};
  }
  RankingReport report;
  for (std::size_t i = 0; i < root["sets"].size(); ++i) {
    const Place where = jsonText->placeOf(jsonPointer("/sets", i));
    std::vector<Sweep> sweeps = readSweeps(*jsonText, i, options.program, out);
    if (hasErrors(out)) continue;
    for (Sweep& sweep : sweeps) {
      int notFormed = 0;
      std::string why;
      for (RankedRun& r : sweep.runs)
        if (std::string reason = predict(r, options); !reason.empty() && notFormed++ == 0)
          why = std::move(reason);
      judge(sweep);
      tellOddities(sweep, notFormed, why, where, out);
      report.sweeps.push_back(std::move(sweep));
    }
  }
  if (!hasErrors(out) && report.sweeps.empty())
    out.push_back(error("ranking-empty", jsonText->placeOf("/sets"), "no set has runs that can be compared",
                        "give sets with \"model\", \"columns\" and \"rows\""));
  if (hasErrors(out)) return {std::nullopt, out};
  return {std::move(report), out};
}

std::string toText(const RankingReport& report) {
  using Align = TextTable::Align;
  TextTable table({{"sweep", Align::Left},
                   {"program", Align::Left},
                   {"runs"},
                   {"did not run"},
                   {"Kendall τ"},
                   {"pairs right"},
                   {"pick", Align::Left},
                   {"regret"},
                   {"best of five"}});
  for (const Sweep& s : report.sweeps) {
    const auto ran = std::count_if(s.runs.begin(), s.runs.end(), [](const RankedRun& r) { return r.ran(); });
    table.add({s.name, s.program, text::count(ran), text::count(static_cast<long long>(s.runs.size()) - ran),
               s.pairs > 0 ? text::number(s.tau, 2) : "–",
               s.pairs > 0 ? text::percent(double(s.right) / double(s.pairs)) : "–",
               !s.hasPick  ? "none fits"
               : s.pickRan ? "ran"
                           : "did not run",
               s.hasPick && s.pickRan ? text::percent(s.regret) : "–",
               s.hasPick ? text::percent(s.regretOfFive) : "–"});
  }
  const bool hasPairs =
      std::any_of(report.sweeps.begin(), report.sweeps.end(), [](const Sweep& s) { return s.pairs > 0; });
  std::string out = table.text(0);
  out += "\nPairs measured more than 10 % apart that are ordered correctly: " +
         (hasPairs ? text::percent(report.pairsRight()) : std::string("none are so far apart")) +
         "\nPicks that ran: " + std::to_string(report.picksThatRan()) + " of " +
         std::to_string(report.picks()) + '\n';
  if (report.picksThatRan() > 0)
    out += "Picks that ran, mean slowdown over the best run: " + text::percent(report.meanRegret()) + '\n';
  if (report.memoryRuns() > 0)
    out += "Memory, mean absolute error: " + text::percent(report.memoryError()) + " over " +
           text::count(report.memoryRuns()) + " runs\n";
  out +=
      "Runs slower than 2.5 times the best of their sweep are not compared. The pick is the fastest "
      "prediction that "
      "fits with its program's headroom.\n";
  return out;
}

namespace {
nlohmann::ordered_json knownOrNull(double value) {
  return value > 0 ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}
}  // namespace

std::string rankingJson(const RankingReport& report) {
  nlohmann::ordered_json j{{"format", "nest-ranking"}, {"version", 1}};
  j["pairs_right"] = report.pairsRight();
  j["picks"] = report.picks();
  j["picks_that_ran"] = report.picksThatRan();
  j["mean_regret"] = report.meanRegret();
  j["memory_error"] = report.memoryRuns() > 0 ? nlohmann::ordered_json(report.memoryError()) : nullptr;
  j["sweeps"] = nlohmann::ordered_json::array();
  for (const Sweep& s : report.sweeps) {
    nlohmann::ordered_json k{
        {"name", s.name},        {"program", s.program},   {"kendall_tau", s.tau},
        {"pairs", s.pairs},      {"pairs_right", s.right}, {"has_pick", s.hasPick},
        {"pick_ran", s.pickRan}, {"regret", s.regret},     {"regret_of_five", s.regretOfFive}};
    k["runs"] = nlohmann::ordered_json::array();
    for (const RankedRun& r : s.runs)
      k["runs"].push_back({{"devices", r.run.devices},
                           {"tensor", r.run.tensor},
                           {"stages", r.run.stages},
                           {"microbatch", r.run.microbatch.value_or(0)},
                           {"zero", r.run.zero.value_or(0)},
                           {"measured_memory_bytes", knownOrNull(r.measuredMemory)},
                           {"predicted_memory_bytes", knownOrNull(r.predictedMemory)},
                           {"measured_s", knownOrNull(r.measured)},
                           {"predicted_s", knownOrNull(r.predicted)},
                           {"fits", r.fits}});
    j["sweeps"].push_back(std::move(k));
  }
  return layOut(j);
}

}  // namespace nest
