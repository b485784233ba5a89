#include "formats/slurm_hostlist.h"

#include <algorithm>
#include <cctype>

#include "formats/decimal.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr std::size_t kLongestName = 256;

bool isDigit(char c) {
  return std::isdigit(static_cast<unsigned char>(c));
}

std::string padded(long long n, std::size_t width) {
  std::string s = std::to_string(n);
  return s.size() < width ? std::string(width - s.size(), '0') + s : s;
}

class Expansion {
public:
  Expansion(std::string_view text, std::size_t most) : m_text(text), m_most(most) {}

  Hostlist run() {
    while (m_out.error.empty() && m_at < m_text.size()) {
      name();
      if (m_out.error.empty() && m_at < m_text.size()) {
        if (m_text[m_at] != ',')
          fail("expected a comma between host names");
        else if (++m_at == m_text.size())
          fail("a name must follow the comma");
      }
    }
    if (m_out.error.empty() && m_out.names.empty()) fail("the host list is empty");
    if (!m_out.error.empty()) m_out.names.clear();
    return std::move(m_out);
  }

private:
  void fail(std::string why) {
    if (!m_out.error.empty()) return;
    m_out.error = std::move(why);
    m_out.offset = m_at;
  }

  void name() {
    std::vector<std::string> names{""};
    const std::size_t begin = m_at;
    while (m_out.error.empty() && m_at < m_text.size() && m_text[m_at] != ',') {
      const char c = m_text[m_at];
      if (c == '[') {
        std::vector<std::string> choices = bracket();
        if (m_out.error.empty() &&
            (choices.size() > m_most || names.size() * choices.size() + m_out.names.size() > m_most))
          fail("more than " + text::count(static_cast<long long>(m_most)) + " names");
        if (!m_out.error.empty()) return;
        std::vector<std::string> longer;
        for (const auto& n : names)
          for (const auto& x : choices) longer.push_back(n + x);
        names = std::move(longer);
      } else if (c == ']' || std::isspace(static_cast<unsigned char>(c)) ||
                 static_cast<unsigned char>(c) < 32) {
        return fail(c == ']' ? "\"]\" without \"[\"" : "a host name holds a blank");
      } else {
        std::size_t end = m_at;
        while (end < m_text.size() && m_text[end] != ',' && m_text[end] != '[' && m_text[end] != ']' &&
               !std::isspace(static_cast<unsigned char>(m_text[end])))
          ++end;
        if (end - m_at > kLongestName) return fail("a host name is longer than 256 bytes");
        for (auto& n : names) n.append(m_text.substr(m_at, end - m_at));
        m_at = end;
      }
    }
    if (m_at == begin) return fail("a host name is missing");
    // Written out as well: what is read must be readable when it is written back.
    if (std::any_of(names.begin(), names.end(), [](const std::string& n) { return n.size() > kLongestName; }))
      return fail("a host name is longer than 256 bytes");
    if (names.size() + m_out.names.size() > m_most)
      return fail("more than " + text::count(static_cast<long long>(m_most)) + " names");
    m_out.names.insert(m_out.names.end(), names.begin(), names.end());
  }

  std::vector<std::string> bracket() {
    std::vector<std::string> out;
    const std::size_t open = m_at++;
    while (true) {
      const std::size_t from = m_at;
      while (m_at < m_text.size() && isDigit(m_text[m_at])) ++m_at;
      const auto first = readWhole(m_text.substr(from, m_at - from), 0, 999'999'999'999LL);
      if (!first) return fail("expected a number in the brackets"), out;
      const std::size_t width = m_at - from;
      long long last = *first;
      if (m_at < m_text.size() && m_text[m_at] == '-') {
        const std::size_t to = ++m_at;
        while (m_at < m_text.size() && isDigit(m_text[m_at])) ++m_at;
        const auto end = readWhole(m_text.substr(to, m_at - to), 0, 999'999'999'999LL);
        if (!end) return fail("expected the end of the range"), out;
        if (*end < *first) return fail("a range must not run backwards"), out;
        last = *end;
      }
      if (static_cast<std::size_t>(last - *first) >= m_most ||
          out.size() + static_cast<std::size_t>(last - *first) >= m_most)
        return fail("more than " + text::count(static_cast<long long>(m_most)) + " names"), out;
      for (long long k = *first; k <= last; ++k) out.push_back(padded(k, width));
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

  std::string_view m_text;
  std::size_t m_most, m_at = 0;
  Hostlist m_out;
};

struct Split {
  std::string stem;
  long long number = 0;
  std::size_t width = 0;  ///< 0: does not end in a number
};

Split split(const std::string& name) {
  std::size_t digits = name.size();
  while (digits > 0 && isDigit(name[digits - 1])) --digits;
  const auto number = readWhole(std::string_view(name).substr(digits), 0, 999'999'999'999LL);
  if (!number) return {name, 0, 0};
  return {name.substr(0, digits), *number, name.size() - digits};
}

}  // namespace

Hostlist expandHostlist(std::string_view text, std::size_t most) {
  return Expansion(text, most).run();
}

std::string foldHostlist(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size();) {
    const Split first = split(names[i]);
    std::string ranges;
    std::size_t j = i;
    int parts = 0;
    while (j < names.size()) {
      const Split from = split(names[j]);
      if (from.width == 0 || from.stem != first.stem) break;
      std::size_t k = j + 1;
      for (Split next; k < names.size(); ++k) {
        next = split(names[k]);
        // A padded range keeps one width; without padding the width may grow.
        const bool sameWidth = next.width == from.width || (names[j][from.stem.size()] != '0' &&
                                                            next.width == std::to_string(next.number).size());
        if (next.stem != first.stem || next.number != from.number + static_cast<long long>(k - j) ||
            !sameWidth)
          break;
      }
      ranges += (parts++ ? "," : "") + names[j].substr(first.stem.size());
      if (k - j > 1) ranges += '-' + names[k - 1].substr(first.stem.size());
      j = k;
    }
    if (!out.empty()) out += ',';
    if (j <= i + 1) {
      out += names[i];
      j = i + 1;
    } else {
      out += first.stem + '[' + ranges + ']';
    }
    i = j;
  }
  return out;
}

}  // namespace nest
