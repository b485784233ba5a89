#include <algorithm>
#include <map>

#include "formats/format.h"
#include "formats/measurements/log_lines.h"
#include "formats/unused_parts.h"
#include "text/decimal.h"

namespace nest {
namespace {

/// What follows a key: "tps: 6,234". torchtitan called it wps until November 2024.
constexpr std::string_view kRates[] = {" tps:", " wps:"};
constexpr int kFirstRecentMonth = month(2025, 2);  ///< from which on it prints tflops

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
    checkBatch(run.settings);
    setBatches(run.settings);
    tellProgram(run.settings);
    measure(run);
    tellCut(m_source, m_cut);
    noteUnused();
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
    std::optional<int> month;                         ///< of its first step that has a date
    std::optional<int> microbatches, pipelineStages;  ///< of a pipeline's schedule
    std::string schedule;
    bool isCompiled = false, isOld = false, overlapsTensor = false;
    bool isParallelized = false;  ///< what comes after compiling was logged
    bool compilesLoss = false, offloads = false, hasBudget = false;
    bool isFp4 = false, hasFp8Experts = false;
    std::optional<int> accumulation;  ///< microbatches of a rank in a step

    bool isOneRunWith(const Start& other) const {
      return mesh == other.mesh && firstStep == other.firstStep &&
             settings.globalBatch == other.settings.globalBatch &&
             settings.localBatch == other.settings.localBatch &&
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
      if (m_now.firstStep && first != m_now.firstStep) beginAgain();
      m_now.firstStep = first.value_or(1);
      sizes(line);
    } else if (has("Trainer is initialized with")) {  // since March 2025
      sizes(line);
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
    } else if (const auto device = behind(line, " capacity: "); has("GiB memory") && !device.empty()) {
      m_now.settings.device = std::string(device.substr(0, std::min(device.find(" with "), std::size_t(60))));
    } else if (has(" total parameters")) {
      if (const auto n = numberBehind(line, " size: "); n && *n >= 1) m_now.settings.parameters = n;
    } else if (has("Compiling the loss")) {
      m_now.compilesLoss = true;
    } else if (has("with torch.compile")) {
      m_now.isCompiled = true;
    } else if (has("Async TP is enabled")) {
      m_now.overlapsTensor = true;
    } else if (has("Applied FSDP to the model") || has("Applied HSDP to the model") ||
               has("Applied DDP to the model")) {
      m_now.isParallelized = true;
    } else if (has("Applied CPU Offloading to the model")) {
      m_now.offloads = true;
    } else if (const auto mode = behind(line, "Applied "); has(" activation checkpointing to the model")) {
      if (mode.starts_with("full") || mode.starts_with("FullAC"))
        m_now.settings.recompute = Recompute::Full;
      else if (mode.starts_with("selective") || mode.starts_with("SelectiveAC"))
        m_now.settings.recompute = Recompute::Selective;
      else
        m_now.hasBudget = true;
    } else if (has("Selected ") && has(" budget option")) {
      m_now.hasBudget = true;
    } else if (const auto schedule = behind(line, "Using pipeline schedule "); !schedule.empty()) {
      m_now.schedule = std::string(schedule.substr(0, std::min(schedule.find(' '), std::size_t(40))));
      m_now.microbatches = countBehind(line, " with ");
      m_now.pipelineStages = countBehind(line, "microbatches and ");
    } else {
      numberFormat(line);
    }
  }

  /// What torchtitan prints while it replaces layers by ones of torchao in narrow formats. Its wording
  /// changed with releases; some print only the first or only the second of two lines.
  void numberFormat(std::string_view line) {
    const auto has = [&line](const char* part) { return line.find(part) != std::string_view::npos; };
    const bool isMx = has("MX training active with recipe") || has("Swapped to MXLinear layers");
    const bool isOfExperts = has("Converted MoE layers matching") || has("Converted GroupedExperts");
    if (has("Converted Linear layers to NVFP4Linear") || has("Converted Linear layers to TENVFP4Linear")) {
      m_now.settings.format = numberFormatNamed("nvfp4");
    } else if (isMx && has("fp4")) {
      m_now.isFp4 = true;
      m_now.settings.format.reset();
    } else if ((isOfExperts && (has("float8") || has("mxfp8") || has("MXFP8"))) ||
               has("MXFP8 MoE training enabled")) {
      m_now.hasFp8Experts = true;
    } else if (!m_now.isFp4 && (isMx || has("Converted Linear layers to MXFP8Linear"))) {
      m_now.settings.format = numberFormatNamed("mxfp8");
    } else if (!m_now.isFp4 && (has("Swapped to Float8Linear layers") || has("Float8 training active") ||
                                has("Float8 tensorwise scaled training active"))) {
      m_now.settings.format = NumberFormat::Fp8;
    }
  }

