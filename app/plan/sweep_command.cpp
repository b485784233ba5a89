#include <algorithm>
#include <iostream>

#include "commands.h"
#include "files.h"
#include "files/file_writer.h"
#include "sharded.h"
#include "study/sweep.h"
#include "units/text.h"

namespace nest::cli {
namespace {

Diagnostic sweepMisuse(std::string message) {
  return error("command-line", {"", 0, 0, ""}, std::move(message), "see nest-plan sweep --help");
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
      std::cerr << "all " << countedRows(rows.size()) << " are kept in " << kept
                << "; the same command only writes the tables\n";
    return kBadInput;
  }
  // A remark, also beside --json: standard output is for rows.
  std::cerr << countedRows(rows.size()) << " in " << base << ".csv and " << base << ".json\n";
  return kDone;
}

/// A grid without a single valid scenario is bad input.
int codeOf(const std::vector<SweepRow>& rows, std::size_t size) {
  const bool anyValid = rows.size() < size || std::any_of(rows.begin(), rows.end(), [](const SweepRow& row) {
                          return row.status != "invalid";
                        });
  if (anyValid || rows.empty()) return kDone;
  report({error("sweep-invalid", {}, "no combination is valid; the first: " + rows.front().problem,
                "nest-plan fields lists what each field takes; write lists in JSON, such as "
                "--set 'job.microbatches=[1,2],[4]'")});
  return kBadInput;
}

/// Joins all shards' journals. With rows missing kStopped.
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
  if (code != kDone) return code;
  return merged->rows.size() < merged->size ? static_cast<int>(kStopped) : codeOf(merged->rows, merged->size);
}

int merge(const Arguments& args) {
  if (args.has("--json"))
    return report({sweepMisuse("--merge writes the table as JSON, too: leave --json out")}), kBadInput;
  if (args.has("--set"))
    return report({sweepMisuse("--set does not go with --merge: journals have their fields")}), kBadInput;
  Diagnostics wrong;
  refuseBesideMerge(args, wrong);
  if (hasErrors(wrong)) return report(wrong), kBadInput;
  if (const auto base = args.value("--output")) return mergeInto(*base, args.files);
  return report({sweepMisuse("--merge needs -o for the joined table")}), kBadInput;
}

int sweep(const Arguments& args) {
  if (args.has("--merge")) return merge(args);
  std::vector<SweepField> fields;
  Diagnostics out;
  for (const std::string& s : args.values("--set")) {
    auto field = readSweepField(s);
    out.insert(out.end(), field.diagnostics.begin(), field.diagnostics.end());
    if (field) fields.push_back(std::move(*field));
  }
  if (args.values("--set").empty())
    out.push_back(sweepMisuse("a sweep needs at least one --set FIELD=VALUES"));
  if (args.has("--json") && args.has("--output"))
    out.push_back(sweepMisuse("-o writes the table as JSON, too; --json prints it where -o is left out"));
  if (args.files.size() != 1) out.push_back(sweepMisuse("a sweep takes one scenario"));
  const ShardOptions options = shardOptions(args, out);
  report(out);
  if (hasErrors(out)) return kBadInput;
  const std::string& path = args.files[0];
  const auto text = readTextFile(path);
  if (!text) return report(text.diagnostics), kBadInput;
  const auto grid = SweepGrid::build(*text, path, std::move(fields), loaderBeside(path));
  report(grid.diagnostics);
  if (!grid) return kBadInput;

  std::vector<SweepRow> rows;  // those done before, then all
  ShardedWork work{.noun = "sweep",
                   .words = wordsWithoutShards({"sweep"}, args),
                   .key = grid->key(),
                   .size = grid->size(),
                   .head = journalHead(*grid)};
  work.look = [&](const std::string& file) -> Reading<ShardedWork::Known> {
    auto journal = readJournal(file);
    if (!journal) return {std::nullopt, std::move(journal.diagnostics)};
    Diagnostics told = std::move(journal.diagnostics), wrong = belongsTo(*journal, *grid);
    std::move(wrong.begin(), wrong.end(), std::back_inserter(told));
    if (hasErrors(told)) return {std::nullopt, std::move(told)};
    rows = std::move(journal->rows);
    return {ShardedWork::Known{rows.size(), journal->bytes}, std::move(told)};
  };
  work.run = [&](const Shard& shard, int threads, const ShardedWork::Take& take, const Control& control) {
    rows = runSweep(
        *grid, {threads, shard, std::move(rows)},
        [&](const SweepRow& row, std::size_t done, std::size_t) {
          take(journalLine(row), row.plan.empty() ? row.status : text::time(Seconds(row.batchSeconds)), done);
        },
        control);
    return rows.size();
  };
  work.write = [&](const std::string& base, const std::string& kept) {
    if (!base.empty()) {
      const int code = writeTables(base, kept, grid->fields(), rows);
      return code == kDone ? codeOf(rows, grid->size()) : code;
    }
    (args.has("--json") ? writeSweepJson : writeSweepCsv)(grid->fields(), rows,
                                                          [](std::string_view piece) { std::cout << piece; });
    return codeOf(rows, grid->size());
  };
  work.join = mergeInto;
  return runSharded(work, options);
}

}  // namespace

