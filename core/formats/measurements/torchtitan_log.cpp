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
    if (m_steps.empty() && !m_source.failed())
      m_source.error(m_source.whole(), "torchtitan-empty", "no step has been logged",
                     "give the output of a run that has trained for some steps");
    if (m_source.failed()) return std::nullopt;
    TrainingRun run;
    run.settings = m_settings;
    if (m_settings.pipeline.value_or(1) > 1) run.settings.microbatch.reset();
    tellProgram(run.settings);
    measure(run);
    return Measurement{std::move(run)};
  }

private:
  struct Step {
    double tokens;
    std::optional<double> teraflops;
  };

  void take(std::string_view line, int number) {
    if (line.find(" step:") != std::string_view::npos && line.find(" loss:") != std::string_view::npos)
      return step(line, number);
    if (line.find("Training starts at step") != std::string_view::npos) {
      m_settings.microbatch = countBehind(line, "local batch size");
      m_settings.globalBatch = countBehind(line, "global batch size");
      m_settings.sequenceLength = countBehind(line, "sequence length");
    } else if (const auto mesh = behind(line, "D device mesh with"); !mesh.empty()) {
      takeMesh(mesh);
    } else if (const auto list = behind(line, "device mesh with parallelism:"); !list.empty()) {
      for (const auto& [key, name] : {std::pair{"pp=", "pp"},
                                      {"dp_replicate=", "dp_replicate"},
                                      {"dp_shard=", "dp_shard"},
                                      {"cp=", "cp"},
                                      {" tp=", "tp"},
                                      {"ep=", "ep"}})
        if (const auto n = countBehind(list, key)) m_mesh[name] = *n;
      setDegrees();
    } else if (line.find("with torch.compile") != std::string_view::npos) {
      m_isCompiled = true;
    } else if (line.find("Async TP is enabled") != std::string_view::npos) {
      m_overlapsTensor = true;
    }
  }

  void step(std::string_view line, int number) {
    for (const std::string_view key : kRates)
      if (const auto tokens = numberBehind(line, key)) {
        const auto at = numberBehind(line, " step:");
        if (!(*tokens > 0) || !at) break;
        // Every rank may print the same step.
        m_steps.emplace(static_cast<long long>(*at), Step{*tokens, numberBehind(line, " tflops:")});
        if (const auto reserved = numberBehind(line, " memory:"); reserved && *reserved > 0)
          m_reserved = std::max(m_reserved.value_or(Bytes()), Bytes(*reserved * 1024 * 1024 * 1024));
        m_isOld = m_isOld || key == kRates[1];
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
        m_mesh[std::string(name.substr(begin + 1, end - begin - 1))] = *n;
    }
    setDegrees();
  }

  void setDegrees() {
    const auto of = [this](const char* name) {
      const auto it = m_mesh.find(name);
      return it == m_mesh.end() ? 1 : std::min(it->second, 1 << 15);
    };
    m_settings.tensor = of("tp");
    m_settings.pipeline = of("pp");
    m_settings.context = of("cp");
    m_settings.data = of("dp_replicate") * of("dp_shard") * of("dp");
    const double all =
        double(*m_settings.data) * *m_settings.tensor * *m_settings.pipeline * *m_settings.context;
    m_settings.devices = static_cast<int>(std::min(all, 1e9));
    if (of("ep") > 1) m_settings.expert = of("ep");
  }

  void tellProgram(RunSettings& s) const {
    const bool isNew = !m_isOld && std::any_of(m_steps.begin(), m_steps.end(),
                                               [](const auto& step) { return step.second.teraflops; });
    s.program = torchtitanProgram(m_isCompiled, isNew, m_overlapsTensor, s.tensor.value_or(1));
    s.programEvidence = m_isCompiled
                            ? std::string("it compiles its blocks") +
                                  (isNew ? " and prints tflops, as torchtitan does since 2025" : "") +
                                  (m_overlapsTensor ? ", with asynchronous tensor parallelism" : "")
                            : "it says nothing of torch.compile, so its kernels are PyTorch's eager ones";
  }

  void measure(TrainingRun& run) const {
    std::vector<double> tokens, rates;
    const int leftOut = warmUpOf(static_cast<int>(m_steps.size()));
    auto it = std::next(m_steps.begin(), leftOut);
    for (; it != m_steps.end(); ++it) {
      tokens.push_back(it->second.tokens);
      if (it->second.teraflops && *it->second.teraflops > 0) rates.push_back(*it->second.teraflops);
    }
    run.lines = static_cast<int>(tokens.size());
    run.leftOut = leftOut;
    run.isWarmUp = m_steps.size() == 1 && m_steps.begin()->first <= 1;
    run.tokensPerDevice = medianOf(std::move(tokens));
    if (!rates.empty()) run.rate = FlopsPerSecond(medianOf(std::move(rates)) * 1e12);
    run.reserved = m_reserved;
    const RunSettings& s = m_settings;
    if (s.globalBatch && s.sequenceLength && s.devices)
      run.step = Seconds(double(*s.globalBatch) * *s.sequenceLength / (*run.tokensPerDevice * *s.devices));
  }

  SourceText& m_source;
  RunSettings m_settings;
  std::map<std::string, int> m_mesh;
  std::map<long long, Step> m_steps;
  std::optional<Bytes> m_reserved;
  bool m_isCompiled = false, m_isOld = false, m_overlapsTensor = false;
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
        return readBy<TorchtitanLog>(text, file, kLongestLog, "log");
      })};
  return format;
}

}  // namespace nest
