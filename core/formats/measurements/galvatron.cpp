#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "calibration/measurement.h"
#include "formats/format.h"
#include "text/counted_names.h"
#include "text/json_text.h"
#include "text/source_text.h"

namespace nest {
namespace {

constexpr double kMebi = 1024.0 * 1024;
/// Galvatron's profilers send so much unless they are told otherwise.
constexpr Bytes kUsualMessage{32 * kMebi};

/// Takes what stands at the begin of a name.
class ProfileName {
public:
  explicit ProfileName(std::string_view rest) : m_rest(rest) {}

  bool take(std::string_view part) {
    if (!m_rest.starts_with(part)) return false;
    m_rest.remove_prefix(part.size());
    return true;
  }
  bool take(std::string_view before, int& number) {
    if (!take(before)) return false;
    const auto [end, ec] = std::from_chars(m_rest.data(), m_rest.data() + m_rest.size(), number);
    if (ec != std::errc() || number < 0 || number > 1'000'000) return false;
    m_rest.remove_prefix(static_cast<std::size_t>(end - m_rest.data()));
    return true;
  }
  bool isDone() const { return m_rest.empty(); }
  std::string_view rest() const { return m_rest; }

private:
  std::string_view m_rest;
};

class Galvatron {
public:
  Galvatron(const JsonText& json, SourceText& source) : m_json(json), m_source(source) {}

  std::optional<Measurement> run() {
    const auto& root = m_json.root();
    if (!root.is_object())
      return fail("galvatron-shape", "the file must be an object", "give the file as written");
    readMachine();
    for (const auto& [key, value] : root.items())
      if (value.is_object())
        for (const auto& [inner, v] : value.items()) take(key, inner, v);
      else
        take({}, key, value);
    if (m_source.failed()) return std::nullopt;
    auto out = m_bandwidths.empty() && m_hops.empty() && m_times.empty() ? blocks() : exchanges();
    if (out) noteUnused();
    return out;
  }

private:
  using Kind = CollectiveTimes::Kind;

  std::nullopt_t fail(const char* code, std::string message, std::string remedy) {
    if (!m_source.failed()) m_source.error(m_source.whole(), code, std::move(message), std::move(remedy));
    return std::nullopt;
  }

  /// Stands in the file's name alone: "allreduce_bandwidth_2nodes_8gpus_per_node.json".
  void readMachine() {
    const std::string& file = m_json.file();
    const auto end = file.find("nodes_");
    auto begin = end == std::string::npos ? 0 : end;
    while (begin > 0 && file[begin - 1] >= '0' && file[begin - 1] <= '9') --begin;
    ProfileName name(std::string_view(file).substr(begin));
    if (end == std::string::npos || !name.take("", m_hosts) || !name.take("nodes_", m_perHost) ||
        !name.take("gpus") || m_hosts < 1 || m_perHost < 1 || m_hosts * m_perHost > 1 << 16)
      m_hosts = m_perHost = 0;
  }

  /// "llama2-7b" of "computation_profiling_bf16_llama2-7b_all.json"; older names give its sizes.
  std::string modelInName() const {
    const std::string& file = m_json.file();
    ProfileName name(std::string_view(file).substr(file.find_last_of("/\\") + 1));
    if (!name.take("computation_profiling_") && !name.take("memory_profiling_")) return {};
    if (!name.take("bf16_") && !name.take("fp16_") && !name.take("fp32_")) return {};
    const std::string_view rest = name.rest();
    const auto end = rest.rfind("_all.");
    return end == std::string_view::npos || rest.starts_with("hidden") ? std::string()
                                                                       : std::string(rest.substr(0, end));
  }

