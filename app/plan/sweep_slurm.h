#pragma once

#include <string>
#include <vector>

#include "study/sweep.h"

namespace nest::cli {

/// A sweep as an array of Slurm jobs, each of which solves one shard.
struct SlurmSweep {
  std::string base;                 ///< -o: journals, script and state lie beside the tables
  std::vector<std::string> words;   ///< of the sweep that each job runs: "s.nest.json", "--set", "a=1,2"
  int tasks = 0;                    ///< shards; 0: as begun before, else up to 32
  int threads = 1;                  ///< of each
  std::vector<std::string> sbatch;  ///< further options for sbatch
  bool waits = true;
  bool restarts = false;
};

/// Submits what is not solved yet, or finds the job that is still at it, waits for it, and joins the journals
/// once all rows are there. Whatever interrupts it, the same call goes on: the array does not need it.
/// Returns the exit code.
int submitSweep(const SweepGrid&, const SlurmSweep&);

/// Joins all shards' journals; writes BASE.csv and BASE.json. With rows missing kStopped.
int mergeInto(const std::string& base, const std::vector<std::string>& journals);

}  // namespace nest::cli
