#include "sharded.h"

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <set>
#include <thread>

#include "commands.h"
#include "files.h"
#include "platform/appending_file.h"
#include "platform/process.h"
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

/// The journal at `path`, ready for more rows; `known` counts those of an interrupted run.
Reading<AppendingFile> openJournal(const std::string& path, const ShardedWork& work, bool restart,
                                   std::size_t& known) {
  auto file = AppendingFile::open(path);
  if (!file) return file;
  const auto add = [&](Diagnostics more) {
    file.diagnostics.insert(file.diagnostics.end(), more.begin(), more.end());
    if (hasErrors(file.diagnostics)) file.value.reset();
    return static_cast<bool>(file);
  };
  if (restart && !add(file->cutTo(0))) return file;
  if (file->size() > 0) {
    const auto earlier = work.look(path);
    if (!add(earlier.diagnostics) || !add(file->cutTo(earlier->bytes))) return file;
    known = earlier->rows;
  }
  if (file->size() == 0)
    if (Diagnostics failed = file->append(work.head); !failed.empty()) {
      std::error_code stays;
      std::filesystem::remove(path, stays);  // no row of it is known
      add(std::move(failed));
    }
  return file;
}

void showProgress(const std::string& latest, std::size_t done, std::size_t all) {
  const bool isTerminal = nest::isTerminal(StandardStream::Error);
  std::fprintf(stderr, "%s%zu of %zu solved, latest %s%s", isTerminal ? "\r\033[K" : "", done, all,
               latest.c_str(), isTerminal && done < all ? "" : "\n");
}

const char* const kShardOptions[] = {"--output", "--threads", "--shard",   "--submit",
                                     "--tasks",  "--sbatch",  "--no-wait", "--restart"};

}  // namespace

std::string countedRows(std::size_t rows) {
  return text::count(static_cast<long long>(rows)) + (rows == 1 ? " row" : " rows");
}

std::string journalPath(const std::string& base, const Shard& shard) {
  if (shard.of == 1) return base + ".jsonl";
  return base + ".shard-" + std::to_string(shard.number) + "-of-" + std::to_string(shard.of) + ".jsonl";
}

std::vector<OptionSpec> withShards(std::vector<OptionSpec> own) {
  const std::vector<OptionSpec> shards = {
      {"--threads", 0, "N", "solves at once (default: all cores)"},
      {"--shard", 0, "i/n",
       "only every n-th row, beginning with the i-th; rows go to BASE.shard-i-of-n.jsonl"},
      {"--submit",
       0,
       "SCHEDULER",
       "solve the shards as an array of jobs, wait for them and join them",
       false,
       {"slurm"}},
      {"--tasks", 0, "N", "jobs of the array (default: up to 32)"},
      {"--sbatch", 0, "OPTION", "a further option for sbatch, such as --partition=cpu", true},
      {"--no-wait", 0, "", "submit the array and leave it; the same command without it goes on"},
      {"--restart", 0, "", "solve all rows again"}};
  own.insert(own.end(), shards.begin(), shards.end());
  return own;
}

ShardOptions shardOptions(const Arguments& args, Diagnostics& out) {
  ShardOptions o;
  const auto misuse = [&out](std::string message) {
    out.push_back(error("command-line", {"", 0, 0, ""}, std::move(message), "see --help"));
  };
  o.base = args.value("--output").value_or("");
  if (o.base == "-") misuse("-o names the files to write; leave it out to print what they would hold");
  for (const char* end : {".csv", ".json"})
    for (const std::string& file : args.files)
      if (!o.base.empty() && isSameFile(o.base + end, file))
        misuse("-o " + o.base + " would put " + o.base + end + " in the place of what is read");
  if (const auto s = args.value("--shard")) {
    const auto shard = readShard(*s);
    if (shard)
      o.shard = *shard;
    else
      misuse("--shard takes i/n with 1 ≤ i ≤ n, not \"" + *s + '"');
  }
  o.submits = args.has("--submit");
  o.waits = !args.has("--no-wait");
  o.restarts = args.has("--restart");
  o.sbatch = args.values("--sbatch");
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  o.threads = static_cast<int>(wholeNumber(args, "--threads", 1, 1024, out).value_or(o.submits ? 1 : cores));
  o.tasks = static_cast<int>(wholeNumber(args, "--tasks", 1, 1000, out).value_or(0));
  if (o.submits && o.base.empty()) misuse("--submit needs -o for what the jobs write");
  if (o.submits && args.has("--shard")) misuse("--submit makes the shards itself: --tasks N says how many");
  if (o.restarts && o.base.empty()) misuse("--restart goes with -o, whose rows it solves again");
  for (const char* option : {"--tasks", "--sbatch", "--no-wait"})
    if (!o.submits && args.has(option)) misuse(std::string(option) + " goes with --submit slurm");
  return o;
}

void refuseBesideMerge(const Arguments& args, Diagnostics& out) {
  for (const std::string option : kShardOptions)
    if (option != "--output" && args.has(option))
      out.push_back(error("command-line", {},
                          option + " is about solving, and --merge only joins what is solved",
                          "leave one of them out"));
}

std::vector<std::string> wordsWithoutShards(const std::vector<std::string>& command, const Arguments& args) {
  const std::set<std::string> left(std::begin(kShardOptions), std::end(kShardOptions));
  std::vector<std::string> words = command;
  for (const auto& [name, values] : args.options)
    if (!left.count(name))
      for (const std::string& v : values) words.push_back(v.empty() ? name : name + '=' + v);
  words.insert(words.end(), args.files.begin(), args.files.end());
  return words;
}

int runSharded(const ShardedWork& work, const ShardOptions& o) {
  if (o.submits) return submitArray(work, o);
  const std::size_t all = o.shard.sizeOf(work.size);
  const std::string kept = o.base.empty() ? std::string() : journalPath(o.base, o.shard);
  std::optional<AppendingFile> journal;
  std::size_t keptRows = 0;
  if (!kept.empty()) {
    auto opened = openJournal(kept, work, o.restarts, keptRows);
    report(opened.diagnostics);
    if (!opened) return kBadInput;
    journal = std::move(opened.value);
  }
  Diagnostics failed;
  Watch watch({});
  const std::size_t rows = work.run(
      o.shard, o.threads,
      [&](const std::string& line, const std::string& latest, std::size_t done) {
        if (!journal || !failed.empty()) return;
        failed = journal->append(line);
        if (!failed.empty()) return watch.stop();  // what cannot be kept need not be solved
        ++keptRows;
        showProgress(latest, done, all);
      },
      watch.control());
  if (journal && failed.empty()) failed = journal->bringToDisk();
  const std::string of = " of " + text::count(static_cast<long long>(all));
  if (!failed.empty()) {
    report(failed);
    std::cerr << "stopped after " << countedRows(keptRows) << of << "; they are saved in " << kept
              << ": free some space, then run the same command to resume\n";
    return kBadInput;
  }
  const bool isComplete = rows >= all;
  if (!isComplete)
    std::cerr << "stopped after " << countedRows(rows) << of
              << (kept.empty() ? "; use -o to be able to resume\n"
                               : "; they are saved in " + kept + ": run the same command to resume\n");
  if (kept.empty() || (isComplete && o.shard.of == 1))
    if (const int code = work.write(o.base, kept); code != kDone) return code;
  return isComplete ? kDone : kStopped;
}

}  // namespace nest::cli