  void take(const std::string& layout, const std::string& key, const nlohmann::json& v) {
    int size = 0, isDense = 0, mebibytes = 0, layers = 0, batch = 0, sequence = 0, rank = 0;
    ProfileName bandwidth(key), hop(key), time(key), block(key);
    const auto number = [&]() -> std::optional<double> {
      if (v.is_number() && v.get<double>() > 0 && v.get<double>() < 1e15) return v.get<double>();
      m_source.error(
          m_json.placeOf(layout.empty() ? jsonPointer("", key) : jsonPointer(jsonPointer("", layout), key)),
          "galvatron-value", '"' + key + "\" must be a number above 0", "profile again");
      return std::nullopt;
    };
    if (bandwidth.take("allreduce_size_", size) && bandwidth.take("_consec_", isDense) &&
        bandwidth.isDone()) {
      if (const auto n = number(); n && isDense == 1)
        m_bandwidths[size] = *n;
      else if (n)
        ++m_unused["groups of ranks that are not consecutive"];
    } else if (hop.take("pp_size_", size) && hop.isDone()) {
      if (const auto n = number()) m_hops[size] = *n;
    } else if (time.take("allreduce_size_", size) && time.take("_", mebibytes) && time.take("MB_time")) {
      if (const auto n = number()) m_times[size][mebibytes] = *n;
    } else if (block.take("layernum[", layers) && block.take("]_bsz", batch) &&
               block.take("_seq", sequence)) {
      if (block.isDone()) {
        if (const auto n = number()) m_forward[{sequence, batch}][layers] = *n;
      } else if (block.take("_rank", rank) && rank == 0 && block.take("_act") && block.isDone()) {
        if (const auto n = number()) m_kept[{layout, sequence, batch}][layers] = *n;
      } else {
        ++m_unused["memory of other ranks, or of model states"];
      }
    } else if (key.starts_with("layernum[")) {
      m_source.error(m_json.placeOf(jsonPointer("", key)), "galvatron-kinds",
                     "the table is of a model with several kinds of layers",
                     "profile a model of identical layers");
    } else {
      ++m_unused[layout.empty() ? key : layout];
    }
  }

  void noteUnused() {
    if (!m_unused.empty())
      m_source.note(m_source.whole(), "galvatron-unused",
                    "these values are not used: " + countedNames(m_unused));
  }

  std::vector<std::string> ranksOf(int size) const {
    std::vector<std::string> out;
    for (int r = 0; r < size; ++r) out.push_back("node" + std::to_string(r / m_perHost));
    return out;
  }
  CollectiveTimes timesOf(Kind kind, int ranks) const {
    CollectiveTimes out;
    out.kind = kind;
    out.rankHosts = ranksOf(ranks);
    return out;
  }

  /// The largest group inside a host, and the one of all ranks: between them no level changes.
  template <class T>
  std::vector<std::pair<int, const T*>> groupsIn(const std::map<int, T>& all) const {
    std::vector<std::pair<int, const T*>> out;
    for (const auto& [size, value] : all) {
      const bool isInside = size > 1 && size <= m_perHost;
      if (isInside && !out.empty()) out.pop_back();
      if (isInside || (m_hosts > 1 && size == m_hosts * m_perHost)) out.emplace_back(size, &value);
    }
    return out;
  }

  std::optional<Measurement> exchanges() {
    if (m_perHost == 0)
      return fail(
          "galvatron-machine", "the file's name does not say how many nodes and GPUs were measured",
          "keep the name that Galvatron gave it, such as allreduce_bandwidth_2nodes_8gpus_per_node.json");
    std::vector<CollectiveTimes> out;
    for (const auto& [size, bus] : groupsIn(m_bandwidths)) {
      CollectiveTimes& c = out.emplace_back(timesOf(Kind::AllReduce, size));
      const BytesPerSecond rate(*bus * kMebi * 1e3);
      c.rows.push_back(
          {kUsualMessage, Seconds(2.0 * (size - 1) / size * kUsualMessage.value() / rate.value()), rate});
    }
    for (const auto& [size, times] : groupsIn(m_times)) {
      CollectiveTimes& c = out.emplace_back(timesOf(Kind::AllReduce, size));
      for (const auto& [mebibytes, ms] : *times) {
        const Bytes bytes(mebibytes * kMebi);
        c.rows.push_back({bytes, Seconds(ms * 1e-3),
                          BytesPerSecond(2.0 * (size - 1) / size * bytes.value() / (ms * 1e-3))});
      }
    }
    // Of two stages on two hosts, or of as many stages as hosts, every hop leaves its host.
    if (const auto hop = m_hops.find(std::max(2, m_hosts)); hop != m_hops.end() && out.empty()) {
      CollectiveTimes& c =
          out.emplace_back(timesOf(Kind::SendReceive, m_hosts > 1 ? m_hosts * m_perHost : 2));
      const BytesPerSecond rate(hop->second * kMebi * 1e3);
      c.rows.push_back({kUsualMessage, Seconds(kUsualMessage.value() / rate.value()), rate});
    }
    if (out.empty())
      return fail("galvatron-groups", "no group of the file is that of a whole host or of all ranks",
                  "profile with the usual group sizes");
    return Measurement{std::move(out)};
  }

