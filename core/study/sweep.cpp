#include "study/sweep.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "cluster/devices/device_catalog.h"
#include "cluster/levels/device_change.h"
#include "diagnostics/field_change.h"
#include "fields/field.h"
#include "fields/field_text.h"
#include "fields/program_setting.h"
#include "solver/even_hosts.h"
#include "text/text_hash.h"

namespace nest {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostCombinations = 1'000'000;

bool isId(std::string_view pointer, const Json& value) {
  return value.is_string() && (pointer == "/cluster/device" || pointer == "/job/optimizer");
}

/// Sets a value, making the objects on the way; false where the path leads through something else. An id
/// that stands for an object (a device, an optimizer) becomes one, whose other values are those of the id.
/// A model's file takes the place of the model that the scenario holds.
bool set(Json& root, const std::string& pointer, const Json& value) {
  Json* at = &root;
  std::size_t begin = 1;
  if (pointer == "/model/path" && root["model"].is_object())
    for (const char* held : {"architecture", "config", "profile"}) root["model"].erase(held);
  while (true) {
    const std::size_t end = pointer.find('/', begin);
    const std::string key = pointer.substr(begin, end == std::string::npos ? end : end - begin);
    if (at->is_array()) {
      const bool digits =
          !key.empty() && key.size() < 9 && key.find_first_not_of("0123456789") == std::string::npos;
      if (!digits || std::stoul(key) >= at->size()) return false;
      at = &(*at)[std::stoul(key)];
    } else if (at->is_object() || at->is_null() || isId(pointer.substr(0, begin - 1), *at)) {
      if (at->is_string()) *at = Json{{"id", *at}};
      at = &(*at)[key];
    } else {
      return false;
    }
    if (end == std::string::npos) break;
    begin = end + 1;
  }
  *at = value;
  return true;
}

/// Texts with a unit become the number that the field's key promises: "25 GB/s" is 2.5e10; a value of a
/// list field becomes a list of one. What the scenario does not take stays as it is, and is told by its row.
void toFileValues(SweepField& field, const Setting& setting, const Json& scenario, const std::string& file,
                  const ReferenceLoader& load) {
  const auto known = fieldAt(setting, field.pointer);
  const Json::json_pointer at(field.pointer);
  const auto read = [&](const Json& value) -> std::optional<Json> {
    Json varied = scenario;
    if (!set(varied, field.pointer, value)) return std::nullopt;
    const auto reading = readScenario(varied.dump(), file, load);
    if (!reading) return std::nullopt;
    const Json normal = Json::parse(writeScenario(*reading));
    return normal.contains(at) ? normal[at] : Json();
  };
  const bool isList = scenario.contains(at) && scenario[at].is_array();
  for (std::string& value : field.values) {
    const Json typed = Json::parse(value);
    if (isList && !typed.is_structured()) {
      if (const Json list = Json::array({typed}); read(list)) value = list.dump();
    } else if (typed.is_string()) {
      const auto number = known && known->field->isNumeric() && known->field->kind() == FieldKind::Number
                              ? readNumberText(setting, *known, typed.get<std::string>())
                              : std::nullopt;
      if (number)
        value = Json(*number).dump();
      else if (const auto normal = read(typed); normal && normal->is_number())
        value = normal->dump();
    }
  }
}

/// A number without a unit, in a field that was named without its unit, may be meant in another one.
void warnOfBareNumbers(const SweepField& field, const FieldAt& at, Diagnostics& out) {
  for (const std::string& value : field.values) {
    const Json typed = Json::parse(value, nullptr, false);
    if (!typed.is_number()) continue;
    const Measure measure = at.field->access.measure;
    out.push_back(warning(
        "sweep-unit", {},
        field.pointer.substr(1) + " = " + value + " counts as " + text::limit(measure, typed.get<double>()),
        std::string("give values their unit, such as ") + text::exampleOf(measure)));
    return;
  }
}

std::string firstError(const Diagnostics& all) {
  for (const Diagnostic& d : all)
    if (d.severity == Severity::Error)
      return (d.where.pointer.empty() ? "" : d.where.pointer + ": ") + d.message;
  return {};
}

}  // namespace

/// What has been read of the files that scenarios name.
struct SweepGrid::Loaded {
  std::mutex mutex;
  std::map<std::string, Reading<std::string>> texts;
};

