#include <algorithm>
#include <cmath>

#include "formats/format.h"
#include "formats/measurements/step_log.h"
#include "units/amount.h"

namespace nest {
namespace {

constexpr StepLabels kNanotronLabels = {.mark = "time_per_iteration_ms",
                                        .step = "iteration:",
                                        .time = "time_per_iteration_ms",
                                        .timeUnit = 1e-3,
                                        .rate = "model_tflops_per_gpu",
                                        .tokens = "global_batch_size",
                                        .tokenRate = "tokens_per_sec:",
                                        .deviceTokenRate = "tokens_per_sec_per_gpu:"};

/// Numbers have three digits. What it prints of its configuration looks like a call: "tp=8,".
class NanotronLog : public StepLog {
public:
  explicit NanotronLog(SourceText& source) : StepLog(source, kNanotronLabels) {}

private:
  void readSetup(std::string_view line) override {
    RunSettings& s = m_run.settings;
    set(s.data, "dp");
    set(s.pipeline, "pp");
    set(s.tensor, "tp");
    set(s.expert, "expert_parallel_size");
    set(s.context, "context_parallel_size");
    set(s.sequenceLength, "sequence_length");
    set(s.microbatch, "micro_batch_size");
    set(m_accumulation, "batch_accumulation_per_replica");
    set(s.layers, "num_hidden_layers");
    set(s.hidden, "hidden_size");
    if (const std::string_view mode = wordIn(line, "tp_mode"); !mode.empty())
      s.sequenceParallel = mode.find("REDUCE_SCATTER") != std::string_view::npos;
    if (const std::string_view flag = wordIn(line, "recompute_layer"); flag == "True" || flag == "False")
      s.recompute = flag == "True" ? Recompute::Full : Recompute::None;
    if (const std::string_view stage = wordIn(line, "zero_stage"); stage == "0" || stage == "1")
      s.zero = stage == "1";
    if (const std::string_view engine = wordIn(line, "pp_engine");
        engine.starts_with("<nanotron") || engine == "afab")
      m_hasOtherEngine = line.find("AllForwardAllBackward") != std::string_view::npos || engine == "afab";
    const auto most = [line](std::optional<Bytes>& known, const char* label) {
      if (const auto v = numberBehind(line, label); v && *v > 0)
        known = std::max(known.value_or(Bytes()), Bytes(*v * 1024 * 1024));
    };
    most(m_run.allocated, "Peak allocated ");
    most(m_run.reserved, "Peak reserved: ");
  }

  void finish(std::optional<int>) override {
    RunSettings& s = m_run.settings;
    if (s.microbatch && m_accumulation)
      s.localBatch = static_cast<int>(std::min(double(*s.microbatch) * *m_accumulation, 1e9));
    if (s.localBatch && s.data)
      s.globalBatch = static_cast<int>(std::min(double(*s.localBatch) * *s.data, 1e9));
    if (s.data && s.tensor && s.pipeline)
      s.devices =
          static_cast<int>(std::min(double(*s.data) * *s.tensor * *s.pipeline * s.context.value_or(1), 1e9));
    checkDegrees();
    if (s.data == 1) s.zero = s.zero ? std::optional(0) : s.zero;
    s.program = "nanotron";
    s.programEvidence = "it is a nanotron log";
    if (m_hasOtherEngine && s.pipeline.value_or(1) > 1) m_unused.add("the pipeline engine afab");
  }

  /// Steps say how many devices ran and how many tokens a batch had, to three digits.
  void checkDegrees() const {
    const RunSettings& s = m_run.settings;
    const auto differs = [](double a, double b) { return std::abs(a / b - 1) > kRounding; };
    const auto warn = [this](std::string message) {
      m_source.warning(m_source.whole(), "run-degrees", std::move(message),
                       "give the configuration that the run printed, and no other one");
    };
    if (s.devices && m_devicesByRate && differs(*s.devices, *m_devicesByRate))
      warn("the degrees multiply to " + std::to_string(*s.devices) +
           ", and by the tokens per second of all and of each " +
           std::to_string(static_cast<long long>(std::round(*m_devicesByRate))) + " devices ran");
    else if (s.globalBatch && s.sequenceLength && s.batchTokens &&
             differs(double(*s.globalBatch) * *s.sequenceLength, *s.batchTokens))
      warn("the degrees and batch sizes make a global batch of " +
           text::amountInWords(double(*s.globalBatch) * *s.sequenceLength, 3) + " tokens, and steps had " +
           text::amountInWords(*s.batchTokens, 3));
  }

  static constexpr double kRounding = 0.02;
  std::optional<int> m_accumulation;
  bool m_hasOtherEngine = false;
};

}  // namespace

const Format& nanotronLogFormat() {
  static constexpr Format format = {
      .key = "nanotron-log",
      .name = "nanotron log",
      .suffixes = "log out txt",
      .fileNames = "",
      .example =
          "iteration: 5 / 100 | consumed_tokens: 10.5M | elapsed_time_per_iteration_ms: 1.21K | "
          "tokens_per_sec: 1.73M | … | global_batch_size: 2.1M | lm_loss: 9.81 | model_tflops_per_gpu: 381",
      .remarks =
          "Its batch counts tokens, to three digits; degrees and sequences come from the configuration\n"
          "that it prints at the start.",
      .claims = [](const FileLook& f) { return f.has("time_per_iteration_ms:") && f.has("tokens_per_sec"); },
      .read = ReadMeasurement([](std::string_view text, const std::string& file) {
        return readBy<NanotronLog>(text, file, kLongestLog, "a log");
      })};
  return format;
}

}  // namespace nest
