#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "study/sweep.h"
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
  j["batch_time_s"] = r.batchSeconds;
  j["simulated_time_s"] = r.simulatedSeconds;
  j["samples_per_s"] = r.samplesPerSecond;
  j["tokens_per_s"] = r.tokensPerSecond;
  j["mfu"] = r.mfu ? Json(*r.mfu) : Json(nullptr);
  j["devices_used"] = r.devicesUsed;
  j["peak_memory_bytes"] = r.peakMemoryBytes;
  j["bound_by"] = r.boundBy;
  j["lower_bound_s"] = r.lowerBoundSeconds;
  j["gap"] = r.gap;
  j["states"] = r.states;
  j["elapsed_s"] = r.elapsedSeconds;
  return j;
}

std::string cell(const std::string& s) {
  if (s.find_first_of(",\"\n\r") == std::string::npos) return s;
  std::string out = "\"";
  for (const char c : s) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
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
  r.boundBy = f.string("bound_by").value_or("");
  read("lower_bound_s", r.lowerBoundSeconds);
  read("gap", r.gap);
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

}  // namespace

std::string journalHead(const SweepGrid& grid) {
  Json j{{"format", "nest-sweep"}, {"version", 1}, {"key", grid.key()}, {"size", grid.size()}};
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

Reading<SweepJournal> readJournal(std::string_view text, const std::string& file) {
  Reading<SweepJournal> result;
  SweepJournal journal;
  int number = 0;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const bool cutOff = end == std::string_view::npos;
    text.remove_prefix(cutOff ? text.size() : end + 1);
    ++number;
    auto json = readJsonText(line, file);
    Diagnostics ignored;
    if (number == 1) {
      const bool isObject = json && json->root().is_object();
      if (isObject) {
        JsonFields f(*json, json->root(), "", ignored);
        if (readHead(f, journal)) continue;
      }
      result.diagnostics.push_back(error("not-a-sweep", {file, 1, 1, ""},
                                         "this is no journal of a sweep: its first line tells none",
                                         "name a file that sweep -o has written"));
      return result;
    }
    std::optional<SweepRow> row;
    if (json && json->root().is_object()) {
      JsonFields f(*json, json->root(), "", ignored);
      row = readRow(f, journal.fields.size());
    }
    if (row && row->index < journal.size)
      journal.rows.push_back(std::move(*row));
    else if (cutOff)
      result.diagnostics.push_back(note("sweep-cut-off", {file, number, 1, ""},
                                        "the last row was cut off by an interruption; it is solved again"));
    else
      result.diagnostics.push_back(
          error("sweep-row", {file, number, 1, ""}, "this line is no row of the sweep"));
  }
  if (number == 0)
    result.diagnostics.push_back(error("not-a-sweep", {file, 1, 1, ""}, "the journal is empty"));
  if (!hasErrors(result.diagnostics)) result.value = std::move(journal);
  return result;
}

Reading<SweepJournal> mergeJournals(const std::vector<SweepJournal>& all) {
  Reading<SweepJournal> result;
  if (all.empty()) {
    result.diagnostics.push_back(error("sweep-nothing", {}, "there is nothing to merge"));
    return result;
  }
  SweepJournal merged = all.front();
  std::map<std::size_t, SweepRow> rows;
  for (const SweepJournal& j : all) {
    if (j.key != merged.key) {
      result.diagnostics.push_back(error("sweep-different", {}, "the journals are of different sweeps",
                                         "merge the shards of one scenario and one set of fields"));
      return result;
    }
    for (const SweepRow& r : j.rows) rows.emplace(r.index, r);
  }
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

std::string sweepCsv(const std::vector<SweepField>& fields, const std::vector<SweepRow>& rows) {
  std::string out;
  for (const SweepField& f : fields) out += cell(f.pointer.substr(1)) + ',';
  out +=
      "status,plan,batch_time_s,simulated_time_s,samples_per_s,tokens_per_s,mfu,devices_used,peak_memory_"
      "bytes,bound_by,lower_bound_s,gap,states,elapsed_s,problem\n";
  for (const SweepRow& r : rows) {
    for (const std::string& v : r.values) {
      const Json value = Json::parse(v, nullptr, false);
      out += cell(value.is_string() ? value.get<std::string>() : v) + ',';
    }
    for (const std::string& s :
         {cell(r.status), cell(r.plan), figure(r.batchSeconds), figure(r.simulatedSeconds),
          figure(r.samplesPerSecond), figure(r.tokensPerSecond), r.mfu ? text::exact(*r.mfu) : std::string(),
          r.devicesUsed ? std::to_string(r.devicesUsed) : std::string(), figure(r.peakMemoryBytes),
          cell(r.boundBy), figure(r.lowerBoundSeconds), text::exact(r.gap), text::exact(r.states),
          text::exact(r.elapsedSeconds)})
      out += s + ',';
    out += cell(r.problem) + '\n';
  }
  return out;
}

std::string sweepJson(const std::vector<SweepField>& fields, const std::vector<SweepRow>& rows) {
  Json j{{"format", "nest-sweep-table"}, {"version", 1}};
  j["rows"] = Json::array();
  for (const SweepRow& r : rows) j["rows"].push_back(rowJson(r, &fields));
  return layOut(j);
}

}  // namespace nest
