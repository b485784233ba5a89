#include <algorithm>
#include <climits>

#include "schedule/all_schedules.h"

namespace nest {
namespace {

/// Interleaved 1F1B [Narayanan 2021, arXiv 2104.04473], in Megatron-LM's order: groups of s microbatches a
/// chunk after min(m·v, 2(s−i−1) + (v−1)s) forward passes; STATEMENT.md (4.16).
class Interleaved : public AlternatingSchedule {
public:
  ScheduleKind kind() const override { return ScheduleKind::Interleaved; }
  std::string_view id() const override { return "interleaved"; }
  std::string_view label() const override { return "Interleaved 1F1B"; }
  std::string_view source() const override { return "Narayanan 2021 (arXiv 2104.04473)"; }
  std::string_view torchTitanName() const override { return "Interleaved1F1B"; }
  bool isInMegatron() const override { return true; }
  bool isPlanned() const override { return true; }
  bool takesChunks(int chunks) const override { return chunks > 1; }
  std::vector<std::string> refusals(int stages, int chunks, int microbatches) const override {
    std::vector<std::string> out;
    if (chunks < 2) out.push_back("an interleaved schedule needs two or more chunks per stage");
    if (stages < 2) out.push_back("an interleaved schedule needs two or more stages");
    if (stages > 0 && microbatches % stages != 0)
      out.push_back("an interleaved schedule needs a number of microbatches (" +
                    std::to_string(microbatches) + ") that the stages (" + std::to_string(stages) +
                    ") divide");
    return out;
  }
  double stashesInFlight(int stage, int stages, int microbatches, int chunks) const override {
    return static_cast<double>(std::min<long long>(warmup(stage, stages, INT_MAX, chunks) + 1,
                                                   static_cast<long long>(microbatches) * chunks));
  }
  long long warmup(int stage, int stages, int microbatches, int chunks) const override {
    return std::min(static_cast<long long>(microbatches) * chunks,
                    2LL * (stages - stage - 1) + (chunks - 1LL) * stages);
  }
  int coveringPasses(int stages) const override { return stages; }
  double fill(const StagePasses& p, int chunks) const override { return p.load / std::max(1, chunks); }
  Seconds time(std::span<const StagePasses> stages, Seconds tail, int microbatches,
               int chunks) const override {
    const auto [sum, max] = loadsOf(stages);
    return microbatches * max + (sum - max) / std::max(1, chunks) + tail;
  }
  std::string_view timeFormula() const override { return "T = m · max load + (Σ load − max load)/v + tail"; }
  std::string_view fillFormula() const override { return "load / v"; }
  std::string_view stashFormula() const override { return "min(m·v, 2(s−i−1) + (v−1)·s + 1)"; }
};

}  // namespace

const PipelineSchedule& interleaved() {
  static const Interleaved schedule;
  return schedule;
}

}  // namespace nest
