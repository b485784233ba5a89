#include <algorithm>
#include <map>

#include "formats/format.h"
#include "formats/measurements/log_lines.h"
#include "text/decimal.h"

namespace nest {
namespace {

constexpr std::string_view kTime = "elapsed time per iteration (ms):";

/// Arguments that a release brought, the newest first: which program prints them.
struct Mark {
  const char *argument, *program, *release;
};
constexpr Mark kMarks[] = {
    {"attention_backend", "megatron-core-2025", "Megatron-Core 0.11"},
    {"calculate_per_token_loss", "megatron-core-2024", "Megatron-Core 0.7"},
    {"overlap_grad_reduce", "megatron-core-2023", "Megatron-LM of September 2023"},
    {"sequence_parallel", "megatron-2022", "Megatron-LM of April 2022"},
};

class MegatronLog {
public:
  explicit MegatronLog(SourceText& source) : m_source(source) {}

  std::optional<Measurement> run() {
    forEachLogLine(m_source.text(), [this](std::string_view line, int number) { take(line, number); });
    if (m_lines.empty() && m_arguments.empty() && !m_source.failed())
      m_source.error(m_source.whole(), "megatron-empty",
                     "no iteration has been logged, and no arguments are printed",
                     "give the output of a run that has trained for some iterations");
    if (m_source.failed()) return std::nullopt;
    TrainingRun run;
    run.settings = settings();
    run.allocated = m_allocated;
    run.reserved = m_reserved;
    measure(run);
    if (m_starts > 1)
      m_source.note(m_source.whole(), "log-restarted",
                    "the run was started " + std::to_string(m_starts) + " times; the last start counts");
    return Measurement{std::move(run)};
  }

private:
  struct Line {
    double milliseconds;
    std::optional<double> teraflops, batch, number;
  };

  void take(std::string_view line, int number) {
    if (line.find("- arguments -") != std::string_view::npos) {
      m_isInArguments = true;
      m_arguments.clear();
      m_lines.clear();
      m_allocated.reset();
      m_reserved.reset();
      ++m_starts;
    } else if (line.find("- end of arguments -") != std::string_view::npos) {
      m_isInArguments = false;
    } else if (line.find(kTime) != std::string_view::npos) {
      iteration(line, number);
    } else if (line.find("memory (MB) |") != std::string_view::npos) {
      memory(line);
    } else if (line.find("using world size:") != std::string_view::npos) {
      degrees(line);
    } else if (m_isInArguments) {
      argument(line);
    }
  }

  /// "  tensor_model_parallel_size ...................... 8", behind whatever a launcher puts before it.
  void argument(std::string_view line) {
    const auto dots = line.find(" ..");
    if (dots == std::string_view::npos || m_arguments.size() > 4000) return;
    const auto value = line.find_first_not_of(". ", dots);
    const std::string_view before = line.substr(0, dots);
    const auto blank = before.find_last_of(" \t");
    m_arguments[std::string(blank == std::string_view::npos ? before : before.substr(blank + 1))] =
        value == std::string_view::npos ? std::string() : std::string(line.substr(value));
  }

  void iteration(std::string_view line, int number) {
    const auto time = numberBehind(line, kTime);
    if (!time || !(*time > 0)) {
      m_source.error(m_source.placeOfLine(number), "megatron-time",
                     "the time of an iteration must be a number of milliseconds above 0",
                     "leave broken lines out");
      return;
    }
    m_lines.push_back({*time, numberBehind(line, "(TFLOP/s/GPU):"), numberBehind(line, "global batch size:"),
                       numberBehind(line, "] iteration")});
    const auto year = line.find("[20");
    if (year != std::string_view::npos)
      m_year = static_cast<int>(readWhole(line.substr(year + 1, 4), 2000, 2099).value_or(0));
  }

  void memory(std::string_view line) {
    const auto most = [&line](std::optional<Bytes>& known, const char* label) {
      if (const auto v = numberBehind(line, label); v && *v > 0)
        known = std::max(known.value_or(Bytes()), Bytes(*v * 1024 * 1024));
    };
    most(m_allocated, "max allocated:");
    most(m_reserved, "max reserved:");
  }

  /// "using world size: 64, data-parallel size: 2, …": printed before the arguments.
  void degrees(std::string_view line) {
    m_degrees.devices = countBehind(line, "world size:");
    m_degrees.data = countBehind(line, "data-parallel size:");
    if (!m_degrees.data) m_degrees.data = countBehind(line, "data-parallel-size:");
    m_degrees.context = countBehind(line, "context-parallel size:");
    m_degrees.tensor = countBehind(line, "tensor-model-parallel size:");
    m_degrees.pipeline = countBehind(line, "pipeline-model-parallel size:");
  }

