#include "study/ranking.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "fields/program_setting.h"
#include "formats/models/hf_config.h"
#include "text/json_fields.h"
#include "text/json_layout.h"
#include "text/text_table.h"
#include "units/text.h"

namespace nest {
namespace {

using nlohmann::json;

constexpr double kApart = 1.1;  ///< measured ratio from which a pair counts

/// One row by column names.
class Row {
public:
  Row(const json& columns, const json& row) {
    for (std::size_t i = 0; i < columns.size() && i < row.size(); ++i)
      if (columns[i].is_string()) m_values[columns[i].get<std::string>()] = &row[i];
  }
  double number(const char* name, double byDefault) const {
    const auto it = m_values.find(name);
    return it != m_values.end() && it->second->is_number() ? it->second->get<double>() : byDefault;
  }
  int whole(const char* name, int byDefault) const {
    return static_cast<int>(std::clamp(number(name, byDefault), 0.0, 1e8));
  }
  bool flag(const char* name, bool byDefault) const {
    const auto it = m_values.find(name);
    return it != m_values.end() && it->second->is_boolean() ? it->second->get<bool>() : byDefault;
  }
  std::string word(const char* name) const {
    const auto it = m_values.find(name);
    return it != m_values.end() && it->second->is_string() ? it->second->get<std::string>() : std::string();
  }
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
  SetReader(const json& set, const TransformerArchitecture& model, const Program& program)
      : m_set(set),
        m_model(model),
        m_program(program),
        // PyTorch's logs divide by 1024³ and print "GB".
        m_memoryUnit(textOf(set, "memory_unit") == "GB" ? 1e9 : 1024.0 * 1024 * 1024) {}

  void addTo(std::map<std::string, Sweep>& sweeps) {
    read("columns", "rows", sweeps);
    read("failed_columns", "failed", sweeps);
  }

private:
  void read(const char* columns, const char* rows, std::map<std::string, Sweep>& sweeps) {
    if (!m_set.contains(columns) || !m_set.contains(rows) || !m_set[rows].is_array()) return;
    for (const json& r : m_set[rows]) {
      if (!r.is_array()) continue;
      const Row row(m_set[columns], r);
      const std::string kernel = row.word("kernel");
      const int hosts = row.whole("hosts", 0);
      std::string name = textOf(m_set, "id");
      if (hosts > 0) name += ", " + std::to_string(hosts) + (hosts == 1 ? " host" : " hosts");
      if (!kernel.empty()) name += ", " + kernel;
      Sweep& sweep = sweeps[name];
      sweep.name = name;
      sweep.program = m_program.id;
      sweep.runs.push_back(runOf(row, kernel));
    }
  }

  RankedRun runOf(const Row& row, const std::string& kernel) const {
    RankedRun out;
    PublishedRun& r = out.run;
    r.set = textOf(m_set, "id");
    r.device = textOf(m_set, "device");
    if (r.device.empty())
      r.device = r.set.find("a100") != std::string::npos                     ? "a100-80"
                 : textOf(m_set, "cluster").find("EFA") != std::string::npos ? "h100-sxm-efa"
                                                                             : "h100-sxm";
    r.program = m_program.id;
    r.model = m_model;
    r.sequence = m_set.value("seq", 2048);
    r.model.maxPositions = std::max(r.model.maxPositions, r.sequence);
    r.globalBatch = m_set.value("global_batch", 1);
    r.tensor = std::max(1, row.whole("tp", 1));
    r.stages = std::max(1, row.whole("pp", 1));
    const int data = std::max(1, row.whole("dp", 1));
    r.devices = data * r.tensor * r.stages;
    r.microbatch = std::max(1, row.whole("microbatch", 1));
    r.chunks = 1;
    r.zero = row.whole("zero", data > 1 ? 1 : 0);
    if (data == 1) r.zero = 0;
    r.sequenceParallel = row.flag("sequence_parallel", r.tensor > 1);
    const std::string recompute = row.word("recompute");
    r.recompute = recompute == "none" || recompute.empty() ? Recompute::None
                  : recompute == "selective"               ? Recompute::Selective
                                                           : Recompute::Full;
    const auto names = [&](const char* what) { return kernel.find(what) != std::string::npos; };
    r.flashAttention = kernel.empty() || names("flash");
    if (names("flash_attentionv1")) r.attentionKernel = AttentionKernel::Early;
    r.fusedNorm = names("RMS kernel");
    r.fusedSoftmax = names("fused");
    r.label = std::to_string(r.devices) + " devices";
    r.settings = row.settings();
    out.measured = row.number("step_s", 0);
    if (const double rate = row.number("tokens_per_s_per_gpu", 0); rate > 0)
      out.measured = double(r.globalBatch) * r.sequence / (rate * r.devices);
    out.measuredMemory = row.number("memory", 0) * m_memoryUnit;
    return out;
  }

  const json& m_set;
  const TransformerArchitecture& m_model;
  const Program& m_program;
  double m_memoryUnit;
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

void predict(RankedRun& r, const PublishedOptions& options) {
  const auto ran = planOf(r.run, options);
  if (!ran) return;
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
    for (const char* columns : {"columns", "failed_columns"})
      for (const json& c : set.value(columns, json::array()))
        if (c.is_string() && Row::isField(c.get<std::string>()) && !canBeSet(c.get<std::string>()))
          out.push_back(
              error("ranking-field", where, c.dump() + " is no field of a scenario that a run can set"));
    std::map<std::string, Sweep> sweeps;
    SetReader(set, *model, *program).addTo(sweeps);
    for (auto& [name, sweep] : sweeps) {
      for (RankedRun& r : sweep.runs) predict(r, options);
      judge(sweep);
      report.sweeps.push_back(std::move(sweep));
    }
  }
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
  std::string out = table.text(0);
  out += "\nPairs measured more than 10 % apart that are ordered correctly: " +
         text::percent(report.pairsRight()) + "\nPicks that ran: " + std::to_string(report.picksThatRan()) +
         " of " + std::to_string(report.picks()) +
         "\nPicks that ran, mean slowdown over the best run: " + text::percent(report.meanRegret()) + '\n';
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
