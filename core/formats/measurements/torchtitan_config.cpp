#include <algorithm>
#include <map>
#include <utility>

#include "formats/format.h"
#include "formats/measurements/log_lines.h"
#include "formats/unused_parts.h"
#include "text/decimal.h"
#include "units/letters.h"

namespace nest {
namespace {

constexpr std::size_t kMostTorchtitanBytes = 1u << 20;

class TorchtitanConfig {
public:
  explicit TorchtitanConfig(SourceText& source) : m_source(source) {}

  std::optional<Measurement> run() {
    m_isCommand = !hasTable();
    forEachLogLine(m_source.text(), [this](std::string_view line, int number) {
      m_isCommand ? takeOptions(line, number) : take(line, number);
    });
    if (isOpen()) broken(m_begin, "a list or text is not closed");
    if (m_isCommand ? m_values.empty() : !m_values.contains("training.seq_len"))
      if (!m_source.failed())
        m_source.error(m_source.whole(), "torchtitan-config",
                       m_isCommand ? "there is no table [training], and no option like --training.seq_len"
                                   : "the configuration has no seq_len under [training]",
                       "give the TOML file that torchtitan was started with");
    TrainingRun run;
    RunSettings& s = run.settings;
    s.sequenceLength = count("training.seq_len");
    s.tensor = degree("tensor_parallel_degree", 1);
    s.pipeline = degree("pipeline_parallel_degree", 1);
    s.context = degree("context_parallel_degree", 1);
    s.expert = degree("expert_parallel_degree", 1);
    const auto replicate = degree("data_parallel_replicate_degree", 1),
               shard = degree("data_parallel_shard_degree", {});
    if (shard) {
      s.data = static_cast<int>(std::min(double(*shard) * replicate.value_or(1), 1e6));
      s.devices = static_cast<int>(std::min(
          double(*s.data) * s.tensor.value_or(1) * s.pipeline.value_or(1) * s.context.value_or(1), 1e9));
    }
    s.fillsCluster = !s.data && !m_isCommand;
    s.globalBatch = count("training.global_batch_size");
    s.localBatch = localBatch();
    if (s.pipeline.value_or(1) == 1)
      s.microbatch = s.localBatch;
    else
      s.microbatch = count("parallelism.pipeline_parallel_microbatch_size");
    if (!s.globalBatch && s.localBatch && s.data)
      s.globalBatch = static_cast<int>(std::min(double(*s.localBatch) * *s.data, 1e9));
    s.recompute = recompute();
    if (says("model.converters", "float8") || isOn("float8.enable_float8_linear"))
      s.format = NumberFormat::Fp8;
    tellProgram(s);
    noteUnused();
    if (m_source.failed()) return std::nullopt;
    return Measurement{std::move(run)};
  }

private:
  struct Value {
    std::string text;
    int line = 0;
    bool isRead = false;
  };