Command sweepCommand() {
  return {
      .name = "sweep",
      .summary = "solve a scenario over a grid of field values",
      .usage = {"SCENARIO --set FIELD=VALUES…", "--merge JOURNAL… -o BASE"},
      .description =
          R"(Solves the scenario for every combination of values. FIELD is any field of the scenario file, as a path:
job.global_batch, cluster.levels.1.bandwidth, assumptions.overlap.data, constraints.tensor, model.path. VALUES are
separated by commas; 8..64x2 is 8,16,32,64, 1..4+1 is 1,2,3,4, 10..40/4 is four values at even steps, 10,20,30,40, and
1..1000/4log four at even factors. Values may carry their unit. A field that is a list
takes lists in JSON, quoted for the shell: --set 'job.microbatches=[1,2],[4]'; a value without brackets is a list of
one. nest-plan fields lists all fields.

  nest-plan sweep s.nest.json --set job.global_batch=512..4096x2 \
    --set "cluster.levels.1.bandwidth=25 GB/s,50 GB/s" -o out

writes out.csv and out.json when done. On the way every row goes to out.jsonl: after an interruption (Ctrl+C, SIGTERM, a
full disk, a lost machine) the same command goes on from there; --restart solves all again, and so it must be where a
model file of the scenario has changed. Without -o the table goes to standard output, after an interruption as far as it
is solved.)",
      .options =
          withShards({{"--set", 's', "FIELD=VALUES", "a field and the values it takes", true},
                      {"--output", 'o', "BASE", "write BASE.csv and BASE.json, and BASE.jsonl on the way"},
                      {"--merge", 0, "", "join the journals of shards into BASE.csv and BASE.json"},
                      {"--json", 0, "", "without -o: print JSON instead of CSV"}}),
      .notes =
          R"(Spread over the machines of a Slurm cluster, by one command that writes and submits an array of jobs, waits and joins:

  nest-plan sweep s.nest.json --set … -o out --submit slurm --tasks 64 --sbatch --partition=cpu

What it wrote lies in out.slurm.sh, the jobs' messages in out.slurm-*.log. After Ctrl+C, a lost connection or jobs that
were cancelled the same command waits for the array, or submits what is missing. With other schedulers, such as GNU
parallel:

  parallel -q nest-plan sweep s.nest.json --set … --shard {}/16 -o out ::: $(seq 16)
  nest-plan sweep --merge out.shard-*.jsonl -o out)",
      .exits = {{0, "done (rows on which nothing fits included)"},
                {2, "bad input, no valid combination, or a file that cannot be written"},
                {3, "interrupted, or rows are missing"}},
      .leastFiles = 1,
      .mostFiles = 100000,
      .run = sweep};
}

}  // namespace nest::cli
