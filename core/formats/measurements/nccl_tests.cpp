#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "formats/format.h"
#include "formats/measurements/log_lines.h"
#include "formats/networks/text_lines.h"
#include "text/decimal.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr std::size_t kMostNcclTestBytes = 8u << 20;
constexpr std::size_t kMostRanks = 1u << 16, kMostNcclTestRows = 10'000;
using MeasuredKind = CollectiveTimes::Kind;

/// What the table of a test looks like (src/*.cu of nccl-tests).
struct Test {
  std::string_view program;
  std::optional<MeasuredKind> kind;  ///< unset: the cost model has no such exchange
  bool reduces = false;              ///< "redop" is not "none"
  bool hasRoot = false;              ///< "root" is not −1
  bool hasInPlace = true;            ///< false: the in-place results are not checked ("N/A")
  /// Bus ÷ algorithm bandwidth of n ranks: factor·(n−1)/n, or 1.
  double factor = 0;
};
constexpr Test kTests[] = {{"all_reduce_perf", MeasuredKind::AllReduce, true, false, true, 2},
                           {"reduce_scatter_perf", MeasuredKind::ReduceScatter, true, false, true, 1},
                           {"all_gather_perf", MeasuredKind::AllGather, false, false, true, 1},
                           {"alltoall_perf", MeasuredKind::AllToAll, false, false, false, 1},
                           {"sendrecv_perf", MeasuredKind::SendReceive, true, false, false, 0},
                           {"alltoallv_perf", {}, false, false, false, 1},
                           {"hypercube_perf", {}, false, false, true, 1},
                           {"broadcast_perf", {}, false, true, true, 0},
                           {"reduce_perf", {}, true, true, true, 0},
                           {"scatter_perf", {}, false, true, true, 1},
                           {"gather_perf", {}, false, true, true, 1}};

/// The name stands there as a word of its own: "scatter_perf" is not in "reduce_scatter_perf".
bool mentions(std::string_view text, std::string_view program) {
  const auto isPart = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (auto at = text.find(program); at != std::string_view::npos; at = text.find(program, at + 1)) {
    const std::size_t end = at + program.size();
    if ((at == 0 || !isPart(text[at - 1])) && (end == text.size() || !isPart(text[end]))) return true;
  }
  return false;
}

/// A column "type": what stands behind size and count in each row.
bool isType(std::string_view word) {
  static constexpr std::string_view kTypes[] = {
      "int8",     "uint8", "int32",   "uint32", "int64",    "uint64",   "half",   "float", "double",
      "bfloat16", "char",  "float16", "int",    "fp8_e4m3", "fp8_e5m2", "f8e4m3", "f8e5m2"};
  return std::find(std::begin(kTypes), std::end(kTypes), word) != std::end(kTypes);
}

