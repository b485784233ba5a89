#include "program/prediction_interval.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cluster/devices/device_facts.h"
#include "cluster/devices/device_names.h"
#include "program/program.h"
#include "text/catalog.h"
#include "text/embedded.h"

namespace nest {

std::string deviceFamily(std::string_view name) {
  const DeviceFacts& own = factsOf(name);
  if (!own.id.empty()) return own.family;
  const NamedDevice called = deviceCalled(name);
  return called.device ? factsOf(called.device->id).family : std::string(name);
}

const char* nameOf(RunsBehind behind) {
  constexpr const char* kNames[] = {"same program", "related programs", "related programs, any devices",
                                    "any program, same devices", "any program"};
  return kNames[static_cast<std::size_t>(behind)];
}

std::string programLineage(std::string_view programId) {
  const auto entries = catalogEntries("programs");
  std::string_view id = programId;
  for (std::size_t steps = 0; steps < entries.size(); ++steps) {
    const auto it = std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.id == id; });
    if (it == entries.end() || it->like.empty()) break;
    id = it->like;
  }
  return std::string(id);
}

const std::vector<PredictionCell>& predictionCells() {
  // Part of the program; a test writes it again and compares.
  static const std::vector<PredictionCell> all = [] {
    std::vector<PredictionCell> out;
    const auto j = nlohmann::json::parse(embeddedResource("prediction_errors.json"), nullptr, false);
    if (!j.is_object()) return out;
    for (const auto& e : j.at("errors")) {
      PredictionCell cell;
      cell.runs = {e.value("program", ""),
                   e.value("devices", ""),
                   e.at("experts").get<bool>(),
                   {e.at("interval").get<double>(), e.at("runs").get<int>()}};
      cell.lineage = e.value("lineage", "");
      cell.difference = e.at("difference_interval").get<double>();
      cell.mean = e.at("mean_absolute_error").get<double>();
      cell.sets = e.at("sets").get<int>();
      const std::string of = e.at("of").get<std::string>();
      for (int k = 0; k < kRunsBehindCount; ++k)
        if (of == nameOf(static_cast<RunsBehind>(k))) cell.behind = static_cast<RunsBehind>(k);
      out.push_back(std::move(cell));
    }
    return out;
  }();
  return all;
}

namespace {

/// Whether runs of a program fall into a cell, whatever they ran on.
bool holdsProgram(const PredictionCell& cell, std::string_view program) {
  return (cell.runs.program.empty() || cell.runs.program == program) &&
         (cell.lineage.empty() || cell.lineage == programLineage(program));
}

}  // namespace

const PredictionCell* cellOf(const std::vector<PredictionCell>& cells, std::string_view program,
                             std::string_view deviceId, bool experts) {
  if (program.empty() || program == kIdealProgram) return nullptr;
  const std::string family = deviceFamily(deviceId);
  const PredictionCell* narrowest = nullptr;
  for (const PredictionCell& cell : cells)
    if (cell.runs.experts == experts && (cell.runs.family.empty() || cell.runs.family == family) &&
        holdsProgram(cell, program) && (!narrowest || cell.behind < narrowest->behind))
      narrowest = &cell;
  return narrowest;
}

const PredictionCell* cellBehind(const PredictionError& error, std::string_view program) {
  const PredictionCell* narrowest = nullptr;
  for (const PredictionCell& cell : predictionCells())
    if (cell.runs.error == error && holdsProgram(cell, program) &&
        (!narrowest || cell.behind < narrowest->behind))
      narrowest = &cell;
  return narrowest;
}

PredictionError predictionErrorOf(std::string_view program, std::string_view deviceId, bool experts) {
  const PredictionCell* cell = cellOf(predictionCells(), program, deviceId, experts);
  return cell ? cell->runs.error : PredictionError{};
}

}  // namespace nest
