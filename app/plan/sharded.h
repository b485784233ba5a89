#pragma once

#include <functional>
#include <string>
#include <vector>

#include "options/arguments.h"
#include "study/journal.h"

namespace nest::cli {

/// Work that is solved row by row into journals: a sweep, a study. Shards of it run anywhere, are resumed,
/// and are joined to the same bytes as one run.
struct ShardedWork {
  std::string noun;                ///< "sweep", "study"
  std::vector<std::string> words;  ///< of the command that does it, without what tells shards: "sweep", …
  std::string key;                 ///< of equal work
  std::size_t size = 0;            ///< rows
  std::string head;                ///< first line of its journals

  struct Known {
    std::size_t rows = 0;
    std::uint64_t bytes = 0;
  };
  /// What a journal holds. Errors: it is of other work.
  std::function<Reading<Known>(const std::string& path)> look = {};
  /// Solves the rows of a shard that are not in the journal that was looked at last. Returns how many are
  /// done.
  using Take = std::function<void(const std::string& line, const std::string& latest, std::size_t done)>;
  std::function<std::size_t(const Shard&, int threads, const Take&, const Control&)> run = {};
  /// Writes what all rows make, of `run` or of journals; `kept` names the journal that has them whatever
  /// happens (empty: several). Returns the exit code.
  std::function<int(const std::string& base, const std::string& kept)> write = {};
  std::function<int(const std::string& base, const std::vector<std::string>& journals)> join = {};
};

/// How it is to be done.
struct ShardOptions {
  std::string base;  ///< -o: journals, script and state lie beside the tables
  Shard shard;
  int threads = 1;
  bool submits = false, waits = true, restarts = false;
  int tasks = 0;                    ///< of an array; 0: as begun before, else up to 32
  std::vector<std::string> sbatch;  ///< further options for sbatch
};

/// The options that such a command takes, and what they say; misuse goes to `out`.
std::vector<OptionSpec> withShards(std::vector<OptionSpec>);
ShardOptions shardOptions(const Arguments&, Diagnostics& out);
/// Of what --merge, which solves nothing, has no use for.
void refuseBesideMerge(const Arguments&, Diagnostics& out);
/// A command line of `command` ("study paper") with all other options and files.
std::vector<std::string> wordsWithoutShards(const std::vector<std::string>& command, const Arguments&);

/// Runs one shard, or all as an array of Slurm jobs; returns the exit code.
int runSharded(const ShardedWork&, const ShardOptions&);

/// "1,024 rows".
std::string countedRows(std::size_t);
/// Where a shard's rows are kept.
std::string journalPath(const std::string& base, const Shard&);
/// Submits what is not solved yet, or finds the job that is still at it, waits for it, and joins the journals
/// once all rows are there. Whatever interrupts it, the same call goes on: the array does not need it.
/// Returns the exit code.
int submitArray(const ShardedWork&, const ShardOptions&);

}  // namespace nest::cli
