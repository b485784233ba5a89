#include "lab/published_results.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "fields/program_setting.h"
#include "formats/models/hf_config.h"
#include "lab/row_values.h"
#include "program/program.h"
#include "text/json_fields.h"
#include "text/source_text.h"
#include "units/text.h"

namespace nest {
namespace {

using nlohmann::json;

constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;

struct ResultColumn {
  const char* name;
  PublishedQuantity quantity;
  double unit;                         ///< published value × unit is SI
  std::optional<Recompute> recompute;  ///< where the column's name says so
  std::optional<bool> sequenceParallel;
};

constexpr std::array kResults = {
    ResultColumn{"tflops_per_gpu", PublishedQuantity::TflopsPerDevice, 1e12, {}, {}},
    ResultColumn{"iter_s", PublishedQuantity::BatchSeconds, 1, {}, {}},
    ResultColumn{"iter_s_full", PublishedQuantity::BatchSeconds, 1, Recompute::Full, false},
    ResultColumn{"iter_s_sp_selective", PublishedQuantity::BatchSeconds, 1, Recompute::Selective, true},
    ResultColumn{"mfu", PublishedQuantity::ModelUtilization, 1, {}, {}},
    ResultColumn{"tokens_per_s_per_gpu", PublishedQuantity::TokensPerSecondPerDevice, 1, {}, {}},
    ResultColumn{"params_optimizer_gib", PublishedQuantity::ParameterBytes, kGiB, {}, {}},
    ResultColumn{"activations_tp_gib", PublishedQuantity::ActivationBytes, kGiB, Recompute::None, false},
    ResultColumn{"activations_tp_sp_selective_gib", PublishedQuantity::ActivationBytes, kGiB,
                 Recompute::Selective, true},
};

constexpr PerExchange<const char*> kOverlapColumns = {"overlap_tensor", "overlap_context", "overlap_expert",
                                                      "overlap_pipeline", "overlap_data"};

/// What a row, its set or their shape may say, beside kResults and kOverlapColumns; the last line is not
/// used.
constexpr std::string_view kKnown[] = {"id",
                                       "source",
                                       "columns",
                                       "rows",
                                       "shape",
                                       "shapes",
                                       "model",
                                       "hidden",
                                       "heads",
                                       "kv_heads",
                                       "ffn",
                                       "layers",
                                       "vocab",
                                       "experts",
                                       "top_k",
                                       "seq",
                                       "device",
                                       "host",
                                       "gpus",
                                       "t",
                                       "p",
                                       "v",
                                       "c",
                                       "e",
                                       "etp",
                                       "zero",
                                       "scheme",
                                       "tp_times_pp",
                                       "dropout",
                                       "flash",
                                       "microbatch",
                                       "recompute",
                                       "format",
                                       "program",
                                       "sequence_parallel",
                                       "year",
                                       "convention",
                                       "settings",
                                       "params_B",
                                       "global_batch",
                                       "fitted",
                                       "overlap_sync",
                                       "shard",
                                       "interleaved",
                                       "note",
                                       "notes",
                                       "about",
                                       "mfu_pct",
                                       "hfu_pct",
                                       "host_link_GBps"};

bool isResult(std::string_view name) {
  return std::any_of(kResults.begin(), kResults.end(), [&](const ResultColumn& c) { return name == c.name; });
}
bool isKnown(std::string_view name) {
  return isResult(name) || std::find(std::begin(kKnown), std::end(kKnown), name) != std::end(kKnown) ||
         std::find(kOverlapColumns.begin(), kOverlapColumns.end(), name) != kOverlapColumns.end();
}

TransformerArchitecture gptShape() {
  TransformerArchitecture a;
  a.family = "gpt2";
  a.name = "GPT";
  a.gatedMlp = false;
  a.layerNorm = a.learnedPositions = a.projectionBias = a.attentionBias = a.tiedEmbeddings = true;
  return a;
}

std::optional<TransformerArchitecture> modelOf(RowValues& f, Diagnostics& out) {
  TransformerArchitecture a = gptShape();
  if (const json* model = f.model()) {
    auto reading = readHuggingFaceConfig(model->dump(), "", true);
    for (auto& d : reading.diagnostics) {
      if (d.severity != Severity::Error) continue;
      d.where = f.place();
      out.push_back(d);
    }
    if (!reading) return std::nullopt;
    a = *reading;
  }
  a.hidden = f.whole("hidden", a.hidden);
  a.heads = f.whole("heads", a.heads);
  a.layers = f.whole("layers", a.layers, 10'000);
  a.vocabulary = f.whole("vocab", a.vocabulary > 0 ? a.vocabulary : 51200);
  if (a.hidden <= 0 || a.heads <= 0 || a.layers <= 0) {
    out.push_back(error("published-shape", f.place(), "the row does not say hidden, heads and layers",
                        "give them as columns, in \"shape\" or \"shapes\", or give a \"model\""));
    return std::nullopt;
  }
  a.intermediate = f.whole("ffn", a.intermediate > 0 ? a.intermediate : 4 * a.hidden);
  if (a.keyValueHeads == 0 || f.has("kv_heads")) a.keyValueHeads = f.whole("kv_heads", a.heads);
  if (a.headDim == 0) a.headDim = std::max(1, a.hidden / a.heads);
  if (f.has("dropout")) a.dropout = f.flag("dropout");
  if (f.has("experts")) {
    ExpertLayers e = a.experts.value_or(ExpertLayers{});
    e.experts = f.whole("experts", e.experts, 65'536);
    e.perToken = std::min(f.whole("top_k", e.perToken), e.experts);
    if (e.intermediate == 0) e.intermediate = a.intermediate;
    a.experts = e;
  }
  return a;
}

/// A row with both a time and a rate shows how its FLOPs were counted.
FlopConvention conventionBehind(RowValues& f, const PublishedRun& r) {
  if (!f.has("iter_s") || !f.has("tflops_per_gpu")) return FlopConvention::Model;
  const double counted = f.number("iter_s", 1e-9, 1e12).value_or(0) *
                         f.number("tflops_per_gpu", 1e-9, 1e12).value_or(0) * 1e12 * r.devices;
  const auto distance = [&](FlopConvention c) { return std::abs(counted - countedFlops(r, c)); };
  return distance(FlopConvention::Sc21) < distance(FlopConvention::Model) ? FlopConvention::Sc21
                                                                          : FlopConvention::Model;
}

const char* megatronOf(int year) {
  if (year < 2022) return "megatron-2021";
  if (year < 2023) return "megatron-2022";
  if (year < 2024) return "megatron-core-2023";
  return year < 2025 ? "megatron-core-2024" : "megatron-core-2025";
}

void readPlanColumns(RowValues& f, PublishedRun& r) {
  r.device = f.word("device");
  r.sequence = f.whole("seq", 2048);
  r.model.maxPositions = std::max(r.model.maxPositions, r.sequence);
  r.tensor = f.whole("t", 1);
  r.stages = f.whole("p", 1);
  r.context = f.whole("c", 1);
  r.expert = f.whole("e", 1);
  r.foldedExperts = r.tensor > 1 && f.whole("etp", r.tensor) == 1;
  if (f.has("host")) r.host = f.whole("host", 1);
  if (const auto link = f.number("host_link_GBps", 1e-3, 1e6)) r.hostLink = BytesPerSecond(*link * 1e9);
  if (f.has("shard")) r.shard = f.whole("shard", 1);
  if (f.has("microbatch")) r.microbatch = f.whole("microbatch", 1);
  if (f.has("v") || !f.flag("interleaved")) r.chunks = f.whole("v", 1);
  if (const auto zero = f.number("zero", 0, 3)) r.zero = static_cast<int>(*zero);
  const bool isEarlyZero3 = f.word("scheme") == "zero3";
  if (isEarlyZero3) r.zero = 3;
  if (f.word("scheme") == "ptd" && f.has("tp_times_pp")) {
    const int product = f.whole("tp_times_pp", 1);
    r.tensor = product % 8 == 0 ? 8 : 1;
    r.stages = product / r.tensor;
  }
  r.devices = f.whole("gpus", r.tensor * r.stages * r.context);
  // Memory tables name no batch: enough microbatches for the pipeline to be full.
  const int replicas = std::max(1, r.devices / (r.tensor * r.stages * r.context));
  r.globalBatch = f.whole("global_batch", r.microbatch.value_or(1) * replicas * r.stages * 4);
  r.sequenceParallel = f.flag("sequence_parallel");
  r.flashAttention = f.flag("flash");
  const std::string recompute = f.choice("recompute", {"none", "selective", "full"});
  r.recompute = recompute == "full"        ? Recompute::Full
                : recompute == "selective" ? Recompute::Selective
                                           : Recompute::None;
  const std::string convention = f.choice("convention", {"model", "causal", "sc21"});
  r.convention = convention == "sc21"     ? FlopConvention::Sc21
                 : convention == "causal" ? FlopConvention::Causal
                                          : FlopConvention::Model;
  if (!f.has("convention")) r.convention = conventionBehind(f, r);
  r.format = numberFormatNamed(f.choice("format", numberFormatNames())).value_or(NumberFormat::Bf16);
  r.year = f.whole("year", PublishedRun::kToday, PublishedRun::kToday);
  r.program = f.word("program");
  if (r.program.empty()) r.program = isEarlyZero3 ? "deepspeed-zero3-2021" : megatronOf(r.year);
  if (!findProgram(r.program)) f.wrong("program", "one of " + programIds());
  for (int k = 0; k < kExchangeCount; ++k) r.overlap[k] = f.number(kOverlapColumns[k], 0, 1);
  r.syncOverlap = f.number("overlap_sync", 0, 1);
  r.settings = f.settings();
  r.isInView = f.flag("fitted");
  r.fp16Gradients = f.word("format") == "fp16";
}

std::string labelOf(RowValues& f, const PublishedRun& r) {
  const auto size = f.number("params_B", 0, 1e9);
  const double billions = size.value_or(parameterCount(r.model) / 1e9);
  std::string label = text::number(billions, 4) + " B · " + text::count(r.devices) +
                      (r.devices == 1 ? " device" : " devices");
  if (!f.word("scheme").empty()) label += " · " + f.word("scheme");
  return label;
}

/// Whether a row that states a throughput says on how many devices, at which degrees and with which batch it
/// was measured. What it leaves out would be 1 without a word.
bool checkDegrees(RowValues& f) {
  const bool isThroughputRow = std::any_of(kResults.begin(), kResults.end(), [&](const ResultColumn& c) {
    return isThroughput(c.quantity) && f.has(c.name);
  });
  if (!isThroughputRow) return true;
  std::string missing;
  const auto add = [&](const char* name) {
    missing += (missing.empty() ? "\"" : ", \"") + std::string(name) + '"';
  };
  if (!f.has("gpus")) add("gpus");
  if (!f.has("global_batch")) add("global_batch");
  // Data alone, sharded, and the schemes of 2021 have degrees of their own.
  if (!f.has("zero") && !f.has("scheme"))
    for (const char* degree : {"t", "p"})
      if (!f.has(degree)) add(degree);
  if (missing.empty()) return true;
  f.report(error(
      "published-degrees", f.place(), "the row does not say " + missing,
      "give each as a column, or once for the set (t, p: tensor and pipeline degree; with \"zero\", they are "
      "1 unless stated)"));
  return false;
}

void readRow(RowValues& f, const std::string& id, std::vector<PublishedRun>& runs, Diagnostics& out) {
  const auto model = modelOf(f, out);
  if (!model || !checkDegrees(f)) return;
  PublishedRun r;
  r.set = id;
  r.model = *model;
  readPlanColumns(f, r);
  r.label = labelOf(f, r);
  for (const ResultColumn& c : kResults) {
    // A rate beside a time says the same once more.
    if (c.quantity == PublishedQuantity::TflopsPerDevice && f.has("iter_s")) continue;
    const auto value = f.has(c.name) ? f.number(c.name, 1e-9, 1e12) : std::nullopt;
    if (!value) continue;
    PublishedRun run = r;
    run.quantity = c.quantity;
    run.published = *value * c.unit;
    if (r.device.empty() && isThroughput(c.quantity))
      f.report(warning("published-no-device", f.setPlace(), "no device is named: taken as A100 80 GB SXM",
                       "say \"device\", by name or id"));
    if (c.recompute) run.recompute = *c.recompute;
    if (c.sequenceParallel) run.sequenceParallel = *c.sequenceParallel;
    if (c.recompute) run.label += std::string(" · recompute ") + nameOf(*c.recompute);
    runs.push_back(std::move(run));
  }
}

/// Names that nothing reads would leave a default in place without a word.
void checkNames(const JsonText& text, const json& set, const std::string& pointer, Diagnostics& out) {
  const auto unknown = [&](const std::string& name, const std::string& where) {
    if (!isKnown(name))
      out.push_back(warning("published-column", text.placeOf(where), '"' + name + "\" is not read",
                            "nest-plan study --help lists what a row or its set may say"));
  };
  for (const auto& [key, value] : set.items()) unknown(key, jsonPointer(pointer, key));
  bool hasResult = false;
  const json& columns = set["columns"];
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string where = jsonPointer(jsonPointer(pointer, "columns"), i);
    if (!columns[i].is_string()) {
      out.push_back(error("published-column", text.placeOf(where), "a column must be a name"));
      continue;
    }
    unknown(columns[i].get<std::string>(), where);
    hasResult = hasResult || isResult(columns[i].get<std::string>());
  }
  if (!hasResult)
    out.push_back(error("published-column", text.placeOf(pointer), "no column says what was measured",
                        "give tflops_per_gpu, iter_s, mfu or tokens_per_s_per_gpu"));
}

}  // namespace

const char* nameOf(PublishedQuantity q) {
  switch (q) {
    case PublishedQuantity::TflopsPerDevice:
      return "FLOP/s per device";
    case PublishedQuantity::BatchSeconds:
      return "step time";
    case PublishedQuantity::ModelUtilization:
      return "MFU";
    case PublishedQuantity::TokensPerSecondPerDevice:
      return "tokens/s per device";
    case PublishedQuantity::ParameterBytes:
      return "parameters and optimizer";
    case PublishedQuantity::ActivationBytes:
      break;
  }
  return "activations";
}

bool isThroughput(PublishedQuantity q) {
  return q != PublishedQuantity::ParameterBytes && q != PublishedQuantity::ActivationBytes;
}

double countedFlops(const PublishedRun& r, FlopConvention convention) {
  const double model = modelFlops(r.model, r.sequence, r.globalBatch).value();
  if (convention == FlopConvention::Model) return model;
  if (convention == FlopConvention::Causal) {
    // The scores grow with the square of the length, all else in proportion: twice the length over as many
    // tokens shows them apart.
    const double twice = modelFlops(r.model, 2 * r.sequence, r.globalBatch / 2.0).value();
    return model - (twice - model) / 2;
  }
  const double head = 6.0 * r.model.hidden * r.model.vocabulary * r.sequence * r.globalBatch;
  return (model - head) * 4 / 3 + head;
}

bool holdsSweeps(std::string_view text) {
  constexpr std::string_view kFailed = "\"failed\"";
  for (std::size_t at = 0; (at = text.find(kFailed, at)) != std::string_view::npos;) {
    at = text.find_first_not_of(" \t\r\n", at + kFailed.size());
    if (at != std::string_view::npos && text[at] == ':') return true;  // a key, no word
  }
  return text.find("\"step_s\"") != std::string_view::npos;
}

Reading<std::vector<PublishedRun>> readPublishedResults(std::string_view text, const std::string& file) {
  const auto jsonText = readJsonText(text, file);
  Diagnostics out = jsonText.diagnostics;
  if (!jsonText) return {std::nullopt, out};
  const json& root = jsonText->root();
  const json* sets =
      root.is_object() && root.contains("sets") && root["sets"].is_array() ? &root["sets"] : nullptr;
  if (!sets) {
    out.push_back(error("published-not-sets", jsonText->placeOf(""),
                        "published results are an object with a list \"sets\""));
    return {std::nullopt, out};
  }
  if (holdsSweeps(text)) {
    out.push_back(
        error("published-sweep", jsonText->placeOf(""),
              "these are sweeps over configurations: some have a column \"step_s\", or runs that failed",
              "Replay them with nest-plan study ranking"));
    return {std::nullopt, out};
  }
  std::vector<PublishedRun> runs;
  for (std::size_t i = 0; i < sets->size(); ++i) {
    const json& set = (*sets)[i];
    const std::string pointer = jsonPointer("/sets", i);
    if (!set.is_object() || !set.contains("columns") || !set["columns"].is_array() || !set.contains("rows") ||
        !set["rows"].is_array()) {
      out.push_back(error("published-set", jsonText->placeOf(pointer),
                          "a set needs \"columns\" and \"rows\", both lists"));
      continue;
    }
    const std::string id = set.contains("id") && set["id"].is_string() ? set["id"].get<std::string>()
                                                                       : "set " + std::to_string(i);
    checkNames(*jsonText, set, pointer, out);
    for (std::size_t k = 0; k < set["rows"].size(); ++k) {
      const std::string rowPointer = jsonPointer(pointer + "/rows", k);
      if (!set["rows"][k].is_array() || set["rows"][k].size() != set["columns"].size()) {
        out.push_back(
            error("published-row", jsonText->placeOf(rowPointer), "a row has one value for each column"));
        continue;
      }
      RowValues figures(*jsonText, set, set["rows"][k], pointer, rowPointer, out);
      readRow(figures, id, runs, out);
    }
  }
  if (hasErrors(out)) return {std::nullopt, out};
  return {std::move(runs), out};
}

}  // namespace nest
