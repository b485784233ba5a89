#include <algorithm>

#include "schedule/all_schedules.h"

namespace nest {
namespace {

/// DualPipeV: DualPipe [DeepSeek-V3, arXiv 2412.19437, §3.2.1] cut in half, as DeepSeek published it: two
/// chunks a stage, parts i and 2s − 1 − i, so that first and last part share stage 0. Forward passes of one
/// direction run beside backward passes of the other, and weight gradients fill the drains; the bubble is
/// (s − 1)(F&B + B − 3W) of a chunk, where F&B, a forward beside a backward pass, takes as long as the longer
/// of the two. STATEMENT.md (4.19).
class DualPipeV : public PipelineSchedule {
public:
  ScheduleKind kind() const override { return ScheduleKind::DualPipeV; }
  std::string_view id() const override { return "dualpipe-v"; }
  std::string_view label() const override { return "DualPipeV"; }
  std::string_view source() const override { return "DeepSeek-V3 (arXiv 2412.19437)"; }
  std::string_view torchTitanName() const override { return "DualPipeV"; }
  bool isPlanned() const override { return true; }
  bool takesChunks(int chunks) const override { return chunks == 2; }
  int fixedChunks() const override { return 2; }
  bool splitsBackward() const override { return true; }
  bool isFolded() const override { return true; }
  bool coversExchanges() const override { return true; }
  std::vector<std::string> refusals(int stages, int chunks, int microbatches) const override {
    std::vector<std::string> out;
    if (chunks != 2)
      out.push_back("DualPipeV runs two chunks per stage, and these stages have " + std::to_string(chunks));
    if (stages < 2) out.push_back("DualPipeV needs two or more stages");
    if (microbatches < 2 * stages)
      out.push_back("DualPipeV needs twice as many microbatches (" + std::to_string(microbatches) +
                    ") as stages (" + std::to_string(stages) + ") or more");
    return out;
  }
  double stashesInFlight(int, int stages, int, int) const override { return stages + 0.5; }
  bool stashesWholeStages() const override { return true; }
  int coveringPasses(int) const override { return 1; }
  double fill(const StagePasses& p, int) const override {
    const double backward = p.load - p.forward;
    return std::max(0.0, (std::max(p.forward, backward) + backward - 3 * p.weight) / 2);
  }
  bool fillsByLoad() const override { return false; }
  std::string_view timeFormula() const override { return "T = Σ g + max(m · load − g) + tail"; }
  std::string_view fillFormula() const override { return "g = max(0, (max(f, b + w) + b − 2·w) / 2)"; }
  std::string_view stashFormula() const override { return "s + 1/2"; }

  std::vector<PipelineTask> taskOrder(int stage, int stages, int, int microbatches) const override {
    const int behind = stages - 1 - stage;
    Passes run;
    for (int k = 0; k < 2 * behind; ++k) run.forward(0);
    for (int k = 0; k <= stage; ++k) run.forward(0), run.forward(1);
    for (int k = 0; k < behind; ++k) run.input(1), run.weight(), run.forward(1);
    for (int k = 0; k < microbatches - 2 * stages + stage + 1; ++k)
      run.forward(0), run.backward(1), run.forward(1), run.backward(0);
    for (int k = 0; k < behind; ++k) run.backward(1), run.forward(1), run.backward(0);
    // Half of the last passes leave their weight gradients for the drain.
    for (int k = 0, half = stage + 1; k < 2 * half; ++k)
      (k < half ? run.backward(k % 2 == 0) : run.input(k % 2 == 0));
    for (int k = 0; k < behind; ++k) run.weight(), run.input(0);
    while (run.owes()) run.weight();
    return std::move(run.order);
  }

private:
  /// Passes one after the other; each kind takes the microbatches of a chunk in turn.
  struct Passes {
    std::vector<PipelineTask> order;
    std::vector<PipelineTask> owed;
    std::size_t paid = 0;
    int forwards[2] = {0, 0}, backwards[2] = {0, 0};

    void forward(int chunk) { order.push_back({chunk, forwards[chunk]++, Pass::Forward}); }
    void backward(int chunk) { order.push_back({chunk, backwards[chunk]++, Pass::Backward}); }
    void input(int chunk) {
      owed.push_back({chunk, backwards[chunk], Pass::WeightGradient});
      order.push_back({chunk, backwards[chunk]++, Pass::InputGradient});
    }
    void weight() { order.push_back(owed[paid++]); }
    bool owes() const { return paid < owed.size(); }
  };
};

}  // namespace

const PipelineSchedule& dualPipeV() {
  static const DualPipeV schedule;
  return schedule;
}

}  // namespace nest
