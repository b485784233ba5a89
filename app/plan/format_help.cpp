#include "format_help.h"

#include <algorithm>

#include "formats/format.h"
#include "formats/launch/launch_target.h"
#include "options/command.h"

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

std::string launchTargetsText() {
  static constexpr std::size_t kWidth = 18;
  const auto entry = [](std::string_view id, std::string_view help) {
    std::string before = "  " + std::string(id) + ' ';
    before.resize(std::max(before.size(), kWidth), ' ');
    return block(std::move(before), help);
  };
  std::string launched, others, programs;
  for (const LaunchTarget* t : launchTargets())
    (t->label.empty() ? others : launched) += entry(t->id, t->help);
  const LaunchTarget* last = nullptr;
  for (const LaunchTarget* t : launchTargets())
    if (t->program) last = t;
  for (const LaunchTarget* t : launchTargets())
    if (t->program)
      programs += (programs.empty() ? ""
                   : t == last      ? " or "
                                    : ", ") +
                  std::string(t->id) + (programs.empty() ? " (default)" : "");
  const std::string folder =
      "all that starts the plan with --for " + programs +
      ": the configuration, host files, run.sh (srun, mpirun, torchrun), check.sh (do the ranks run where "
      "the "
      "plan has them?), stopwatch.sh (measured step against the predicted one) and a README";
  return launched + "  folder          " + wrapped(folder, kWidth, kWidth) + '\n' + others;
}

std::string writtenNetworks() {
  std::string out;
  for (const Format* f : formats())
    if (f->write) out += block(padded(f->key, 18), "the cluster: " + std::string(f->name));
  return out;
}

}  // namespace nest::cli
