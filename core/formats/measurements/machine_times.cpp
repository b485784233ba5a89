#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "calibration/measurement.h"
#include "formats/format.h"
#include "text/json_fields.h"
#include "text/json_text.h"

namespace nest {
namespace {

using nlohmann::json;

constexpr double kMostSize = 1e9, kMostSeconds = 3600, kMostMessage = 1e15;
constexpr std::size_t kMostMachineRows = 100'000;
constexpr const char* kMeasuredBy = "samples/profiling/measure_cluster.py writes such a file";

/// What samples/profiling/measure_cluster.py has measured of a machine: products and attention by shape on
/// one device, and exchanges of each level.
class MachineReader {
public:
  MachineReader(const JsonText& text, Diagnostics& out) : m_text(text), m_out(out) {}

  std::optional<Measurement> run() {
    JsonFields root(m_text, m_text.root(), "", m_out);
    root.oneOf("format", {"nest-machine"});
    root.integer("version", 1, 1);
    root.requireKey("device", "the device as its driver calls it");
    const std::string device = root.string("device").value_or("");
    MachineTimes machine;
    readKernels(root, device, root.string("source").value_or("measured"), machine);
    readExchanges(root, device, machine);
    root.reportUnknown(Severity::Warning);
    if (hasErrors(m_out)) return std::nullopt;
    if (!machine.kernels && machine.exchanges.empty()) {
      m_out.push_back(
          error("machine-empty", m_text.placeOf(""), "the file holds no times",
                "give \"products\" and \"attention\", or \"exchanges\"; " + std::string(kMeasuredBy)));
      return std::nullopt;
    }
    return Measurement{std::move(machine)};
  }

private:
  /// Rows of numbers, the last of each its seconds.
  template <std::size_t N>
  std::vector<std::array<double, N>> rowsAt(const json* list, const std::string& pointer, const char* columns,
                                            double most) {
    std::vector<std::array<double, N>> out;
    if (!list) return out;
    const auto fail = [&](std::size_t i, const std::string& message) {
      m_out.push_back(error("machine-row", m_text.placeOf(jsonPointer(pointer, i)), message,
                            std::string("write [") + columns + ", seconds]"));
    };
    if (list->size() > kMostMachineRows) {
      fail(0, "at most 100,000 rows are read");
      return out;
    }
    for (std::size_t i = 0; i < list->size(); ++i) {
      const json& row = (*list)[i];
      std::array<double, N> numbers{};
      bool isWhole = row.is_array() && row.size() == N;
      for (std::size_t k = 0; isWhole && k < N; ++k) {
        isWhole = row[k].is_number();
        if (isWhole) numbers[k] = row[k].get<double>();
        isWhole = isWhole && numbers[k] > 0 && numbers[k] <= (k + 1 == N ? kMostSeconds : most);
      }
      if (isWhole)
        out.push_back(numbers);
      else
        fail(i, "a row holds " + std::to_string(N) + " positive numbers");
    }
    return out;
  }

  void readKernels(JsonFields& root, const std::string& device, const std::string& source,
                   MachineTimes& machine) {
    KernelTimes times;
    times.device = device, times.source = source;
    if (const json* products = root.object("products")) {
      JsonFields of(m_text, *products, "/products", m_out);
      for (const auto& [key, list] :
           {std::pair("bf16", &times.wide), {"fp16", &times.wide}, {"fp8", &times.fp8}})
        for (const auto& [m, n, k, seconds] :
             rowsAt<4>(of.array(key), of.pointerTo(key), "m, n, k", kMostSize))
          list->push_back({m, n, k, Seconds(seconds)});
      of.reportUnknown(Severity::Warning);
    }
    for (const auto& [sequences, keys, heads, headDim, seconds] :
         rowsAt<5>(root.array("attention"), "/attention", "sequences, keys, heads, head_dim", kMostSize))
      times.attention.push_back({sequences, keys, heads, headDim, Seconds(seconds)});
    if (!times.wide.empty() || !times.fp8.empty() || !times.attention.empty())
      machine.kernels = std::move(times);
  }

