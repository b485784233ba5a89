#include "study/ranking.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cluster/devices/device_catalog.h"
#include "fields/program_setting.h"
#include "formats/models/hf_config.h"
#include "text/json_fields.h"
#include "text/json_layout.h"
#include "text/text_table.h"
#include "units/letters.h"
#include "units/text.h"

namespace nest {
namespace {

using nlohmann::json;

constexpr double kApart = 1.1;    ///< measured ratio from which a pair counts
constexpr double kDoubtful = 10;  ///< a sweep whose times are so far from the predicted ones has another unit
constexpr int kMostFaults = 10;   ///< told of one set
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

  void addTo(std::map<std::string, Sweep>& sweeps) {
    m_sequence = countOfSet("seq");
    m_globalBatch = countOfSet("global_batch");
    chooseDevice();
    if (m_faults == 0) {
      read("columns", "rows", true, sweeps);
      read("failed_columns", "failed", false, sweeps);
    }
    if (m_faults > kMostFaults)
      m_out.push_back(error("ranking-row", m_file.placeOf(m_pointer),
                            text::count(m_faults - kMostFaults) + " more faults are in this set"));
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
        fault(where, "ranking-field", columns[i].dump() + " is no field of a scenario that a run can set");
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

  void read(const char* columns, const char* rows, bool areMeasured, std::map<std::string, Sweep>& sweeps) {
    if (!m_set.contains(rows)) return;
    const std::string list = jsonPointer(m_pointer, rows);
    if (!m_set[rows].is_array() || !m_set.contains(columns))
      return fault(list, "ranking-row",
                   std::string("\"") + rows + "\" must be a list of rows, beside \"" + columns + '"');
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
      Sweep& sweep = sweeps[name];
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
  double measuredStep(const Row& row, const PublishedRun& r) {
    for (const char* column : {"step_s", "tokens_per_s_per_gpu"})
      if (const json* v = row.find(column); v && v->is_string()) {
        const std::string told = text::lower(v->get<std::string>());
        if (told == "out of memory" || told == "oom" || told == "failed") return 0;
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
    r.label = std::to_string(r.devices) + " devices";
    r.settings = row.settings();
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
  Diagnostics& m_out;
};

/// Hidden states that exchanges of the blocks of one stage leave reserved: two a block, of as many blocks as
/// the launches of a full queue (1,024) make up.
Bytes heldExchangeBuffers(const PublishedRun& r) {
  constexpr int kLaunchesOfBlock = 36;
  const int blocks = std::min(r.model.layers, 1024 / kLaunchesOfBlock);
  return Bytes(2.0 * blocks * r.microbatch.value_or(1) * r.sequence * r.model.hidden * 2);
}

/// Whether the run's host takes longer for a block than its program usually does, and its devices wait for it
/// (STATEMENT.md (10.3)).
bool waitsForSlowHost(const PublishedRun& r, const PublishedPlan& ran, const PublishedOptions& options) {
  PublishedRun usual = r;
  std::erase_if(usual.settings,
                [](const ProgramValue& v) { return v.field == "/model/analytic/host_time_per_block_s"; });
  if (usual.settings.size() == r.settings.size()) return false;
  const auto quicker = planOf(usual, options);
  return quicker && quicker->evaluation.stages.front().load < ran.evaluation.stages.front().load;
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
                        [](const Violation& v) { return v.code == "memory"; });
  const Program* program = findProgram(r.run.program);
  for (const StageEvaluation& s : ran->evaluation.stages) {
    const Bytes handedOut = s.memory.total() - s.memory.reserve;
    r.predictedMemory =
        std::max(r.predictedMemory, (handedOut * ran->problem->assumptions.allocatorFactor).value());
    if (program && program->logsFirstStage) break;
  }
  // Where stages wait for each other's messages, or devices for a slow host, it does not run ahead.
  if (program && program->holdsExchangeBuffers && r.run.tensor > 1 && r.run.stages == 1 &&
      !waitsForSlowHost(r.run, *ran, options)) {
    const Problem& p = *ran->problem;
    const Bytes reserve = p.assumptions.reserve - p.allocatorReserve - p.headroomReserve;
    const double room = (deviceOf(r.run, options)->memory.value - reserve).value();
    r.predictedMemory =
        std::max(r.predictedMemory, std::min(r.predictedMemory + heldExchangeBuffers(r.run).value(), room));
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
                        "Measured sweeps are an object with a list \"sets\""));
    return {std::nullopt, out};
  }
  RankingReport report;
  for (std::size_t i = 0; i < root["sets"].size(); ++i) {
    const json& set = root["sets"][i];
    const Place where = jsonText->placeOf(jsonPointer("/sets", i));
    if (!set.is_object() || !set.contains("model") || !set["model"].is_object()) {
      out.push_back(warning("ranking-set", where, "a set without \"model\" is left out"));
      continue;
    }
    const auto model = readHuggingFaceConfig(set["model"].dump(), file, true);
    const Program* program = options.program ? options.program : programOf(set);
    if (!model || !program) {
      out.push_back(error("ranking-set", where,
                          program ? "the set's \"model\" is no configuration that is known here"
                                  : "no program is called \"" + textOf(set, "program") + '"',
                          program ? "give the content of its config.json" : "one of " + programIds()));
      continue;
    }
    std::map<std::string, Sweep> sweeps;
    SetReader(*jsonText, i, *model, *program, out).addTo(sweeps);
    if (hasErrors(out)) continue;
    for (auto& [name, sweep] : sweeps) {
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
