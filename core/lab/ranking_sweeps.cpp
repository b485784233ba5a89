#include "lab/ranking_sweeps.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cluster/devices/device_catalog.h"
#include "fields/program_setting.h"
#include "formats/models/hf_config.h"
#include "text/json_fields.h"
#include "units/letters.h"
#include "units/text.h"

namespace nest {
namespace {

using nlohmann::json;

constexpr int kMostFaults = 10;    ///< told of one set
constexpr int kDevicesOfHost = 8;  ///< where a column says how many hosts
/// Beside fields of the scenario; the last two are not used.
constexpr std::string_view kColumns[] = {"hosts",     "gpus",         "tp",     "pp",
                                         "dp",        "microbatch",   "zero",   "sequence_parallel",
                                         "recompute", "kernel",       "step_s", "tokens_per_s_per_gpu",
                                         "memory",    "microbatches", "job"};

/// One row by column names.
class Row {
public:
  Row(const json& columns, const json& row) {
    for (std::size_t i = 0; i < columns.size() && i < row.size(); ++i)
      if (columns[i].is_string()) m_values[columns[i].get<std::string>()] = &row[i];
  }
  /// nullptr: the row lacks it, or it is null.
  const json* find(const char* name) const {
    const auto it = m_values.find(name);
    return it == m_values.end() || it->second->is_null() ? nullptr : it->second;
  }
  bool has(const char* name) const { return m_values.contains(name); }
  /// Columns that are fields of the scenario.
  std::vector<ProgramValue> settings() const {
    std::vector<ProgramValue> out;
    for (const auto& [name, value] : m_values) {
      ProgramValue v{name, 0.0, Origin::Measured, "stated for the run"};
      if (isField(name) && readValue(*value, v)) out.push_back(std::move(v));
    }
    return out;
  }
  static bool isField(const std::string& column) { return column.starts_with('/'); }

private:
  std::map<std::string, const json*> m_values;
};

std::string textOf(const json& set, const char* key) {
  const auto it = set.find(key);
  return it != set.end() && it->is_string() ? it->get<std::string>() : std::string();
}

/// The set's own, or one whose id begins with a word of the set's id, or whose version names the paper.
const Program* programOf(const json& set) {
  if (const std::string id = textOf(set, "program"); !id.empty()) return findProgram(id);
  const std::string told = textOf(set, "id"), source = textOf(set, "source");
  for (const Program& p : programs()) {
    if (p.id == kIdealProgram) continue;
    const auto paper = p.version.find("arXiv ");
    if (paper != std::string::npos && source.find(p.version.substr(paper, 16)) != std::string::npos)
      return &p;
    if (told.starts_with(p.id.substr(0, p.id.find('-')))) return &p;
  }
  return findProgram(kIdealProgram);
}

bool canBeSet(const std::string& key) {
  const Field* field = findField(key);
  return field && field->access.set;
}

class SetReader {
public:
  SetReader(const JsonText& file, std::size_t number, const TransformerArchitecture& model,
            const Program& program, Diagnostics& out)
      : m_file(file),
        m_pointer(jsonPointer("/sets", number)),
        m_set(file.root()["sets"][number]),
        m_model(model),
        m_program(program),
        // PyTorch's logs divide by 1024³ and print "GB".
        m_memoryUnit(textOf(m_set, "memory_unit") == "GB" ? 1e9 : 1024.0 * 1024 * 1024),
        m_out(out) {}

  std::vector<Sweep> run() {
    m_sequence = countOfSet("seq");
    m_globalBatch = countOfSet("global_batch");
    chooseDevice();
    if (m_faults == 0) {
      read("columns", "rows", true);
      read("failed_columns", "failed", false);
    }
    std::string failures;
    int failed = 0;
    for (const auto& [why, count] : m_failures) {
      failures += (failures.empty() ? "" : ", ") + why + " (" + text::count(count) + ')';
      failed += count;
    }
    if (failed > 0)
      m_out.push_back(note("ranking-failed", m_file.placeOf(m_pointer),
                           text::count(failed) +
                               (failed == 1 ? " row counts as a run" : " rows count as runs") +
                               " that did not run: " + failures));
    if (m_faults > kMostFaults)
      m_out.push_back(error("ranking-row", m_file.placeOf(m_pointer),
                            text::count(m_faults - kMostFaults) + " more faults are in this set"));
    std::vector<Sweep> out;
    for (auto& [name, sweep] : m_sweeps) out.push_back(std::move(sweep));
    return out;
  }

private:
  void fault(const std::string& pointer, const char* code, std::string message, std::string remedy = {}) {
    if (++m_faults <= kMostFaults)
      m_out.push_back(error(code, m_file.placeOf(pointer), std::move(message), std::move(remedy)));
  }

