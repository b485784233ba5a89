#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "formats/format.h"
#include "formats/measurements/layer_timer.h"
#include "formats/measurements/sqlite_tables.h"
#include "text/decimal.h"

namespace nest {
namespace {

constexpr std::size_t kMostNsightRows = 50'000'000;
constexpr double kMicro = 1e-3;  ///< of the export's nanoseconds
constexpr const char *kKernels = "CUPTI_ACTIVITY_KIND_KERNEL", *kLaunches = "CUPTI_ACTIVITY_KIND_RUNTIME",
                     *kRanges = "NVTX_EVENTS", *kStrings = "StringIds";
constexpr const char* kMegatronLayer = "Megatron-Core TransformerLayer";

constexpr ProfilingAdvice kNsightAdvice = {
    .kernels = "profile with nsys profile --trace=cuda,nvtx",
    .layers =
        "put each block between torch.cuda.nvtx.range_push(f\"layer_{i}\") and range_pop(), or start "
        "Megatron-LM with --profile --nvtx-ranges --record-shapes",
    .launches = "profile without CUDA graphs, in which launches cannot be distinguished",
    .backward =
        "run the profiled steps inside torch.autograd.profiler.emit_nvtx() (Megatron-LM: "
        "--record-shapes), which numbers operators, or annotate that pass as layer_N backward"};

/// One NVTX range of use.
struct Range {
  double begin = 0, end = 0;
  int process = 0, thread = 0;
  long long sequence = -1;  ///< as torch.autograd.profiler.emit_nvtx() numbers operators
  std::string name;         ///< what stands before the numbers
};

/// "AddmmBackward0, seq = 596, op_id = 1719"; older PyTorch: "AddmmBackward, stashed seq = 596, seq = 0".
long long sequenceIn(std::string_view text) {
  constexpr std::string_view kStashed = ", stashed seq = ", kOwn = ", seq = ";
  const auto stashed = text.find(kStashed), own = text.find(kOwn);
  if (stashed == std::string_view::npos && own == std::string_view::npos) return -1;
  text.remove_prefix(stashed != std::string_view::npos ? stashed + kStashed.size() : own + kOwn.size());
  return readWhole(text.substr(0, text.find(',')), 0, 1LL << 53).value_or(-1);
}

/// What autograd runs for one forward operator, the exchanges of its gradients included.
bool isEngineTask(const std::string& name) {
  return name.starts_with("autograd::engine::evaluate_function: ");
}
bool isBackwardOperator(const std::string& name) {
  return name.find("Backward") != std::string::npos && !name.starts_with("aten::");
}
/// The part of a layer that Megatron-Core (--nvtx-ranges) annotates: "self_attention", "mlp_bda"; empty:
/// none.
std::string_view partOfMegatronLayer(std::string_view name) {
  return name.find(".transformer_layer.") == std::string_view::npos ? std::string_view()
                                                                    : name.substr(name.rfind('.') + 1);
}

class NsightExport {
public:
  explicit NsightExport(SqliteTables& tables) : m_tables(tables) {}

  TraceEvents run() {
    readStrings();
    readDevice();
    readKernels();
    readLaunches();
    readRanges();
    std::sort(m_ranges.begin(), m_ranges.end(), [](const Range& a, const Range& b) {
      return std::tuple(a.thread, a.begin, b.end) < std::tuple(b.thread, b.begin, a.end);
    });
    addOperators();
    addMegatronLayers();
    return std::move(m_out);
  }

private:
  using Row = SqliteTables::Row;

  bool count() {
    if (m_out.events.size() > kMostTraceEvents)
      m_out.fault = "it has more than 5 million events";
    else if (++m_rows > kMostNsightRows)
      m_out.fault = "it has more than 50 million rows";
    return m_out.fault.empty();
  }
  void forEach(const char* table, const std::string& columns, const std::function<void(const Row&)>& take) {
    if (!m_out.fault.empty()) return;
    m_tables.forEachRow(table, columns, [&](const Row& row) { return take(row), count(); });
    if (m_out.fault.empty()) m_out.fault = m_tables.fault();
  }
  std::string orNull(const char* table, const char* column) {
    return m_tables.hasColumn(table, column) ? column : "NULL";
  }

  /// Of kernels that are exchanges, and of ranges.
  void readStrings() {
    if (m_tables.hasTable(kStrings))
      forEach(kStrings, "id, value", [&](const Row& r) { m_strings.emplace(r.whole(0), r.text(1)); });
  }
  std::string_view stringOf(const Row& row, int column) const {
    const auto it = row.isNull(column) ? m_strings.end() : m_strings.find(row.whole(column));
    return it == m_strings.end() ? std::string_view() : std::string_view(it->second);
  }

