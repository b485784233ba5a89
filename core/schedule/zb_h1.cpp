#include <algorithm>

#include "schedule/all_schedules.h"

namespace nest {
namespace {

/// ZB-H1 [Qi 2024, arXiv 2401.10241]: 1F1B with weight gradients as passes of their own, stage i the last i +
/// 1 behind the input gradients, so that drains fill with them; the bubble is (s − 1)(f + b − w) and every
/// stage holds what 1F1B's first does. STATEMENT.md (4.19).
class ZbH1 : public PipelineSchedule {
public:
  ScheduleKind kind() const override { return ScheduleKind::ZbH1; }
  std::string_view id() const override { return "zb-h1"; }
  std::string_view label() const override { return "ZB-H1"; }
  std::string_view source() const override { return "Qi 2024 (arXiv 2401.10241)"; }
  bool isPlanned() const override { return true; }
  bool takesChunks(int chunks) const override { return chunks == 1; }
  std::vector<std::string> refusals(int stages, int chunks, int microbatches) const override {
    std::vector<std::string> out;
    if (chunks > 1)
      out.push_back("ZB-H1 runs one chunk per stage, and these stages have " + std::to_string(chunks));
    if (stages < 2) out.push_back("ZB-H1 needs two or more stages");
    if (microbatches < stages)
      out.push_back("ZB-H1 needs as many microbatches (" + std::to_string(microbatches) + ") as stages (" +
                    std::to_string(stages) + ") or more");
    return out;
  }
  bool splitsBackward() const override { return true; }
  double stashesInFlight(int, int stages, int microbatches, int) const override {
    return std::min(microbatches, stages);
  }
  int coveringPasses(int) const override { return 1; }
  double fill(const StagePasses& p, int) const override { return std::max(0.0, p.load - 2 * p.weight); }
  bool fillsByLoad() const override { return false; }
  std::string_view timeFormula() const override { return "T = Σ g + max(m · load − g) + tail"; }
  std::string_view fillFormula() const override { return "g = max(0, f + b − w)"; }
  std::string_view stashFormula() const override { return "min(m, s)"; }
  std::vector<PipelineTask> taskOrder(int stage, int stages, int, int microbatches) const override {
    const int ahead = std::min(microbatches, stages - stage - 1);
    std::vector<PipelineTask> out;
    out.reserve(3 * static_cast<std::size_t>(microbatches));
    int forward = 0, weight = 0;
    const auto forwardPass = [&] { out.push_back({0, forward++, Pass::Forward}); };
    const auto weightPass = [&] { out.push_back({0, weight++, Pass::WeightGradient}); };
    while (forward < ahead) forwardPass();
    for (int input = 0; input < microbatches; ++input) {
      if (forward < microbatches) forwardPass();
      out.push_back({0, input, Pass::InputGradient});
      if (input >= stage) weightPass();
    }
    while (weight < microbatches) weightPass();
    return out;
  }
};

}  // namespace

const PipelineSchedule& zbH1() {
  static const ZbH1 schedule;
  return schedule;
}

}  // namespace nest
