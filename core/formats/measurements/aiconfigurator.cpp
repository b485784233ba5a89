#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <unordered_map>

#include "formats/format.h"
#include "formats/measurements/log_lines.h"
#include "text/counted_names.h"
#include "text/decimal.h"
#include "units/letters.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr std::size_t kMostAiconfiguratorRows = 1'000'000;
using MeasuredKind = CollectiveTimes::Kind;

std::optional<MeasuredKind> kindOf(std::string_view operation) {
  constexpr std::pair<std::string_view, MeasuredKind> kKinds[] = {
      {"all_reduce", MeasuredKind::AllReduce},
      {"all_gather", MeasuredKind::AllGather},
      {"reduce_scatter", MeasuredKind::ReduceScatter},
      {"alltoall", MeasuredKind::AllToAll}};
  for (const auto& [name, kind] : kKinds)
    if (name == operation) return kind;
  return std::nullopt;
}
bool isWide(std::string_view type) {
  return type == "bfloat16" || type == "float16" || type == "half" || type == "bf16" || type == "fp16";
}

/// A table of one kind of operation: a line of column names, then a measurement a line.
class PerfTable {
public:
  explicit PerfTable(SourceText& source) : m_source(source), m_openLine(openLineOf(source.text())) {}

  std::optional<Measurement> run() {
    forEachLogLine(m_source.text(), [this](std::string_view line, int number) { take(line, number); });
    const auto fail = [this](const char* code, std::string message, std::string remedy) {
      if (!m_source.failed()) m_source.error(m_source.whole(), code, std::move(message), std::move(remedy));
      return std::nullopt;
    };
    if (m_source.failed()) return std::nullopt;
    if (!m_kernels.empty() || !m_exchanges.empty()) noteUnused();
    warnOfContradictions();
    if (!m_exchanges.empty()) return exchanges();
    if (!m_kernels.empty()) return kernels();
    if (m_rows == 0) return fail("perf-empty", "the table has no rows", "give the whole table");
    return fail(
        "perf-operation",
        "the table is of " + m_operation + ", of which no training step is made, or of formats that none has",
        "give gemm_perf, context_attention_perf or nccl_perf");
  }

private:
  /// Without blanks and quotes around it.
  static std::string_view plain(std::string_view cell) {
    cell = text::trimmed(cell);
    return cell.size() > 1 && cell.front() == '"' && cell.back() == '"' ? cell.substr(1, cell.size() - 2)
                                                                        : cell;
  }

  void take(std::string_view line, int number) {
    if (text::trimmed(line).empty()) return;
    m_cells.clear();
    while (true) {
      const auto comma = line.find(',');
      m_cells.push_back(plain(line.substr(0, comma)));
      if (comma == std::string_view::npos) break;
      line.remove_prefix(comma + 1);
    }
    if (m_columns.empty()) return head(number);
    if (m_source.failed() || ++m_rows > kMostAiconfiguratorRows) return;
    const auto latency = numberIn("latency");
    if (number == m_openLine && (m_cells.size() < m_columns.size() || !latency)) {
      m_source.note(m_source.placeOfLine(number), "log-cut", "the last row is cut off and left out");
      return;
    }
    if (m_cells.size() != m_columns.size() || !latency || *latency < 0)
      return broken(number, "a row has a cell for each column, and a latency in ms");
    // Failed measurements are kept as 0.
    if (*latency > 0)
      row(Seconds(*latency * 1e-3), number);
    else
      ++m_unused["failed measurements"];
  }

  void head(int number) {
    for (std::size_t i = 0; i < m_cells.size(); ++i) m_columns.emplace(std::string(m_cells[i]), i);
    for (const char* needed : {"framework", "version", "device", "op_name", "latency"})
      if (!m_columns.count(needed))
        return m_source.error(m_source.placeOfLine(number), "perf-columns",
                              std::string("the column ") + needed + " is missing",
                              "give a table as AIConfigurator's collector writes it");
  }
  void broken(int number, std::string what) {
    m_source.error(m_source.placeOfLine(number), "perf-row", std::move(what), "leave broken lines out");
  }

