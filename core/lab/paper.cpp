#include "lab/paper.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cluster/devices/device_catalog.h"
#include "formats/models/hf_config.h"
#include "study/quiet_solve.h"
#include "text/json_parts.h"
#include "text/json_text.h"

namespace nest {
namespace {

struct PaperModel {
  const char* name;
  const char* key;  ///< in the published tables
  int sequenceLength;
  const char* config;  ///< published shape, as its config.json has it
};

constexpr int kGlobalBatch = 4096, kMostDevices = 1'000'000;

const PaperModel kModels[] = {
    {"BERT-large", "bert", 512,
     R"({"model_type": "bert", "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24, "num_attention_heads": 16,
         "vocab_size": 30522, "max_position_embeddings": 512, "type_vocab_size": 2})"},
    {"Llama-2 7B", "llama2", 4096,
     R"({"model_type": "llama", "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32, "num_attention_heads": 32,
         "num_key_value_heads": 32, "vocab_size": 32000, "max_position_embeddings": 4096, "tie_word_embeddings": false})"},
    {"Llama-3 70B", "llama3", 4096,
     R"({"model_type": "llama", "hidden_size": 8192, "intermediate_size": 28672, "num_hidden_layers": 80, "num_attention_heads": 64,
         "num_key_value_heads": 8, "vocab_size": 128256, "max_position_embeddings": 8192, "tie_word_embeddings": false})"},
    {"GPT-3 175B", "gpt3", 2048,
     R"({"model_type": "gpt2", "n_embd": 12288, "n_layer": 96, "n_head": 96, "n_positions": 2048, "vocab_size": 50257})"},
    {"Mixtral 8x7B", "mixtral", 4096,
     R"({"model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
         "num_key_value_heads": 8, "vocab_size": 32000, "num_local_experts": 8, "num_experts_per_tok": 2, "max_position_embeddings": 32768,
         "tie_word_embeddings": false})"},
};

const PaperModel* modelNamed(std::string_view name) {
  for (const PaperModel& m : kModels)
    if (name == m.name || name == m.key) return &m;
  return nullptr;
}

LevelSpec level(const char* name, int fanout, double gigabytesPerSecond, double microseconds) {
  LevelSpec l;
  l.name = name;
  l.fanout = fanout;
  l.bandwidth = BytesPerSecond(gigabytesPerSecond * 1e9);
  l.latency = Seconds(microseconds * 1e-6);
  return l;
}

/// The paper's two fabrics: hosts of 8, four to a leaf. Its 900 GB/s counts both directions of NVLink 4.
ClusterSource clusterOf(bool leaf, int devices) {
  ClusterSource c;
  if (const DeviceSpec* device = findDevice(leaf ? "h100-sxm" : "tpu-v4")) c.device = *device;
  if (!leaf)
    c.device.memory = {Bytes(64.0 * 1024 * 1024 * 1024), Origin::Typed, "the paper's TPUv4-like device"};
  LevelsSource levels;
  const int rest = std::max(1, devices / 32);
  levels.levels =
      leaf ? std::vector{level("host", 8, 450, 2), level("leaf", 4, 12.5, 4), level("spine", rest, 12.5, 6)}
           : std::vector{level("host", 8, 450, 2), level("rack", 4, 100, 4), level("pod", rest, 100, 6)};
  c.network = std::move(levels);
  return c;
}

struct RowKey {
  const PaperModel* model;
  bool leaf;
  int devices;
};

std::vector<RowKey> rowsOf(const PaperOptions& o) {
  std::vector<RowKey> out;
  for (const bool leaf : {false, true})
    for (const PaperModel& m : kModels) {
      const auto wanted = [&](const std::string& name) { return modelNamed(name) == &m; };
      if (!o.models.empty() && std::none_of(o.models.begin(), o.models.end(), wanted)) continue;
      for (const int n : leaf ? o.leafDevices : o.treeDevices) out.push_back({&m, leaf, n});
    }
  return out;
}

}  // namespace

std::vector<std::string> paperModels() {
  std::vector<std::string> out;
  for (const PaperModel& m : kModels) out.push_back(m.name);
  return out;
}

