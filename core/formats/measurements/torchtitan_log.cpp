#include <algorithm>
#include <map>

#include "formats/format.h"
#include "formats/measurements/log_lines.h"
#include "text/decimal.h"

namespace nest {
namespace {

/// What follows a key: "tps: 6,234". torchtitan called it wps until November 2024.
constexpr std::string_view kRates[] = {" tps:", " wps:"};

class TorchtitanLog {
public:
  explicit TorchtitanLog(SourceText& source) : m_source(source) {}

  std::optional<Measurement> run() {
    forEachLogLine(m_source.text(), [this](std::string_view line, int number) { take(line, number); });
    begin();
    chooseStart();
    if (m_now.steps.empty() && !m_source.failed())
      m_source.error(m_source.whole(), "torchtitan-empty", "no step has been logged",
                     "give the output of a run that has trained for some steps");
    if (m_source.failed()) return std::nullopt;
    TrainingRun run;
    run.settings = m_now.settings;
    if (m_now.settings.pipeline.value_or(1) > 1) run.settings.microbatch.reset();
    tellProgram(run.settings);
    measure(run);
    tellCut(m_source, m_cut);
    return Measurement{std::move(run)};
  }

private:
  struct Step {
    double tokens;
    std::optional<double> teraflops;
  };
  /// From one building of the mesh to the next.
  struct Start {
    RunSettings settings;
    std::map<std::string, int> mesh;
    std::optional<int> firstStep;  ///< set: training has begun
    std::map<long long, Step> steps;
    std::optional<Bytes> reserved;
    bool isCompiled = false, isOld = false, overlapsTensor = false;

    bool isOneRunWith(const Start& other) const {
      return mesh == other.mesh && firstStep == other.firstStep &&
             settings.globalBatch == other.settings.globalBatch &&
             settings.microbatch == other.settings.microbatch &&
             settings.sequenceLength == other.settings.sequenceLength &&
             settings.recompute == other.settings.recompute && settings.format == other.settings.format;
    }
  };

  void take(std::string_view line, int number) {
    const auto has = [&line](const char* part) { return line.find(part) != std::string_view::npos; };
    if (has("validate step:")) return;  // a forward pass alone
    if (has(" step:") && has(" loss:")) return step(line, number);
    if (has("Training starts at step")) {
      const auto first = countBehind(line, "Training starts at step");
      if (m_now.firstStep && first != m_now.firstStep) {
        Start next = m_now;
        next.steps.clear();
        next.reserved.reset();
        begin();
        m_now = std::move(next);
      }
      m_now.firstStep = first.value_or(1);
      m_now.settings.microbatch = countBehind(line, "local batch size");
      m_now.settings.globalBatch = countBehind(line, "global batch size");
      m_now.settings.sequenceLength = countBehind(line, "sequence length");
    } else if (const auto mesh = behind(line, "D device mesh with"); !mesh.empty()) {
      beginMesh();
      takeMesh(mesh);
    } else if (const auto list = behind(line, "device mesh with parallelism:"); !list.empty()) {
      beginMesh();
      for (const auto& [key, name] : {std::pair{"pp=", "pp"},
                                      {"dp_replicate=", "dp_replicate"},
                                      {"dp_shard=", "dp_shard"},
                                      {"cp=", "cp"},
                                      {" tp=", "tp"},
                                      {"ep=", "ep"}})
        if (const auto n = countBehind(list, key)) m_now.mesh[name] = *n;
      setDegrees();
    } else if (has("with torch.compile")) {
      m_now.isCompiled = true;
    } else if (has("Async TP is enabled")) {
      m_now.overlapsTensor = true;
    } else if (has("Applied full activation checkpointing to the model")) {
      m_now.settings.recompute = Recompute::Full;
    } else if (has("Applied selective activation checkpointing to the model")) {
      m_now.settings.recompute = Recompute::Selective;
    } else if (has("Swapped to Float8Linear layers") || has("Converted Linear layers to MXFP8Linear")) {
      m_now.settings.format = NumberFormat::Fp8;
    }
  }

  void beginMesh() {
    if (m_now.firstStep) begin();
    m_now.mesh.clear();
  }
  /// Each rank may write a file of its own: starts that are alike are one.
  void begin() {
    if (!m_before.empty() && m_before.back().isOneRunWith(m_now)) {
      Start& one = m_before.back();
      one.steps.merge(m_now.steps);
      if (m_now.reserved) one.reserved = std::max(one.reserved.value_or(Bytes()), *m_now.reserved);
    } else {
      m_before.push_back(std::move(m_now));
    }
    m_now = {};
  }
  /// The last one that trained for longer than its warm-up; else that trained at all; else the last.
  void chooseStart() {
    const auto lastWith = [this](std::size_t steps) {
      return std::find_if(m_before.rbegin(), m_before.rend(),
                          [steps](const Start& s) { return s.steps.size() >= steps; });
    };
    auto chosen = lastWith(2);
    if (chosen == m_before.rend()) chosen = lastWith(1);
    if (chosen == m_before.rend()) chosen = m_before.rbegin();
    if (m_before.size() > 1)
      m_source.note(m_source.whole(), "log-restarted",
                    std::string("the run was started more than once; the last start ") +
                        (chosen == m_before.rbegin() ? "counts" : "that trained counts"));
    m_now = std::move(*chosen);
  }

