#include "formats/format.h"
#include "formats/measurements/step_log.h"
#include "program/container.h"

namespace nest {
namespace {

constexpr StepLabels kNemoLabels = {.mark = "train_step_timing in s",
                                    .step = "global_step",
                                    .time = "train_step_timing in s",
                                    .rate = "TFLOPS_per_GPU",
                                    .batch = "global_batch_size",
                                    .consumed = "consumed_samples",
                                    .allocated = "max_memory_allocated",
                                    .reserved = "max_memory_reserved"};

/// NeMo 1 prints a progress bar and its configuration as YAML, NeMo 2 a line for each step.
class NemoLog : public StepLog {
public:
  explicit NemoLog(SourceText& source) : StepLog(source, kNemoLabels) {}

private:
  void readSetup(std::string_view line) override {
    RunSettings& s = m_run.settings;
    set(s.tensor, "tensor_model_parallel_size");
    set(s.pipeline, "pipeline_model_parallel_size");
    set(s.chunks, "virtual_pipeline_model_parallel_size");
    set(s.context, "context_parallel_size");
    set(s.expert, "expert_model_parallel_size");
    set(s.microbatch, "micro_batch_size");
    set(s.sequenceLength, "encoder_seq_length");
    set(s.sequenceLength, "seq_length");
    set(s.layers, "num_layers");
    set(s.hidden, "hidden_size");
    for (const char* key : {"activations_checkpoint_granularity", "recompute_granularity"})
      if (const std::string_view word = wordIn(line, key); word == "full" || word == "selective")
        s.recompute = word == "full" ? Recompute::Full : Recompute::Selective;
    for (const char* key : {"activations_checkpoint_method", "recompute_method"})
      m_repeatsSome = m_repeatsSome || wordIn(line, key) == "block";
    if (const auto processes = countBehind(line, "distributed processes registered. Starting with "))
      s.devices = processes;
    if (const std::string_view flag = wordIn(line, "sequence_parallel"); flag == "true" || flag == "True")
      s.sequenceParallel = true;
  }

  void finish(std::optional<int> month) override {
    RunSettings& s = m_run.settings;
    if (s.recompute == Recompute::Full && m_repeatsSome) {
      s.recompute.reset();
      m_unused.add("full recompute of some blocks");
    }
    if (const auto held = programOfContainer(m_source.text())) {
      s.program = held->program;
      s.programEvidence = "it names the container " + held->container;
    } else if (month && *month >= nest::month(2025, 7)) {
      s.program = "megatron-bridge-2025";
      s.programEvidence =
          "it is a NeMo log of " + std::to_string(*month / 12) + ", whose version it does not print";
    } else if (month && *month < nest::month(2024, 7)) {
      s.program = "nemo-2023";
      s.programEvidence = "it is a NeMo log of before NeMo 24.07";
    } else {
      s.program = "nemo-2024";
      s.programEvidence = month ? "it is a NeMo log of " + std::to_string(*month / 12)
                                : std::string("it is a NeMo log, whose version and date it does not print");
    }
  }

  bool m_repeatsSome = false;  ///< only some blocks of a stage are computed again
};

}  // namespace

const Format& nemoLogFormat() {
  static constexpr Format format = {
      .key = "nemo-log",
      .name = "NeMo log",
      .suffixes = "log out txt",
      .fileNames = "",
      .example =
          "Training epoch 0, iteration 9/99 | lr: 9e-06 | global_batch_size: 128 | global_step: 9 | … | "
          "train_step_timing in s: 9.377 | TFLOPS_per_GPU: 613.5 | consumed_samples: 1280",
      .remarks = "What NeMo 1 and 2 print each step: time (median after warm-up), TFLOP/s, memory, batch.",
      .claims = [](const FileLook& f) { return f.has("train_step_timing in s"); },
      .read = ReadMeasurement([](std::string_view text, const std::string& file) {
        return readBy<NemoLog>(text, file, kLongestLog, "a log");
      })};
  return format;
}

}  // namespace nest