  /// "local batch size 4, global batch size 32, gradient accumulation steps 1, sequence length 4096"; since
  /// August 2026 in tokens.
  void sizes(std::string_view line) {
    auto length = countBehind(line, "sequence length");
    if (!length) length = countBehind(line, "maximum context length");
    const auto sequences = [&](const char* label, const char* tokens) {
      if (const auto n = countBehind(line, label)) return n;
      const auto at = line.find(tokens);
      if (at == std::string_view::npos || !length) return std::optional<int>();
      const auto blank = line.substr(0, at).find_last_of(' ');
      const auto n = countBehind(line.substr(blank == std::string_view::npos ? 0 : blank, at - blank), "");
      return n && *n % *length == 0 ? std::optional(*n / *length) : std::nullopt;
    };
    const auto local = sequences("local batch size", " tokens per DP rank"),
               global = sequences("global batch size", " tokens per train step");
    RunSettings& s = m_now.settings;
    const auto differs = [](const std::optional<int>& now, const std::optional<int>& before) {
      return now && before && *now != *before;
    };
    if (m_now.firstStep &&
        (differs(local, s.localBatch) || differs(global, s.globalBatch) || differs(length, s.sequenceLength)))
      beginAgain();
    if (local) s.localBatch = local;
    if (global) s.globalBatch = global;
    if (length) s.sequenceLength = length;
    if (const auto steps = countBehind(line, "gradient accumulation steps")) m_now.accumulation = steps;
  }

  /// What a start prints of its batch follows from its mesh; a log that says otherwise was changed by hand.
  void checkBatch(const RunSettings& s) const {
    if (!s.localBatch || !s.data || !m_now.accumulation || !s.globalBatch) return;
    const double product = double(*s.localBatch) * *s.data * *m_now.accumulation;
    if (product != *s.globalBatch)
      m_source.warning(m_source.whole(), "run-degrees",
                       std::to_string(*m_now.accumulation) + " accumulation steps of " +
                           std::to_string(*s.localBatch) + " sequences on " + std::to_string(*s.data) +
                           " data-parallel ranks are " + std::to_string(static_cast<long long>(product)) +
                           " sequences, and the global batch size is " + std::to_string(*s.globalBatch),
                       "correct the lines that were changed by hand");
  }

  /// Another start of a run that prints nothing else of how it is set up.
  void beginAgain() {
    Start next = m_now;
    next.steps.clear();
    next.reserved.reset();
    begin();
    m_now = std::move(next);
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
        if (!m_now.month) m_now.month = monthOf(line);
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

  /// A rank's batch runs at once, but in a pipeline.
  void setBatches(RunSettings& s) const {
    if (!s.globalBatch && s.localBatch && s.data)
      s.globalBatch = static_cast<int>(std::min(double(*s.localBatch) * *s.data, 1e9));
    const int stages = s.pipeline.value_or(1);
    if (stages == 1) {
      s.microbatch = s.localBatch;
      return;
    }
    const auto& parts = m_now.microbatches;
    if (s.localBatch && parts && *s.localBatch % *parts == 0) s.microbatch = *s.localBatch / *parts;
    if (m_now.pipelineStages && *m_now.pipelineStages % stages == 0)
      s.chunks = *m_now.pipelineStages / stages;
  }

  /// Lines that were cut away may have said that blocks are compiled, as recent configurations do.
  void tellProgram(RunSettings& s) const {
    const bool hasRates = !m_now.isOld && std::any_of(m_now.steps.begin(), m_now.steps.end(),
                                                      [](const auto& step) { return step.second.teraflops; });
    const bool isDatedRecent = m_now.month && *m_now.month >= kFirstRecentMonth;
    const bool isRecent = hasRates || isDatedRecent || m_now.overlapsTensor;
    const bool isEager = !m_now.isCompiled && (m_now.isParallelized || !isRecent);
    s.program = torchtitanProgram(!isEager, isRecent);
    if (isRecent && !isEager) s.overlapsTensor = m_now.overlapsTensor;
    const std::string when = isDatedRecent ? "its lines are of " + std::to_string(*m_now.month / 12)
                             : isRecent    ? "it prints tflops, as torchtitan does since 2025"
                                           : "";
    s.programEvidence = m_now.isCompiled ? "it compiles its blocks" + (when.empty() ? when : ", and " + when)
                        : isEager        ? m_now.isParallelized
                                               ? std::string(
                                                     "it does not compile its blocks, so its kernels are PyTorch's "
                                                            "eager ones")
                                               : std::string(
                                                     "it says nothing of torch.compile, so its kernels are "
                                                            "PyTorch's eager ones")
                                         : when + "; whether it compiles its blocks is not in the log";
    if (m_now.overlapsTensor) s.programEvidence += ", with asynchronous tensor parallelism";
  }

  void noteUnused() const {
    UnusedParts unused;
    if (!m_now.schedule.empty()) unused.add("pipeline schedule " + m_now.schedule);
    if (m_now.offloads) unused.add("CPU offloading");
    if (m_now.isFp4) unused.add("products in fp4");
    if (m_now.hasFp8Experts && !(m_now.settings.format && specOf(*m_now.settings.format).isNarrow()))
      unused.add("fp8 in the products of experts alone");
    if (m_now.hasBudget) unused.add("activation checkpointing by a memory budget");
    if (m_now.compilesLoss && !m_now.isCompiled && m_now.isParallelized) unused.add("the compiled loss");
    unused.report(m_source);
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