  void step(std::string_view line, int number) {
    if (line.find(" mfu:") == std::string_view::npos) {
      ++m_cut;
      return;
    }
    for (const std::string_view key : kRates)
      if (const auto tokens = numberBehind(line, key)) {
        const auto at = numberBehind(line, " step:");
        if (!(*tokens > 0) || !at) break;
        // Every rank may print the same step.
        m_now.steps.emplace(static_cast<long long>(*at), Step{*tokens, numberBehind(line, " tflops:")});
        if (const auto reserved = numberBehind(line, " memory:"); reserved && *reserved > 0)
          m_now.reserved = std::max(m_now.reserved.value_or(Bytes()), Bytes(*reserved * 1024 * 1024 * 1024));
        m_now.isOld = m_now.isOld || key == kRates[1];
        return;
      }
    m_source.error(m_source.placeOfLine(number), "torchtitan-step",
                   "a step must have a number and tokens per second (tps) above 0", "leave broken lines out");
  }

  /// "['dp_shard', 'tp'], [8, 8]".
  void takeMesh(std::string_view mesh) {
    const auto middle = mesh.find("], [");
    if (!mesh.starts_with('[') || middle == std::string_view::npos) return;
    std::string_view names = mesh.substr(1, middle - 1), sizes = mesh.substr(middle + 4);
    sizes = sizes.substr(0, sizes.find(']'));
    while (!names.empty() && !sizes.empty()) {
      const std::string_view name = names.substr(0, names.find(',')), size = sizes.substr(0, sizes.find(','));
      names.remove_prefix(std::min(names.size(), name.size() + 1));
      sizes.remove_prefix(std::min(sizes.size(), size.size() + 1));
      const auto begin = name.find('\''), end = name.rfind('\'');
      if (const auto n = countBehind(size, ""); n && begin != std::string_view::npos && end > begin)
        m_now.mesh[std::string(name.substr(begin + 1, end - begin - 1))] = *n;
    }
    setDegrees();
  }

  void setDegrees() {
    const auto of = [this](const char* name) {
      const auto it = m_now.mesh.find(name);
      return it == m_now.mesh.end() ? 1 : std::min(it->second, 1 << 15);
    };
    m_now.settings.tensor = of("tp");
    m_now.settings.pipeline = of("pp");
    m_now.settings.context = of("cp");
    // With experts, July to December 2025, dp_shard stands in two parts.
    double data = 1;
    for (const char* part : {"dp_replicate", "dp_shard", "dp_shard_mod_ep", "dp_shard_in_ep", "dp"})
      data *= of(part);
    m_now.settings.data = static_cast<int>(std::min(data, 1e9));
    const double all = data * *m_now.settings.tensor * *m_now.settings.pipeline * *m_now.settings.context;
    m_now.settings.devices = static_cast<int>(std::min(all, 1e9));
    m_now.settings.expert.reset();
    if (of("ep") > 1)
      m_now.settings.expert = of("ep");
    else if (m_now.mesh.contains("dp_shard_mod_ep") &&
             of("tp") == 1)  // else experts may lie over its ranks, too
      m_now.settings.expert = of("dp_shard_in_ep") * of("cp");
  }

  void tellProgram(RunSettings& s) const {
    const bool isNew = !m_now.isOld && std::any_of(m_now.steps.begin(), m_now.steps.end(),
                                                   [](const auto& step) { return step.second.teraflops; });
    s.program = torchtitanProgram(m_now.isCompiled, isNew, m_now.overlapsTensor, s.tensor.value_or(1));
    s.programEvidence = m_now.isCompiled
                            ? std::string("it compiles its blocks") +
                                  (isNew ? " and prints tflops, as torchtitan does since 2025" : "") +
                                  (m_now.overlapsTensor ? ", with asynchronous tensor parallelism" : "")
                            : "it says nothing of torch.compile, so its kernels are PyTorch's eager ones";
  }

  void measure(TrainingRun& run) const {
    std::vector<double> tokens, rates;
    const int leftOut = warmUpOf(static_cast<int>(m_now.steps.size()));
    auto it = std::next(m_now.steps.begin(), leftOut);
    for (; it != m_now.steps.end(); ++it) {
      tokens.push_back(it->second.tokens);
      if (it->second.teraflops && *it->second.teraflops > 0) rates.push_back(*it->second.teraflops);
    }
    run.lines = static_cast<int>(tokens.size());
    run.leftOut = leftOut;
    run.isWarmUp = m_now.steps.size() == 1 && m_now.steps.begin()->first <= m_now.firstStep.value_or(1);
    run.tokensPerDevice = medianOf(std::move(tokens));
    if (!rates.empty()) run.rate = FlopsPerSecond(medianOf(std::move(rates)) * 1e12);
    run.reserved = m_now.reserved;
    const RunSettings& s = m_now.settings;
    if (s.globalBatch && s.sequenceLength && s.devices)
      run.step = Seconds(double(*s.globalBatch) * *s.sequenceLength / (*run.tokensPerDevice * *s.devices));
  }

  SourceText& m_source;
  Start m_now;
  std::vector<Start> m_before;
  int m_cut = 0;
};

}  // namespace

const Format& torchtitanLogFormat() {
  static constexpr Format format = {
      .key = "torchtitan-log",
      .name = "torchtitan log",
      .suffixes = "log out txt",
      .fileNames = "",
      .example =
          "[titan] 2025-06-16 22:31:04,970 - root - INFO - step: 210  loss:  6.0388  memory: "
          "49.66GiB(52.28%)  "
          "tps: 5,593  tflops: 323.92  mfu: 32.75%",
      .remarks = "What the run printed, as above. The step time follows from tokens per second and device.",
      .claims =
          [](const FileLook& f) {
            return f.has("step:") && f.has("loss:") && f.has("mfu:") && (f.has("tps:") || f.has("wps:"));
          },
      .read = ReadMeasurement([](std::string_view text, const std::string& file) {
        return readBy<TorchtitanLog>(text, file, kLongestLog, "a log");
      })};
  return format;
}

}  // namespace nest