  bool hasTable() const {
    bool has = false;
    forEachLogLine(m_source.text(), [&](std::string_view line, int) {
      has = has || text::trimmed(line).starts_with("[training]");
    });
    return has;
  }

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
    keep(m_table.empty() ? key : m_table + '.' + key, std::string(value), number);
  }
  void keep(std::string key, std::string value, int number) {
    if (m_values.size() < 10'000) m_values[std::move(key)] = {std::move(value), number};
  }

  /// "--training.seq_len 4096 --compile.enable --parallelism.tensor_parallel_degree=2", over the values of a
  /// configuration that is not here.
  void takeOptions(std::string_view line, int number) {
    while (true) {
      line.remove_prefix(std::min(line.find_first_not_of(" \t\\\"'"), line.size()));
      if (line.empty()) break;
      const std::string_view word = line.substr(0, line.find_first_of(" \t\\\"'"));
      line.remove_prefix(word.size());
      const bool isOption = word.starts_with("--") && word.find('.') != std::string_view::npos;
      if (isOption) {
        const auto equals = word.find('=');
        m_option = std::string(word.substr(2, equals == std::string_view::npos ? equals : equals - 2));
        std::replace(m_option.begin(), m_option.end(), '-', '_');
        keep(m_option, equals == std::string_view::npos ? "true" : std::string(word.substr(equals + 1)),
             number);
        if (equals != std::string_view::npos) m_option.clear();
      } else if (!m_option.empty()) {
        keep(std::exchange(m_option, {}), std::string(word), number);
      }
    }
  }
  void broken(int number, const char* what = "a line is [table] or key = value") {
    m_source.error(m_source.placeOfLine(number), "toml-line", what,
                   "give the TOML file as torchtitan reads it");
  }

  /// Without the quotes of a text.
  static std::string_view bare(std::string_view text) {
    const bool isQuoted =
        text.size() >= 2 && text.front() == text.back() && (text.front() == '"' || text.front() == '\'');
    return isQuoted ? text.substr(1, text.size() - 2) : text;
  }

  const Value* find(const std::string& key) {
    const auto it = m_values.find(key);
    if (it == m_values.end()) return nullptr;
    it->second.isRead = true;
    return &it->second;
  }

  /// A whole number of at least 1; −1 stands for what is left to torchtitan.
  std::optional<int> count(const std::string& key) {
    const Value* value = find(key);
    if (!value) return std::nullopt;
    std::string digits = value->text;
    digits.erase(std::remove(digits.begin(), digits.end(), '_'), digits.end());
    const auto v = readWhole(digits, -1, 1'000'000'000);
    if (!v || *v == 0)
      m_source.error(m_source.placeOfLine(value->line), "toml-count",
                     key + " must be a whole number of at least 1, or -1", "correct it");
    return v && *v >= 1 ? std::optional(static_cast<int>(*v)) : std::nullopt;
  }
  /// Degrees stood under [training] and [experimental] before they got a table of their own.
  std::optional<int> degree(const std::string& key, std::optional<int> usual) {
    for (const char* table : {"parallelism.", "training.", "experimental."})
      if (const auto n = count(table + key)) return n;
    return m_isCommand ? std::nullopt : usual;
  }
  /// Of each data-parallel rank; torchtitan takes 8 where a configuration is silent.
  std::optional<int> localBatch() {
    constexpr int kUsual = 8;
    for (const char* key : {"training.local_batch_size", "training.batch_size"})
      if (m_values.contains(key)) return count(key);
    if (m_isCommand || m_source.failed()) return std::nullopt;
    m_source.note(
        m_source.whole(), "torchtitan-default",
        "the configuration gives no local_batch_size; torchtitan then takes " + std::to_string(kUsual));
    return kUsual;
  }

  bool says(const char* key, const char* part) {
    const Value* value = find(key);
    return value && value->text.find(part) != std::string::npos;
  }
  bool isOn(const std::string& key) {
    const Value* value = find(key);
    if (!value) return false;
    const std::string word = text::lower(value->text);
    if (word != "true" && word != "false")
      m_source.warning(
          m_source.placeOfLine(value->line), "toml-flag",
          key + " must be true or false, not " + quoted(bare(value->text)) + "; it counts as false",
          "correct it");
    return word == "true";
  }

  std::optional<Recompute> recompute() {
    const char* key = "activation_checkpoint.mode";
    const Value* value = find(key);
    if (!value) return std::nullopt;
    if (says(key, "full")) return Recompute::Full;
    if (says(key, "none")) return Recompute::None;
    if (says(key, "selective")) {
      // "op" is every second product; a number is every so many blocks.
      const Value* option = find("activation_checkpoint.selective_ac_option");
      if (!option || option->text.find("op") != std::string::npos) return Recompute::Selective;
      m_source.warning(m_source.placeOfLine(option->line), "toml-recompute",
                       "recomputing only every few blocks (selective_ac_option = " +
                           quoted(bare(option->text)) + ") is not modelled",
                       "choose what is recomputed under Search");
      return std::nullopt;
    }
    m_source.warning(m_source.placeOfLine(value->line), "toml-recompute",
                     "activation_checkpoint.mode is " + quoted(bare(value->text)) + ", which is not modelled",
                     "choose what is recomputed under Search; full, selective and none are known");
    return std::nullopt;
  }

  /// What no step time or memory follows from, and values that say what is assumed anyway.
  static bool isBesideThePlan(const std::string& key, const std::string& value) {
    static constexpr std::string_view kTables[] = {"job.",
                                                   "profiling.",
                                                   "metrics.",
                                                   "checkpoint.",
                                                   "comm.",
                                                   "validation.",
                                                   "lr_scheduler.",
                                                   "memory_estimation.",
                                                   "debug.",
                                                   "fault_tolerance.",
                                                   "experimental.custom_"};
    static constexpr std::string_view kKeys[] = {
        "training.dataset",      "training.dataset_path", "training.steps",      "training.max_norm",
        "training.gc_freq",      "training.gc_debug",     "training.seed",       "training.deterministic",
        "training.warmup_steps", "training.data_files",   "training.dataloader", "model.hf_assets_path",
        "model.tokenizer_path",  "optimizer.lr",          "optimizer.eps",       "optimizer.beta1",
        "optimizer.beta2",       "optimizer.weight_decay"};
    static constexpr std::pair<std::string_view, std::string_view> kUsual[] = {
        {"optimizer.name", "Adam"},
        {"training.dtype", "float32"},
        {"training.mixed_precision_param", "bfloat16"},
        {"training.mixed_precision_reduce", "float32"},
        {"parallelism.fsdp_reshard_after_forward", "default"},
        {"parallelism.context_parallel_rotate_method", "allgather"}};
    for (const std::string_view table : kTables)
      if (key.starts_with(table)) return true;
    for (const auto& [usual, word] : kUsual)
      if (key == usual && value.find(word) != std::string::npos) return true;
    return value == "false" || value == "[]" || value == "\"\"" || value == "''" ||
           std::find(std::begin(kKeys), std::end(kKeys), key) != std::end(kKeys);
  }
  void noteUnused() {
    UnusedParts unused;
    for (const auto& [key, value] : m_values)
      if (!value.isRead && !isBesideThePlan(key, value.text)) unused.add(key);
    unused.report(m_source);
  }

  void tellProgram(RunSettings& s) {
    const bool isRecent = isOn("compile.enable"), compiles = isOn("training.compile") || isRecent;
    const bool overlaps =
        isOn("parallelism.enable_async_tensor_parallel") || isOn("experimental.enable_async_tensor_parallel");
    const Value* components = find("compile.components");
    const bool compilesLossAlone = isRecent && components &&
                                   components->text.find("loss") != std::string::npos &&
                                   components->text.find("model") == std::string::npos;
    if (m_isCommand && !m_values.contains("compile.enable") && !compiles) return;
    s.program = torchtitanProgram(compiles, isRecent || overlaps);
    if (compiles && (isRecent || overlaps)) s.overlapsTensor = overlaps;
    s.programEvidence =
        !compiles  ? "its configuration does not compile, so its kernels are PyTorch's eager ones"
        : overlaps ? "its configuration compiles, with asynchronous tensor parallelism"
        : isRecent
            ? std::string(
                  "its configuration has a table [compile] that is on, as torchtitan has since "
                  "August 2025, without asynchronous tensor parallelism") +
                  (compilesLossAlone ? "; it compiles the loss alone, and the program its blocks, too" : "")
            : "its configuration has compile = true under [training]";
  }

  SourceText& m_source;
  std::map<std::string, Value> m_values;  ///< by "table.key"
  std::string m_table;
  std::string m_option;      ///< of a command line, whose value may follow
  bool m_isCommand = false;  ///< options of a command line instead of a file
  int m_depth = 0;           ///< of lists that are open
  char m_quote = 0;          ///< of a text over several lines that is open
  int m_begin = 0;           ///< line of the last key or table
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
      .remarks =
          "Program, degrees and batch for import; it measures nothing. Options of its command line\n"
          "(--training.seq_len 8192 …) are read, too.",
      .claims =
          [](const FileLook& f) {
            return (f.has("[training]") && (f.has("parallel_degree") || f.has("local_batch_size"))) ||
                   (f.has("--training.") && (f.has("_degree") || f.has("batch_size") || f.has("seq_len")));
          },
      .read = ReadMeasurement([](std::string_view text, const std::string& file) {
        return readBy<TorchtitanConfig>(text, file, kMostTorchtitanBytes, "a configuration");
      })};
  return format;
}

}  // namespace nest