  int countOfSet(const char* key) {
    const auto it = m_set.find(key);
    if (it != m_set.end() && isWhole(*it, 1)) return it->get<int>();
    fault(m_pointer, "ranking-set",
          std::string("the set's \"") + key + "\" must be a whole number of at least 1",
          key == std::string_view("seq") ? "give the tokens of a sequence" : "give the sequences of a step");
    return 1;
  }
  static bool isWhole(const json& v, int least) {
    return v.is_number() && v.get<double>() == std::floor(v.get<double>()) && v.get<double>() >= least &&
           v.get<double>() <= 1e8;
  }

  void chooseDevice() {
    const std::string id = textOf(m_set, "id");
    m_device = textOf(m_set, "device");
    if (m_device.empty())
      m_device = id.find("a100") != std::string::npos                        ? "a100-80"
                 : textOf(m_set, "cluster").find("EFA") != std::string::npos ? "h100-sxm-efa"
                                                                             : "h100-sxm";
    if (!findDevice(m_device))
      fault(m_pointer, "ranking-set", "no device is called \"" + m_device + '"',
            "give an id of the catalog, such as h100-sxm");
    if (textOf(m_set, "device").empty() && id.find(m_device.substr(0, 4)) == std::string::npos &&
        m_device == "h100-sxm")
      m_out.push_back(note("ranking-device", m_file.placeOf(m_pointer),
                           "the set does not say on which device it ran; h100-sxm is taken",
                           "give \"device\", an id of the catalog"));
  }

  bool checkColumns(const std::string& pointer, const json& columns, bool areMeasured) {
    const int before = m_faults;
    if (!columns.is_array()) {
      fault(pointer, "ranking-column", "the columns must be a list of names");
      return false;
    }
    std::set<std::string> names;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string where = jsonPointer(pointer, i);
      if (!columns[i].is_string()) {
        fault(where, "ranking-column", "a column must be a name; found " + columns[i].dump());
        continue;
      }
      const auto name = columns[i].get<std::string>();
      if (!names.insert(name).second)
        fault(where, "ranking-column", "the column \"" + name + "\" is duplicated");
      else if (Row::isField(name) && !canBeSet(name))
        fault(where, "ranking-field", columns[i].dump() + " is not a settable scenario field");
      else if (!Row::isField(name) &&
               std::find(std::begin(kColumns), std::end(kColumns), name) == std::end(kColumns))
        m_out.push_back(warning("ranking-column", m_file.placeOf(where),
                                "the column \"" + name + "\" is not read",
                                "columns are " + knownColumns() + ", and fields of the scenario by key"));
    }
    if (areMeasured && names.contains("step_s") == names.contains("tokens_per_s_per_gpu"))
      fault(pointer, "ranking-column",
            names.contains("step_s") ? "a sweep has either step_s or tokens_per_s_per_gpu, not both"
                                     : "no column says what was measured",
            "give step_s, in seconds, or tokens_per_s_per_gpu");
    return m_faults == before;
  }
  static std::string knownColumns() {
    std::string out;
    for (const std::string_view name : kColumns) (out += out.empty() ? "" : ", ") += name;
    return out;
  }

