#include "formats/measurements/log_lines.h"

#include <algorithm>
#include <cmath>

#include "text/decimal.h"

namespace nest {

void forEachLogLine(std::string_view text, const std::function<void(std::string_view, int)>& take) {
  std::string plain;
  const auto takePart = [&](std::string_view line, int number) {
    if (line.find('\x1b') != std::string_view::npos) {
      plain.clear();
      for (std::size_t i = 0; i < line.size(); ++i)
        if (line[i] != '\x1b')
          plain += line[i];
        else
          i = std::min(line.find_first_not_of("[0123456789;", i + 1), line.size());
      line = plain;
    }
    take(line, number);
  };
  for (int number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    for (auto end = line.find('\r'); end != std::string_view::npos; end = line.find('\r')) {
      takePart(line.substr(0, end), number);
      line.remove_prefix(end + 1);
    }
    takePart(line, number);
  }
}

int openLineOf(std::string_view text) {
  return text.empty() || text.back() == '\n'
             ? 0
             : 1 + static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

void tellCut(SourceText& source, int lines) {
  if (lines > 0)
    source.note(source.whole(), "log-cut",
                lines == 1 ? "a line is cut off and left out"
                           : std::to_string(lines) + " lines are cut off and left out");
}

std::string_view behind(std::string_view line, std::string_view label) {
  const auto at = line.find(label);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + label.size());
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return line;
}

std::optional<double> numberBehind(std::string_view line, std::string_view label) {
  const std::string_view rest = behind(line, label);
  std::string number;
  for (const char c : rest.substr(0, std::min(rest.find_first_not_of("0123456789.,eE+-"), std::size_t(40))))
    if (c != ',') number += c;
  while (!number.empty() && (number.back() == '.' || number.back() == '-' || number.back() == 'e'))
    number.pop_back();
  return readDecimal(number);
}

std::optional<int> countBehind(std::string_view line, std::string_view label) {
  const auto v = numberBehind(line, label);
  if (!v || !(*v >= 1) || *v > 1e9 || *v != std::floor(*v)) return std::nullopt;
  return static_cast<int>(*v);
}

std::optional<int> monthOf(std::string_view line) {
  for (std::size_t at = 0; (at = line.find("20", at)) != std::string_view::npos; ++at) {
    const std::string_view date = line.substr(at, 10);
    if (date.size() < 10 || date[4] != '-' || date[7] != '-') continue;
    const auto year = readWhole(date.substr(0, 4), 2000, 2099), month = readWhole(date.substr(5, 2), 1, 12),
               day = readWhole(date.substr(8, 2), 1, 31);
    if (year && month && day) return static_cast<int>(*year) * 12 + static_cast<int>(*month) - 1;
  }
  return std::nullopt;
}

double medianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

const char* torchtitanProgram(bool compiles, bool isRecent) {
  return !compiles ? "torchtitan-2024" : isRecent ? "torchtitan-2026" : "torchtitan-2024-compiled";
}

int warmUpOf(int lines) {
  return lines < 2 ? 0 : std::max(1, lines / 10);
}

}  // namespace nest