  void readDevice() {
    constexpr const char* kDevices = "TARGET_INFO_GPU";
    if (m_tables.hasTable(kDevices) && m_tables.hasColumn(kDevices, "name"))
      forEach(kDevices, "name", [&](const Row& r) {
        if (m_out.device.empty()) m_out.device = r.text(0);
      });
  }

  /// A GlobalId holds machine and process above its lowest 24 bits, which tell the thread.
  int processOf(long long globalId) {
    return m_processes.emplace(globalId >> 24, static_cast<int>(m_processes.size())).first->second;
  }
  int threadOf(long long globalTid) {
    return m_threads.emplace(globalTid, static_cast<int>(m_threads.size())).first->second;
  }
  long long correlationOf(const Row& row, int column, int process) const {
    return (static_cast<long long>(process) << 32) + (row.whole(column) & 0xFFFFFFFF);
  }
  TraceEvent& add(TraceEventKind kind, const Row& row) {
    TraceEvent& e = m_out.events.emplace_back();
    e.kind = kind;
    e.begin = double(row.whole(0)) * kMicro;
    e.end = double(row.whole(1)) * kMicro;
    return e;
  }

  void readKernels() {
    if (!m_tables.hasTable(kKernels)) return;
    forEach(kKernels,
            "start, \"end\", correlationId, globalPid, " + orNull(kKernels, "shortName") + ", " +
                orNull(kKernels, "demangledName"),
            [&](const Row& row) {
              const std::string_view name = stringOf(row, 4);
              if (row.isNull(1) || isExchange(name.empty() ? stringOf(row, 5) : name)) return;
              TraceEvent& e = add(TraceEventKind::Kernel, row);
              e.correlation = correlationOf(row, 2, processOf(row.whole(3)));
              m_launched.insert(e.correlation);
            });
  }
  void readLaunches() {
    if (!m_tables.hasTable(kLaunches)) return;
    forEach(kLaunches, "start, \"end\", correlationId, globalTid", [&](const Row& row) {
      const long long correlation = correlationOf(row, 2, processOf(row.whole(3)));
      if (row.isNull(1) || m_launched.erase(correlation) == 0) return;
      TraceEvent& e = add(TraceEventKind::Launch, row);
      e.correlation = correlation;
      e.thread = threadOf(row.whole(3));
    });
  }
  void readRanges() {
    if (!m_tables.hasTable(kRanges)) return;
    forEach(kRanges, "start, \"end\", globalTid, text, " + orNull(kRanges, "textId"), [&](const Row& row) {
      const std::string_view text = row.isNull(3) ? stringOf(row, 4) : row.text(3);
      if (row.isNull(1) || text.empty()) return;  // marks, names of domains and of their parts
      Range range;
      range.sequence = sequenceIn(text);
      range.name = text.substr(0, std::min(text.find(", "), std::size_t(500)));
      if (const auto layer = layerNameIn(range.name)) {
        TraceEvent& e = add(TraceEventKind::Annotation, row);
        e.thread = threadOf(row.whole(2));
        e.name = range.name;
      } else if (range.sequence >= 0 || isEngineTask(range.name) ||
                 !partOfMegatronLayer(range.name).empty()) {
        range.begin = double(row.whole(0)) * kMicro;
        range.end = double(row.whole(1)) * kMicro;
        range.process = processOf(row.whole(2));
        range.thread = threadOf(row.whole(2));
        m_ranges.push_back(std::move(range));
      }
    });
    if (m_ranges.size() > kMostTraceEvents) m_out.fault = "it has more than 5 million events";
  }

  TraceEvent& add(TraceEventKind kind, const Range& range) {
    TraceEvent& e = m_out.events.emplace_back();
    e.kind = kind;
    e.begin = range.begin;
    e.end = range.end;
    e.process = range.process;
    e.thread = range.thread;
    e.sequence = range.sequence;
    return e;
  }