std::optional<Scenario> paperScenario(const std::string& name, bool leaf, int devices) {
  const PaperModel* model = modelNamed(name);
  if (!model) return std::nullopt;
  auto architecture = readHuggingFaceConfig(model->config, "");
  if (!architecture) return std::nullopt;
  Scenario s;
  s.name = std::string(model->name) + " on " + std::to_string(devices) +
           (leaf ? " H100, spine-leaf" : " TPUv4-like devices, fat tree");
  s.cluster = clusterOf(leaf, devices);
  s.model.architecture = std::move(*architecture);
  s.model.architecture->name = model->name;
  s.job.globalBatch = kGlobalBatch;
  s.job.sequenceLength = model->sequenceLength;
  s.job.microbatches = {1};
  return s;
}

Reading<PublishedTables> readPublishedTables(std::string_view text, const std::string& file) {
  auto read = readJsonText(text, file);
  if (!read) return {std::nullopt, std::move(read.diagnostics)};
  PublishedTables out;
  const auto take = [&out](const nlohmann::json& rows, bool leaf) {
    for (const nlohmann::json& row : rows) {
      const auto number = [&row](const char* key) {
        const nlohmann::json& v = partOf(row, key);
        return v.is_number() ? v.get<double>() : 0;
      };
      const std::string model = textOf(row, {"model"});
      const double manual = number("Manual"), devices = number("devices");
      if (model.empty() || !(manual > 0) || !(devices >= 1 && devices <= kMostDevices)) continue;
      PublishedRatios& ratios = out[{model, leaf, static_cast<int>(devices)}];
      for (const char* method : {"MCMC", "Phaze", "Alpa-E", "NEST"})
        if (const double v = number(method); v > 0) ratios[method] = v / manual;
    }
  };
  take(partOf(read->root(), "h100_readme"), true);
  take(partOf(partOf(read->root(), "tpuv4_reference_results"), "figure5_mbs1"), false);
  if (!out.empty()) return {std::move(out), {}};
  return {std::nullopt,
          {error("published-tables", read->placeOf(""),
                 "no row of the paper's comparison is in this file, under h100_readme or "
                 "tpuv4_reference_results.figure5_mbs1",
                 "give the reference's readme_tables.json")}};
}

std::size_t paperRowCount(const PaperOptions& options) {
  return rowsOf(options).size();
}

PaperRow paperRow(const PaperOptions& options, std::size_t index, const Control& control) {
  const RowKey key = rowsOf(options)[index];
  PaperRow row;
  row.cluster = key.leaf ? "H100 spine-leaf" : "TPUv4-like fat tree";
  row.model = key.model->name;
  row.devices = key.devices;
  if (const auto it = options.published.find({key.model->key, key.leaf, key.devices});
      it != options.published.end())
    row.published = it->second;
  const auto problem = buildProblem(*paperScenario(key.model->name, key.leaf, key.devices));
  row.diagnostics = problem.diagnostics;
  if (!problem) return row;
  Control quiet = control;
  quiet.progress = nullptr;
  row.exact = quietSolve(*problem, quiet);
  row.baselines = runBaselines(*problem, quiet, options.baselines);
  return row;
}

std::vector<PaperRow> paperStudy(const PaperOptions& options, const Control& control,
                                 const std::function<void(const PaperRow&)>& done) {
  std::vector<PaperRow> out;
  const auto rows = rowsOf(options);
  for (std::size_t i = 0; i < rows.size() && !studyStopped(control); ++i) {
    reportStudy(control, rows[i].model->name, i, rows.size());
    PaperRow row = paperRow(options, i, control);
    if (studyStopped(control)) break;  // a half-done row would look like a row of failures
    out.push_back(std::move(row));
    if (done) done(out.back());
  }
  return out;
}

const BaselineResult* PaperRow::baseline(BaselineKind kind) const {
  for (const BaselineResult& b : baselines)
    if (b.kind == kind) return &b;
  return nullptr;
}

namespace {
std::optional<double> over(const BaselineResult* manual, const Evaluation* other) {
  if (!manual || !manual->runs() || !other || !other->feasible() || !(other->batchTime.value() > 0))
    return std::nullopt;
  return manual->plan->evaluation.batchTime / other->batchTime;
}
}  // namespace

std::optional<double> PaperRow::ratio(BaselineKind kind) const {
  const BaselineResult* b = baseline(kind);
  return over(baseline(BaselineKind::Manual), b && b->plan ? &b->plan->evaluation : nullptr);
}

std::optional<double> PaperRow::exactRatio() const {
  return over(baseline(BaselineKind::Manual), exact.best() ? &exact.best()->evaluation : nullptr);
}

}  // namespace nest
