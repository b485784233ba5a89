#include "figures/topology/exchange_marks.h"

#include <algorithm>
#include <cmath>

#include "figures/paint/figure_painter.h"

namespace nest {
namespace {

constexpr std::size_t kMostMarkedPairs = 512;  ///< more are a blur

}  // namespace

void paintExchange(FigurePainter& ink, const ExchangeInstant& now, const TopologyLayout& layout,
                   const TopologyScale& to) {
  const Hierarchy& h = layout.classes().cluster();
  const auto inCluster = [&](int device) { return device >= 0 && device < h.deviceCount(); };
  if (!std::all_of(now.ranks->begin(), now.ranks->end(), inCluster)) return;
  QPainter& p = ink.painter();
  for (const int device : *now.ranks)
    ink.outline(to(layout.rectOfDevice(device)).adjusted(-0.5, -0.5, 0.5, 0.5),
                ink.color(Theme::Role::Accent), to.scale >= 10 ? 2.2 : 1.2);
  const CollectiveStep* step = now.running();
  if (!step) return;
  const ExchangeReplay& r = *now.replay;
  const std::size_t at = now.step();
  auto pairs = pairsAt(h, *r.exchange().run, *now.ranks, *step, r.roundAt(at, now.at));
  if (pairs.size() > kMostMarkedPairs) {
    pairs.resize(kMostMarkedPairs);
    ink.leaveOut();
  }
  const double inRound = std::fmod(r.doneOf(at, now.at) * step->rounds, 1.0);
  const bool both = step->move == StepMove::Halving || step->move == StepMove::Doubling;
  const auto middle = [&](int device) { return to(layout.rectOfDevice(device)).center(); };
  for (const auto& [role, width] : {std::pair(Theme::Role::Canvas, 4.0), std::pair(Theme::Role::Accent, 1.8)})
    for (const auto& [a, b] : pairs) ink.line(middle(a), middle(b), ink.color(role), width);
  const double radius = std::clamp(0.14 * to.scale, 2.5, 6.0);
  p.setPen(QPen(ink.color(Theme::Role::Canvas), 1.2));
  p.setBrush(ink.color(Theme::Role::Text));
  for (const auto& [a, b] : pairs) {
    const QPointF from = middle(a), way = middle(b) - from;
    p.drawEllipse(from + way * inRound, radius, radius);
    if (both) p.drawEllipse(from + way * (1 - inRound), radius, radius);
  }
}

}  // namespace nest