/// Without what a launcher glued to it: "[1,0]<stdout>:#", "nccl-0|8".
std::string_view unglued(std::string_view word) {
  const auto sign = word.find_last_of(":>|]");
  return sign == std::string_view::npos ? word : word.substr(sign + 1);
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
    if (!m_source.failed()) findKind();
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
    noteMixedRows();
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
    // Launchers and containers put moments, streams, ranks and names before each line: each kind of line is
    // found by the words of its own.
    for (std::size_t i = 0; i + 2 < words.size(); ++i)
      if (unglued(words[i]) == "Rank" && readWhole(words[i + 1], 0, 1LL << 24) &&
          std::find(words.begin() + static_cast<std::ptrdiff_t>(i), words.end(), "on") != words.end())
        return rank({words.begin() + static_cast<std::ptrdiff_t>(i), words.end()});
    if (std::find(words.begin(), words.end(), "algbw") != words.end()) {
      const auto size = std::find(words.begin(), words.end(), "size");
      return head({size == words.end() ? words.begin() : size, words.end()}, number);
    }
    if (m_columns == 0) return;
    for (std::size_t i = 2; i < words.size(); ++i) {
      if (!isType(words[i])) continue;
      const auto size = readWhole(unglued(words[i - 2]), 1, 1LL << 50);
      if (!size || !readWhole(words[i - 1], 0, 1LL << 50)) continue;
      const std::vector<std::string_view> cells{words.begin() + static_cast<std::ptrdiff_t>(i) - 2,
                                                words.end()};
      return row(cells, double(*size), number);
    }
    // A row that is broken, or of a type that is not known.
    if (words.size() < 5 || !readWhole(words[1], 0, 1LL << 50) || words[2].ends_with('#')) return;
    if (const auto size = readWhole(unglued(words[0]), 1, 1LL << 50)) row(words, double(*size), number);
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
    m_rootColumn = static_cast<std::size_t>(std::find(words.begin(), words.end(), "root") - words.begin());
    m_hasInPlace = std::count(words.begin(), words.end(), "algbw") == 2;
    if (m_time + 2 >= m_columns) {
      m_columns = 0;
      m_source.error(m_source.placeOfLine(number), "nccl-tests-head",
                     "the table has no columns time, algbw and busbw",
                     "measure without -C, which reports the time of the host");
    }
  }

  void row(const std::vector<std::string_view>& words, double size, int number) {
    if (m_times.rows.size() >= kMostNcclTestRows) return;
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
    if (*algorithm >= 1 && *algorithm > m_algorithm) {
      m_algorithm = *algorithm;
      m_ratio = *bus / *algorithm;
    }
    // Older versions leave the cell of "redop" empty where there is none.
    if (m_reduction < m_time) m_reduces = words.size() >= m_columns && words[m_reduction] != "none";
    if (m_rootColumn < m_time && words.size() >= m_columns) m_hasRoot = words[m_rootColumn] != "-1";
    if (m_hasInPlace && at + 3 < words.size() && value(at + 3))
      m_checksInPlace = m_checksInPlace.value_or(false) || readDecimal(words.back()).has_value();
    if (words.size() > 2 && isType(words[2])) m_types.emplace(words[2]);
    if (m_reduces.value_or(false)) m_operations.emplace(words[m_reduction]);
  }

  /// Whether bus ÷ algorithm bandwidth is that of the test, as far as the rounded table tells.
  bool hasRatio(const Test& t, double tolerance) const {
    const double n = m_times.ranks(), expected = t.factor > 0 ? t.factor * (n - 1) / n : 1;
    return !m_ratio || std::abs(*m_ratio - expected) <= tolerance * expected;
  }
  bool fits(const Test& t, double tolerance) const {
    return m_reduces.value_or(t.reduces) == t.reduces && m_hasRoot.value_or(t.hasRoot) == t.hasRoot &&
           m_checksInPlace.value_or(t.hasInPlace) == t.hasInPlace && hasRatio(t, tolerance);
  }

  void refuseKind(std::string message, std::string remedy) {
    m_source.error(m_source.whole(), "nccl-tests-kind", std::move(message), std::move(remedy));
  }
  void setKind(const Test& t) {
    if (t.kind)
      m_times.kind = *t.kind;
    else
      refuseKind(std::string(t.program) + " measures an exchange that no plan makes",
                 "run all_reduce_perf, all_gather_perf, reduce_scatter_perf, alltoall_perf or sendrecv_perf");
  }
  static std::string listed(const std::vector<const Test*>& tests) {
    std::string out;
    for (const Test* t : tests)
      out += (out.empty() ? "" : t == tests.back() ? " or " : ", ") + std::string(t->program);
    return out;
  }

  /// By its name, which newer versions and command lines state, and by what only its table has. Scripts name
  /// several tests: then the table decides among them.
  void findKind() {
    constexpr double kLoose = 0.02;
    // Bandwidths have two decimals.
    const double rounding = m_ratio ? 0.006 * (1 + 1 / *m_ratio) / m_algorithm : kLoose;
    std::vector<const Test*> named, fitting;
    for (const Test& t : kTests)
      if (mentions(m_source.text(), t.program)) named.push_back(&t);
    if (named.size() == 1) {
      if (hasRatio(*named[0], kLoose) || !named[0]->kind) return setKind(*named[0]);
      return refuseKind("the output names " + std::string(named[0]->program) +
                            ", but in its table busbw is " + text::number(*m_ratio) +
                            " times algbw, which is another test's",
                        "give the output of one test, with its own command line");
    }
    for (const double tolerance : {rounding, kLoose}) {
      for (const Test& t : kTests)
        if ((named.empty() || std::find(named.begin(), named.end(), &t) != named.end()) && fits(t, tolerance))
          fitting.push_back(&t);
      if (!fitting.empty()) break;
    }
    // A test that no plan needs looks like one that plans do: hypercube_perf like all_gather_perf.
    if (std::any_of(fitting.begin(), fitting.end(), [](const Test* t) { return t->kind.has_value(); }))
      std::erase_if(fitting, [](const Test* t) { return !t->kind; });
    if (fitting.size() == 1) return setKind(*fitting[0]);
    refuseKind("the output does not say which exchange was measured" +
                   (fitting.empty() ? std::string() : "; the table may be that of " + listed(fitting)),
               "add the command line, for example \"# all_gather_perf -b 8 -e 8G -f 2\"");
  }

  void noteMixedRows() {
    if (m_types.size() < 2 && m_operations.size() < 2) return;
    m_source.note(m_source.whole(), "nccl-tests-mixed",
                  "rows of " + std::to_string(m_types.size()) + " data types and " +
                      std::to_string(std::max<std::size_t>(1, m_operations.size())) +
                      (m_operations.size() > 1 ? " operations" : " operation") + " are taken together",
                  "measure one data type and one operation (-d bfloat16 -o sum)");
  }

  SourceText& m_source;
  CollectiveTimes m_times;
  std::set<std::string> m_ranks;
  std::size_t m_columns = 0, m_time = 0, m_reduction = 0;
  std::size_t m_rootColumn = 0;
  bool m_hasInPlace = false;
  double m_algorithm = 0;         ///< largest algorithm bandwidth, which is the least rounded
  std::optional<double> m_ratio;  ///< bus ÷ algorithm bandwidth there
  std::optional<bool> m_reduces, m_hasRoot;
  std::optional<bool> m_checksInPlace;  ///< unset: nothing is checked
  std::set<std::string> m_types, m_operations;
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
        return readBy<NcclTests>(text, file, kMostNcclTestBytes, "the output of nccl-tests");
      })};
  return format;
}

}  // namespace nest
