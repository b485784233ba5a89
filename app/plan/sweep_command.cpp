#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <thread>

#include "command_line.h"
#include "commands.h"
#include "files.h"
#include "study/sweep.h"
#include "units/text.h"

namespace nest::cli {
namespace {

std::optional<Shard> readShard(const std::string& s) {
  Shard shard;
  const auto slash = s.find('/');
  if (slash == std::string::npos) return std::nullopt;
  const auto whole = [](const char* from, const char* to, int& into) {
    const auto [end, ec] = std::from_chars(from, to, into);
    return ec == std::errc() && end == to;
  };
  const bool good = whole(s.data(), s.data() + slash, shard.number) &&
                    whole(s.data() + slash + 1, s.data() + s.size(), shard.of);
  return good && shard.of >= 1 && shard.of <= 1'000'000 && shard.number >= 1 && shard.number <= shard.of
             ? std::optional(shard)
             : std::nullopt;
}

Diagnostic misuse(std::string message) {
  return error("command-line", {"", 0, 0, ""}, std::move(message), "see nest-plan sweep --help");
}

int writeTables(const std::string& base, const std::vector<SweepField>& fields,
                const std::vector<SweepRow>& rows) {
  Diagnostics failed = writeTextFile(base + ".csv", sweepCsv(fields, rows));
  for (const Diagnostic& d : writeTextFile(base + ".json", sweepJson(fields, rows))) failed.push_back(d);
  report(failed);
  if (!failed.empty()) return kBadInput;
  std::cout << text::count(static_cast<long long>(rows.size())) << " rows in " << base << ".csv and " << base
            << ".json\n";
  return kDone;
}

int merge(const Arguments& args) {
  const auto base = args.value("--output");
  if (!base) return report({misuse("--merge needs -o for the joined table")}), kBadInput;
  std::vector<SweepJournal> journals;
  Diagnostics out;
  for (const std::string& path : args.files) {
    const auto text = readTextFile(path);
    auto journal = text ? readJournal(*text, path) : Reading<SweepJournal>{std::nullopt, text.diagnostics};
    out.insert(out.end(), journal.diagnostics.begin(), journal.diagnostics.end());
    if (journal) journals.push_back(std::move(*journal));
  }
  if (hasErrors(out)) return report(out), kBadInput;
  auto merged = mergeJournals(journals);
  out.insert(out.end(), merged.diagnostics.begin(), merged.diagnostics.end());
  report(out);
  return merged ? writeTables(*base, merged->fields, merged->rows) : kBadInput;
}

/// The rows of an interrupted run; the journal is opened for more. False after an error was reported.
bool resume(const std::string& path, const SweepGrid& grid, bool restart, std::vector<SweepRow>& done,
            std::ofstream& journal) {
  std::error_code ec;
  if (!restart && std::filesystem::exists(path, ec)) {
    const auto text = readTextFile(path);
    auto earlier = text ? readJournal(*text, path) : Reading<SweepJournal>{std::nullopt, text.diagnostics};
    report(earlier.diagnostics);
    if (!earlier) return false;
    if (earlier->key != grid.key()) {
      report({error("sweep-different", {path, 0, 0, ""}, "this journal is of another sweep",
                    "give another -o, or --restart to begin anew")});
      return false;
    }
    done = std::move(earlier->rows);
  }
  // Written anew with what is good in it, so that a cut-off line does not stay.
  std::string text = journalHead(grid);
  for (const SweepRow& r : done) text += journalLine(r);
  const Diagnostics failed = writeTextFile(path, text);
  report(failed);
  if (!failed.empty()) return false;
  journal.open(path, std::ios::binary | std::ios::app);
  return journal.good();
}

struct Asked {
  std::vector<SweepField> fields;
  Shard shard;
  int threads = 1;
};

std::optional<Asked> readOptions(const Arguments& args) {
  Asked asked;
  Diagnostics out;
  for (const std::string& s : args.values("--set")) {
    auto field = readSweepField(s);
    out.insert(out.end(), field.diagnostics.begin(), field.diagnostics.end());
    if (field) asked.fields.push_back(std::move(*field));
  }
  if (args.values("--set").empty()) out.push_back(misuse("a sweep needs at least one --set FIELD=VALUES"));
  if (args.files.size() != 1) out.push_back(misuse("a sweep takes one scenario"));
  if (const auto s = args.value("--shard")) {
    const auto shard = readShard(*s);
    if (shard)
      asked.shard = *shard;
    else
      out.push_back(misuse("--shard takes i/n with 1 ≤ i ≤ n, not \"" + *s + '"'));
  }
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  asked.threads = static_cast<int>(wholeNumber(args, "--threads", 1, 1024, out).value_or(cores));
  report(out);
  return hasErrors(out) ? std::nullopt : std::optional(std::move(asked));
}

void showProgress(const SweepRow& row, std::size_t done, std::size_t all) {
  const std::string best = row.plan.empty() ? row.status : text::time(Seconds(row.batchSeconds));
  std::fprintf(stderr, "%s%zu of %zu solved, latest %s%s", isatty(STDERR_FILENO) ? "\r\033[K" : "", done, all,
               best.c_str(), isatty(STDERR_FILENO) && done < all ? "" : "\n");
}

}  // namespace

int sweepCommand(const Words& words) {
  const std::vector<OptionSpec> known = {{"--set", 's', true, true},
                                         {"--output", 'o', true},
                                         {"--threads", 0, true},
                                         {"--shard", 0, true},
                                         {"--merge"},
                                         {"--restart"},
                                         {"--json"}};
  const auto args = parseArguments(words, known, 1, 100000);
  if (!args) return report(args.diagnostics), kBadInput;
  if (args->has("--merge")) return merge(*args);
  const auto asked = readOptions(*args);
  if (!asked) return kBadInput;
  const std::string& path = args->files[0];
  const auto text = readTextFile(path);
  if (!text) return report(text.diagnostics), kBadInput;
  const auto grid = SweepGrid::build(*text, path, asked->fields, loaderBeside(path));
  report(grid.diagnostics);
  if (!grid) return kBadInput;

  SweepOptions options{asked->threads, asked->shard, {}};
  const auto base = args->value("--output");
  const bool whole = asked->shard.of == 1;
  std::ofstream journal;
  if (base) {
    const std::string part =
        whole ? ""
              : ".shard-" + std::to_string(asked->shard.number) + "-of-" + std::to_string(asked->shard.of);
    if (!resume(*base + part + ".jsonl", *grid, args->has("--restart"), options.done, journal))
      return kBadInput;
  }
  Watch watch(0);
  const Control control = watch.control();
  const auto rows = runSweep(
      *grid, options,
      [&](const SweepRow& row, std::size_t done, std::size_t all) {
        if (journal.is_open()) journal << journalLine(row) << std::flush;
        if (base) showProgress(row, done, all);
      },
      control);
  if (journal.is_open() && !journal.good())
    return report({error("file-unwritable", {*base, 0, 0, ""}, "the journal could not be written")}),
           kBadInput;
  if (control.stopRequested()) {
    std::cerr << "stopped after " << rows.size() << " rows; the same command goes on from there\n";
    return kDone;
  }
  if (base) return whole ? writeTables(*base, grid->fields(), rows) : kDone;
  std::cout << (args->has("--json") ? sweepJson(grid->fields(), rows) : sweepCsv(grid->fields(), rows));
  return kDone;
}

}  // namespace nest::cli
