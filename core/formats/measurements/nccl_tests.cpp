#include <algorithm>
#include <cmath>
#include <set>

#include "formats/format.h"
#include "formats/measurements/log_lines.h"
#include "formats/networks/text_lines.h"
#include "text/decimal.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr std::size_t kMostBytes = 8u << 20;
constexpr std::size_t kMostRanks = 1u << 16, kMostRows = 10'000;
using Kind = CollectiveTimes::Kind;

struct Test {
  std::string_view program;
  std::optional<Kind> kind;  ///< unset: the cost model has no such exchange
};
/// Those whose names hold another's come first.
constexpr Test kTests[] = {{"all_reduce_perf", Kind::AllReduce},
                           {"reduce_scatter_perf", Kind::ReduceScatter},
                           {"all_gather_perf", Kind::AllGather},
                           {"alltoall_perf", Kind::AllToAll},
                           {"sendrecv_perf", Kind::SendReceive},
                           {"broadcast_perf", {}},
                           {"hypercube_perf", {}},
                           {"scatter_perf", {}},
                           {"gather_perf", {}},
                           {"reduce_perf", {}}};

/// "2025-03-02", "10:11:12.345", "[2025-03-02T10:11:12Z]": what launchers put before lines.
bool isMoment(std::string_view word) {
  return word.find_first_not_of("0123456789-:.,TZ+[]") == std::string_view::npos &&
         (std::count(word.begin(), word.end(), '-') == 2 || std::count(word.begin(), word.end(), ':') == 2);
}

class NcclTests {
public:
  explicit NcclTests(SourceText& source) : m_source(source), m_openLine(openLineOf(source.text())) {}

  std::optional<Measurement> run() {
    forEachLogLine(m_source.text(), [this](std::string_view line, int number) { take(line, number); });
    const auto fail = [this](const char* code, std::string message, std::string remedy) {
      if (!m_source.failed()) m_source.error(m_source.whole(), code, std::move(message), std::move(remedy));
    };
    if (m_times.rankHosts.empty())
      fail("nccl-tests-ranks", "the list \"Using devices\" with ranks and hosts is missing",
           "keep the head of the output");
    if (m_ranks.size() < m_times.rankHosts.size())
      fail("nccl-tests-alone",
           "several processes call themselves rank 0 or have the same rank: each ran alone, or several "
           "groups did",
           "build nccl-tests with MPI=1, and measure one group at a time");
    if (m_times.rows.empty())
      fail("nccl-tests-empty", "there is no row with a size and a time", "give the whole output");
    if (!m_source.failed()) tellKind();
    if (m_source.failed()) return std::nullopt;
    if (m_wrong > 0)
      m_source.warning(m_source.whole(), "nccl-tests-wrong",
                       std::to_string(m_wrong) + " rows have wrong results",
                       "find out why before these times are used");
    if (m_failure > 0)
      m_source.warning(m_source.placeOfLine(m_failure), "nccl-tests-failed",
                       "the test ended with an error after " +
                           text::count(static_cast<int>(m_times.rows.size())) +
                           (m_times.rows.size() == 1 ? " size" : " sizes"),
                       "find out why before these times are used");
    if (m_cut) m_source.note(m_source.whole(), "log-cut", "the last row is cut off and left out");
    std::stable_sort(m_times.rows.begin(), m_times.rows.end(),
                     [](const auto& a, const auto& b) { return a.size < b.size; });
    return Measurement{std::vector{std::move(m_times)}};
  }

private:
  void take(std::string_view line, int number) {
    std::vector<std::string_view> words;
    if (line.find(" NCCL INFO ") != std::string_view::npos ||
        line.find(" NCCL WARN ") != std::string_view::npos)
      return;
    for (const char* failure : {"Test NCCL failure", "Test CUDA failure", "Test failure"})
      if (line.find(failure) != std::string_view::npos && m_failure == 0) m_failure = number;
    for (const TextPart& word : wordsOf({line})) words.push_back(word.text);
    while (!words.empty() && isMoment(words[0])) words.erase(words.begin());
    // What a launcher puts before each line: "0:", "[1,0]<stdout>:#".
    if (!words.empty())
      if (const auto colon = words[0].rfind(':'); colon != std::string_view::npos && words[0] != "#") {
        words[0].remove_prefix(colon + 1);
        if (words[0].empty()) words.erase(words.begin());
      }
    if (!words.empty() && words[0] == "#") words.erase(words.begin());
    if (words.empty()) return;
    if (words[0] == "Rank") return rank(words);
    if (std::find(words.begin(), words.end(), "algbw") != words.end()) return head(words, number);
    if (m_columns == 0 || words.size() < 5) return;
    if (const auto size = readWhole(words[0], 1, 1LL << 50)) row(words, double(*size), number);
  }

  void rank(const std::vector<std::string_view>& words) {
    const auto on = std::find(words.begin(), words.end(), "on");
    if (on == words.end() || on + 1 == words.end() || m_times.rankHosts.size() >= kMostRanks) return;
    m_ranks.insert(std::string(words[1]));
    m_times.rankHosts.emplace_back(on[1]);
    const auto address = std::find_if(on, words.end(), [](std::string_view w) { return w.starts_with('['); });
    if (address == words.end() || !m_times.device.empty()) return;
    for (auto w = address + 1; w != words.end(); ++w) (m_times.device += w == address + 1 ? "" : " ") += *w;
  }

