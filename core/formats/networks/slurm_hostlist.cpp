#include "formats/networks/slurm_hostlist.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <string_view>

#include "text/decimal.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr std::size_t kLongestHostName = 256;

bool isHostDigit(char c) {
  return std::isdigit(static_cast<unsigned char>(c));
}

/// Numbers of a bracket, written with at least so many digits.
struct NumberRange {
  long long first = 0, last = 0;
  std::size_t width = 0;
};

/// A stretch of a name: text as it stands, or the ranges of a bracket.
struct Piece {
  std::string_view text;
  std::vector<NumberRange> ranges;
};

using HostName = std::vector<Piece>;

std::size_t sizeOf(const NumberRange& r) {
  return static_cast<std::size_t>(r.last - r.first) + 1;
}

std::string padded(long long n, std::size_t width) {
  std::string s = std::to_string(n);
  return s.size() < width ? std::string(width - s.size(), '0') + s : s;
}

/// Reads a list whole, counting names and their lengths, so that nothing is written out of a list that turns
/// out wrong at its end.
class Parser {
public:
  Parser(std::string_view text, std::size_t most) : m_text(text), m_most(most) {}

  std::vector<HostName> run() {
    while (m_error.empty() && m_at < m_text.size()) {
      name();
      if (m_error.empty() && m_at < m_text.size()) {
        if (m_text[m_at] != ',')
          fail("expected a comma between host names");
        else if (++m_at == m_text.size())
          fail("a name must follow the comma");
      }
    }
    if (m_error.empty() && m_names.empty()) fail("the host list is empty");
    return std::move(m_names);
  }
  const std::string& error() const { return m_error; }
  std::size_t offset() const { return m_offset; }
  std::size_t count() const { return m_count; }

private:
  void fail(std::string why) {
    if (!m_error.empty()) return;
    m_error = std::move(why);
    m_offset = m_at;
  }
  void failTooMany() { fail("more than " + text::count(static_cast<long long>(m_most)) + " names"); }

  void name() {
    HostName pieces;
    std::size_t names = 1, length = 0;
    const std::size_t begin = m_at;
    while (m_error.empty() && m_at < m_text.size() && m_text[m_at] != ',') {
      const char c = m_text[m_at];
      if (c == '[') {
        std::size_t choices = 0, width = 0;
        pieces.push_back({{}, bracket(choices, width)});
        if (!m_error.empty()) return;
        if (names * choices + m_count > m_most) return failTooMany();
        names *= choices;
        length += width;
      } else if (c == ']' || std::isspace(static_cast<unsigned char>(c)) ||
                 static_cast<unsigned char>(c) < 32) {
        return fail(c == ']' ? "\"]\" without \"[\"" : "a host name holds a blank");
      } else {
        const std::size_t from = m_at;
        while (m_at < m_text.size() && m_text[m_at] != ',' && m_text[m_at] != '[' && m_text[m_at] != ']' &&
               !std::isspace(static_cast<unsigned char>(m_text[m_at])))
          ++m_at;
        pieces.push_back({m_text.substr(from, m_at - from), {}});
        length += m_at - from;
      }
      // Written out as well: what is read must be readable when it is written back.
      if (length > kLongestHostName) return fail("a host name is longer than 256 bytes");
    }
    if (m_at == begin) return fail("a host name is missing");
    if ((m_count += names) > m_most) return failTooMany();
    m_names.push_back(std::move(pieces));
  }

