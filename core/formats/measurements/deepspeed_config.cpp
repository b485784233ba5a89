#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "calibration/measurement.h"
#include "formats/format.h"
#include "formats/unused_parts.h"
#include "text/json_fields.h"

namespace nest {
namespace {

constexpr JsonLimits kDeepSpeedLimits{.bytes = 1u << 20, .depth = 32, .values = 100'000};
constexpr long long kMostCount = 1'000'000'000;
constexpr const char* kAuto = "auto";  // Hugging Face's Trainer fills it in

/// Parts that change neither time nor memory of a step here, or that the program deepspeed-2025 has by
/// itself.
constexpr std::array<std::string_view, 24> kIrrelevant = {"optimizer",
                                                          "scheduler",
                                                          "gradient_clipping",
                                                          "steps_per_print",
                                                          "dump_state",
                                                          "wall_clock_breakdown",
                                                          "memory_breakdown",
                                                          "tensorboard",
                                                          "wandb",
                                                          "csv_monitor",
                                                          "comet",
                                                          "comms_logger",
                                                          "flops_profiler",
                                                          "checkpoint",
                                                          "elasticity",
                                                          "autotuning",
                                                          "data_types",
                                                          "prescale_gradients",
                                                          "disable_allgather",
                                                          "zero_allow_untested_optimizer",
                                                          "seed",
                                                          "gradient_predivide_factor",
                                                          "communication_data_type",
                                                          "zero_force_ds_cpu_optimizer"};

/// Parts of "zero_optimization" that choose sizes of buffers and buckets, and what runs at the same time.
constexpr std::array<std::string_view, 19> kBuffers = {"allgather_partitions",
                                                       "allgather_bucket_size",
                                                       "overlap_comm",
                                                       "reduce_scatter",
                                                       "reduce_bucket_size",
                                                       "contiguous_gradients",
                                                       "sub_group_size",
                                                       "stage3_max_live_parameters",
                                                       "stage3_max_reuse_distance",
                                                       "stage3_prefetch_bucket_size",
                                                       "stage3_param_persistence_threshold",
                                                       "stage3_model_persistence_threshold",
                                                       "stage3_gather_16bit_weights_on_model_save",
                                                       "stage3_gather_fp16_weights_on_model_save",
                                                       "round_robin_gradients",
                                                       "load_from_fp32_weights",
                                                       "ignore_unused_parameters",
                                                       "elastic_checkpoint",
                                                       "legacy_stage1"};

/// Parts that move numbers elsewhere or shrink them, and that no field expresses: a prediction without them
/// is of another run.
struct Refused {
  std::string_view key, what;
};
constexpr Refused kRefusedOfZero[] = {
    {"offload_param", "parameters outside of the device (ZeRO-Infinity)"},
    {"cpu_offload_params", "parameters in host memory"},
    {"zero_hpz_partition_size", "a second copy of the parameters inside hosts (ZeRO++)"},
    {"zero_quantized_weights", "gathers of quantized weights (ZeRO++)"},
    {"zero_quantized_nontrainable_weights", "gathers of quantized weights (ZeRO++)"},
    {"zero_quantized_gradients", "quantized gradients (ZeRO++)"},
    {"zenflow", "updates of a part of the gradients later (ZenFlow)"},
    {"mics_hierarchical_params_gather", "gathers in two steps (MiCS)"}};
constexpr Refused kRefused[] = {{"compression_training", "compression while training"},
                                {"sparse_attention", "sparse attention"},
                                {"sparse_gradients", "sparse gradients"},
                                {"progressive_layer_drop", "layers that are left out by chance"},
                                {"curriculum_learning", "sequence lengths that change"},
                                {"data_efficiency", "tokens and sequence lengths that change"},
                                {"sequence_parallel_size", "Ulysses sequence parallelism"},
                                {"amp", "NVIDIA Apex"}};

class DeepSpeedConfig {
public:
  DeepSpeedConfig(const JsonText& text, Diagnostics& out)
      : m_text(text), m_fields(text, text.root(), "", out), m_out(out) {}

  Measurement run() {
    TrainingRun run;
    RunSettings& s = run.settings;
    s.program = "deepspeed-2025";
    s.programEvidence = "it is a configuration of DeepSpeed";
    readBatch(s);
    readFormat(s);
    readZero(s);
    if (const nlohmann::json* tensor = section("tensor_parallel", m_fields)) {
      JsonFields f(m_text, *tensor, m_fields.pointerTo("tensor_parallel"), m_out);
      s.tensor = count(f, "autotp_size");
      addUnused(f, *tensor, {});
    }
    refuse(m_fields, m_text.root(), kRefused);
    addUnused(m_fields, m_text.root(), kIrrelevant);
    m_unused.report(m_out, m_text.placeOf(""));
    return {std::move(run)};
  }

private:
  /// nullopt: it is absent, or "auto".
  std::optional<int> count(JsonFields& f, std::string_view key) {
    m_known.insert(f.pointerTo(key));
    const nlohmann::json* value = f.any(key);
    if (!value || *value == kAuto) return std::nullopt;
    const auto n = f.integer(key, 1, kMostCount);
    return n ? std::optional(static_cast<int>(*n)) : std::nullopt;
  }
  const nlohmann::json* section(std::string_view key, JsonFields& f) {
    m_known.insert(f.pointerTo(key));
    const nlohmann::json* value = f.any(key);
    return value && *value == kAuto ? nullptr : value ? f.object(key) : nullptr;
  }

  /// train_batch_size = micro batch × accumulation × replicas, of which DeepSpeed computes the one that is
  /// left out.
  void readBatch(RunSettings& s) {
    s.globalBatch = count(m_fields, "train_batch_size");
    s.microbatch = count(m_fields, "train_micro_batch_size_per_gpu");
    const auto steps = count(m_fields, "gradient_accumulation_steps");
    if (s.microbatch && steps)
      s.localBatch = static_cast<int>(std::min<long long>(1LL * *s.microbatch * *steps, kMostCount));
    if (!s.localBatch || !s.globalBatch) {
      s.fillsCluster = s.localBatch.has_value();
      return;
    }
    if (*s.globalBatch % *s.localBatch != 0)
      m_fields.report(
          Severity::Error, "deepspeed-batch", "train_batch_size",
          "train_batch_size is not a multiple of micro batch times gradient_accumulation_steps, " +
              std::to_string(*s.localBatch),
          "correct one of the three, as DeepSpeed demands");
    else
      s.data = *s.globalBatch / *s.localBatch;
  }

  void readFormat(RunSettings& s) {
    const auto isOn = [&](const char* key) {
      const nlohmann::json* part = section(key, m_fields);
      if (!part) return m_fields.has(key) ? std::optional<bool>() : std::optional(false);
      JsonFields f(m_text, *part, m_fields.pointerTo(key), m_out);
      const nlohmann::json* enabled = f.any("enabled");
      if (enabled && *enabled == kAuto) return std::optional<bool>();
      return std::optional(f.boolean("enabled").value_or(false));
    };
    const auto bf16 = isOn("bf16"), old = isOn("bfloat16"), fp16 = isOn("fp16");
    if (bf16.value_or(false) || old.value_or(false))
      s.format = NumberFormat::Bf16;
    else if (fp16.value_or(false))
      s.format = NumberFormat::Fp16;
    else if (bf16 && old && fp16)
      s.format = NumberFormat::Fp32;
  }

  void readZero(RunSettings& s) {
    const nlohmann::json* zero = section("zero_optimization", m_fields);
    if (!zero) {
      if (!m_fields.has("zero_optimization")) s.zero = 0;
      return;
    }
    JsonFields f(m_text, *zero, m_fields.pointerTo("zero_optimization"), m_out);
    const auto stage = f.integer("stage", 0, 3);
    if (f.has("stage")) s.zero = stage ? std::optional(static_cast<int>(*stage)) : std::nullopt;
    if (!f.has("stage")) s.zero = 0;
    readOffload(f, s);
    if (const auto replicas = f.integer("mics_shard_size", -1, kMostCount); replicas && *replicas > 0)
      m_out.push_back(warning("deepspeed-mics", f.placeOf("mics_shard_size"),
                              "state is shared by groups of " + std::to_string(*replicas) +
                                  " replicas (MiCS), which is not taken over",
                              "set `search.shard_groups = every` and constraints.shard to it"));
    m_known.insert({f.pointerTo("stage"), f.pointerTo("mics_shard_size")});
    refuse(f, *zero, kRefusedOfZero);
    addUnused(f, *zero, kBuffers);
  }

  void readOffload(JsonFields& f, RunSettings& s) {
    m_known.insert(f.pointerTo("cpu_offload"));
    if (f.boolean("cpu_offload").value_or(false)) s.offloadedOptimizer = 1;
    const nlohmann::json* part = section("offload_optimizer", f);
    if (!part) return;
    JsonFields inner(m_text, *part, f.pointerTo("offload_optimizer"), m_out);
    const auto device = inner.oneOf("device", {"cpu", "nvme", "none"});
    const auto ratio = inner.number("ratio", 0, 1);
    if (device && *device == "nvme")
      inner.report(Severity::Error, "deepspeed-not-expressed", "device",
                   "optimizer state on NVMe (ZeRO-Infinity) cannot be expressed",
                   "set it to \"cpu\" to cost the state in host memory");
    else if (device && *device == "cpu")
      s.offloadedOptimizer = ratio.value_or(1);
    m_known.insert({inner.pointerTo("device"), inner.pointerTo("ratio")});
    for (const char* key : {"pin_memory", "buffer_count", "nvme_path", "fast_init", "pipeline_read",
                            "pipeline_write", "pipeline"})
      m_known.insert(inner.pointerTo(key));
    addUnused(inner, *part, {});
  }

  /// What is switched off does no harm.
  static bool isOff(const nlohmann::json& value) {
    if (value.is_boolean()) return !value.get<bool>();
    if (value.is_number()) return value.get<double>() <= 1;
    if (value.is_null() || value == "none") return true;
    if (!value.is_object()) return false;
    if (const auto enabled = value.find("enabled"); enabled != value.end()) return *enabled == false;
    const auto device = value.find("device");
    return device != value.end() && *device == "none";
  }
  void refuse(JsonFields& f, const nlohmann::json& object, std::span<const Refused> all) {
    for (const Refused& one : all) {
      m_known.insert(f.pointerTo(one.key));
      const auto it = object.find(std::string(one.key));
      if (it != object.end() && !isOff(*it))
        f.report(Severity::Error, "deepspeed-not-expressed", one.key,
                 std::string(one.key) + " asks for " + std::string(one.what) + ", which cannot be expressed",
                 "leave it out to cost the rest");
    }
  }
  void addUnused(const JsonFields& f, const nlohmann::json& object,
                 std::span<const std::string_view> irrelevant) {
    for (const auto& [key, value] : object.items())
      if (!m_known.contains(f.pointerTo(key)) &&
          std::find(irrelevant.begin(), irrelevant.end(), key) == irrelevant.end())
        m_unused.add(f.pointerTo(key).substr(1));
  }

  const JsonText& m_text;
  JsonFields m_fields;
  Diagnostics& m_out;
  UnusedParts m_unused;
  std::set<std::string> m_known;  ///< pointers of what was read or refused
};

}  // namespace

const Format& deepSpeedConfigFormat() {
  static constexpr Format format = {
      .key = "deepspeed-config",
      .name = "DeepSpeed configuration",
      .suffixes = "json",
      .fileNames = "",
      .example = R"({"train_batch_size": 1024, "train_micro_batch_size_per_gpu": 2, "bf16": {"enabled": true},
 "zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu"}}})",
      .remarks =
          "Batch, number format, ZeRO stage, offloaded optimizer and AutoTP for import; it measures nothing.",
      .claims =
          [](const FileLook& f) {
            return f.names("zero_optimization") || f.names("train_micro_batch_size_per_gpu");
          },
      .read = ReadMeasurement([](std::string_view text, const std::string& file) -> Reading<Measurement> {
        const auto read = readJsonText(text, file, kDeepSpeedLimits);
        Diagnostics out = read.diagnostics;
        if (!read) return {std::nullopt, std::move(out)};
        if (!read->root().is_object()) {
          out.push_back(error("json-type", read->placeOf(""), "the file must be an object",
                              "give the configuration as deepspeed --deepspeed_config takes it"));
          return {std::nullopt, std::move(out)};
        }
        auto measurement = DeepSpeedConfig(*read, out).run();
        if (hasErrors(out)) return {std::nullopt, std::move(out)};
        return {std::move(measurement), std::move(out)};
      })};
  return format;
}

}  // namespace nest
