#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/ranking.h"
#include "lab/validation.h"

namespace nest {

/// One measured run beside its prediction, whatever file it stands in.
struct RunPoint {
  std::string name;             ///< set and run: "nemo-h100-llama3-70 t4 p4 64"
  std::string program, device;  ///< ids
  double measured = 0;          ///< seconds per step; 0: it did not run
  double predicted = 0;         ///< seconds per step
  bool fitted = false;          ///< constants were chosen with it in view
  bool experts = false;         ///< of a mixture of experts
  bool fits = true;             ///< predicted to
  bool isCompared = true;       ///< false: so slow that rankings leave it out (RankingReport::kComparable)

  double error() const { return predicted / measured - 1; }  ///< of the time; only of a run that ran
};

struct RunPoints {
  std::vector<RunPoint> points;
  std::string summary;  ///< one sentence: how far predictions err, or how well they order

  double largest() const;  ///< of all times; 0 without points
  double least() const;
};

RunPoints pointsOf(const ValidationReport&);
RunPoints pointsOf(const RankingReport&);

/// Of a table of published runs (runValidation) or of measured sweeps (replayRanking), told by what it holds.
Reading<RunPoints> readRunPoints(std::string_view text, const std::string& file,
                                 const PublishedOptions& = {});

}  // namespace nest
