#include <QtTest/QTest>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cluster/devices/device_catalog.h"
#include "fields/program_setting.h"
#include "formats/launch/launch_export.h"
#include "formats/models/hf_config.h"
#include "formats/networks/cluster_text.h"
#include "formats/scenario/scenario_json.h"
#include "launch_fixture.h"
#include "scenario/scenario.h"
#include "solver/solve.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;
using nlohmann::json;

namespace {

/// Settings of a file by their full names, values as they stand there.
using Settings = std::vector<std::pair<std::string, std::string>>;

Settings megatron(const std::string& text) {
  Settings out;
  std::istringstream lines(text.substr(text.find("MEGATRON_ARGS=(") + 16));
  for (std::string line; std::getline(lines, line) && line != ")";) {
    const auto flag = line.find("--"), blank = line.find(' ', flag);
    std::string value = blank == std::string::npos ? "" : line.substr(blank + 1);
    if (value.size() > 1 && (value.front() == '\'' || value.front() == '"'))
      value = value.substr(1, value.size() - 2);
    out.emplace_back(line.substr(flag + 2, blank - flag - 2), value);
  }
  return out;
}

std::string unquoted(std::string s) {
  if (const auto comment = s.find("  #"); comment != std::string::npos) s.erase(comment);
  return s.size() > 1 && s.front() == '"' ? s.substr(1, s.size() - 2) : s;
}

Settings toml(const std::string& text) {
  Settings out;
  std::istringstream lines(text);
  std::string section;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("[") && line.ends_with("]") && line.size() > 1)
      section = line.substr(1, line.size() - 2) + '.';
    else if (const auto equals = line.find(" = "); equals != std::string::npos && line[0] != '#')
      out.emplace_back(section + line.substr(0, equals), unquoted(line.substr(equals + 3)));
  }
  return out;
}

Settings yaml(const std::string& text) {
  Settings out;
  std::istringstream lines(text);
  std::vector<std::string> path;
  for (std::string line; std::getline(lines, line);) {
    const auto begin = line.find_first_not_of(' ');
    if (begin == std::string::npos || line[begin] == '#') continue;
    const auto colon = line.find(':');
    path.resize(begin / 2);
    path.push_back(line.substr(begin, colon - begin));
    if (colon + 1 == line.size()) continue;
    std::string name;
    for (const std::string& p : path) name += (name.empty() ? "" : ".") + p;
    out.emplace_back(name, line.substr(colon + 2));
  }
  return out;
}

Settings flat(const json& j, const std::string& before = {}) {
  Settings out;
  for (const auto& [key, value] : j.items()) {
    if (value.is_object())
      for (auto& s : flat(value, before + key + '.')) out.push_back(std::move(s));
    else
      out.emplace_back(before + key, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return out;
}

/// "  key=value" of a shell array.
Settings overrides(const std::string& text) {
  Settings out;
  std::istringstream lines(text.substr(text.find("BRIDGE_OVERRIDES=(\n") + 19));
  for (std::string line; std::getline(lines, line) && line != ")";) {
    const auto equals = line.find('=');
    std::string value = line.substr(equals + 1);
    if (value.size() > 1 && value.front() == '\'') value = value.substr(1, value.size() - 2);
    const auto begin = line.find_first_not_of(" +");
    out.emplace_back(line.substr(begin, equals - begin), value);
  }
  return out;
}

/// "    config.section.key = value", and "        key=value," of ParallelismConfig.
Settings python(const std::string& text) {
  Settings out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto equals = line.find('=');
    if (equals == std::string::npos || line.ends_with("ParallelismConfig(") ||
        line.find("importlib") != std::string::npos)
      continue;
    std::string value = line.substr(equals + 1);
    if (value.starts_with(" ")) value.erase(0, 1);
    if (value.ends_with(",")) value.pop_back();
    if (value == "True" || value == "False") value[0] = static_cast<char>(value[0] - 'A' + 'a');
    if (line.starts_with("    config."))
      out.emplace_back(line.substr(11, equals - 12), unquoted(value));
    else if (line.starts_with("        "))
      out.emplace_back("parallelism." + line.substr(8, equals - 8), unquoted(value));
  }
  return out;
}

/// "    recipe.section.key = value" of a recipe in Python.
Settings recipe(const std::string& text) {
  Settings out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view kBegin = "    recipe.";
    const auto equals = line.find(" = ");
    if (!line.starts_with(kBegin) || equals == std::string::npos) continue;
    std::string value = unquoted(line.substr(equals + 3));
    if (value == "True" || value == "False") value[0] = static_cast<char>(value[0] - 'A' + 'a');
    if (value == "None") value = "null";
    out.emplace_back(line.substr(kBegin.size(), equals - kBegin.size()), value);
  }
  return out;
}

