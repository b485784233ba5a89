// The Python module nest_planner: scenarios in, plans and what they cost out, as dictionaries and lists of
// numbers. What the functions return is what nest-plan prints with --json; resources/schemas tells its keys.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <chrono>
#include <future>
#include <nlohmann/json.hpp>
#include <thread>

#include "evaluation/schedule.h"
#include "evaluation/traffic.h"
#include "files/file_reader.h"
#include "formats/networks/host_changes.h"
#include "formats/results/outcome_json.h"
#include "formats/results/plan_json.h"
#include "formats/scenario/scenario_json.h"
#include "measures/metrics.h"
#include "options/own_catalogs.h"
#include "study/conflicts.h"
#include "study/purchase_flips.h"
#include "study/study_report.h"
#include "study/sweep.h"
#include "text/json_layout.h"
#include "text/printable.h"

namespace py = pybind11;

namespace nest {
namespace {

using Json = nlohmann::ordered_json;

py::object fromJson(const std::string& text) {
  return py::module_::import("json").attr("loads")(text);
}

std::string toJson(const py::handle& value) {
  return py::str(py::module_::import("json").attr("dumps")(value));
}

/// nest_planner.Error, with what was found as `diagnostics`.
py::object errorType;

[[noreturn]] void raise(const Diagnostics& all) {
  std::string message;
  for (const Diagnostic& d : all)
    if (d.severity == Severity::Error) message += (message.empty() ? "" : "\n") + printable(toText(d));
  py::object error = errorType(message);
  error.attr("diagnostics") = fromJson(layOut(diagnosticsJson(all)));
  PyErr_SetObject(errorType.ptr(), error.ptr());
  throw py::error_already_set();
}

template <class T>
T valueOf(Reading<T> reading) {
  if (!reading) raise(reading.diagnostics);
  return std::move(*reading);
}

/// A path as Python's own functions take it: text, bytes or an object that stands for one.
std::string pathOf(const py::object& path) {
  return py::module_::import("os").attr("fsencode")(path).cast<std::string>();
}

/// A scenario as it is given: the path of a file, or a dictionary like the file; then `folder` holds the
/// files that it names.
struct Source {
  std::string text, path;
};

Source sourceOf(const py::object& scenario, const py::object& folder) {
  if (py::isinstance<py::dict>(scenario)) return {toJson(scenario), pathOf(folder) + "/scenario"};
  const std::string path = pathOf(scenario);
  return {valueOf(readText(path)), path};
}

struct Input {
  Scenario scenario;
  Problem problem;
  ReportSource source() const { return reportSource(scenario, problem); }
};

/// What if hosts were free or taken? Host lists, as in "gpu[04-07]".
struct HostLists {
  std::optional<std::string> free, taken;
};

Input read(const py::object& scenario, const py::object& folder, const HostLists& hosts = {}) {
  const Source source = sourceOf(scenario, folder);
  Scenario read = valueOf(readScenario(source.text, source.path, loaderBeside(source.path)));
  Diagnostics wrong;
  for (const auto& [list, state, name] : {std::tuple(&hosts.free, HostState::Free, "free_hosts"),
                                          {&hosts.taken, HostState::Busy, "taken_hosts"}})
    if (*list)
      for (Diagnostic& d : changeHosts(read.cluster, **list, state, {"", 0, 0, name}))
        wrong.push_back(std::move(d));
  if (!wrong.empty()) raise(wrong);
  auto problem = buildProblem(read);
  problem.diagnostics = locatedIn(source.text, source.path, std::move(problem.diagnostics));
  return {std::move(read), valueOf(std::move(problem))};
}

/// Runs the work on a thread of its own, without the interpreter's lock; Ctrl+C stops it.
template <class Work>
auto interruptible(Control control, Work work) {
  std::stop_source stop;
  control.stop = stop.get_token();
  auto result = std::async(std::launch::async, [&] { return work(control); });
  bool interrupted = false;
  while (!interrupted) {
    {
      const py::gil_scoped_release released;
      if (result.wait_for(std::chrono::milliseconds(20)) == std::future_status::ready) break;
    }
    interrupted = PyErr_CheckSignals() != 0;
  }
  if (interrupted) {
    stop.request_stop();
    {
      const py::gil_scoped_release released;
      result.wait();
    }
    throw py::error_already_set();
  }
  return result.get();
}

Control controlOf(const std::optional<double>& deadline, const std::optional<long long>& workLimit) {
  if (deadline && !(*deadline >= 0)) throw py::value_error("deadline is 0 (none) or more seconds");
  if (workLimit && *workLimit < 0) throw py::value_error("work_limit is 0 or more");
  Control control;
  if (deadline && *deadline > 0)
    control.deadline =
        std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                               std::chrono::duration<double>(std::min(*deadline, 1e8)));
  if (workLimit) control.work = std::make_shared<WorkLimit>(*workLimit);
  return control;
}

py::object solveScenario(const py::object& scenario, std::optional<double> deadline,
                         std::optional<long long> workLimit, std::optional<std::string> freeHosts,
                         std::optional<std::string> takenHosts, const py::object& folder) {
  Input input = read(scenario, folder, {std::move(freeHosts), std::move(takenHosts)});
  if (deadline) input.problem.search.deadlineSeconds = 0;
  const Control control = controlOf(deadline, workLimit);
  const std::string told = interruptible(control, [&](const Control& c) {
    Outcome outcome = solveAndExplain(input.problem, c);
    lookBeyond(input.scenario, outcome, c);
    return writeOutcome(input.source(), outcome);
  });
  return fromJson(told);
}

/// A plan as a dictionary: of a plan file, or an outcome, whose best plan is taken.
Plan planOf(const py::object& plan) {
  return valueOf(readPlan(toJson(plan), "plan"));
}

py::object evaluatePlan(const py::object& scenario, const py::object& plan,
                        std::optional<std::string> freeHosts, std::optional<std::string> takenHosts,
                        const py::object& folder) {
  const Input input = read(scenario, folder, {std::move(freeHosts), std::move(takenHosts)});
  RankedPlan ranked{planOf(plan), {}, Seconds(0)};
  ranked.evaluation = evaluate(input.problem, ranked.plan);
  if (ranked.evaluation.feasible())
    ranked.simulated = simulate(input.problem, ranked.plan, ranked.evaluation, false).total;
  return fromJson(writeEvaluation(input.source(), ranked));
}

/// The evaluation of a plan that is one of the scenario's: else its times and bytes would be those of a part.
/// It may lack memory, or break rules of the user's.
Evaluation costed(const Problem& problem, const Plan& plan) {
  Evaluation e = evaluate(problem, plan);
  Diagnostics wrong;
  for (const Violation& v : e.violations)
    if (v.kind != Violation::Kind::Memory && v.kind != Violation::Kind::HostMemory &&
        v.kind != Violation::Kind::Constraint && v.kind != Violation::Kind::Program)
      wrong.push_back(error(nameOf(v.kind), {"plan", 0, 0, ""}, v.message));
  if (!wrong.empty()) raise(wrong);
  return e;
}

const char* nameOf(TaskKind kind) {
  static constexpr const char* names[] = {"forward",           "backward", "activation-transfer",
                                          "gradient-transfer", "sync",     "step"};
  return names[static_cast<std::size_t>(kind)];
}

py::object timeline(const py::object& scenario, const py::object& plan, const py::object& folder) {
  const Input input = read(scenario, folder);
  const Plan p = planOf(plan);
  const Schedule s = simulate(input.problem, p, costed(input.problem, p));
  Json j{{"total_s", s.total.value()}, {"intervals", Json::array()}, {"memory", Json::array()}};
  for (const ScheduleInterval& i : s.intervals)
    j["intervals"].push_back({{"stage", i.stage},
                              {"chunk", i.chunk},
                              {"microbatch", i.microbatch},
                              {"kind", nameOf(i.kind)},
                              {"begin_s", i.begin.value()},
                              {"end_s", i.end.value()},
                              {"recompute_s", i.recompute.value()}});
  for (const MemoryStep& m : s.memory)
    j["memory"].push_back({{"stage", m.stage}, {"at_s", m.at.value()}, {"used_bytes", m.used.value()}});
  return fromJson(j.dump());
}

py::object traffic(const py::object& scenario, const py::object& plan, int groups, const py::object& folder) {
  const Input input = read(scenario, folder);
  const int devices = input.problem.cluster->deviceCount();
  if (groups < 1) throw py::value_error("groups is 1 or more");
  std::vector<int> starts;
  for (int g = 0; g <= std::min(groups, devices); ++g)
    starts.push_back(static_cast<int>(static_cast<long long>(devices) * g / std::min(groups, devices)));
  const Plan p = planOf(plan);
  costed(input.problem, p);
  const TrafficMatrix m = Traffic(input.problem, p).matrix(starts);
  Json j{{"first_device", std::vector<int>(starts.begin(), starts.end() - 1)}, {"bytes", Json::array()}};
  for (int row = 0; row < m.buckets(); ++row) {
    Json line = Json::array();
    for (int column = 0; column < m.buckets(); ++column) line.push_back(m.bytes[m.cell(row, column)].value());
    j["bytes"].push_back(std::move(line));
  }
  return fromJson(j.dump());
}

py::object sweep(const py::object& scenario, const py::dict& fields, int threads, const py::object& folder) {
  const Source source = sourceOf(scenario, folder);
  std::vector<SweepField> swept;
  for (const auto& [name, values] : fields) {
    SweepField field = valueOf(readSweepField(std::string(py::str(name)) + "=0"));
    field.values.clear();
    if (py::isinstance<py::str>(values)) throw py::type_error("the values of a field are a list, not a text");
    for (const py::handle& v : values) {
      field.values.push_back(toJson(v));
      if (!Json::accept(field.values.back()))
        throw py::value_error(field.values.back() + " is not a field value");
    }
    swept.push_back(std::move(field));
  }
  const SweepGrid grid =
      valueOf(SweepGrid::build(source.text, source.path, std::move(swept), loaderBeside(source.path)));
  SweepOptions options;
  options.threads =
      threads > 0 ? threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const auto rows = interruptible({}, [&](const Control& c) {
    return runSweep(
        grid, options, [](const SweepRow&, std::size_t, std::size_t) {}, c);
  });
  std::string text;
  writeSweepJson(grid.fields(), rows, [&](std::string_view piece) { text += piece; });
  return fromJson(text)["rows"];
}

py::object failures(const py::object& scenario, const std::optional<std::vector<std::string>>& lost,
                    double confidence, const py::object& folder) {
  if (!(confidence > 0 && confidence < 1)) throw py::value_error("confidence is between 0 and 1");
  const Input input = read(scenario, folder);
  std::vector<LostDevices> parts;
  for (const std::string& text : lost.value_or(std::vector<std::string>()))
    parts.push_back(valueOf(readLost(input.problem, text)));
  const std::string told = interruptible({}, [&](const Control& c) -> std::string {
    const Outcome outcome = solveAndExplain(input.problem, c);
    if (!outcome.best()) return writeOutcome(input.source(), outcome);
    return layOut(report::failureStudyJson(
        input.problem, *outcome.best(),
        studyFailures(input.scenario, input.problem, *outcome.best(), parts, confidence, c)));
  });
  return fromJson(told);
}

py::object matrix(const py::object& scenario, const std::string& by, int threads, const py::object& folder) {
  const Source source = sourceOf(scenario, folder);
  const PurchaseGrid grid = valueOf(PurchaseGrid::build(source.text, source.path, loaderBeside(source.path)));
  PurchaseMeasure measure = PurchaseMeasure::Days;
  bool isKnown = false;
  for (const PurchaseMeasure m : {PurchaseMeasure::Days, PurchaseMeasure::Money, PurchaseMeasure::Energy})
    if (by == nameOf(m)) measure = m, isKnown = true;
  if (!isKnown) throw py::value_error("by is days, money or energy");
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return fromJson(interruptible({}, [&](const Control& c) {
    const int used = threads > 0 ? threads : cores;
    const PurchaseMatrix all = solvePurchase(grid, measure, used, c);
    PurchaseFlips flips;
    flips.ofHosts = shortfallsOf(grid, all, used, c);
    return report::purchaseJson(grid, all, flips);
  }));
}

}  // namespace
}  // namespace nest

