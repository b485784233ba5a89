#include "problem/problem.h"

#include <cmath>

namespace nest {
namespace {

constexpr double kRoundingOfShares = 1e-9;  ///< 2 % of 150 sequences are 3 of them

}  // namespace

int Problem::leastBatch() const {
  if (!(job.batchTolerance > 0)) return job.globalBatch;
  return std::max(
      1, static_cast<int>(std::ceil(job.globalBatch * (1 - job.batchTolerance) - kRoundingOfShares)));
}

int Problem::mostBatch() const {
  if (!(job.batchTolerance > 0)) return job.globalBatch;
  return static_cast<int>(std::floor(job.globalBatch * (1 + job.batchTolerance) + kRoundingOfShares));
}

std::vector<Problem::BatchChoice> Problem::batchChoices(int microbatch, int dataDegree) const {
  std::vector<BatchChoice> all;
  const long long per = static_cast<long long>(microbatch) * dataDegree;
  if (per < 1) return all;
  const long long least = leastBatch(), most = mostBatch();
  const bool pads = search.padLastMicrobatch && !constraints.megatronExpressible;
  if (pads && most % per != 0)
    all.push_back({static_cast<int>(most), static_cast<int>((most + per - 1) / per), true});
  for (long long m = most / per; m >= 1 && m * per >= least; --m)
    all.push_back({static_cast<int>(m * per), static_cast<int>(m)});
  return all;
}

}  // namespace nest
