#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "lab/published_scenario.h"

namespace nest {

/// One configuration of a measured sweep beside what is predicted for it.
struct RankedRun {
  PublishedRun run;
  double measured = 0;        ///< seconds a step; 0: it did not run
  double predicted = 0;       ///< seconds a step; 0: the configuration cannot be formed here
  bool fits = false;          ///< predicted, the program's headroom kept
  bool saysHostTime = false;  ///< its sweep has a column of what hosts take for a block, be it empty
  double measuredMemory = 0,
         predictedMemory = 0;  ///< bytes that a device's allocator reserves; 0: not stated

  bool ran() const { return measured > 0; }
};

/// Configurations of one model on one cluster under one program, replayed.
struct Sweep {
  std::string name;     ///< "nanotron-h100-1B, 8 hosts"
  std::string program;  ///< id
  std::vector<RankedRun> runs;
  int notCompared = 0;  ///< slower than kComparable times the best, or not formed here

  double tau = 0;                         ///< Kendall's, over runs that are predicted to fit and ran
  long long pairs = 0, right = 0;         ///< of pairs measured more than 10 % apart; ordered as measured
  bool hasPick = false, pickRan = false;  ///< the fastest prediction that fits; whether it ran
  double regret = 0,
         regretOfFive = 0;  ///< measured ÷ best measured − 1 of the pick, and of the best of the first five
};

struct RankingReport {
  static constexpr double kComparable = 2.5;
  std::vector<Sweep> sweeps;

  double pairsRight() const;  ///< over all sweeps
  int picks() const;
  int picksThatRan() const;
  double meanRegret() const;   ///< of picks that ran
  double memoryError() const;  ///< mean |predicted ÷ measured − 1|; 0 without figures
  int memoryRuns() const;
};

/// Replays {"sets": [{"id", "source", "model": a Hugging Face configuration, "seq", "global_batch",
/// "columns", "rows", "failed_columns", "failed"}]} as `nest-plan study ranking` reads them. Columns: hosts
/// (of 8) or gpus, tp, pp, dp, microbatch, zero, sequence_parallel (else where tp > 1), recompute, kernel
/// (of attention; "fused": softmax in one, Megatron's; "RMS kernel": norms in one), fields of a scenario by
/// key ("/assumptions/…": what the run or its cluster sets; null: as the program has it), and what was
/// measured: step_s (or "out of memory"), or tokens_per_s_per_gpu, and memory (GiB, or as "memory_unit" of
/// the set says: GB). "failed" lists configurations that did not run. A set's "program", else one that its id
/// or source names, runs it; "device" is H100 SXM, or what the id or "cluster" (EFA) says. Rows of another
/// kernel or host count are a sweep of their own. Sets without a model become
/// warnings; columns that are not known, runs that cannot be formed here, and times ten times as long as
/// predicted, too. Errors: values that are none of their column, and degrees that are not the devices.
Reading<RankingReport> replayRanking(std::string_view text, const std::string& file,
                                     const PublishedOptions& = {});

std::string toText(const RankingReport&);
std::string rankingJson(const RankingReport&);

}  // namespace nest
