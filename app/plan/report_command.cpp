#include <filesystem>
#include <string>
#include <vector>

#include "commands.h"
#include "platform/descriptor.h"
#include "platform/process.h"

namespace nest::cli {
namespace {

/// The desktop program, which paints the figures: in the folder of this one, else where the shell finds it.
std::string explorer() {
  std::error_code ec;
  const std::filesystem::path there = std::filesystem::path(ownProgram()).parent_path() / "nest-explorer";
  return std::filesystem::exists(there, ec) ? there.string() : std::string("nest-explorer");
}

int page(const Arguments& args) {
  if (args.files.empty())
    return report({error("command-line", {}, "report takes one or two scenarios", "name their files")}),
           kBadInput;
  const std::string file = args.value("--output").value_or("report.html");
  // On success this process is the other one.
  std::vector<std::string> words{explorer(), "--report", file};
  if (args.has("--slides")) words.emplace_back("--slides");
  words.emplace_back("--");
  words.insert(words.end(), args.files.begin(), args.files.end());
  const int failed = becomeProgram(words);
  return report({error("report-explorer", {}, "nest-explorer cannot be started: " + describeErrno(failed),
                       "it paints the figures of a report; install it in the same folder as nest-plan")}),
         kBadInput;
}

}  // namespace

Command reportCommand() {
  return {
      .name = "report",
      .summary = "a page about the best plan, to send",
      .usage = {"SCENARIO", "BEFORE AFTER", "LESSON"},
      .description =
          R"(Writes one file that needs neither network nor program to be read: the finding, every figure, how
throughput scales with the devices (or the study of this setting that a slide keeps), the plans that the scenario keeps,
the stages, the next best plans and which are within the error, what was not searched, the assumptions with their
sources, and the scenario itself. What is left out is listed with the reason.
Of two scenarios the page is about their difference: which fields differ, how much longer or less a step takes, and
which part of the time makes the difference. FILE ends in .html or .pdf.
Of a lesson (*.lesson.json) it is a page with each answer behind a click.
nest-explorer paints the figures; no display is needed.)",
      .options = {{"--output", 'o', "FILE", "where the page goes (report.html)"},
                  {"--slides", 0, "", "the slides that the scenario keeps, instead of its plan; HTML"}},
      .exits = {{0, "done"},
                {1, "no plan fits (the page is about the closest one)"},
                {2, "bad input or unwritable output"},
                {3, "stopped (search.deadline_s) before a plan was found"}},
      .mostFiles = 2,
      .run = page};
}

}  // namespace nest::cli
