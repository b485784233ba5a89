#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <thread>

#include "commands.h"
#include "files.h"
#include "files/appending_file.h"
#include "files/file_writer.h"
#include "study/sweep.h"
#include "sweep_slurm.h"
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

std::string counted(std::size_t rows) {
  return text::count(static_cast<long long>(rows)) + (rows == 1 ? " row" : " rows");
}

/// `kept`: the journal that holds the rows whatever happens to the tables; empty: there are several.
int writeTables(const std::string& base, const std::string& kept, const std::vector<SweepField>& fields,
                const std::vector<SweepRow>& rows) {
  Diagnostics failed;
  const auto table = [&](const std::string& path, auto write) {
    FileWriter file(path);
    write(fields, rows, [&](std::string_view piece) { file.write(piece); });
    for (Diagnostic& d : file.commit()) failed.push_back(std::move(d));
  };
  table(base + ".csv", writeSweepCsv);
  table(base + ".json", writeSweepJson);
  report(failed);
  if (!failed.empty()) {
    if (!kept.empty())
      std::cerr << "all " << counted(rows.size()) << " are kept in " << kept
                << "; the same command only writes the tables\n";
    return kBadInput;
  }
  // A remark, also beside --json: standard output is for rows.
  std::cerr << counted(rows.size()) << " in " << base << ".csv and " << base << ".json\n";
  return kDone;
}

/// The journal at `path`, ready for more rows; those of an interrupted run go to `done`.
Reading<AppendingFile> openJournal(const std::string& path, const SweepGrid& grid, bool restart,
                                   std::vector<SweepRow>& done) {
  auto file = AppendingFile::open(path);
  if (!file) return file;
  const auto add = [&](Diagnostics more) {
    file.diagnostics.insert(file.diagnostics.end(), more.begin(), more.end());
    if (hasErrors(file.diagnostics)) file.value.reset();
    return static_cast<bool>(file);
  };
  if (restart && !add(file->cutTo(0))) return file;
  if (file->size() > 0) {
    auto earlier = readJournal(path);
    if (!add(earlier.diagnostics) || !add(belongsTo(*earlier, grid)) || !add(file->cutTo(earlier->bytes)))
      return file;
    done = std::move(earlier->rows);
  }
  if (file->size() == 0)
    if (Diagnostics failed = file->append(journalHead(grid)); !failed.empty()) {
      std::error_code stays;
      std::filesystem::remove(path, stays);  // no row of it is known
      add(std::move(failed));
    }
  return file;
}

int merge(const Arguments& args) {
  if (const auto base = args.value("--output")) return mergeInto(*base, args.files);
  return report({misuse("--merge needs -o for the joined table")}), kBadInput;
}

struct Asked {
  std::vector<SweepField> fields;
  Shard shard;
  int threads = 1;
  int tasks = 0;
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
  const bool submits = args.has("--submit");
  asked.threads =
      static_cast<int>(wholeNumber(args, "--threads", 1, 1024, out).value_or(submits ? 1 : cores));
  asked.tasks = static_cast<int>(wholeNumber(args, "--tasks", 1, 1000, out).value_or(0));
  if (submits && !args.has("--output")) out.push_back(misuse("--submit needs -o for what the jobs write"));
  if (submits && args.has("--shard"))
    out.push_back(misuse("--submit makes the shards itself: --tasks N says how many"));
  for (const char* option : {"--tasks", "--sbatch", "--no-wait"})
    if (!submits && args.has(option))
      out.push_back(misuse(std::string(option) + " goes with --submit slurm"));
  report(out);
  return hasErrors(out) ? std::nullopt : std::optional(std::move(asked));
}

void showProgress(const SweepRow& row, std::size_t done, std::size_t all) {
  const std::string best = row.plan.empty() ? row.status : text::time(Seconds(row.batchSeconds));
  std::fprintf(stderr, "%s%zu of %zu solved, latest %s%s", isatty(STDERR_FILENO) ? "\r\033[K" : "", done, all,
               best.c_str(), isatty(STDERR_FILENO) && done < all ? "" : "\n");
}