  void head(const std::vector<std::string_view>& words, int number) {
    if (!m_times.rows.empty()) {
      m_source.error(m_source.placeOfLine(number), "nccl-tests-several", "a second table begins here",
                     "give the output of one test at a time");
      return;
    }
    m_columns = words.size();
    m_countsWrong = std::find(words.begin(), words.end(), "#wrong") != words.end();
    m_time = static_cast<std::size_t>(std::find(words.begin(), words.end(), "time") - words.begin());
    m_reduction = static_cast<std::size_t>(std::find(words.begin(), words.end(), "redop") - words.begin());
    if (m_time + 2 >= m_columns) {
      m_columns = 0;
      m_source.error(m_source.placeOfLine(number), "nccl-tests-head",
                     "the table has no columns time, algbw and busbw",
                     "measure without -C, which reports the time of the host");
    }
  }

  void row(const std::vector<std::string_view>& words, double size, int number) {
    if (m_times.rows.size() >= kMostRows) return;
    // Older versions leave cells empty before the times.
    const std::size_t at = words.size() >= m_columns
                               ? m_time
                               : m_time + words.size() - std::min(words.size() + m_time, m_columns);
    const auto value = [&](std::size_t i) { return i < words.size() ? readDecimal(words[i]) : std::nullopt; };
    const auto time = value(at), algorithm = value(at + 1), bus = value(at + 2);
    if (number == m_openLine && words.size() < m_words) {
      m_cut = true;
      return;
    }
    if (!time || !algorithm || !bus || !(*time > 0) || *bus < 0) {
      m_source.error(m_source.placeOfLine(number), "nccl-tests-row",
                     "a row has a size in bytes, a time in µs above 0, algbw and busbw",
                     "leave broken lines out");
      return;
    }
    // Tables round algbw to 0.01 GB/s.
    if (const double told = size / *time * 1e-3;
        *algorithm >= 1 && !(told < 2 * *algorithm && *algorithm < 2 * told)) {
      m_source.error(m_source.placeOfLine(number), "nccl-tests-unit",
                     text::memory(Bytes(size)) + " in " + text::time(Seconds(*time * 1e-6)) + " are " +
                         text::bandwidth(BytesPerSecond(told * 1e9)) + ", but algbw says " +
                         text::bandwidth(BytesPerSecond(*algorithm * 1e9)),
                     "give the table as written: time in µs, algbw in GB/s");
      return;
    }
    if (const auto wrong = value(at + 3); m_countsWrong && wrong && *wrong > 0) ++m_wrong;
    m_words = words.size();
    m_times.rows.push_back({Bytes(size), Seconds(*time * 1e-6), BytesPerSecond(*bus * 1e9)});
    if (*algorithm >= 1) m_ratio = *bus / *algorithm;
    if (m_reduction < m_time && words.size() >= m_columns) m_reduces = words[m_reduction] != "none";
  }

  void tellKind() {
    for (const Test& t : kTests) {
      if (m_source.text().find(t.program) == std::string_view::npos) continue;
      if (t.kind) {
        m_times.kind = *t.kind;
        return;
      }
      m_source.error(
          m_source.whole(), "nccl-tests-kind",
          std::string(t.program) + " measures an exchange that no plan makes",
          "run all_reduce_perf, all_gather_perf, reduce_scatter_perf, alltoall_perf or sendrecv_perf");
      return;
    }
    // Bus ÷ algorithm bandwidth is 2(n−1)/n, (n−1)/n or 1.
    const double n = m_times.ranks(), share = (n - 1) / n;
    const auto isRatio = [this](double r) { return m_ratio && std::abs(*m_ratio - r) < 0.02 * r; };
    if (m_reduces.value_or(true) && n > 2 && isRatio(2 * share))
      m_times.kind = Kind::AllReduce;
    else if (m_reduces.value_or(false) && isRatio(share))
      m_times.kind = Kind::ReduceScatter;
    else
      m_source.error(m_source.whole(), "nccl-tests-kind",
                     "the output does not say which exchange was measured",
                     "add the command line, for example \"# all_gather_perf -b 8 -e 8G -f 2\"");
  }

  SourceText& m_source;
  CollectiveTimes m_times;
  std::set<std::string> m_ranks;
  std::size_t m_columns = 0, m_time = 0, m_reduction = 0;
  std::optional<double> m_ratio;
  std::optional<bool> m_reduces;
  bool m_countsWrong = false;  ///< older versions print an error instead
  bool m_cut = false;
  std::size_t m_words = 0;  ///< of the row before
  int m_openLine = 0, m_wrong = 0;
  int m_failure = 0;  ///< line of the first
};

}  // namespace

const Format& ncclTestsFormat() {
  static constexpr Format format = {
      .key = "nccl-tests",
      .name = "nccl-tests output",
      .suffixes = "txt log out",
      .fileNames = "",
      .example =
          "# Collective test starting: all_reduce_perf\n# Using devices\n"
          "#  Rank  0 Group  0 Pid   1887 on   worker-1 device  0 [0x8d] NVIDIA H100 80GB HBM3\n"
          "#  Rank  1 Group  0 Pid   1888 on   worker-1 device  1 [0x91] NVIDIA H100 80GB HBM3\n"
          "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
          "           8             2     float     sum      -1    13.02    0.00    0.00      0\n"
          "  8589934592    2147483648     float     sum      -1  26843.5  320.00  320.00      0",
      .remarks =
          "Bandwidth and latency of one level: the one that its ranks and hosts span, or import --level "
          "1=FILE.",
      .claims = [](const FileLook& f) { return f.has("algbw") && f.has("busbw"); },
      .read = ReadMeasurement([](std::string_view text, const std::string& file) {
        return readBy<NcclTests>(text, file, kMostBytes, "the output of nccl-tests");
      })};
  return format;
}

}  // namespace nest