  void readExchanges(JsonFields& root, const std::string& device, MachineTimes& machine) {
    const json* list = root.array("exchanges");
    for (std::size_t i = 0; list && i < list->size(); ++i) {
      const std::string pointer = jsonPointer("/exchanges", i);
      if (!(*list)[i].is_object()) {
        m_out.push_back(error("json-type", m_text.placeOf(pointer), "an exchange must be an object"));
        continue;
      }
      JsonFields of(m_text, (*list)[i], pointer, m_out);
      CollectiveTimes c;
      c.device = device;
      using enum CollectiveTimes::Kind;
      static constexpr std::pair<std::string_view, CollectiveTimes::Kind> kKinds[] = {
          {"all-reduce", AllReduce},
          {"all-gather", AllGather},
          {"reduce-scatter", ReduceScatter},
          {"all-to-all", AllToAll}};
      of.requireKey("kind", "all-reduce, all-gather, reduce-scatter or all-to-all");
      const auto kind =
          of.oneOf("kind", {kKinds[0].first, kKinds[1].first, kKinds[2].first, kKinds[3].first});
      for (const auto& [name, value] : kKinds)
        if (kind == name) c.kind = value;
      of.requireKey("hosts", "the host of each rank");
      const json* hosts = of.array("hosts");
      for (std::size_t k = 0; hosts && k < hosts->size(); ++k)
        if ((*hosts)[k].is_string())
          c.rankHosts.push_back((*hosts)[k].get<std::string>());
        else
          of.report(Severity::Error, "json-type", "hosts", "\"hosts\" lists names, one for each rank");
      if (hosts && hosts->size() < 2)
        of.report(Severity::Error, "machine-ranks", "hosts", "an exchange needs two ranks or more");
      of.requireKey("rows", "[bytes, seconds] of each size");
      for (const auto& [bytes, seconds] :
           rowsAt<2>(of.array("rows"), of.pointerTo("rows"), "bytes", kMostMessage))
        c.rows.push_back({Bytes(bytes), Seconds(seconds), busOf(c, bytes, seconds)});
      if (of.has("rows") && c.rows.empty() && !hasErrors(m_out))
        of.report(Severity::Error, "machine-row", "rows", "the exchange has no size");
      of.reportUnknown(Severity::Warning);
      std::sort(c.rows.begin(), c.rows.end(), [](const auto& a, const auto& b) { return a.size < b.size; });
      machine.exchanges.push_back(std::move(c));
    }
    std::stable_sort(machine.exchanges.begin(), machine.exchanges.end(), [](const auto& a, const auto& b) {
      return std::pair(a.hosts(), a.ranks()) < std::pair(b.hosts(), b.ranks());
    });
  }

  static BytesPerSecond busOf(const CollectiveTimes& c, double bytes, double seconds) {
    const double ranks = std::max(2, c.ranks());
    return BytesPerSecond((c.kind == CollectiveTimes::Kind::AllReduce ? 2 : 1) * (ranks - 1) / ranks * bytes /
                          seconds);
  }

  const JsonText& m_text;
  Diagnostics& m_out;
};

}  // namespace

const Format& machineTimesFormat() {
  static constexpr Format format = {
      .key = "machine",
      .name = "NEST machine",
      .suffixes = "json",
      .fileNames = "",
      .example = R"({"format": "nest-machine", "version": 1, "device": "NVIDIA H100 80GB HBM3",
 "products": {"bf16": [[8192, 8192, 8192, 0.00145]]},
 "exchanges": [{"kind": "all-reduce", "hosts": ["a", "a"], "rows": [[1048576, 0.00003]]}]})",
      .remarks =
          "What samples/profiling/measure_cluster.sh writes: products and attention by shape, exchanges by "
          "level.",
      .claims = [](const FileLook& f) { return f.names("nest-machine"); },
      .read = ReadMeasurement([](std::string_view text, const std::string& file) -> Reading<Measurement> {
        const auto read = readJsonText(text, file);
        Diagnostics out = read.diagnostics;
        if (!read) return {std::nullopt, std::move(out)};
        if (!read->root().is_object()) {
          out.push_back(error("json-type", read->placeOf(""), "the file must be an object", kMeasuredBy));
          return {std::nullopt, std::move(out)};
        }
        auto measurement = MachineReader(*read, out).run();
        return {std::move(measurement), std::move(out)};
      })};
  return format;
}

}  // namespace nest
