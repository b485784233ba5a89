#include "format_help.h"

#include <algorithm>

#include "formats/format.h"

namespace nest::cli {
namespace {

/// The first line behind `before`, the others below it.
std::string block(std::string before, std::string_view lines) {
  std::string out;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    (out += before).append(line) += '\n';
    before.assign(before.size(), ' ');
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
  }
  return out;
}

std::string padded(std::string_view word, std::size_t width) {
  std::string out = "  " + std::string(word);
  out.resize(std::max(out.size() + 2, width), ' ');
  return out;
}

}  // namespace

std::string formatsText() {
  std::string out =
      R"(The files that are read, recognized by their content, with an example of each. check says what a file is and what is wrong with
it; import makes a scenario of one or several; the explorer opens and takes by drag and drop the same ones. UTF-8, with
or without a byte order mark, or UTF-16 with one, and compressed with gzip or not. samples/models and samples/topologies
hold files of these kinds.
)";
  const auto group = [&](const char* title, bool (*isIn)(const Format&)) {
    (out += '\n').append(title) += '\n';
    for (const Format* f : formats())
      if (isIn(*f)) out += block(padded(f->name, 28), f->example) + block("      ", f->remarks);
  };
  group("Scenarios and plans", [](const Format& f) { return f.is<ReadScenario>() || f.is<ReadPlan>(); });
  group("Models", [](const Format& f) { return f.is<ReadModel>() || f.is<ReadProfile>(); });
  group("Networks", [](const Format& f) { return f.isNetwork(); });
  group("Measurements", [](const Format& f) { return f.is<ReadMeasurement>(); });
  out.pop_back();
  return out;
}

std::string writtenNetworks() {
  std::string out;
  for (const Format* f : formats())
    if (f->write) out += block(padded(f->key, 18), "the cluster: " + std::string(f->name));
  return out;
}

}  // namespace nest::cli