  /// A task of the engine takes its number from the operator that it holds; without the engine's ranges that
  /// operator is the task. Tasks within a task belong to what is computed again, by a thread of its own
  /// count.
  void addOperators() {
    struct Open {
      double end;
      Range* task;  ///< nullptr: some other range
    };
    std::vector<Open> open;
    int thread = -1;
    std::vector<std::pair<Range*, bool>> tasks;  ///< whether it lies within another
    for (Range& range : m_ranges) {
      if (range.thread != thread) open.clear();
      thread = range.thread;
      while (!open.empty() && open.back().end <= range.begin) open.pop_back();
      const auto outer = std::find_if(open.rbegin(), open.rend(), [](const Open& o) { return o.task; });
      const bool isInTask = outer != open.rend();
      Range* task = nullptr;
      if (isEngineTask(range.name)) {
        task = &range;
      } else if (range.sequence >= 0 && isBackwardOperator(range.name)) {
        if (isInTask && outer->task->sequence < 0 && isEngineTask(outer->task->name))
          outer->task->sequence = range.sequence;
        else if (!isInTask)
          task = &range;
      } else if (range.sequence >= 0) {
        add(TraceEventKind::Operator, range);
      }
      if (task) tasks.emplace_back(task, isInTask);
      open.push_back({range.end, task});
    }
    for (const auto& [task, isInside] : tasks) {
      if (task->sequence < 0) continue;  // sums a gradient, of no layer's kernels
      TraceEvent& e = add(TraceEventKind::Operator, *task);
      e.isTask = true;
      e.forwardThread = isInside ? 2 : 1;
    }
  }

  /// Megatron-Core annotates parts of layers, without numbers: a layer lasts from its attention to the last
  /// of its MLP.
  void addMegatronLayers() {
    Range layer;
    bool isOpen = false, hasMlp = false;
    const auto close = [&] {
      if (isOpen && hasMlp) {
        add(TraceEventKind::Annotation, layer).name = std::string(kMegatronLayer) + " 0";
        m_out.unnumbered = kMegatronLayer;
      }
      isOpen = hasMlp = false;
    };
    for (const Range& range : m_ranges) {
      const std::string_view part = partOfMegatronLayer(range.name);
      if (range.thread != layer.thread) close();
      if (part == "self_attention") {
        close();
        layer = range;
        layer.sequence = -1;
        isOpen = true;
      } else if (isOpen && (part == "mlp" || part == "mlp_bda")) {
        layer.end = std::max(layer.end, range.end);
        hasMlp = true;
      }
    }
    close();
  }

  SqliteTables& m_tables;
  TraceEvents m_out;
  std::unordered_map<long long, std::string> m_strings;
  std::unordered_map<long long, int> m_processes, m_threads;
  std::unordered_set<long long> m_launched;  ///< correlations of kernels whose launch is not met yet
  std::vector<Range> m_ranges;
  std::size_t m_rows = 0;
};

std::optional<Measurement> readExport(std::string_view bytes, SourceText& source) {
  const auto fail = [&](const char* code, std::string message, std::string remedy) {
    source.error(source.whole(), code, std::move(message), std::move(remedy));
    return std::nullopt;
  };
  SqliteTables tables(bytes);
  const bool isOfNsight = tables.hasTable(kKernels) || tables.hasTable(kRanges) || tables.hasTable(kLaunches);
  if (tables.fault().empty() && !isOfNsight)
    return fail("nsight-tables",
                "this database has no table of Nsight Systems (CUPTI_ACTIVITY_KIND_KERNEL, NVTX_EVENTS)",
                "give what nsys export --type sqlite writes of a run profiled with --trace=cuda,nvtx");
  const TraceEvents trace = NsightExport(tables).run();
  const std::string& fault = trace.fault.empty() ? tables.fault() : trace.fault;
  if (!fault.empty())
    return fail("nsight-broken", "the export cannot be read: " + fault,
                "export the report again, of fewer steps if it is too large: nsys export --type sqlite");
  return layerTimesOf(trace, source, kNsightAdvice);
}

}  // namespace

const Format& nsightExportFormat() {
  static constexpr Format format = {
      .key = "nsight-export",
      .name = "Nsight Systems export",
      .suffixes = "sqlite db",
      .fileNames = "",
      .example = "SQLite format 3…",
      .remarks =
          "What nsys export --type sqlite writes of a run that was profiled with --trace=cuda,nvtx, each "
          "block in an\nNVTX range \"layer_N\", inside torch.autograd.profiler.emit_nvtx() (Megatron-LM: "
          "--profile "
          "--nvtx-ranges\n--record-shapes): as above.",
      .claims = [](const FileLook& f) { return f.text.starts_with("sqlite format 3"); },
      .read = ReadMeasurement([](std::string_view bytes, const std::string& file) -> Reading<Measurement> {
        SourceText source(bytes, file);
        auto result = readExport(bytes, source);
        return {std::move(result), source.take()};
      })};
  return format;
}

}  // namespace nest