Settings settingsOf(const LaunchTarget& t, const std::string& text) {
  if (t.id == "nemo") return recipe(text);
  if (t.id == "megatron-bridge") return overrides(text);
  if (t.id == "torchtitan-py") return python(text);
  return t.id == "megatron"     ? megatron(text)
         : t.id == "torchtitan" ? toml(text)
         : t.id == "nanotron"   ? yaml(text)
                                : flat(json::parse(text));
}

bool isNumber(const std::string& s, bool whole) {
  std::istringstream in(s);
  double d = 0;
  return in >> d && in.eof() && (!whole || s.find_first_not_of("-0123456789") == std::string::npos);
}

/// What is wrong with a value; empty: nothing.
std::string wrong(const json& setting, const std::string& value) {
  const std::string type = setting["type"];
  if (value == "null" && setting["default"].is_null()) return {};
  if (type == "integer" && !isNumber(value, true)) return "is no whole number";
  if (type == "number" && !isNumber(value, false)) return "is no number";
  if (type == "flag" && !value.empty()) return "takes no value";
  if (type == "boolean" && value != "true" && value != "false") return "is neither true nor false";
  if (type == "list" && !value.starts_with("[")) return "is no list";
  if (type == "text" && value.empty()) return "has no value";
  if (type != "choice") return {};
  const json& choices = setting["choices"];
  return std::find(choices.begin(), choices.end(), value) == choices.end() ? "is none of " + choices.dump()
                                                                           : "";
}

const json& known() {
  static const json all = json::parse(test::readFile(NEST_TEST_DATA "/launch_settings.json"));
  return all;
}

TransformerArchitecture model(const std::string& name) {
  if (name.starts_with("latent")) {
    TransformerArchitecture a = model("llama");
    a.family = "deepseek_v3", a.keyValueHeads = 16, a.latent = LatentAttention{};
    a.experts = ExpertLayers{.intermediate = 1024, .groups = 4, .groupsPerToken = 2};
    a.details = {{"rope_theta", 10000.0}, {"routed_scaling_factor", 2.5}, {"norm_eps", 1e-6}};
    if (name == "latent") {
      a.details["rope_type"] = std::string("yarn"), a.details["rope_factor"] = 40.0;
      a.details["scoring_func"] = std::string("sigmoid"), a.details["topk_method"] = std::string("noaux_tc");
    } else {
      a.details["norm_topk_prob"] = false;
    }
    return a;
  }
  if (name == "llama" || name == "gpt") {
    TransformerArchitecture a;
    a.family = name, a.hidden = 1024, a.intermediate = 4096, a.layers = 12, a.heads = 16, a.keyValueHeads = 8,
    a.headDim = 64, a.vocabulary = 32000, a.maxPositions = 4096;
    a.details = {{"rope_theta", 500000.0}, {"rope_type", std::string("llama3")}, {"rope_factor", 8.0}};
    if (name == "gpt")
      a.gatedMlp = false, a.layerNorm = a.learnedPositions = a.projectionBias = a.attentionBias = true,
      a.keyValueHeads = 16;
    return a;
  }
  for (const json& m : json::parse(test::readFile(NEST_TEST_DATA "/model_facts.json")))
    if (m["name"] == name) return *readHuggingFaceConfig(m["config"].dump(), "c").value;
  return {};
}

struct Case {
  std::string name, model, device = "h100-sxm";
  NumberFormat format = NumberFormat::Bf16;
  bool sgd = false, sequence = true;
  int zero = -1, stages = 0, tensor = 0, context = 0, expert = 0;
  int recompute = -1, chunks = 1;
  std::string program = "ideal";
};

std::vector<Case> cases() {
  std::vector<Case> out;
  for (const char* m : {"llama", "gpt", "olmoe-1b-7b", "mimo-7b"})
    for (const int zero : {0, 1, 2, 3})
      for (const int tensor : {1, 2})
        out.push_back({.name = "zero", .model = m, .zero = zero, .tensor = tensor});
  for (const char* m : {"llama", "gpt", "gemma-2-2b", "phi-2", "minitron-8b", "olmo-2-7b", "glm-4-9b"})
    for (const int stages : {1, 2, 4}) out.push_back({.name = "stages", .model = m, .stages = stages});
  for (const NumberFormat f : {NumberFormat::Fp8, NumberFormat::Fp16, NumberFormat::Fp32})
    for (const char* device : {"h100-sxm", "b200"})
      out.push_back({.name = "format", .model = "llama", .device = device, .format = f});
  out.push_back({.name = "sgd", .model = "llama", .sgd = true});
  out.push_back({.name = "context", .model = "llama", .context = 2});
  out.push_back(
      {.name = "automatic", .model = "llama", .sequence = false, .zero = 1, .stages = 1, .tensor = 2});
  out.push_back({.name = "experts", .model = "olmoe-1b-7b", .tensor = 2, .expert = 4});
  out.push_back({.name = "interleaved", .model = "llama", .stages = 2, .chunks = 3});
  for (const char* m : {"latent", "latent without scaling"})
    out.push_back({.name = "details", .model = m, .expert = 4, .program = "megatron-bridge-2025"});
  for (const char* program : {"megatron-bridge-2025", "torchtitan-2026", "megatron-2021"})
    out.push_back({.name = "program", .model = "llama", .tensor = 2, .program = program});
  for (const int r : {0, 1, 2}) out.push_back({.name = "recompute", .model = "llama", .recompute = r});
  return out;
}