  void read(const char* columns, const char* rows, bool areMeasured) {
    if (!m_set.contains(rows)) return;
    const std::string list = jsonPointer(m_pointer, rows);
    if (!m_set[rows].is_array() || !m_set.contains(columns))
      return fault(list, "ranking-row",
                   std::string("\"") + rows + "\" must be a list of rows, next to \"" + columns + '"');
    if (!checkColumns(jsonPointer(m_pointer, columns), m_set[columns], areMeasured)) return;
    for (std::size_t i = 0; i < m_set[rows].size(); ++i) {
      const json& r = m_set[rows][i];
      m_row = jsonPointer(list, i);
      if (!r.is_array() || r.size() != m_set[columns].size()) {
        fault(m_row, "ranking-row",
              "a row must be a list with a value for each of the " + std::to_string(m_set[columns].size()) +
                  " columns");
        continue;
      }
      const int before = m_faults;
      const Row row(m_set[columns], r);
      const std::string kernel = word(row, "kernel");
      RankedRun run = runOf(row, kernel, areMeasured);
      if (m_faults > before) continue;
      const int hosts = whole(row, "hosts", 0, 1);
      std::string name = textOf(m_set, "id");
      if (hosts > 0) name += ", " + std::to_string(hosts) + (hosts == 1 ? " host" : " hosts");
      if (!kernel.empty()) name += ", " + kernel;
      Sweep& sweep = m_sweeps[name];
      sweep.name = name;
      sweep.program = m_program.id;
      sweep.runs.push_back(std::move(run));
    }
  }

  void wrong(const char* column, const std::string& expected, const json& found) {
    fault(m_row, "ranking-row", std::string(column) + " must be " + expected + "; found " + found.dump());
  }
  int whole(const Row& row, const char* column, int byDefault, int least) {
    const json* v = row.find(column);
    if (v && isWhole(*v, least)) return v->get<int>();
    if (v || (row.has(column) && least > 0))
      wrong(column, "a whole number of at least " + std::to_string(least), v ? *v : json());
    return byDefault;
  }
  bool flag(const Row& row, const char* column, bool byDefault) {
    const json* v = row.find(column);
    if (v && v->is_boolean()) return v->get<bool>();
    if (v && isWhole(*v, 0) && v->get<int>() <= 1) return v->get<int>() == 1;
    if (v) wrong(column, "true or false", *v);
    return byDefault;
  }
  std::string word(const Row& row, const char* column) {
    const json* v = row.find(column);
    if (v && !v->is_string()) wrong(column, "a text", *v);
    return v && v->is_string() ? v->get<std::string>() : std::string();
  }
  /// 0: there is none.
  double positive(const Row& row, const char* column, const char* expected) {
    const json* v = row.find(column);
    const double number = v && v->is_number() ? v->get<double>() : 0;
    if (row.has(column) && !(number > 0)) wrong(column, expected, v ? *v : json());
    return number;
  }
  /// What stands in place of a measured value where a run failed: "out of memory", "Other Error". Empty: a
  /// value stands there, or what must be one.
  static std::string whyNot(const json* v) {
    if (!v || !v->is_string()) return {};
    const auto given = v->get<std::string>();
    const bool isNumber =
        given.empty() || given.find_first_of("0123456789") == given.find_first_not_of(" +-.");
    return isNumber ? std::string() : text::lower(given);
  }
  double measuredStep(const Row& row, const PublishedRun& r) {
    for (const char* column : {"step_s", "tokens_per_s_per_gpu"})
      if (row.has(column))
        if (const std::string why = whyNot(row.find(column)); !why.empty()) {
          ++m_failures[why];
          return 0;
        }
    if (const double rate = positive(row, "tokens_per_s_per_gpu", "a number above 0, or \"out of memory\"");
        rate > 0)
      return double(r.globalBatch) * r.sequence / (rate * r.devices);
    return positive(row, "step_s", "a number of seconds above 0, or \"out of memory\"");
  }