int sweep(const Arguments& args) {
  if (args.has("--merge")) return merge(args);
  const auto asked = readOptions(args);
  if (!asked) return kBadInput;
  const std::string& path = args.files[0];
  const auto text = readTextFile(path);
  if (!text) return report(text.diagnostics), kBadInput;
  const auto grid = SweepGrid::build(*text, path, asked->fields, loaderBeside(path));
  report(grid.diagnostics);
  if (!grid) return kBadInput;

  if (args.has("--submit")) {
    std::vector<std::string> sweepWords = {path};
    for (const std::string& field : args.values("--set"))
      sweepWords.insert(sweepWords.end(), {"--set", field});
    return submitSweep(*grid, {.base = *args.value("--output"),
                               .words = std::move(sweepWords),
                               .tasks = asked->tasks,
                               .threads = asked->threads,
                               .sbatch = args.values("--sbatch"),
                               .waits = !args.has("--no-wait"),
                               .restarts = args.has("--restart")});
  }
  SweepOptions options{asked->threads, asked->shard, {}};
  const auto base = args.value("--output");
  const bool whole = asked->shard.of == 1;
  const std::size_t all = asked->shard.sizeOf(grid->size());
  std::string kept;
  std::optional<AppendingFile> journal;
  if (base) {
    kept =
        *base +
        (whole ? ""
               : ".shard-" + std::to_string(asked->shard.number) + "-of-" + std::to_string(asked->shard.of)) +
        ".jsonl";
    auto opened = openJournal(kept, *grid, args.has("--restart"), options.done);
    report(opened.diagnostics);
    if (!opened) return kBadInput;
    journal = std::move(opened.value);
  }
  Diagnostics failed;
  std::size_t keptRows = options.done.size();
  Watch watch({});
  const auto rows = runSweep(
      *grid, std::move(options),
      [&](const SweepRow& row, std::size_t done, std::size_t) {
        if (!journal || !failed.empty()) return;
        failed = journal->append(journalLine(row));
        if (!failed.empty()) return watch.stop();  // what cannot be kept need not be solved
        ++keptRows;
        showProgress(row, done, all);
      },
      watch.control());
  if (journal && failed.empty()) failed = journal->bringToDisk();
  if (!failed.empty()) {
    report(failed);
    std::cerr << "stopped after " << counted(keptRows) << " of " << text::count(static_cast<long long>(all))
              << "; they are saved in " << kept << ": free some space, then run the same command to resume\n";
    return kBadInput;
  }
  const bool isComplete = rows.size() >= all;
  if (!isComplete)
    std::cerr << "stopped after " << counted(rows.size()) << " of "
              << text::count(static_cast<long long>(all))
              << (base ? "; they are saved in " + kept + ": run the same command to resume\n"
                       : "; use -o to be able to resume\n");
  if (!base)
    (args.has("--json") ? writeSweepJson : writeSweepCsv)(grid->fields(), rows,
                                                          [](std::string_view piece) { std::cout << piece; });
  else if (isComplete && whole)
    return writeTables(*base, kept, grid->fields(), rows);
  return isComplete ? kDone : kStopped;
}

}  // namespace

int mergeInto(const std::string& base, const std::vector<std::string>& paths) {
  std::vector<SweepJournal> journals;
  Diagnostics out;
  for (const std::string& path : paths) {
    auto journal = readJournal(path);
    out.insert(out.end(), journal.diagnostics.begin(), journal.diagnostics.end());
    if (journal) journals.push_back(std::move(*journal));
  }
  if (hasErrors(out)) return report(out), kBadInput;
  auto merged = mergeJournals(std::move(journals));
  out.insert(out.end(), merged.diagnostics.begin(), merged.diagnostics.end());
  report(out);
  if (!merged) return kBadInput;
  const int code = writeTables(base, "", merged->fields, merged->rows);
  return code == kDone && merged->rows.size() < merged->size ? kStopped : code;
}

Command sweepCommand() {
  return {
      .name = "sweep",
      .summary = "solve a scenario over a grid of field values",
      .usage = {"SCENARIO --set FIELD=VALUES…", "--merge JOURNAL… -o BASE"},
      .description =
          R"(Solves the scenario for every combination of values. FIELD is any field of the scenario file, as a path:
job.global_batch, cluster.levels.1.bandwidth, assumptions.overlap.data, constraints.tensor, model.path. VALUES are separated
by commas; 8..64x2 is 8,16,32,64 and 1..4+1 is 1,2,3,4. Values may carry their unit. nest-plan fields lists all fields.

  nest-plan sweep s.nest.json --set job.global_batch=512..4096x2 --set "cluster.levels.1.bandwidth=25 GB/s,50 GB/s" -o out

writes out.csv and out.json when done. On the way every row goes to out.jsonl: after an interruption (Ctrl+C, SIGTERM, a
full disk, a lost machine) the same command goes on from there; --restart solves all again, and so it must be where a model
file of the scenario has changed. Without -o the table goes to standard output, after an interruption as far as it is solved.)",
      .options =
          {{"--set", 's', "FIELD=VALUES", "a field and the values it takes", true},
           {"--output", 'o', "BASE", "write BASE.csv and BASE.json, and BASE.jsonl on the way"},
           {"--threads", 0, "N", "solves at once (default: all cores)"},
           {"--shard", 0, "i/n",
            "only every n-th combination, beginning with the i-th; rows go to BASE.shard-i-of-n.jsonl"},
           {"--submit",
            0,
            "SCHEDULER",
            "solve the shards as an array of jobs, wait for them and join them",
            false,
            {"slurm"}},
           {"--tasks", 0, "N", "jobs of the array (default: up to 32)"},
           {"--sbatch", 0, "OPTION", "a further option for sbatch, such as --partition=cpu", true},
           {"--no-wait", 0, "", "submit the array and leave it; the same command without it goes on"},
           {"--merge", 0, "", "join the journals of shards into BASE.csv and BASE.json"},
           {"--restart", 0, "", "solve all rows again"},
           {"--json", 0, "", "without -o: print JSON instead of CSV"}},
      .notes =
          R"(Spread over the machines of a Slurm cluster, by one command that writes and submits an array of jobs, waits and joins:

  nest-plan sweep s.nest.json --set … -o out --submit slurm --tasks 64 --sbatch --partition=cpu

What it wrote lies in out.slurm.sh, the jobs' messages in out.slurm-*.log. After Ctrl+C, a lost connection or jobs that
were cancelled the same command waits for the array, or submits what is missing. With other schedulers, such as GNU parallel:

  parallel -q nest-plan sweep s.nest.json --set … --shard {}/16 -o out ::: $(seq 16)
  nest-plan sweep --merge out.shard-*.jsonl -o out)",
      .exits = {{0, "done (rows on which nothing fits included)"},
                {2, "bad input, or a file that cannot be written"},
                {3, "interrupted, or rows are missing"}},
      .leastFiles = 1,
      .mostFiles = 100000,
      .run = sweep};
}

}  // namespace nest::cli
