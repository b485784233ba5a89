#include <algorithm>
#include <map>

#include "formats/format.h"
#include "formats/measurements/log_lines.h"
#include "text/decimal.h"
#include "units/letters.h"

namespace nest {
namespace {

constexpr std::size_t kMostBytes = 1u << 20;

class TorchtitanConfig {
public:
  explicit TorchtitanConfig(SourceText& source) : m_source(source) {}

  std::optional<Measurement> run() {
    forEachLogLine(m_source.text(), [this](std::string_view line, int number) { take(line, number); });
    if (isOpen()) broken(m_begin, "a list or text is not closed");
    if (!m_values.contains("training.seq_len") && !m_source.failed())
      m_source.error(m_source.whole(), "torchtitan-config",
                     "the configuration has no seq_len under [training]",
                     "give the TOML file that torchtitan was started with");
    TrainingRun run;
    RunSettings& s = run.settings;
    s.sequenceLength = count("training.seq_len");
    s.tensor = degree("tensor_parallel_degree");
    s.pipeline = degree("pipeline_parallel_degree");
    s.context = degree("context_parallel_degree");
    s.expert = degree("expert_parallel_degree");
    const auto replicate = degree("data_parallel_replicate_degree"),
               shard = degree("data_parallel_shard_degree");
    if (shard) {
      s.data = static_cast<int>(std::min(double(*shard) * replicate.value_or(1), 1e6));
      s.devices = static_cast<int>(std::min(
          double(*s.data) * s.tensor.value_or(1) * s.pipeline.value_or(1) * s.context.value_or(1), 1e9));
    }
    s.globalBatch = count("training.global_batch_size");
    const auto local = m_values.contains("training.local_batch_size") ? count("training.local_batch_size")
                                                                      : count("training.batch_size");
    if (s.pipeline.value_or(1) == 1)
      s.microbatch = local;
    else
      s.microbatch = count("parallelism.pipeline_parallel_microbatch_size");
    if (!s.globalBatch && local && s.data)
      s.globalBatch = static_cast<int>(std::min(double(*local) * *s.data, 1e9));
    const auto says = [this](const char* key, const char* part) {
      const auto it = m_values.find(key);
      return it != m_values.end() && it->second.first.find(part) != std::string::npos;
    };
    if (const char* key = "activation_checkpoint.mode"; m_values.contains(key))
      s.recompute = says(key, "full")        ? std::optional(Recompute::Full)
                    : says(key, "selective") ? std::optional(Recompute::Selective)
                    : says(key, "none")      ? std::optional(Recompute::None)
                                             : std::nullopt;
    if (says("model.converters", "float8") || isOn("float8.enable_float8_linear"))
      s.format = NumberFormat::Fp8;
    tellProgram(s);
    if (m_source.failed()) return std::nullopt;
    return Measurement{std::move(run)};
  }

private:
  /// A value goes on over the lines that follow.
  bool isOpen() const { return m_depth > 0 || m_quote; }

  /// The line without its comment; keeps track of lists, tables inside them and texts of several lines.
  std::string_view scan(std::string_view line) {
    char quote = 0;  // of a text that ends on this line
    for (std::size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      const bool isTriple = (c == '"' || c == '\'') && line.substr(i, 3) == std::string(3, c);
      if (c == '\\' && (m_quote == '"' || quote == '"'))
        ++i;
      else if (m_quote ? c == m_quote && isTriple : !quote && isTriple)
        m_quote = m_quote ? 0 : c, i += 2;
      else if (quote ? c == quote : !m_quote && (c == '"' || c == '\''))
        quote = quote ? 0 : c;
      else if (m_quote || quote)
        continue;
      else if (c == '#')
        return line.substr(0, i);
      else
        m_depth += (c == '[' || c == '{') - (c == ']' || c == '}');
    }
    return line;
  }

