#include "measures/bubble.h"

#include <algorithm>

namespace nest {
namespace {

Bubble bubbleOf(const std::vector<StageEvaluation>& stages, const std::vector<Seconds>& busy, Seconds whole) {
  if (!(whole > Seconds()) || stages.empty() || busy.size() != stages.size()) return {};
  double devices = 0, worked = 0;
  Seconds longest;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    devices += stages[i].devices;
    worked += stages[i].devices * busy[i].value();
    longest = std::max(longest, busy[i]);
  }
  if (!(devices > 0)) return {};
  Bubble b;
  b.fillAndDrain = std::max(0.0, 1 - longest / whole);
  b.imbalance = std::max(0.0, (longest.value() - worked / devices) / whole.value());
  return b;
}

std::vector<Seconds> busyTimes(const Evaluation& e) {
  std::vector<Seconds> busy;
  busy.reserve(e.stages.size());
  for (const StageEvaluation& s : e.stages) busy.push_back(e.microbatchCount * s.load + s.exposed + s.step);
  return busy;
}

}  // namespace

std::vector<StageWait> waitsOf(const Evaluation& e) {
  const std::vector<Seconds> busy = busyTimes(e);
  Seconds longest;
  for (const Seconds t : busy) longest = std::max(longest, t);
  std::vector<StageWait> out;
  for (const Seconds t : busy) out.push_back({longest - t, std::max(Seconds(), e.batchTime - longest)});
  return out;
}

Bubble bubbleOf(const Evaluation& e) {
  return bubbleOf(e.stages, busyTimes(e), e.batchTime);
}

Bubble bubbleOf(const Evaluation& e, const Schedule& schedule) {
  return bubbleOf(e.stages, schedule.busy, schedule.total);
}

}  // namespace nest
