#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "study/sweep.h"
#include "text/csv.h"
#include "text/json_fields.h"
#include "text/json_layout.h"
#include "units/text.h"

namespace nest {
namespace {

using Json = nlohmann::ordered_json;

Json rowJson(const SweepRow& r, const std::vector<SweepField>* fields) {
  Json j{{"index", r.index}};
  Json values = Json::array();
  for (std::size_t i = 0; i < r.values.size(); ++i)
    values.push_back(Json::parse(r.values[i], nullptr, false));
  if (fields) {
    Json named = Json::object();
    for (std::size_t i = 0; i < fields->size() && i < values.size(); ++i)
      named[(*fields)[i].pointer.substr(1)] = values[i];
    j["values"] = std::move(named);
  } else {
    j["values"] = std::move(values);
  }
  j["status"] = r.status;
  if (!r.problem.empty()) j["problem"] = r.problem;
  j["plan"] = r.plan;
  // Nothing is 0 that there is not: without a plan, without a bound.
  const auto known = [](const auto& v) { return v > 0 ? Json(v) : Json(nullptr); };
  const auto named = [](const std::string& s) { return s.empty() ? Json(nullptr) : Json(s); };
  j["batch_time_s"] = known(r.batchSeconds);
  j["simulated_time_s"] = known(r.simulatedSeconds);
  j["samples_per_s"] = known(r.samplesPerSecond);
  j["tokens_per_s"] = known(r.tokensPerSecond);
  j["mfu"] = r.mfu ? Json(*r.mfu) : Json(nullptr);
  j["devices_used"] = known(r.devicesUsed);
  j["peak_memory_bytes"] = known(r.peakMemoryBytes);
  j["device_hours"] = known(r.deviceHours);
  j["bound_by"] = named(r.boundBy);
  j["largest_overhead"] = named(r.largestOverhead);
  j["lower_bound_s"] = known(r.lowerBoundSeconds);
  j["gap"] = r.gap ? Json(*r.gap) : Json(nullptr);
  const auto given = [](const std::optional<double>& v) { return v ? Json(*v) : Json(nullptr); };
  j["global_batch"] = known(r.globalBatch);
  j["training_time_s"] = given(r.trainingSeconds);
  j["money"] = given(r.money);
  j["energy_kwh"] = given(r.energyKwh);
  j["states"] = r.states;
  if (!fields) j["elapsed_s"] = r.elapsedSeconds;  // tables are the same however they were solved
  return j;
}

std::string figure(double v) {
  return v == 0 ? std::string() : text::exact(v);
}

std::optional<SweepRow> readRow(JsonFields& f, std::size_t fieldCount) {
  constexpr double most = 1e300;
  SweepRow r;
  const auto index = f.integer("index", 0, 1'000'000);
  const auto* values = f.array("values");
  const auto status = f.string("status");
  if (!index || !values || values->size() != fieldCount || !status) return std::nullopt;
  r.index = static_cast<std::size_t>(*index);
  for (const auto& v : *values) r.values.push_back(v.dump());
  r.status = *status;
  r.problem = f.string("problem").value_or("");
  r.plan = f.string("plan").value_or("");
  const auto read = [&](const char* key, double& into) { into = f.number(key, -most, most).value_or(0); };
  read("batch_time_s", r.batchSeconds);
  read("simulated_time_s", r.simulatedSeconds);
  read("samples_per_s", r.samplesPerSecond);
  read("tokens_per_s", r.tokensPerSecond);
  r.mfu = f.number("mfu", -most, most);
  r.devicesUsed = static_cast<int>(f.integer("devices_used", 0, 1 << 30).value_or(0));
  read("peak_memory_bytes", r.peakMemoryBytes);
  read("device_hours", r.deviceHours);
  r.boundBy = f.string("bound_by").value_or("");
  r.largestOverhead = f.string("largest_overhead").value_or("");
  read("lower_bound_s", r.lowerBoundSeconds);
  r.gap = f.number("gap", -most, most);
  r.globalBatch = static_cast<int>(f.integer("global_batch", 0, 1 << 30).value_or(0));
  r.trainingSeconds = f.number("training_time_s", 0, most);
  r.money = f.number("money", 0, most);
  r.energyKwh = f.number("energy_kwh", 0, most);
  read("states", r.states);
  read("elapsed_s", r.elapsedSeconds);
  return r;
}

bool readHead(JsonFields& f, SweepJournal& journal) {
  if (f.string("format").value_or("") != "nest-sweep") return false;
  const auto key = f.string("key");
  const auto size = f.integer("size", 0, 1'000'000);
  const auto* fields = f.array("fields");
  if (!key || !size || !fields) return false;
  journal.key = *key;
  journal.size = static_cast<std::size_t>(*size);
  if (const auto* files = f.object("files"))
    for (const auto& [path, hash] : files->items())
      if (hash.is_string()) journal.files[path] = hash.get<std::string>();
  for (const auto& field : *fields) {
    if (!field.is_object() || !field.contains("field") || !field["field"].is_string()) return false;
    SweepField one{field["field"].get<std::string>(), {}};
    if (one.pointer.empty()) return false;
    if (field.contains("values") && field["values"].is_array())
      for (const auto& v : field["values"]) one.values.push_back(v.dump());
    journal.fields.push_back(std::move(one));
  }
  return true;
}

/// The files whose contents differ: "models/a.json, models/b.json"; empty: none.
std::string differingFiles(const std::map<std::string, std::string>& a,
                           const std::map<std::string, std::string>& b) {
  std::string out;
  std::map<std::string, std::string> all = a;
  all.insert(b.begin(), b.end());
  for (const auto& [path, hash] : all) {
    const auto x = a.find(path), y = b.find(path);
    if (x == a.end() || y == b.end() || x->second != y->second) out += (out.empty() ? "" : ", ") + path;
  }
  return out;
}

}  // namespace

std::string journalHead(const SweepGrid& grid) {
  Json j{{"format", "nest-sweep"}, {"version", 1}, {"key", grid.key()}, {"size", grid.size()}};
  if (!grid.files().empty()) j["files"] = grid.files();
  j["fields"] = Json::array();
  for (const SweepField& f : grid.fields()) {
    Json values = Json::array();
    for (const std::string& v : f.values) values.push_back(Json::parse(v, nullptr, false));
    j["fields"].push_back({{"field", f.pointer}, {"values", values}});
  }
  return j.dump() + '\n';
}

std::string journalLine(const SweepRow& row) {
  return rowJson(row, nullptr).dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

Reading<SweepJournal> readJournal(const std::string& path) {
  SweepJournal journal;
  journal.file = path;
  auto read = readJournalLines(
      path, "sweep", [&](JsonFields& f) { return readHead(f, journal); },
      [&](JsonFields& f) {
        auto row = readRow(f, journal.fields.size());
        const bool isOne = row && row->index < journal.size;
        if (isOne) journal.rows.push_back(std::move(*row));
        return isOne;
      });
  if (!read) return {std::nullopt, std::move(read.diagnostics)};
  journal.bytes = *read;
  return {std::move(journal), std::move(read.diagnostics)};
}

Diagnostics belongsTo(const SweepJournal& journal, const SweepGrid& grid) {
  const Place place{journal.file, 1, 0, ""};
  if (journal.key != grid.key())
    return {error("sweep-different", place, "this journal is of another sweep",
                  "give another -o, or --restart to start over")};
  if (const std::string changed = differingFiles(journal.files, grid.files()); !changed.empty())
    return {error("sweep-stale", place, "its rows were solved with other contents of " + changed,
                  "give another -o to keep them, or --restart to solve them again")};
  return {};
}

Reading<SweepJournal> mergeJournals(std::vector<SweepJournal> all) {
  Reading<SweepJournal> result;
  if (all.empty()) {
    result.diagnostics.push_back(error("sweep-nothing", {}, "there is nothing to merge"));
    return result;
  }
  const Place place{all.front().file, 1, 0, ""};
  std::map<std::size_t, SweepRow> rows;
  for (SweepJournal& j : all) {
    const std::string changed = differingFiles(j.files, all.front().files);
    if (j.key != all.front().key)
      result.diagnostics.push_back(error("sweep-different", {j.file, 1, 0, ""},
                                         "this is of another sweep than " + all.front().file,
                                         "merge the shards of one scenario and one set of fields"));
    else if (!changed.empty())
      result.diagnostics.push_back(error(
          "sweep-stale", {j.file, 1, 0, ""},
          "its rows were solved with other contents of " + changed + " than those of " + all.front().file,
          "solve one of the shards again"));
    else
      for (SweepRow& r : j.rows) rows.emplace(r.index, std::move(r));
    j.rows.clear();
  }
  if (hasErrors(result.diagnostics)) return result;
  SweepJournal merged = std::move(all.front());
  merged.rows.clear();
  for (auto& [index, row] : rows) merged.rows.push_back(std::move(row));
  if (merged.rows.size() < merged.size)
    result.diagnostics.push_back(
        warning("sweep-incomplete", {},
                text::count(static_cast<long long>(merged.size - merged.rows.size())) + " of " +
                    text::count(static_cast<long long>(merged.size)) + " combinations are missing",
                "run the shards that did not finish again"));
  result.value = std::move(merged);
  return result;
}

void writeSweepCsv(const std::vector<SweepField>& fields, const std::vector<SweepRow>& rows,
                   const TextSink& sink) {
  std::string out;
  for (const SweepField& f : fields) out += csvCell(f.pointer.substr(1)) + ',';
  sink(out +
       "status,plan,batch_time_s,simulated_time_s,samples_per_s,tokens_per_s,mfu,devices_used,peak_memory_"
       "bytes,device_hours,bound_by,largest_overhead,lower_bound_s,gap,global_batch,training_time_s,money,"
       "energy_kwh,states,problem\n");
  const auto given = [](const std::optional<double>& v) { return v ? text::exact(*v) : std::string(); };
  for (const SweepRow& r : rows) {
    out.clear();
    for (const std::string& v : r.values) {
      const Json value = Json::parse(v, nullptr, false);
      out += (value.is_number() ? v : csvCell(value.is_string() ? value.get<std::string>() : v)) + ',';
    }
    for (const std::string& s :
         {csvCell(r.status), csvCell(r.plan), figure(r.batchSeconds), figure(r.simulatedSeconds),
          figure(r.samplesPerSecond), figure(r.tokensPerSecond), r.mfu ? text::exact(*r.mfu) : std::string(),
          r.devicesUsed ? std::to_string(r.devicesUsed) : std::string(), figure(r.peakMemoryBytes),
          figure(r.deviceHours), csvCell(r.boundBy), csvCell(r.largestOverhead), figure(r.lowerBoundSeconds),
          given(r.gap), r.globalBatch ? std::to_string(r.globalBatch) : std::string(),
          given(r.trainingSeconds), given(r.money), given(r.energyKwh), text::exact(r.states)})
      out += s + ',';
    sink(out + csvCell(r.problem) + '\n');
  }
}

void writeSweepJson(const std::vector<SweepField>& fields, const std::vector<SweepRow>& rows,
                    const TextSink& sink) {
  sink("{\n  \"format\": \"nest-sweep-table\",\n  \"version\": 1,\n  \"rows\": [");
  for (std::size_t i = 0; i < rows.size(); ++i)
    sink((i == 0 ? "\n    " : ",\n    ") + layOutItem(rowJson(rows[i], &fields), 4));
  sink(rows.empty() ? "]\n}\n" : "\n  ]\n}\n");
}

}  // namespace nest