  /// The ranges between brackets, how many numbers they hold and how long the longest is; at most `m_most`.
  std::vector<NumberRange> bracket(std::size_t& count, std::size_t& width) {
    std::vector<NumberRange> out;
    const std::size_t open = m_at++;
    while (true) {
      NumberRange r;
      const std::size_t from = m_at;
      const auto first = number();
      if (!first) return fail("expected a number in the brackets"), out;
      r.width = m_at - from;
      r.first = r.last = *first;
      if (m_at < m_text.size() && m_text[m_at] == '-') {
        ++m_at;
        const auto last = number();
        if (!last) return fail("expected the end of the range"), out;
        if (*last < *first) return fail("a range must not run backwards"), out;
        r.last = *last;
      }
      if (sizeOf(r) > m_most || (count += sizeOf(r)) > m_most) return failTooMany(), out;
      width = std::max({width, r.width, std::to_string(r.last).size()});
      out.push_back(r);
      if (m_at < m_text.size() && m_text[m_at] == ',') {
        ++m_at;
      } else if (m_at < m_text.size() && m_text[m_at] == ']') {
        ++m_at;
        return out;
      } else {
        if (m_at >= m_text.size()) m_at = open;
        return fail("\"[\" is not closed by \"]\""), out;
      }
    }
  }

  std::optional<long long> number() {
    const std::size_t from = m_at;
    while (m_at < m_text.size() && isHostDigit(m_text[m_at])) ++m_at;
    return readWhole(m_text.substr(from, m_at - from), 0, 999'999'999'999LL);
  }

  std::string_view m_text;
  std::size_t m_most, m_at = 0, m_count = 0, m_offset = 0;
  std::string m_error;
  std::vector<HostName> m_names;
};

/// All names that a name with brackets stands for, the last bracket fastest.
void writeOut(const HostName& pieces, std::vector<std::string>& out) {
  std::vector<std::string> names{""};
  for (const Piece& p : pieces) {
    if (p.ranges.empty()) {
      for (std::string& n : names) n += p.text;
      continue;
    }
    std::vector<std::string> longer;
    for (const std::string& n : names)
      for (const NumberRange& r : p.ranges)
        for (long long k = r.first; k <= r.last; ++k) longer.push_back(n + padded(k, r.width));
    names = std::move(longer);
  }
  std::move(names.begin(), names.end(), std::back_inserter(out));
}

}  // namespace

Hostlist expandHostlist(std::string_view text, std::size_t most) {
  Parser parser(text, most);
  const std::vector<HostName> names = parser.run();
  Hostlist out;
  out.error = parser.error();
  out.offset = parser.offset();
  if (!out.error.empty()) return out;
  out.names.reserve(parser.count());
  for (const HostName& n : names) writeOut(n, out.names);
  return out;
}

std::string compressHostlist(const std::vector<std::string>& names) {
  struct Run {
    std::string_view prefix;
    std::size_t width = 0;
    std::string ranges;  // of numbers
    long long first = 0, last = 0;
    bool isRange = false;  // more than one name
  };
  constexpr std::size_t kMostDigits = 15;
  std::string out;
  Run run;
  bool isOpen = false;
  const auto endRange = [&] {
    if (!run.ranges.empty()) run.ranges += ',';
    run.ranges += padded(run.first, run.width);
    if (run.last > run.first) run.ranges += '-' + padded(run.last, run.width);
  };
  const auto close = [&] {
    if (!isOpen) return;
    endRange();
    out += (out.empty() ? "" : ",") + std::string(run.prefix);
    out += run.isRange ? '[' + run.ranges + ']' : run.ranges;
    isOpen = false;
  };
  for (const std::string& name : names) {
    std::size_t digits = 0;
    while (digits < name.size() && digits < kMostDigits && isHostDigit(name[name.size() - 1 - digits]))
      ++digits;
    if (digits == 0) {
      close();
      out += (out.empty() ? "" : ",") + name;
      continue;
    }
    const std::string_view all = name, prefix = all.substr(0, all.size() - digits),
                           number = all.substr(prefix.size());
    const long long value = std::stoll(std::string(number));
    // Numbers without leading zeros may grow longer within a range.
    const std::size_t width =
        number.front() == '0' || (isOpen && run.width == number.size()) ? number.size() : 1;
    if (isOpen && run.prefix == prefix && run.width == width) {
      run.isRange = true;
      if (value == run.last + 1) {
        run.last = value;
      } else {
        endRange();
        run.first = run.last = value;
      }
      continue;
    }
    close();
    run = {prefix, width, {}, value, value, false};
    isOpen = true;
  }
  close();
  return out;
}

}  // namespace nest
