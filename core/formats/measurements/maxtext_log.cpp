#include <algorithm>
#include <array>

#include "formats/format.h"
#include "formats/measurements/step_log.h"
#include "text/decimal.h"
#include "units/letters.h"

namespace nest {
namespace {

/// The first step compiles, and of the second nothing waits for the result.
constexpr StepLabels kMaxTextLabels = {.mark = "completed step:",
                                       .step = "completed step:",
                                       .time = "seconds",
                                       .rate = "TFLOP/s/device",
                                       .tokens = "total_weights",
                                       .warmUp = 2};

/// What JAX calls its backend on TPUs: "TFRT TPU v5 lite", in a line of its own. On GPUs it names none.
constexpr std::string_view kJaxTpuBackend = "TFRT TPU";
constexpr std::size_t kLongestTpuName = 20;

/// "Config param max_target_length: 2048" stands before the steps, in any order.
class MaxTextLog : public StepLog {
public:
  explicit MaxTextLog(SourceText& source) : StepLog(source, kMaxTextLabels) {}

private:
  /// A degree inside a slice and between slices.
  struct Axis {
    std::string_view inside, between;
    std::optional<int> RunSettings::*degree;
    std::optional<int> values[2] = {};
  };

  void readSetup(std::string_view line) override {
    RunSettings& s = m_run.settings;
    if (const auto devices = countBehind(line, "Num_devices:")) {
      s.devices = devices;
      readShape(behind(line, "shape ("));
    }
    if (const auto at = line.find(kJaxTpuBackend); at != std::string_view::npos)
      s.device = line.substr(at + kJaxTpuBackend.find("TPU"), kLongestTpuName);
    if (const auto billions = numberBehind(line, "number parameters: "); billions && *billions > 0)
      s.parameters = *billions * 1e9;
    const std::string_view parameter = behind(line, "Config param ");
    if (parameter.empty()) return;
    const auto set = [&](std::optional<int>& to, std::string_view key) {
      if (parameter.starts_with(key)) StepLog::set(to, key);
    };
    set(s.globalBatch, "global_batch_size_to_train_on");
    set(s.sequenceLength, "max_target_length");
    set(s.layers, "num_decoder_layers");
    set(s.layers, "base_num_decoder_layers");
    set(s.hidden, "emb_dim");
    set(s.hidden, "base_emb_dim");
    for (Axis& axis : m_axes) {
      set(axis.values[0], axis.inside);
      set(axis.values[1], axis.between);
    }
    if (const std::string_view policy = wordIn(parameter, "remat_policy");
        parameter.starts_with("remat_policy:"))
      m_policy = std::string(policy);
    if (const std::string_view kind = wordIn(parameter, "quantization");
        parameter.starts_with("quantization:"))
      m_quantization = std::string(kind);
    if (parameter.starts_with("hardware:") && wordIn(parameter, "hardware") == "tpu" && s.device.empty())
      s.device = "TPU";
  }

  void finish(std::optional<int>) override {
    RunSettings& s = m_run.settings;
    for (const Axis& axis : m_axes)
      if (axis.values[0] || axis.values[1])
        s.*axis.degree = static_cast<int>(
            std::min(double(axis.values[0].value_or(1)) * axis.values[1].value_or(1), double(1 << 15)));
    checkDegrees();
    if (m_policy == "full") s.recompute = Recompute::Full;
    if (!m_policy.empty() && m_policy != "full") m_unused.add("remat_policy " + m_policy);
    if (m_quantization.find("fp8") != std::string::npos)
      s.format = NumberFormat::Fp8;
    else if (!m_quantization.empty() && m_quantization != "None")
      m_unused.add("quantization " + m_quantization);
    s.program = "maxtext";
    s.programEvidence = "it is a MaxText log";
  }

  /// "1, 1, 4, 1)": how many devices the mesh has along each axis.
  void readShape(std::string_view sizes) {
    m_mesh = 0;
    const auto end = sizes.find(')');
    if (end == std::string_view::npos) return;
    sizes = sizes.substr(0, end);
    double product = 1;
    while (!sizes.empty()) {
      const std::string_view size = sizes.substr(0, sizes.find(','));
      sizes.remove_prefix(std::min(sizes.size(), size.size() + 1));
      if (text::trimmed(size).empty()) continue;
      const auto n = readWhole(text::trimmed(size), 1, 1'000'000);
      if (!n) return;
      product *= double(*n);
    }
    m_mesh = product;
  }
  /// What is left of the devices is data parallel, whatever the parameters say of it.
  void checkDegrees() const {
    const RunSettings& s = m_run.settings;
    if (!s.devices) return;
    const auto warn = [&](const char* what, double product) {
      m_source.warning(m_source.whole(), "run-degrees",
                       std::string(what) + " multiply to " + std::to_string(static_cast<long long>(product)) +
                           ", and the run had " + std::to_string(*s.devices) + " devices",
                       "correct the lines that were changed by hand");
    };
    double degrees = 1;
    for (const Axis& axis : m_axes) degrees *= (s.*axis.degree).value_or(1);
    if (degrees > *s.devices || *s.devices % static_cast<int>(degrees) != 0)
      warn("the degrees", degrees);
    else if (m_mesh > 0 && m_mesh != *s.devices)
      warn("the sizes of the mesh", m_mesh);
  }

  double m_mesh = 0;  ///< devices of the mesh; 0: not known
  std::array<Axis, 4> m_axes = {
      Axis{"ici_tensor_parallelism", "dcn_tensor_parallelism", &RunSettings::tensor},
      Axis{"ici_pipeline_parallelism", "dcn_pipeline_parallelism", &RunSettings::pipeline},
      Axis{"ici_expert_parallelism", "dcn_expert_parallelism", &RunSettings::expert},
      Axis{"ici_context_parallelism", "dcn_context_parallelism", &RunSettings::context}};
  std::string m_policy, m_quantization;
};

}  // namespace

const Format& maxTextLogFormat() {
  static constexpr Format format = {
      .key = "maxtext-log",
      .name = "MaxText log",
      .suffixes = "log out txt",
      .fileNames = "",
      .example =
          "completed step: 5, seconds: 10.512, TFLOP/s/device: 391.501, Tokens/s/device: 7793.1, "
          "total_weights: 4194304, loss: 9.812",
      .remarks = "Where it holds its Config params, batch, sequences and degrees come from them.",
      .claims = [](const FileLook& f) { return f.has("completed step:") && f.has("seconds:"); },
      .read = ReadMeasurement([](std::string_view text, const std::string& file) {
        return readBy<MaxTextLog>(text, file, kLongestLog, "a log");
      })};
  return format;
}

}  // namespace nest