  std::string_view cell(const char* column) const {
    const auto it = m_columns.find(column);
    return it == m_columns.end() || it->second >= m_cells.size() ? std::string_view() : m_cells[it->second];
  }
  std::optional<double> numberIn(const char* column) const { return readDecimal(cell(column)); }
  /// Whole numbers above 0; nullopt, with an error, where one is none.
  template <std::size_t n>
  std::optional<std::array<double, n>> sizes(const std::array<const char*, n>& columns, int number) {
    std::array<double, n> out{};
    for (std::size_t i = 0; i < n; ++i) {
      const auto v = readWhole(cell(columns[i]), 1, 1LL << 40);
      if (!v)
        return broken(number, std::string(columns[i]) + " must be a whole number above 0"), std::nullopt;
      out[i] = double(*v);
    }
    return out;
  }

  void row(Seconds time, int number) {
    m_operation = cell("op_name");
    compareWithOthers(time, number);
    if (const auto kind = kindOf(m_operation))
      exchange(*kind, time, number);
    else if (m_operation == "gemm")
      product(time, number);
    else if (m_operation == "context_attention")
      attention(time, number);
    else
      ++m_unused[m_operation];
  }

  void noteUnused() {
    if (!m_unused.empty())
      m_source.note(m_source.whole(), "perf-unused",
                    "rows of these kinds are not used: " + countedNames(m_unused));
  }

  void exchange(MeasuredKind kind, Seconds time, int number) {
    const auto s = sizes<2>({"num_gpus", "message_size"}, number);
    if (!s) return;
    if ((*s)[0] < 2 || (*s)[0] > 1024) {
      ++m_unused["one GPU, or more than 1,024"];
      return;
    }
    // Counted in elements.
    const Bytes bytes((*s)[1] * (isWide(cell("nccl_dtype")) ? 2 : 1));
    m_exchanges[std::string(cell("device"))][static_cast<int>((*s)[0])][kind].push_back(
        {bytes, time, BytesPerSecond()});
  }

  /// Of the device that the row names, in the order of the table.
  KernelTimes& kernelsOfRow() {
    const std::string_view device = cell("device");
    auto known = std::find_if(m_kernels.begin(), m_kernels.end(),
                              [&](const KernelTimes& t) { return t.device == device; });
    if (known == m_kernels.end()) {
      known = m_kernels.emplace(known);
      known->device = device;
      known->source =
          "AIConfigurator, " + std::string(cell("framework")) + ' ' + std::string(cell("version"));
    }
    return *known;
  }
  std::optional<Measurement> kernels() {
    KernelTimes all = std::move(m_kernels.front());
    all.others.assign(std::make_move_iterator(m_kernels.begin() + 1),
                      std::make_move_iterator(m_kernels.end()));
    return Measurement{std::move(all)};
  }

  /// Rows that are equal but in their latency measured the same; runs of one kernel differ by less than this.
  static constexpr double kContradiction = 1.5;
  void compareWithOthers(Seconds time, int number) {
    std::string what;
    const auto latency = m_columns.find("latency")->second;
    for (std::size_t i = 0; i < m_cells.size(); ++i)
      if (i != latency) what.append(m_cells[i]) += ',';
    const auto [known, isNew] = m_rowsSeen.emplace(std::hash<std::string>()(what), std::pair(time, number));
    const double ratio = time / known->second.first;
    if (isNew || (ratio < kContradiction && ratio > 1 / kContradiction)) return;
    if (m_contradictions++ > 0) return;
    m_contradictionLine = number;
    m_contradiction = "line " + std::to_string(known->second.second) + " says " +
                      text::time(known->second.first) + ", line " + std::to_string(number) + ' ' +
                      text::time(time);
  }
  void warnOfContradictions() {
    if (m_contradictions > 0)
      m_source.warning(m_source.placeOfLine(m_contradictionLine), "perf-contradiction",
                       text::count(m_contradictions) +
                           (m_contradictions == 1 ? " row contradicts" : " rows contradict") +
                           " another row of the same kernel: " + m_contradiction + "; both count",
                       "give each kernel once, with its latency in ms");
  }

  void product(Seconds time, int number) {
    const std::string_view type = cell("gemm_dtype");
    const bool isFp8 = type == "fp8" || type == "fp8_block";
    if (!isFp8 && !isWide(type)) {
      ++m_unused["gemm in " + std::string(type)];
      return;
    }
    if (const auto s = sizes<3>({"m", "n", "k"}, number))
      (isFp8 ? kernelsOfRow().fp8 : kernelsOfRow().wide).push_back({(*s)[0], (*s)[1], (*s)[2], time});
  }