  void take(std::string_view raw, int number) {
    const bool goesOn = isOpen();
    const std::string_view line = text::trimmed(scan(raw));
    if (m_depth < 0) {
      m_depth = 0;
      return broken(number);
    }
    if (goesOn || line.empty()) return;
    m_begin = number;
    if (line.starts_with('[')) {
      if (!line.ends_with(']') || isOpen()) {
        m_depth = 0;
        return broken(number);
      }
      m_table = std::string(text::trimmed(line.substr(1, line.size() - 2)));
      return;
    }
    const auto equals = line.find('=');
    if (equals == std::string_view::npos || equals == 0) return broken(number);
    const std::string_view value = text::trimmed(line.substr(equals + 1));
    if (value.empty()) return broken(number);
    const std::string key(text::trimmed(line.substr(0, equals)));
    if (m_values.size() < 10'000)
      m_values[m_table.empty() ? key : m_table + '.' + key] = {std::string(value), number};
  }
  void broken(int number, const char* what = "a line is [table] or key = value") {
    m_source.error(m_source.placeOfLine(number), "toml-line", what,
                   "give the TOML file as torchtitan reads it");
  }

  /// A whole number of at least 1; −1 stands for what is left to torchtitan.
  std::optional<int> count(const std::string& key) {
    const auto it = m_values.find(key);
    if (it == m_values.end()) return std::nullopt;
    std::string digits = it->second.first;
    digits.erase(std::remove(digits.begin(), digits.end(), '_'), digits.end());
    const auto v = readWhole(digits, -1, 1'000'000'000);
    if (!v || *v == 0)
      m_source.error(m_source.placeOfLine(it->second.second), "toml-count",
                     key + " must be a whole number of at least 1, or -1", "correct it");
    return v && *v >= 1 ? std::optional(static_cast<int>(*v)) : std::nullopt;
  }
  /// Degrees stood under [training] and [experimental] before they got a table of their own.
  std::optional<int> degree(const std::string& key) {
    for (const char* table : {"parallelism.", "training.", "experimental."})
      if (const auto n = count(table + key)) return n;
    return std::nullopt;
  }

  bool isOn(const std::string& key) const {
    const auto it = m_values.find(key);
    return it != m_values.end() && it->second.first == "true";
  }

  void tellProgram(RunSettings& s) const {
    const bool isRecent = isOn("compile.enable"), compiles = isRecent || isOn("training.compile");
    const bool overlaps =
        isOn("parallelism.enable_async_tensor_parallel") || isOn("experimental.enable_async_tensor_parallel");
    s.program = torchtitanProgram(compiles, isRecent, overlaps, s.tensor.value_or(1));
    s.programEvidence =
        !compiles  ? "its configuration does not compile, so its kernels are PyTorch's eager ones"
        : overlaps ? "its configuration compiles, with asynchronous tensor parallelism"
        : isRecent
            ? "its configuration has a table [compile] that is on, as torchtitan has since August 2025, "
              "without asynchronous tensor parallelism"
            : "its configuration has compile = true under [training]";
  }

  SourceText& m_source;
  std::map<std::string, std::pair<std::string, int>> m_values;  ///< "table.key" → value and line
  std::string m_table;
  int m_depth = 0;   ///< of lists that are open
  char m_quote = 0;  ///< of a text over several lines that is open
  int m_begin = 0;   ///< line of the last key or table
};

}  // namespace

const Format& torchtitanConfigFormat() {
  static constexpr Format format = {
      .key = "torchtitan-config",
      .name = "torchtitan configuration",
      .suffixes = "toml",
      .fileNames = "",
      .example =
          "[training]\nlocal_batch_size = 8\nseq_len = 8192\n[parallelism]\ntensor_parallel_degree = 8",
      .remarks = "Program, degrees and batch for import; it measures nothing.",
      .claims = [](const FileLook& f) { return f.has("[training]") && f.has("parallel_degree"); },
      .read = ReadMeasurement([](std::string_view text, const std::string& file) {
        return readBy<TorchtitanConfig>(text, file, kMostBytes, "a configuration");
      })};
  return format;
}

}  // namespace nest