  RankedRun runOf(const Row& row, const std::string& kernel, bool isMeasured) {
    RankedRun out;
    PublishedRun& r = out.run;
    r.set = textOf(m_set, "id");
    r.device = m_device;
    r.program = m_program.id;
    r.model = m_model;
    r.sequence = m_sequence;
    r.model.maxPositions = std::max(r.model.maxPositions, r.sequence);
    r.globalBatch = m_globalBatch;
    r.tensor = whole(row, "tp", 1, 1);
    r.stages = whole(row, "pp", 1, 1);
    const int data = whole(row, "dp", 1, 1);
    const double devices = double(data) * r.tensor * r.stages;
    r.devices = static_cast<int>(std::min(devices, 1e8));
    checkDevices(row, devices);
    r.microbatch = whole(row, "microbatch", 1, 1);
    if (const int count = whole(row, "microbatches", 0, 1);
        count > 0 && double(count) * data * *r.microbatch != r.globalBatch)
      fault(m_row, "ranking-row",
            "dp " + text::count(data) + ", " + text::count(count) + " microbatches of " +
                text::count(*r.microbatch) + " are not the global batch of " + text::count(r.globalBatch));
    r.chunks = 1;
    r.zero = whole(row, "zero", data > 1 ? 1 : 0, 0);
    if (*r.zero > 3) wrong("zero", "0, 1, 2 or 3", *row.find("zero"));
    if (data == 1) r.zero = 0;
    r.sequenceParallel = flag(row, "sequence_parallel", r.tensor > 1);
    const std::string recompute = word(row, "recompute");
    r.recompute = recompute == "none" || recompute.empty() ? Recompute::None
                  : recompute == "selective"               ? Recompute::Selective
                                                           : Recompute::Full;
    if (r.recompute == Recompute::Full && recompute != "full")
      wrong("recompute", "none, selective or full", *row.find("recompute"));
    const auto names = [&](const char* what) { return kernel.find(what) != std::string::npos; };
    r.flashAttention = kernel.empty() || names("flash");
    if (names("flash_attentionv1")) r.attentionKernel = AttentionKernel::Early;
    r.fusedNorm = names("RMS kernel");
    r.fusedSoftmax = names("fused");
    r.label = text::count(r.devices) + (r.devices == 1 ? " device" : " devices");
    r.settings = row.settings();
    out.saysHostTime = row.has(kHostTimeField);
    if (isMeasured) out.measured = measuredStep(row, r);
    if (row.find("memory"))
      out.measuredMemory = positive(row, "memory", "a number above 0, or null") * m_memoryUnit;
    return out;
  }

  void checkDevices(const Row& row, double devices) {
    const int hosts = whole(row, "hosts", 0, 1);
    int gpus = whole(row, "gpus", 0, 1);
    if (const auto of = m_set.find("gpus"); gpus == 0 && of != m_set.end() && isWhole(*of, 1))
      gpus = of->get<int>();
    const double most = double(hosts) * kDevicesOfHost;
    if (hosts > 0 && (devices > most || devices <= most - kDevicesOfHost))
      fault(m_row, "ranking-row",
            "tp · pp · dp are " + text::number(devices, 9) + " devices, but the row has " +
                text::count(hosts) + (hosts == 1 ? " host" : " hosts") + " of " +
                text::count(kDevicesOfHost));
    if (gpus > 0 && devices != gpus)
      fault(m_row, "ranking-row",
            "tp · pp · dp are " + text::number(devices, 9) + " devices, not " + text::count(gpus));
  }

  const JsonText& m_file;
  std::string m_pointer, m_row;
  const json& m_set;
  const TransformerArchitecture& m_model;
  const Program& m_program;
  double m_memoryUnit;
  std::string m_device;
  int m_sequence = 1, m_globalBatch = 1, m_faults = 0;
  std::map<std::string, Sweep> m_sweeps;  ///< by name
  std::map<std::string, int> m_failures;  ///< rows that did not run, by what stands in place of a value
  Diagnostics& m_out;
};

}  // namespace

std::vector<Sweep> readSweeps(const JsonText& file, std::size_t number, const Program* given,
                              Diagnostics& out) {
  const json& set = file.root()["sets"][number];
  const Place where = file.placeOf(jsonPointer("/sets", number));
  if (!set.is_object() || !set.contains("model") || !set["model"].is_object()) {
    out.push_back(warning("ranking-set", where, "a set without \"model\" is left out"));
    return {};
  }
  const auto model = readHuggingFaceConfig(set["model"].dump(), file.file(), true);
  const Program* program = given ? given : programOf(set);
  if (!model || !program) {
    out.push_back(error("ranking-set", where,
                        program ? "the set's \"model\" is not a known configuration"
                                : "no program is called \"" + textOf(set, "program") + '"',
                        program ? "give the content of its config.json" : "one of " + programIds()));
    return {};
  }
  return SetReader(file, number, *model, *program, out).run();
}

}  // namespace nest