  void attention(Seconds time, int number) {
    const auto isSet = [this](const char* column) { return numberIn(column).value_or(0) > 0; };
    if (!isWide(cell("attn_dtype")) || isSet("step") || isSet("window_size")) {
      ++m_unused[!isWide(cell("attn_dtype")) ? "attention in " + std::string(cell("attn_dtype"))
                                             : std::string("attention with a window or a prefix")];
      return;
    }
    if (const auto s = sizes<4>({"batch_size", "isl", "num_heads", "head_dim"}, number))
      kernelsOfRow().attention.push_back({(*s)[0], (*s)[1], (*s)[2], (*s)[3], time});
  }

  /// The largest group alone tells the level: NCCL takes other ways in smaller ones. All-reduce comes first.
  std::optional<Measurement> exchanges() {
    std::vector<CollectiveTimes> out;
    std::set<int> used;
    bool hasSmaller = false;
    for (auto& [device, groups] : m_exchanges) {
      const int ranks = groups.rbegin()->first;
      used.insert(ranks);
      hasSmaller = hasSmaller || groups.size() > 1;
      for (auto& [kind, rows] : groups.rbegin()->second) {
        CollectiveTimes& c = out.emplace_back();
        c.kind = kind;
        c.device = device;
        c.rankHosts.assign(ranks, "host");
        std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.size < b.size; });
        const double share = (ranks - 1.0) / ranks;
        for (CollectiveTimes::Row& r : rows)
          r.bus = BytesPerSecond((kind == MeasuredKind::AllReduce ? 2 : 1) * share * r.size.value() /
                                 r.time.value());
        c.rows = std::move(rows);
      }
    }
    std::string sizes;
    for (const int ranks : used) sizes += (sizes.empty() ? "" : " or ") + std::to_string(ranks);
    if (hasSmaller)
      m_source.note(m_source.whole(), "perf-groups",
                    "of the groups of GPUs the largest is used, of " + sizes);
    return Measurement{std::move(out)};
  }

  SourceText& m_source;
  std::map<std::string, std::size_t, std::less<>> m_columns;
  std::vector<std::string_view> m_cells;
  using ByKind = std::map<MeasuredKind, std::vector<CollectiveTimes::Row>>;
  std::map<std::string, std::map<int, ByKind>> m_exchanges;  ///< by device and ranks
  std::vector<KernelTimes> m_kernels;                        ///< a device each
  /// Latency and line of each row, by all its other cells.
  std::unordered_map<std::size_t, std::pair<Seconds, int>> m_rowsSeen;
  int m_contradictions = 0, m_contradictionLine = 0;
  std::string m_contradiction;  ///< the first
  std::string m_operation;
  std::map<std::string, int> m_unused;  ///< rows, by what they are of
  std::size_t m_rows = 0;
  int m_openLine = 0;
};

}  // namespace

const Format& aiConfiguratorFormat() {
  static constexpr Format format = {
      .key = "aiconfigurator",
      .name = "AIConfigurator table",
      .suffixes = "txt csv",
      .fileNames = "",
      .example =
          "framework,version,device,op_name,kernel_source,gemm_dtype,m,n,k,latency\n"
          "VLLM,0.20.0,NVIDIA B200,gemm,vllm_default,bfloat16,4096,5120,12288,0.26886",
      .remarks =
          "gemm_perf and context_attention_perf set the rates of the device, nccl_perf the level inside the "
          "host.\n"
          "As text: of Parquet write pandas.read_parquet(FILE).to_csv(FILE, index=False).",
      .claims =
          [](const FileLook& f) {
            const auto line = std::string_view(f.text).substr(0, f.text.find('\n'));
            const auto has = [&](const char* part) { return line.find(part) != std::string_view::npos; };
            return has("framework") && has("kernel_source") && has("op_name") && has("latency");
          },
      .read = ReadMeasurement([](std::string_view text, const std::string& file) {
        return readBy<PerfTable>(text, file, kLongestLog, "a table");
      })};
  return format;
}

}  // namespace nest