  /// What a further layer takes.
  static std::optional<double> perLayer(const std::map<int, double>& byLayers) {
    const auto& [fewer, small] = *byLayers.begin();
    const auto& [more, large] = *byLayers.rbegin();
    return more > fewer && large > small ? std::optional((large - small) / (more - fewer)) : std::nullopt;
  }

  std::optional<Measurement> blocks() {
    BlockTable out;
    out.model = modelInName();
    for (const auto& [key, byLayers] : m_forward)
      if (const auto ms = perLayer(byLayers))
        out.times.push_back({key.second, key.first, Seconds(*ms * 1e-3)});
      else if (byLayers.size() > 1)
        m_source.warning(m_source.whole(), "galvatron-falls",
                         "with batch " + std::to_string(key.second) + " and sequences of " +
                             std::to_string(key.first) + " tokens " +
                             std::to_string(byLayers.rbegin()->first) + " layers took no longer than " +
                             std::to_string(byLayers.begin()->first) + "; the row is left out",
                         "profile again on an idle machine");
    std::sort(out.times.begin(), out.times.end(),
              [](const auto& a, const auto& b) { return a.microbatch < b.microbatch; });
    std::set<std::pair<int, bool>> known;
    for (const auto& [key, byLayers] : m_kept) {
      const auto& [layout, sequence, batch] = key;
      int pipeline = 0, tensor = 0, data = 0;
      ProfileName name(layout);
      // Others divide the vocabulary, or compute again.
      if (!name.take("", pipeline) || !name.take("_", tensor) || !name.take("_", data) || pipeline != 1)
        continue;
      const bool isSequence = name.take("_sp") && tensor > 1;
      const auto mebibytes = perLayer(byLayers);
      if (!name.isDone() || !mebibytes || tensor < 1 || data < 1 || !known.emplace(tensor, isSequence).second)
        continue;
      out.memory.push_back({tensor, sequence, isSequence, Bytes(*mebibytes * kMebi * data / batch)});
    }
    if (out.times.empty() && out.memory.empty())
      return fail(
          "galvatron-layers",
          "the table has no two numbers of layers for one batch, so the time of a layer is unknown",
          "give computation_profiling_*_all.json or memory_profiling_*_all.json of a model that was profiled "
          "with two numbers of layers");
    return Measurement{std::move(out)};
  }

  const JsonText& m_json;
  SourceText& m_source;
  std::map<std::string, int> m_unused;
  int m_hosts = 0, m_perHost = 0;
  std::map<int, double> m_bandwidths, m_hops;                      ///< MiB/ms, by group size
  std::map<int, std::map<int, double>> m_times;                    ///< ms, by group size and MiB
  std::map<std::pair<int, int>, std::map<int, double>> m_forward;  ///< ms, by sequence, batch; layers
  std::map<std::tuple<std::string, int, int>, std::map<int, double>> m_kept;  ///< MiB, by layout too
};

}  // namespace

const Format& galvatronFormat() {
  static constexpr Format format = {
      .key = "galvatron",
      .name = "Galvatron profile",
      .suffixes = "json",
      .fileNames = "",
      .example = R"({"layernum[2]_bsz1_seq2048": 15.08, "layernum[4]_bsz1_seq2048": 23.87, …})",
      .remarks =
          "computation_profiling_* (forward time of a block), memory_profiling_* (its activations), "
          "allreduce_bandwidth_*,\nsp_time_* and p2p_bandwidth_* (levels; the name says how many nodes).",
      .claims =
          [](const FileLook& f) {
            const auto has = [&f](const char* part) { return f.json.find(part) != std::string_view::npos; };
            return has("\"layernum[") || has("\"allreduce_size_") || has("\"pp_size_");
          },
      .read = ReadMeasurement([](std::string_view text, const std::string& file) -> Reading<Measurement> {
        const auto json = readJsonText(text, file);
        if (!json) return {std::nullopt, json.diagnostics};
        SourceText source(text, file);
        auto result = Galvatron(*json, source).run();
        return {std::move(result), source.take()};
      })};
  return format;
}

}  // namespace nest
