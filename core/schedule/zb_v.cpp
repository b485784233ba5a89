#include <algorithm>

#include "schedule/all_schedules.h"

namespace nest {
namespace {

/// ZB-V [Qi 2024, arXiv 2401.10241, §6]: two chunks a stage, parts i and 2s − 1 − i, and weight gradients as
/// passes of their own, so that first and last part share stage 0 and every stage holds as much as 1F1B's
/// first. The fill costs a forward chunk a stage, the drain an input gradient, and where weight gradients are
/// shorter than input gradients, what they leave open of it. STATEMENT.md (4.19).
class ZbV : public PipelineSchedule {
public:
  ScheduleKind kind() const override { return ScheduleKind::ZbV; }
  std::string_view id() const override { return "zb-v"; }
  std::string_view label() const override { return "ZB-V"; }
  std::string_view source() const override { return "Qi 2024 (arXiv 2401.10241)"; }
  std::string_view torchTitanName() const override { return "ZBVZeroBubble"; }
  bool isPlanned() const override { return true; }
  bool takesChunks(int chunks) const override { return chunks == 2; }
  int fixedChunks() const override { return 2; }
  bool splitsBackward() const override { return true; }
  bool isFolded() const override { return true; }
  std::vector<std::string> refusals(int stages, int chunks, int microbatches) const override {
    std::vector<std::string> out;
    if (chunks != 2)
      out.push_back("ZB-V runs two chunks per stage, and these stages have " + std::to_string(chunks));
    if (stages < 2) out.push_back("ZB-V needs two or more stages");
    if (microbatches < 2 * stages - 1)
      out.push_back("ZB-V needs 2·PP − 1 microbatches or more: with " + std::to_string(stages) + " stages " +
                    std::to_string(2 * stages - 1) + ", not " + std::to_string(microbatches));
    return out;
  }
  double stashesInFlight(int, int stages, int, int) const override { return stages; }
  bool stashesWholeStages() const override { return true; }
  int coveringPasses(int) const override { return 1; }
  double fill(const StagePasses& p, int) const override {
    return std::max({p.forward / 2, p.input() / 2, p.input() - p.weight});
  }
  bool fillsByLoad() const override { return false; }
  std::string_view timeFormula() const override { return "T = Σ g + max(m · load − g) + tail"; }
  std::string_view fillFormula() const override { return "g = max(f / 2, b / 2, b − w)"; }
  std::string_view stashFormula() const override { return "s"; }

  std::vector<PipelineTask> taskOrder(int stage, int stages, int, int microbatches) const override {
    const int behind = stages - stage;
    std::vector<PipelineTask> out;
    out.reserve(6 * static_cast<std::size_t>(microbatches));
    int next[2][3] = {};  // of a chunk: forward, input gradient, weight gradient
    const auto run = [&](int chunk, Pass pass) {
      int& k = next[chunk][pass == Pass::Forward ? 0 : pass == Pass::InputGradient ? 1 : 2];
      out.push_back({chunk, k++, pass});
    };
    const auto backward = [&](int chunk) {
      run(chunk, Pass::InputGradient);
      run(chunk, Pass::WeightGradient);
    };
    for (int k = 0; k < 2 * behind - 1; ++k) run(0, Pass::Forward);
    for (int k = 0; k < stage; ++k) run(1, Pass::Forward), run(0, Pass::Forward);
    for (int k = 0; k < behind; ++k) run(1, Pass::Forward), backward(1);
    while (next[1][0] < microbatches) {
      if (next[0][0] < microbatches) run(0, Pass::Forward);
      backward(0);
      run(1, Pass::Forward);
      backward(1);
    }
    // The drain: input gradients go on at once, their weight gradients fill what waits.
    for (int k = 0; k < stage; ++k) run(0, Pass::InputGradient), run(1, Pass::InputGradient);
    for (int k = 0; k < behind; ++k) backward(0);
    for (const int chunk : {1, 0})
      while (next[chunk][2] < microbatches) run(chunk, Pass::WeightGradient);
    return out;
  }
};

}  // namespace

const PipelineSchedule& zbV() {
  static const ZbV schedule;
  return schedule;
}

}  // namespace nest