Reading<SweepGrid> SweepGrid::build(std::string_view scenario, const std::string& file,
                                    std::vector<SweepField> fields, const ReferenceLoader& load) {
  Reading<SweepGrid> result;
  SweepGrid grid;
  grid.m_loaded = std::make_shared<Loaded>();
  if (load)
    grid.m_load = [load, loaded = grid.m_loaded](const std::string& path) {
      const std::lock_guard lock(loaded->mutex);
      const auto known = loaded->texts.find(path);
      return known != loaded->texts.end() ? known->second
                                          : loaded->texts.emplace(path, load(path)).first->second;
    };
  auto base = readScenario(scenario, file, grid.m_load);
  result.diagnostics = std::move(base.diagnostics);
  if (!base) return result;
  grid.m_scenario = writeScenario(*base);
  grid.m_file = file;
  const Json normalised = Json::parse(grid.m_scenario);
  std::set<std::string> seen;
  double combinations = 1;
  for (SweepField& f : fields) {
    // "…/bandwidth" stands for "…/bandwidth_bytes_per_s"; what is no field of one value is named exactly.
    if (const auto known = fieldAt(base->setting(), f.pointer)) {
      const std::string_view suffix = text::suffixOf(known->field->access.measure);
      if (f.pointer != known->pointer() && !suffix.empty()) warnOfBareNumbers(f, *known, result.diagnostics);
      f.pointer = known->pointer();
    }
    if (f.pointer.find('~') == std::string::npos)
      toFileValues(f, base->setting(), normalised, file, grid.m_load);
    else
      result.diagnostics.push_back(error("sweep-field-unknown", {}, "scenarios have no field " + f.pointer,
                                         "none of their keys needs an escape"));
    if (!seen.insert(f.pointer).second)
      result.diagnostics.push_back(error("sweep-field-twice", {},
                                         "the field " + f.pointer + " is swept twice",
                                         "give all its values at once"));
    if (f.values.empty())
      result.diagnostics.push_back(error("sweep-field-empty", {},
                                         "the field " + f.pointer + " is swept over no values",
                                         "give one or more"));
    combinations *= double(f.values.size());
  }
  if (combinations > double(kMostCombinations))
    result.diagnostics.push_back(
        error("sweep-too-large", {}, "the sweep has more than 1,000,000 combinations", "sweep fewer values"));
  if (hasErrors(result.diagnostics)) return result;

  grid.m_fields = std::move(fields);
  std::string identity = grid.m_scenario;
  for (const SweepField& f : grid.m_fields) {
    identity += '\n' + f.pointer;
    for (const std::string& v : f.values) identity += '\t' + v;
  }
  grid.m_key = hashOf(identity);
  grid.readFiles();
  // A field that no scenario has would change nothing; the reader knows which keys there are.
  for (const Diagnostic& d : grid.scenarioAt(0).diagnostics)
    for (const SweepField& f : grid.m_fields)
      if ((f.pointer + '/').starts_with(d.where.pointer + '/') &&
          (d.code == "json-unknown-key" || d.code == "sweep-path"))
        result.diagnostics.push_back(error("sweep-field-unknown", {}, "scenarios have no field " + f.pointer,
                                           d.remedy.empty() ? "nest-plan fields lists them" : d.remedy));
  if (!hasErrors(result.diagnostics)) result.value = std::move(grid);
  return result;
}

/// Only models name files: every value of their fields is tried once, the others at their first.
void SweepGrid::readFiles() {
  std::size_t step = 1;
  for (auto field = m_fields.rbegin(); field != m_fields.rend(); ++field) {
    if ((field->pointer + '/').starts_with("/model/"))
      for (std::size_t v = 0; v < field->values.size(); ++v) (void)scenarioAt(v * step);
    step *= field->values.size();
  }
  for (const auto& [path, text] : m_loaded->texts) m_files[path] = text ? hashOf(*text) : "unreadable";
}

std::size_t SweepGrid::size() const {
  std::size_t n = 1;
  for (const SweepField& f : m_fields) n *= f.values.size();
  return n;
}

std::vector<std::string> SweepGrid::valuesAt(std::size_t index) const {
  std::vector<std::string> values(m_fields.size());
  for (std::size_t i = m_fields.size(); i-- > 0;) {
    values[i] = m_fields[i].values[index % m_fields[i].values.size()];
    index /= m_fields[i].values.size();
  }
  return values;
}