PYBIND11_MODULE(nest_planner, m) {
  using namespace py::literals;
  m.doc() =
      "The planner of NEST Explorer: where to place the training of a large model on a cluster.\n\n"
      "A scenario is the path of a *.nest.json file, or a dictionary like its content; then `folder` holds "
      "the files "
      "that it names. Results are dictionaries with SI values, keys end in their unit.";
  m.attr("__version__") = NEST_VERSION;
  nest::errorType = py::exception<nest::Diagnostic>(m, "Error", PyExc_ValueError);
  nest::errorType.attr("__doc__") =
      "A scenario or plan that cannot be used; `diagnostics` lists all that is wrong.";
  for (const nest::Diagnostic& d : nest::cli::loadOwnCatalogs())
    py::module_::import("warnings").attr("warn")(nest::printable(toText(d)));
  m.def(
      "solve", nest::solveScenario, "scenario"_a, py::kw_only(), "deadline"_a = py::none(),
      "work_limit"_a = py::none(), "free_hosts"_a = py::none(), "taken_hosts"_a = py::none(),
      "folder"_a = ".",
      "The best plan, as nest-plan solve --json prints it. `free_hosts`, `taken_hosts`: what if these hosts "
      "(\"gpu[04-07]\") were free, or taken? `deadline`: seconds after which the best so far "
      "is returned; "
      "`work_limit`: the same in units of search work.");
  m.def("evaluate", nest::evaluatePlan, "scenario"_a, "plan"_a, py::kw_only(), "free_hosts"_a = py::none(),
        "taken_hosts"_a = py::none(), "folder"_a = ".",
        "What a plan (or the best one of an outcome) costs on a scenario, and what keeps it from running.");
  m.def("timeline", nest::timeline, "scenario"_a, "plan"_a, py::kw_only(), "folder"_a = ".",
        "The plan as it runs: intervals of every stage, and its memory over time.");
  m.def("traffic", nest::traffic, "scenario"_a, "plan"_a, "groups"_a = 16, py::kw_only(), "folder"_a = ".",
        "Bytes that groups of devices send to each other in a step, a row for each sender.");
  m.def("sweep", nest::sweep, "scenario"_a, "fields"_a, py::kw_only(), "threads"_a = 0, "folder"_a = ".",
        "A row for each combination of values: sweep(s, {'job.global_batch': [512, 1024]}). threads 0: all "
        "cores.");
  m.def("failures", nest::failures, "scenario"_a, "lost"_a = py::none(), py::kw_only(),
        "confidence"_a = 0.999, "folder"_a = ".",
        "What failures cost when a spare takes the place, when the plan shrinks, and when it is made again; "
        "and "
        "how many spare hosts to keep, with what each of them buys. `lost`: ['host3', 'host4, device 17']; "
        "without it one part of each "
        "kind. An outcome without a plan if none fits.");
  m.def(
      "matrix", nest::matrix, "scenario"_a, py::kw_only(), "by"_a = "days", "threads"_a = 0, "folder"_a = ".",
      "Every job of the scenario's section \"purchase\" on every cluster that it offers, for the least days, "
      "money or energy.");
}
