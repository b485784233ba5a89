#include "calibration/calibration.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "calibration/crowding_fit.h"
#include "calibration/kernel_fit.h"
#include "calibration/layer_overlay.h"
#include "calibration/link_fit.h"
#include "evaluation/evaluation.h"
#include "fields/program_setting.h"
#include "measures/metrics.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr double kLeast = 1e-6, kMost = 1e6;
constexpr double kDoubtful = 10;  // a prediction that errs so much is of another run, or its unit is wrong
constexpr int kScaleHalvings = 60;

Diagnostic failure(std::string message, std::string remedy) {
  return error("calibration", {"", 0, 0, "/model/calibration"}, std::move(message), std::move(remedy));
}

std::optional<PlanMetrics> evaluated(const Setting& setting, const Plan& plan, Diagnostics& out) {
  auto problem = buildProblem(setting);
  if (!problem) {
    out = std::move(problem.diagnostics);
    return std::nullopt;
  }
  return metricsOf(*problem, nullptr, plan, evaluate(*problem, plan));
}

std::optional<Seconds> batchTime(Scenario& scenario, const Plan& plan, double factor, Diagnostics& out) {
  scenario.model.calibration = factor;
  const auto e = evaluated(scenario, plan, out);
  return e ? std::optional(e->batchTime) : std::nullopt;
}

bool isTime(Seconds t) {
  return t.value() > 0 && std::isfinite(t.value());
}

/// Times in a wrong unit are recognised by this.
void tellBeyondPeak(const Plan& plan, Calibration& c) {
  const Scenario& s = c.scenario;
  const auto& a = s.model.architecture;
  const auto problem = buildProblem(s);
  if (!a || !problem) return;
  const PlanMetrics m = metricsOf(*problem, &*a, plan, evaluate(*problem, plan));
  const double compute = m.share(TimePart::Compute);
  if (!m.mfu || !(compute > 0)) return;
  // MFU counts attention in full; a causal kernel does half of it, which is what grows with the square.
  const int length = s.job.sequenceLength;
  const double all = modelFlops(*a, length, 1).value(),
               attention = modelFlops(*a, 2 * length, 1).value() / 2 - all;
  const double share = *m.mfu / compute * (1 - (a->causal ? attention / all / 2 : 0));
  if (share <= 1) return;
  c.isDoubtful = true;
  c.notes.push_back("compute would run at " + text::percent(share) + " of the peak rate of " +
                    s.cluster.device.name + ", which no program can: check the unit of the file");
}

/// Told, as no factor of time says anything of memory.
void tellMemory(const TrainingRun& run, const Problem& problem, const Evaluation& e,
                std::vector<std::string>& notes) {
  const int fullest = e.fullestStage();
  if (fullest < 0 || (!run.allocated && !run.reserved)) return;
  const MemoryUse& use = e.stages[fullest].memory;
  // What the allocator holds beyond what it hands out is kept free of plans, as are fixed buffers.
  const Bytes allocated = use.handedOut();
  const double factor = problem.assumptions.allocatorFactor;
  const auto beside = [](const char* what, Bytes measured, Bytes predicted) {
    return text::memory(measured) + what + " (predicted " + text::memory(predicted) + ", " +
           text::signedPercent(predicted / measured - 1) + "), ";
  };
  std::string line = "memory: ";
  if (run.allocated) line += beside(" allocated", *run.allocated, allocated);
  if (run.reserved) line += beside(" reserved", *run.reserved, allocated * factor);
  notes.push_back(line + "which calibration leaves as it is");
}

/// Told, as the factor then makes up for the difference of two programs.
void tellProgram(const RunSettings& run, const Setting& setting, std::vector<std::string>& notes) {
  const Program *ran = findProgram(run.program), &set = programOf(setting);
  if (!ran || ran->id == set.id) return;
  for (const std::string& launch : ran->launches)
    if (std::find(set.launches.begin(), set.launches.end(), launch) != set.launches.end()) return;
  notes.push_back("the log is of " + ran->name + ", the scenario's program is " + set.name +
                  ": choose what ran in the field Program, or the factor makes up for the difference");
}

Reading<Calibration> byRun(const Scenario& scenario, const Plan& plan, const TrainingRun& run) {
  const auto others = differencesOf(run.settings, scenario, plan);
  if (!others.empty()) {
    std::string list;
    for (const std::string& d : others) list += (list.empty() ? "" : "; ") + d;
    return {
        std::nullopt,
        {error(
            "run-differs", {}, "the log is not of this plan: its run had " + list,
            "give the plan that ran: import the log into the scenario, which sets its degrees, and solve")}};
  }
  std::optional<Seconds> step = run.step;
  if (!step && run.tokensPerDevice)
    step = Seconds(double(plan.globalBatch > 0 ? plan.globalBatch : scenario.job.globalBatch) *
                   scenario.job.sequenceLength / (*run.tokensPerDevice * plan.devicesUsed()));
  if (!step)
    return {std::nullopt,
            {failure("it shows how a run was set up, but gives no step time",
                     "give the log that the run printed")}};
  auto result = calibrationFor(scenario, plan, *step);
  if (!result) return result;
  std::vector<std::string>& notes = result->notes;
  std::string read = "the median of " + text::count(run.lines) + (run.lines == 1 ? " line" : " lines");
  if (run.leftOut > 0)
    read += ", " + text::count(run.leftOut) + " left out (warm-up, another batch size, skipped iterations)";
  if (!run.step)
    read += "; from tokens per second and device, on " + text::count(plan.devicesUsed()) + " devices";
  notes.insert(notes.begin(), "the measured step time is " + read);
  if (run.isWarmUp)
    notes.push_back(
        "that line is the run's first, which is warm-up: steps that follow are faster, so give a longer log");
  tellProgram(run.settings, scenario, notes);
  if (auto problem = buildProblem(scenario)) tellMemory(run, *problem, evaluate(*problem, plan), notes);
  return result;
}

