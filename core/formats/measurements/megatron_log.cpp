#include <algorithm>
#include <map>
#include <utility>

#include "formats/format.h"
#include "formats/measurements/log_lines.h"
#include "formats/measurements/megatron_arguments.h"
#include "formats/unused_parts.h"
#include "program/container.h"
#include "text/decimal.h"
#include "units/letters.h"

namespace nest {
namespace {

using namespace megatron;

/// BigScience's Megatron-DeepSpeed prints seconds.
constexpr std::string_view kTime = "elapsed time per iteration (ms):",
                           kSeconds = "elapsed time per iteration (s):";

/// "  tensor_model_parallel_size ...................... 8", behind whatever a launcher puts before it.
struct Argument {
  std::string_view name, value;
};
std::optional<Argument> argumentIn(std::string_view line) {
  const auto dots = line.find(" ..");
  if (dots == std::string_view::npos) return std::nullopt;
  const std::string_view before = line.substr(0, dots);
  const auto blank = before.find_last_of(" \t");
  const auto value = line.find_first_not_of(". ", dots);
  return Argument{blank == std::string_view::npos ? before : before.substr(blank + 1),
                  value == std::string_view::npos ? std::string_view() : text::trimmed(line.substr(value))};
}
bool isArgumentName(std::string_view s) {
  return !s.empty() && s.front() >= 'a' && s.front() <= 'z' &&
         s.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

class MegatronLog {
public:
  explicit MegatronLog(SourceText& source) : m_source(source), m_openLine(openLineOf(source.text())) {}

  std::optional<Measurement> run() {
    forEachLogLine(m_source.text(), [this](std::string_view line, int number) { take(line, number); });
    chooseStart();
    if (m_now.lines.empty() && m_now.arguments.empty() && !m_source.failed())
      m_source.error(m_source.whole(), "megatron-empty",
                     "no iteration has been logged, and no arguments are printed",
                     "give the output of a run that has trained for some iterations");
    if (m_source.failed()) return std::nullopt;
    TrainingRun run;
    run.settings = settings();
    checkSettings(run.settings);
    run.allocated = m_now.allocated;
    run.reserved = m_now.reserved;
    measure(run);
    tellCut(m_source, m_cut);
    noteUnused(run.settings);
    return Measurement{std::move(run)};
  }

private:
  struct Line {
    double milliseconds;
    std::optional<double> teraflops, batch, number;
    bool skips;  ///< some of its iterations ended without the optimizer's step
  };
  /// From one print of the arguments to the next, or until iterations are counted anew.
  struct Start {
    struct Value {
      std::string text;
      int line = 0;
    };
    std::map<std::string, Value> arguments;
    RunSettings degrees;  ///< as printed before the arguments
    std::vector<Line> lines;
    std::optional<Bytes> allocated, reserved;
    std::optional<int> month;  ///< of its lines
  };

  void take(std::string_view line, int number) {
    if (line.find("- arguments -") != std::string_view::npos) {
      m_isInArguments = true;
      if (m_isCounted || !m_now.lines.empty()) begin();
      m_isCounted = true;
      m_now.arguments.clear();
      if (m_next) m_now.degrees = *std::exchange(m_next, std::nullopt);
    } else if (line.find("- end of arguments -") != std::string_view::npos) {
      m_isInArguments = false;
    } else if (line.find(kTime) != std::string_view::npos) {
      iteration(line, kTime, 1, number);
      memory(line);  // ranks may print into one another's lines
    } else if (line.find(kSeconds) != std::string_view::npos) {
      iteration(line, kSeconds, 1e3, number);
    } else if (line.find("memory (MB) |") != std::string_view::npos) {
      memory(line);
    } else if (line.find("using world size:") != std::string_view::npos) {
      m_next = degreesIn(line);
      if (!m_isCounted) m_now.degrees = *m_next;
    } else if (m_isInArguments) {
      argument(line, number);
    } else if (line.find(" ...") != std::string_view::npos) {
      // The line above the list may be cut away.
      if (const auto a = argumentIn(line); a && isArgumentName(a->name)) argument(line, number);
    } else if (line.find("] datetime: 20") != std::string_view::npos) {
      date(line);
    }
  }

  void date(std::string_view line) {
    if (const auto month = monthOf(line)) m_now.month = std::max(m_now.month.value_or(0), *month);
  }

  void begin() { m_before.push_back(std::exchange(m_now, {})); }
  /// The last one that trained for longer than its warm-up; else that trained at all; else the last.
  void chooseStart() {
    const int starts = static_cast<int>(m_before.size()) + 1;
    m_before.push_back(std::move(m_now));
    const auto lastWith = [this](std::size_t lines) {
      return std::find_if(m_before.rbegin(), m_before.rend(),
                          [lines](const Start& s) { return s.lines.size() >= lines; });
    };
    auto chosen = lastWith(2);
    if (chosen == m_before.rend()) chosen = lastWith(1);
    if (chosen == m_before.rend()) chosen = m_before.rbegin();
    const bool isLast = chosen == m_before.rbegin();
    m_now = std::move(*chosen);
    if (starts > 1)
      m_source.note(m_source.whole(), "log-restarted",
                    "the run was started " + std::to_string(starts) + " times; the last start " +
                        (isLast ? "counts" : "that trained counts"));
  }

  void argument(std::string_view line, int number) {
    const auto a = argumentIn(line);
    if (a && m_now.arguments.size() <= 4000)
      m_now.arguments[std::string(a->name)] = {std::string(a->value), number};
  }

  void iteration(std::string_view line, std::string_view label, double milliseconds, int number) {
    const std::string_view rest = behind(line, label);
    const bool isWhole = rest.find('|') != std::string_view::npos &&
                         (number != m_openLine || text::trimmed(rest).ends_with('|'));
    if (!isWhole) {
      ++m_cut;
      return;
    }
    const auto time = numberBehind(line, label);
    if (!time || !(*time > 0)) {
      m_source.error(m_source.placeOfLine(number), "megatron-time",
                     "the time of an iteration must be a number of milliseconds above 0",
                     "leave broken lines out");
      return;
    }
    auto rate = numberBehind(line, "(TFLOP/s/GPU):");
    if (!rate) rate = numberBehind(line, "| TFLOPs:");
    const auto at = numberBehind(line, "iteration ");
    const Line now{*time * milliseconds, rate, numberBehind(line, "global batch size:"), at,
                   numberBehind(line, "skipped iterations:").value_or(0) > 0};
    if (!m_now.lines.empty() && at && m_now.lines.back().number && *at <= *m_now.lines.back().number) {
      if (*at == *m_now.lines.back().number && now.milliseconds == m_now.lines.back().milliseconds)
        return;  // two copies of the output
      // Another rank printed the arguments of this start, if any.
      begin();
      m_now.arguments = m_before.back().arguments;
      m_now.degrees = m_before.back().degrees;
    }
    m_now.lines.push_back(now);
    date(line);
  }

  void memory(std::string_view line) {
    const auto most = [&line](std::optional<Bytes>& known, const char* label) {
      if (const auto v = numberBehind(line, label); v && *v > 0)
        known = std::max(known.value_or(Bytes()), Bytes(*v * 1024 * 1024));
    };
    most(m_now.allocated, "max allocated:");
    most(m_now.reserved, "max reserved:");
  }

  /// "using world size: 64, data-parallel size: 2, …": printed before the arguments.
  static RunSettings degreesIn(std::string_view line) {
    RunSettings s;
    s.devices = countBehind(line, "world size:");
    s.data = countBehind(line, "data-parallel size:");
    if (!s.data) s.data = countBehind(line, "data-parallel-size:");
    s.context = countBehind(line, "context-parallel size:");
    s.tensor = countBehind(line, "tensor-model-parallel size:");
    s.pipeline = countBehind(line, "pipeline-model-parallel size:");
    return s;
  }

  const std::string* valueOf(const char* name) const {
    const auto it = m_now.arguments.find(name);
    return it == m_now.arguments.end() ? nullptr : &it->second.text;
  }
  void ignore(const char* name, const char* expected) {
    const Start::Value& v = m_now.arguments.find(name)->second;
    m_source.warning(
        m_source.placeOfLine(v.line), "megatron-argument",
        std::string(name) + " must be " + expected + ", not " + quoted(v.text) + "; it is ignored",
        "correct it, or leave the line out");
  }
  std::optional<int> countOf(const char* name) {
    const std::string* v = valueOf(name);
    if (!v || *v == "None") return std::nullopt;
    const auto n = readWhole(*v, 1, 1'000'000'000);
    if (!n && !v->starts_with('[')) ignore(name, "a whole number of at least 1");
    return n ? std::optional(static_cast<int>(*n)) : std::nullopt;
  }
  std::optional<double> shareOf(const char* name) {
    const std::string* v = valueOf(name);
    if (!v || *v == "None") return std::nullopt;
    const auto share = readDecimal(*v);
    if (!share || *share < 0 || *share > 1) {
      ignore(name, "a number from 0 to 1");
      return std::nullopt;
    }
    return share;
  }
  std::optional<bool> flagOf(const char* name) {
    const std::string* v = valueOf(name);
    if (!v || *v == "None") return std::nullopt;
    if (*v != "True" && *v != "False") {
      ignore(name, "True or False");
      return std::nullopt;
    }
    return *v == "True";
  }

  RunSettings settings() {
    RunSettings s = m_now.degrees;
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
    set(s.heads, "num_attention_heads");
    set(s.intermediate, "ffn_hidden_size");
    set(s.experts, "num_experts");
    if (s.experts) set(s.expertsPerToken, "moe_router_topk");
    if (flagOf("group_query_attention").value_or(false)) set(s.keyValueHeads, "num_query_groups");
    set(s.chunks, "virtual_pipeline_model_parallel_size");
    if (s.pipeline && !s.chunks && !m_now.arguments.empty()) s.chunks = 1;
    s.sequenceParallel = flagOf("sequence_parallel");
    s.zero = zeroStage(s);
    s.recompute = recompute(s);
    s.format = format();
    if (flagOf("optimizer_cpu_offload").value_or(false)) {
      s.offloadedOptimizer = shareOf("optimizer_offload_fraction").value_or(1);
      s.overlapsOptimizerCopies = flagOf("overlap_cpu_optimizer_d2h_h2d").value_or(false);
    }
    if (!m_now.lines.empty() && m_now.lines.back().batch && *m_now.lines.back().batch >= 1)
      s.globalBatch = static_cast<int>(*m_now.lines.back().batch);
    tellProgram(s);
    return s;
  }

  std::optional<int> zeroStage(const RunSettings& s) {
    const auto isOn = [this](const char* name) { return flagOf(name) == true; };
    const auto sharded = flagOf("use_distributed_optimizer");
    std::optional<int> stage = sharded ? std::optional(*sharded ? 1 : 0) : std::nullopt;
    if (isOn("use_torch_fsdp2")) stage = flagOf("torch_fsdp2_reshard_after_forward").value_or(true) ? 3 : 2;
    if (isOn("use_megatron_fsdp") || isOn("use_custom_fsdp"))
      for (const auto& [strategy, z] : {std::pair{"no_shard", 0}, std::pair{"optim", 1},
                                        std::pair{"optim_grads", 2}, std::pair{"optim_grads_params", 3}})
        if (const std::string* v = valueOf("data_parallel_sharding_strategy"); v && *v == strategy) stage = z;
    return stage && s.data.value_or(2) == 1 ? std::optional(0) : stage;
  }

  /// Unset where only some layers or other modules than the core of attention are computed again.
  std::optional<Recompute> recompute(const RunSettings& s) {
    const std::string* granularity = valueOf("recompute_granularity");
    if (!granularity) return std::nullopt;
    if (*granularity == "None") return Recompute::None;
    if (*granularity == "selective") {
      const std::string* modules = valueOf("recompute_modules");
      return !modules || *modules == "None" || *modules == "['core_attn']"
                 ? std::optional(Recompute::Selective)
                 : std::nullopt;
    }
    if (*granularity != "full") return std::nullopt;
    const std::string* method = valueOf("recompute_method");
    if (!method || *method != "block") return Recompute::Full;
    const int parts = s.pipeline.value_or(1) * s.chunks.value_or(1);
    const auto blocks = countOf("recompute_num_layers");
    return blocks && s.layers && *blocks >= (*s.layers + parts - 1) / parts ? std::optional(Recompute::Full)
                                                                            : std::nullopt;
  }

  std::optional<NumberFormat> format() {
    const std::string *fp8 = valueOf("fp8"), *fp4 = valueOf("fp4"), *recipe = valueOf("fp8_recipe");
    if (fp4 && *fp4 != "None" && *fp4 != "False") return numberFormatNamed("nvfp4");
    if ((fp8 && *fp8 != "None" && *fp8 != "False") || flagOf("fp8_hybrid").value_or(false) ||
        flagOf("fp8_e4m3").value_or(false))
      return recipe && *recipe == "mxfp8" ? numberFormatNamed("mxfp8") : NumberFormat::Fp8;
    const auto bf16 = flagOf("bf16"), fp16 = flagOf("fp16");
    if (bf16.value_or(false)) return NumberFormat::Bf16;
    if (fp16.value_or(false)) return NumberFormat::Fp16;
    return bf16 && fp16 ? std::optional(NumberFormat::Fp32) : std::nullopt;
  }

  /// Degrees that contradict each other were printed by no run.
  void checkSettings(const RunSettings& s) {
    if (!s.devices || !s.tensor || !s.pipeline || !s.data) return;
    const double product = double(*s.tensor) * *s.pipeline * *s.data * s.context.value_or(1);
    if (product != *s.devices)
      m_source.warning(m_source.whole(), "run-degrees",
                       "the degrees multiply to " + std::to_string(static_cast<long long>(product)) +
                           ", and the world size is " + std::to_string(*s.devices),
                       "correct the arguments that were changed by hand");
  }

  void noteUnused(const RunSettings& s) {
    UnusedParts unused;
    const auto add = [&](const char* name) { unused.add(std::string(name) + " = " + *valueOf(name)); };
    for (const Unmodelled& u : kUnmodelled)
      if (const std::string* v = valueOf(u.argument))
        if (*v != u.usual && *v != "['" + std::string(u.usual) + "']" && *v != "None" && *v != "False")
          add(u.argument);
    if (const std::string* v = valueOf("recompute_granularity"); v && *v != "None" && !s.recompute)
      add("recompute_granularity");
    // Experts are split like all else, or not at all.
    if (const std::string* v = valueOf("expert_tensor_parallel_size");
        v && *v != "None" && s.tensor && *v != std::to_string(*s.tensor))
      add("expert_tensor_parallel_size");
    unused.report(m_source);
  }

  /// The newest argument decides; a list that was cut tells the least, and its lines are no older than what
  /// printed them.
  void tellProgram(RunSettings& s) const {
    const auto mark = std::find_if(std::begin(kMarks), std::end(kMarks),
                                   [this](const Mark& m) { return valueOf(m.argument); });
    const bool isWhole = m_now.arguments.size() >= kLeastArguments, hasMark = mark != std::end(kMarks);
    std::optional<std::size_t> release;
    if (hasMark)
      release = mark->release;
    else if (isWhole)
      release = kOldest;
    if (hasMark)
      s.programEvidence =
          std::string("its arguments hold ") + mark->argument + ", which came with " + mark->name;
    else if (isWhole)
      s.programEvidence = "its arguments lack sequence_parallel, which Megatron-LM has had since April 2022";
    if (m_now.month && !isWhole) {
      std::size_t dated = kOldest;
      for (std::size_t r = 0; r < std::size(kReleases); ++r)
        if (kReleases[r].since <= *m_now.month) dated = r;
      if (!release || dated > *release) {
        s.programEvidence = "it is a Megatron-LM log of " + std::to_string(*m_now.month / 12) +
                            (release ? ", and " + s.programEvidence : ", whose version it does not print");
        release = dated;
      }
    }
    if (release) s.program = kReleases[*release].program;
    if (const auto held = programOfContainer(m_source.text())) {
      s.program = held->program;
      s.programEvidence = "it names the container " + held->container;
    }
  }

  /// Lines of the last batch size, warm-up left out; and those with skipped iterations, which are shorter,
  /// where others are left.
  void measure(TrainingRun& run) {
    const std::vector<Line>& lines = m_now.lines;
    if (lines.empty()) return;
    std::size_t begin = lines.size();
    while (begin > 0 && lines[begin - 1].batch == lines.back().batch) --begin;
    begin += static_cast<std::size_t>(warmUpOf(static_cast<int>(lines.size() - begin)));
    const bool hasWhole =
        std::any_of(lines.begin() + begin, lines.end(), [](const Line& l) { return !l.skips; });
    std::vector<double> times, rates;
    int skipped = 0;
    for (std::size_t i = begin; i < lines.size(); ++i) {
      skipped += lines[i].skips;
      if (lines[i].skips && hasWhole) continue;
      times.push_back(lines[i].milliseconds);
      if (lines[i].teraflops && *lines[i].teraflops > 0) rates.push_back(*lines[i].teraflops);
    }
    if (skipped > 0 && hasWhole)
      m_source.note(m_source.whole(), "log-skipped",
                    "lines with skipped iterations are left out, as the optimizer does not step in them: " +
                        std::to_string(skipped));
    else if (skipped > 0)
      m_source.warning(m_source.whole(), "log-skipped",
                       "all lines have skipped iterations, in which the optimizer does not step",
                       "give a log that goes on after them");
    run.lines = static_cast<int>(times.size());
    run.leftOut = static_cast<int>(lines.size() - times.size());
    run.isWarmUp =
        lines.size() == 1 && (!m_now.arguments.empty() || m_now.degrees.devices || lines[0].number == 1);
    run.step = Seconds(medianOf(std::move(times)) * 1e-3);
    if (!rates.empty()) run.rate = FlopsPerSecond(medianOf(std::move(rates)) * 1e12);
  }

  SourceText& m_source;
  Start m_now;
  std::vector<Start> m_before;
  std::optional<RunSettings> m_next;  ///< degrees of the start whose arguments follow
  int m_cut = 0, m_openLine = 0;
  bool m_isInArguments = false, m_isCounted = false;
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
            return f.has("elapsed time per iteration (ms):") || f.has("elapsed time per iteration (s):") ||
                   f.has("_model_parallel_size ...") || (f.has("num_layers ...") && f.has("hidden_size ..."));
          },
      .read = ReadMeasurement([](std::string_view text, const std::string& file) {
        return readBy<MegatronLog>(text, file, kLongestLog, "a log");
      })};
  return format;
}

}  // namespace nest
