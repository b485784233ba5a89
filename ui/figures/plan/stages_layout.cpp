#include "figures/plan/stages_layout.h"

#include <algorithm>

#include "figures/paint/frame.h"
#include "figures/plan/kinds.h"

namespace nest {
namespace {

std::vector<LegendItem> legendOf(const Evaluation& e, const Theme& theme) {
  PerLoadPart<bool> used{};
  bool hidden = false;
  for (const auto& s : e.stages) {
    const auto parts = loadParts(s);  // shown or hidden
    for (std::size_t k = 0; k < kLoadPartsInLoad; ++k) used[k] = used[k] || parts[k] > 0;
    hidden = hidden || s.hidden.value() > 0;
  }
  std::vector<LegendItem> items;
  for (int k = 0; k < kLoadPartsInLoad; ++k)
    if (used[k]) {
      const auto part = static_cast<LoadPart>(k);
      items.push_back({nameOf(part), colorOf(part, theme), hatchOf(part), false});
    }
  if (hidden) items.push_back(hiddenLegend(theme));
  return items;
}

void layLayers(StagesLayout& out, const Problem& problem, const Plan& plan) {
  double total = 0;
  std::vector<double> seconds;
  const int stages = plan.stageCount();
  for (int part = 0; part < plan.chunksPerStage() * stages; ++part) {  // as the model runs through them
    const int i = plan.pipelineSchedule().stageOf(part, stages), q = part / stages;
    const auto& chunks = plan.stages[i].chunks;
    if (q >= static_cast<int>(chunks.size())) continue;
    for (LayerIndex x : chunks[q]) {
      out.layers.push_back({x.value, i, q, {}});
      seconds.push_back(layerSeconds(problem, plan, i, x));
      total += seconds.back();
    }
  }
  // Layers without a known time still get a place.
  const double least = total > 0 ? total * 1e-4 : 1;
  double sum = 0;
  for (double& s : seconds) s = std::max(s, least), sum += s;
  double x = out.ribbon.left();
  for (std::size_t k = 0; k < seconds.size(); ++k) {
    const double w = seconds[k] / sum * out.ribbon.width();
    out.layers[k].box = QRectF(x, out.ribbon.top(), w, out.ribbon.height());
    x += w;
  }
}

}  // namespace

double layerSeconds(const Problem& problem, const Plan& plan, int stage, LayerIndex x) {
  const StagePlan& s = plan.stages[stage];
  const Profile& profile = *problem.profile;
  const int strategy = profile.strategyIndex(s.strategy),
            microbatch = profile.microbatchIndex(plan.microbatch);
  if (strategy < 0 || microbatch < 0) return 0;
  const LayerCost* cost = profile.cost(problem.graph->layers[x.at()].classId, strategy, microbatch);
  if (!cost) return 0;
  return (cost->forward + cost->backward + cost->recompute[s.recompute].extraBackward).value();
}

StagesLayout layoutStages(const QRectF& area, const PlanContext& c, bool standalone, bool shares,
                          const Theme& theme) {
  StagesLayout out;
  const Plan& plan = *c.shownPlan();
  const Evaluation& e = *c.shownEvaluation();
  const QRectF body = bodyOf(area, c, standalone);
  const int stages = std::max(1, plan.stageCount());

  out.legendItems = legendOf(e, theme);
  const double legend = legendHeight(out.legendItems, body.width());
  const double left = body.left() + 52, width = body.width() - 52;
  out.slot = width / stages;
  out.bar = std::min(out.slot * (out.slot > 12 ? 0.7 : 0.88), 110.0);
  const bool overlaps = std::any_of(e.stages.begin(), e.stages.end(),
                                    [](const StageEvaluation& s) { return s.hidden.value() > 0; });
  if (overlaps) out.bar = widthBesideHidden(out.bar, out.slot);
  out.factRows = out.slot >= 92 && body.height() > 460 ? 4 : 0;
  const double ribbon = std::clamp(body.height() * 0.09, 22.0, 44.0);
  const double joint = std::clamp(body.height() * 0.07, 14.0, 40.0) + 20;

  out.ribbon = QRectF(left, body.top(), width, ribbon);
  out.legend = QRectF(body.left(), body.bottom() - legend, body.width(), legend);
  out.facts = QRectF(left, out.legend.top() - 8 - out.factRows * 16.0, width, out.factRows * 16.0);
  out.chips = QRectF(left, out.facts.top() - 26, width, 22);
  const double top = out.ribbon.bottom() + joint;
  out.plot = QRectF(left, top, width, std::max(20.0, out.chips.top() - 4 - top));

  double largest = 0;
  for (const auto& s : e.stages) largest = std::max(largest, s.load.value());
  const int ticks = std::clamp(static_cast<int>(out.plot.height() / 48), 2, kMostTicks);
  if (shares) {
    out.axis.largest = 1.06, out.axis.unit = 0.01, out.axis.unitName = QStringLiteral("%");
    out.axis.ticks = out.plot.height() > 160 ? std::vector<double>{0, 20, 40, 60, 80, 100}
                                             : std::vector<double>{0, 50, 100};
  } else {
    // The value above the longest column stands inside the plot, clear of the title of the axis.
    const double above = 1 / std::max(0.5, 1 - 19 / out.plot.height());
    out.axis = Axis::time(largest * std::max(1.1, above), ticks);
  }
  layLayers(out, *c.problem, plan);
  return out;
}

}  // namespace nest