Scenario launched(const Case& c) {
  Scenario s;
  s.cluster = {*findDevice(c.device), *readClusterText("host:4@450GB/s rack:4@50GB/s").value};
  s.model.architecture = model(c.model);
  s.job.globalBatch = 64;
  s.job.sequenceLength = 2048;
  s.job.microbatches = {1};
  s.job.format = c.format;
  if (c.sgd) s.job.optimizer = OptimizerRegime::sgd();
  const auto fix = [](Bound& b, int v) {
    if (v > 0) b.least = b.most = v;
  };
  if (c.zero >= 0) s.search.zeroStages = {c.zero};
  fix(s.constraints.stages, c.stages), fix(s.constraints.tensor, c.tensor),
      fix(s.constraints.expert, c.expert);
  fix(s.constraints.context, c.context);
  s.search.contextParallel = c.context > 1;
  s.search.sequenceParallel = c.sequence;
  s.search.chunksPerStage = {c.chunks};
  const std::vector<int> zeroStages = s.search.zeroStages;
  setProgram(s, *findProgram(c.program));
  s.search.zeroStages = zeroStages;
  if (c.recompute >= 0) s.search.recompute = {c.recompute == 0, c.recompute == 1, c.recompute == 2};
  return s;
}

/// The scenarios of samples/.
std::vector<std::pair<std::string, Scenario>> samples() {
  const std::string folder = std::string(NEST_SOURCE_DIR) + "/samples/";
  const auto load = [&](const std::string& path) -> Reading<std::string> {
    return {test::readFile(folder + path), {}};
  };
  std::vector<std::pair<std::string, Scenario>> out;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".nest.json")) continue;
    auto read = readScenario(test::readFile(path), path, load);
    if (read) out.emplace_back(entry.path().filename().string(), std::move(*read));
  }
  return out;
}

}  // namespace

/// tests/data/launch_settings.json: names, types, defaults and choices of what the exports write, out of the
/// programs named there.
class TestLaunchSettings : public QObject {
  Q_OBJECT
private slots:
  void everyExportIsOfKnownSettings() {
    std::map<std::string, int> written;
    std::map<std::string, std::set<std::string>> used;
    int plans = 0;
    std::vector<std::pair<std::string, Scenario>> all;
    for (const Case& c : cases()) all.emplace_back(c.name + ' ' + c.model, launched(c));
    for (auto& sample : samples()) all.push_back(std::move(sample));
    QVERIFY(all.size() >= cases().size() + 6);
    for (const auto& [name, s] : all) {
      const auto problem = buildProblem(s);
      QVERIFY2(problem, name.c_str());
      const Outcome best = solve(*problem);
      if (!best.best()) continue;
      ++plans;
      const ReportSource source = reportSource(s, *problem);
      for (const LaunchTarget* t : test::programTargets()) {
        const LaunchTarget& target = *t;
        const std::string program(target.id);
        const auto text = writeLaunch(target, source, best.best()->plan);
        if (!text) {
          QVERIFY(hasErrors(text.diagnostics));
          continue;
        }
        ++written[program];
        const auto settings = settingsOf(target, *text);
        QVERIFY(settings.size() >= 4);
        if (target.id == "megatron")
          QCOMPARE(std::any_of(settings.begin(), settings.end(),
                               [](const auto& x) { return x.first == "pipeline-model-parallel-layout"; }),
                   best.best()->plan.stageCount() > 1);
        for (const auto& [key, value] : settings) {
          const json& list = known()[program]["settings"];
          const auto found =
              std::find_if(list.begin(), list.end(), [&, k = key](const json& x) { return x["name"] == k; });
          QVERIFY2(found != list.end(), (std::string(program) + " has no setting " + key).c_str());
          const std::string error = wrong(*found, value);
          QVERIFY2(error.empty(), (std::string(program) + ' ' + key + ": " + value + ' ' + error).c_str());
          used[program].insert(key);
        }
      }
    }
    QVERIFY2(plans >= 45, qPrintable(QString::number(plans)));
    QVERIFY(written["megatron"] >= 30);
    for (const LaunchTarget* t : test::programTargets()) {
      const std::string program(t->id);
      QVERIFY2(written[program] >= 5, t->id.data());
      QVERIFY2(used[program].size() * 10 >= known()[program]["settings"].size() * 7, t->id.data());
    }
  }
};
NEST_TEST(TestLaunchSettings)
#include "test_launch_settings.moc"