  const std::string* valueOf(const char* name) const {
    const auto it = m_arguments.find(name);
    return it == m_arguments.end() ? nullptr : &it->second;
  }
  std::optional<int> countOf(const char* name) const {
    const std::string* v = valueOf(name);
    const auto n = v ? readWhole(*v, 1, 1'000'000'000) : std::nullopt;
    return n ? std::optional(static_cast<int>(*n)) : std::nullopt;
  }
  std::optional<bool> flagOf(const char* name) const {
    const std::string* v = valueOf(name);
    return v && (*v == "True" || *v == "False") ? std::optional(*v == "True") : std::nullopt;
  }

  RunSettings settings() const {
    RunSettings s = m_degrees;
    const auto set = [this](std::optional<int>& to, const char* name) {
      if (const auto v = countOf(name)) to = v;
    };
    set(s.devices, "world_size");
    set(s.tensor, "tensor_model_parallel_size");
    set(s.pipeline, "pipeline_model_parallel_size");
    set(s.context, "context_parallel_size");
    set(s.expert, "expert_model_parallel_size");
    set(s.data, "data_parallel_size");
    set(s.microbatch, "micro_batch_size");
    set(s.globalBatch, "global_batch_size");
    set(s.sequenceLength, "seq_length");
    set(s.layers, "num_layers");
    set(s.hidden, "hidden_size");
    set(s.chunks, "virtual_pipeline_model_parallel_size");
    if (s.pipeline && !s.chunks && !m_arguments.empty()) s.chunks = 1;
    s.sequenceParallel = flagOf("sequence_parallel");
    if (const auto sharded = flagOf("use_distributed_optimizer"))
      s.zero = *sharded && s.data.value_or(2) > 1 ? 1 : 0;
    if (!m_lines.empty() && m_lines.back().batch && *m_lines.back().batch >= 1)
      s.globalBatch = static_cast<int>(*m_lines.back().batch);
    tellProgram(s);
    return s;
  }

  void tellProgram(RunSettings& s) const {
    if (!m_arguments.empty()) {
      const auto mark = std::find_if(std::begin(kMarks), std::end(kMarks),
                                     [this](const Mark& m) { return valueOf(m.argument); });
      if (mark == std::end(kMarks)) {
        s.program = "megatron-2021";
        s.programEvidence =
            "its arguments lack sequence_parallel, which Megatron-LM has had since April 2022";
      } else {
        s.program = mark->program;
        s.programEvidence =
            std::string("its arguments hold ") + mark->argument + ", which came with " + mark->release;
      }
    } else if (m_year >= 2024) {
      s.program = m_year == 2024 ? "megatron-core-2024" : "megatron-core-2025";
      s.programEvidence =
          "it is a Megatron-LM log of " + std::to_string(m_year) + ", whose version it does not print";
    }
  }

  /// Lines of the last batch size, warm-up left out.
  void measure(TrainingRun& run) const {
    if (m_lines.empty()) return;
    std::size_t begin = m_lines.size();
    while (begin > 0 && m_lines[begin - 1].batch == m_lines.back().batch) --begin;
    begin += static_cast<std::size_t>(warmUpOf(static_cast<int>(m_lines.size() - begin)));
    std::vector<double> times, rates;
    for (std::size_t i = begin; i < m_lines.size(); ++i) {
      times.push_back(m_lines[i].milliseconds);
      if (m_lines[i].teraflops && *m_lines[i].teraflops > 0) rates.push_back(*m_lines[i].teraflops);
    }
    run.lines = static_cast<int>(times.size());
    run.leftOut = static_cast<int>(begin);
    run.isWarmUp = m_lines.size() == 1 && (m_starts > 0 || m_degrees.devices || m_lines[0].number == 1);
    run.step = Seconds(medianOf(std::move(times)) * 1e-3);
    if (!rates.empty()) run.rate = FlopsPerSecond(medianOf(std::move(rates)) * 1e12);
  }

  SourceText& m_source;
  std::map<std::string, std::string> m_arguments;
  RunSettings m_degrees;
  std::vector<Line> m_lines;
  std::optional<Bytes> m_allocated, m_reserved;
  int m_starts = 0, m_year = 0;
  bool m_isInArguments = false;
};

}  // namespace

const Format& megatronLogFormat() {
  static constexpr Format format = {
      .key = "megatron-log",
      .name = "Megatron-LM log",
      .suffixes = "log out txt",
      .fileNames = "",
      .example =
          " [2025-03-02 11:04:10] iteration       20/    1000 | consumed samples:         5120 | elapsed "
          "time per "
          "iteration (ms): 12345.6 | throughput per GPU (TFLOP/s/GPU): 412.3 | global batch size:   256 |",
      .remarks =
          "What the run printed, its arguments included: step time (median after warm-up), TFLOP/s, memory;\n"
          "import takes program, degrees and batch from it, evaluate --measured calibrates by it.",
      .claims =
          [](const FileLook& f) {
            return f.has("elapsed time per iteration (ms):") ||
                   (f.has("- arguments -") && f.has("tensor_model_parallel_size"));
          },
      .read = ReadMeasurement([](std::string_view text, const std::string& file) {
        return readBy<MegatronLog>(text, file, kLongestLog, "log");
      })};
  return format;
}

}  // namespace nest