/// The scenario before its values are set. A swept program comes first, and brings all that it sets: what the
/// scenario says in its own program's name does not hold for another one. So does a device, which brings its
/// links.
std::string SweepGrid::startAt(const std::vector<std::string>& values) const {
  const Program* program = nullptr;
  const DeviceSpec* device = nullptr;
  for (std::size_t i = 0; i < m_fields.size(); ++i) {
    const bool isProgram = m_fields[i].pointer == "/program",
               isDevice = m_fields[i].pointer == "/cluster/device";
    const Json value = isProgram || isDevice ? Json::parse(values[i]) : Json();
    if (!value.is_string()) continue;
    if (isProgram) program = findProgram(value.get<std::string>());
    if (isDevice) device = findDevice(value.get<std::string>());
  }
  auto scenario = program || device ? readScenario(m_scenario, m_file, m_load) : Reading<Scenario>();
  if (!scenario) return m_scenario;
  if (program) setProgram(*scenario, *program);
  if (device) changeDevice(scenario->cluster, *device);
  return writeScenario(*scenario);
}

Reading<Scenario> SweepGrid::scenarioAt(std::size_t index) const {
  const auto values = valuesAt(index);
  Json scenario = Json::parse(startAt(values));
  for (std::size_t i = 0; i < m_fields.size(); ++i)
    if (!set(scenario, m_fields[i].pointer, Json::parse(values[i])))
      return {std::nullopt,
              {error("sweep-path", {m_file, 0, 0, m_fields[i].pointer}, "the path leads nowhere",
                     "see the scenario's own keys")}};
  return readScenario(scenario.dump(), m_file, m_load);
}

SweepRow solveSweepRow(const SweepGrid& grid, std::size_t index, const Control& control) {
  SweepRow row;
  row.index = index;
  row.values = grid.valuesAt(index);
  const auto scenario = grid.scenarioAt(index);
  auto problem = scenario ? buildProblem(*scenario) : Reading<Problem>{std::nullopt, scenario.diagnostics};
  if (!problem) {
    row.status = "invalid";
    row.problem = firstError(problem.diagnostics);
    return row;
  }
  Control own = control;
  own.progress = {};
  problem->search.threads = 1;
  const Outcome outcome = solveOnEvenHosts(*problem, own);
  row.status = nameOf(outcome.status);
  row.lowerBoundSeconds = outcome.lowerBound.value();
  row.gap = outcome.gap();
  row.states = double(outcome.statistics.states);
  row.elapsedSeconds = outcome.statistics.elapsed.value();
  if (outcome.nearestMiss && !outcome.nearestMiss->remedies.empty())
    row.problem = "would fit with " + adviceText(outcome.nearestMiss->remedies.front());
  else if (outcome.status == OutcomeStatus::Infeasible && !outcome.diagnostics.empty())
    row.problem = outcome.diagnostics.back().message;
  const RankedPlan* best = outcome.best();
  if (!best) return row;
  const PlanMetrics m =
      metricsOf(*problem, scenario->model.architecture ? &*scenario->model.architecture : nullptr, *best);
  row.plan = summaryOf(best->plan);
  row.batchSeconds = m.batchTime.value();
  row.simulatedSeconds = m.simulated.value();
  row.samplesPerSecond = m.samplesPerSecond;
  row.tokensPerSecond = m.tokensPerSecond;
  row.deviceHours = m.deviceHours.value_or(0);
  row.mfu = m.mfu;
  row.globalBatch = best->evaluation.globalBatch;
  if (m.trainingTime) row.trainingSeconds = m.trainingTime->value();
  if (m.run) row.money = m.run->money, row.energyKwh = m.run->energy;
  row.devicesUsed = m.devicesUsed;
  row.peakMemoryBytes = m.peakMemory.value();
  const auto shares = m.shares();
  if (!shares.empty()) row.boundBy = nameOf(shares.front().part);
  if (const TimeShare* overhead = largestOverhead(shares)) row.largestOverhead = nameOf(overhead->part);
  return row;
}

std::vector<SweepRow> runSweep(
    const SweepGrid& grid, SweepOptions options,
    const std::function<void(const SweepRow&, std::size_t done, std::size_t all)>& onRow,
    const Control& control) {
  std::map<std::size_t, SweepRow> done;
  for (SweepRow& r : options.done) done.emplace(r.index, std::move(r));
  auto rows = runRows<SweepRow>(
      grid.size(), options.shard, std::move(done), options.threads,
      [&](std::size_t index) { return solveSweepRow(grid, index, control); }, onRow, control);
  std::vector<SweepRow> out;
  for (auto& [index, row] : rows) out.push_back(std::move(row));
  return out;
}

}  // namespace nest