/// What `change` puts into the scenario, with the plan's step time before and after. It returns what is
/// wrong.
template <class Change>
Reading<Calibration> byChange(const Scenario& scenario, const Plan& plan, Change change) {
  Reading<Calibration> result;
  Calibration c;
  c.scenario = scenario;
  result.diagnostics = change(c);
  if (hasErrors(result.diagnostics)) return result;
  Diagnostics errors;
  const auto before = evaluated(scenario, plan, errors), after = evaluated(c.scenario, plan, errors);
  if (!before || !after) return {std::nullopt, std::move(errors)};
  c.predicted = before->batchTime;
  c.rescaled = after->batchTime;
  c.factor = c.scenario.model.calibration;
  if (before->peakMemory != after->peakMemory)
    c.notes.push_back("the fullest stage needs " + text::memory(after->peakMemory) + " per device (" +
                      text::memory(before->peakMemory) + " before)");
  tellBeyondPeak(plan, c);
  result.value = std::move(c);
  return result;
}

}  // namespace

Diagnostics setMachine(Scenario& s, const MachineTimes& machine, std::vector<std::string>& notes) {
  Diagnostics out;
  if (machine.kernels) out = setKernels(s, *machine.kernels, notes);
  if (machine.exchanges.empty()) return out;
  Diagnostics more = setLinks(s.cluster, s.constraints.excludedDevices, s.assumptions, machine.exchanges,
                              std::nullopt, notes);
  out.insert(out.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  if (!hasErrors(out)) setCrowding(s, machine.exchanges, std::nullopt, notes);
  return out;
}

Reading<Calibration> calibrationFor(const Scenario& scenario, const Plan& plan, Seconds measured) {
  Reading<Calibration> result;
  const auto fail = [&](std::string message, std::string remedy) {
    result.diagnostics.push_back(failure(std::move(message), std::move(remedy)));
    return result;
  };
  if (!isTime(measured)) return fail("the measured step time must be more than 0", "give a time like 12.3s");
  Scenario trial = scenario;
  const auto predicted = batchTime(trial, plan, scenario.model.calibration, result.diagnostics);
  if (!predicted) return result;
  if (!isTime(*predicted))
    return fail("the model gives this plan no step time",
                "give a plan that can be priced: its violations say what is wrong with this one");
  double low = kLeast, high = kMost;
  const auto least = batchTime(trial, plan, low, result.diagnostics);
  if (!least) return result;
  if (*least >= measured)
    return fail("the exchanges of this plan alone take " + text::time(*least) +
                    ", no less than the measured " + text::time(measured),
                "raise the bandwidths, or say what overlaps in assumptions.overlap");
  const auto most = batchTime(trial, plan, high, result.diagnostics);
  if (!most) return result;
  if (*most < measured)
    return fail("with all compute " + text::number(kMost, 3) + " times as slow the step would take " +
                    text::time(*most) + ", less than the measured " + text::time(measured),
                "check the unit of the measured time, and that it is of one step of this plan");
  // The batch time grows with the factor.
  for (int i = 0; i < kScaleHalvings && high / low > 1 + 1e-12; ++i) {
    const double middle = std::sqrt(low * high);
    const auto t = batchTime(trial, plan, middle, result.diagnostics);
    if (!t) return result;
    (*t < measured ? low : high) = middle;
  }
  const auto rescaled = batchTime(trial, plan, high, result.diagnostics);
  if (!rescaled) return result;
  Calibration c;
  c.scenario = trial;
  c.predicted = *predicted;
  c.rescaled = *rescaled;
  c.measured = measured;
  c.factor = high;
  c.notes = {
      "one factor on compute corrects a bias that all plans share; it says nothing of how plans compare"};
  const double times = measured / *predicted;
  c.isDoubtful = times > kDoubtful || times < 1 / kDoubtful;
  if (c.isDoubtful)
    c.notes.insert(c.notes.begin(),
                   "the measured time is " + text::number(times, 3) +
                       " times the predicted one: check its unit, and that it is of one step of "
                       "this plan");
  tellBeyondPeak(plan, c);
  result.value = std::move(c);
  return result;
}

Reading<Calibration> calibrationFor(const Scenario& scenario, const Plan& plan, const Measurement& m,
                                    std::optional<int> level) {
  if (const auto* run = std::get_if<TrainingRun>(&m.of)) return byRun(scenario, plan, *run);
  return byChange(scenario, plan, [&](Calibration& c) {
    if (const auto* times = std::get_if<std::vector<CollectiveTimes>>(&m.of))
      return setLinks(c.scenario.cluster, scenario.constraints.excludedDevices, scenario.assumptions, *times,
                      level, c.notes);
    if (const auto* kernels = std::get_if<KernelTimes>(&m.of))
      return setKernels(c.scenario, *kernels, c.notes);
    if (const auto* machine = std::get_if<MachineTimes>(&m.of))
      return setMachine(c.scenario, *machine, c.notes);
    auto model = std::holds_alternative<LayerTimes>(m.of)
                     ? withLayerTimes(scenario, plan, std::get<LayerTimes>(m.of), c.notes)
                     : withBlockTable(scenario, plan, std::get<BlockTable>(m.of), c.notes);
    if (model) c.scenario.model = std::move(*model);
    return std::move(model.diagnostics);
  });
}

}  // namespace nest
