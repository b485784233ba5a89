#include "solver/space/layout_signature.h"

#include <algorithm>

#include "solver/watch.h"

namespace nest::solver {
namespace {
std::vector<int> widthsOf(const std::vector<LayerSums*>& sums) {
  std::vector<int> widths;
  for (const LayerSums* s : sums) widths.push_back(s->strategy().width());
  std::sort(widths.begin(), widths.end());
  widths.erase(std::unique(widths.begin(), widths.end()), widths.end());
  return widths;
}
}  // namespace

bool isWorthSigning(const std::vector<LayerSums*>& sums, int units) {
  constexpr std::size_t kMostPlaces = 100'000;
  const auto widths = widthsOf(sums);
  return (sums.size() + widths.size() * widths.size()) * static_cast<std::size_t>(units) <= kMostPlaces;
}

std::string layoutSignature(GroupShapes& shapes, const std::vector<LayerSums*>& sums,
                            const BlockLayout& layout, int units, bool fromFirst, Watch& watch) {
  std::string text;
  const auto add = [&](const auto& value) {
    text.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const auto addLevel = [&](int begin, int width, int other, int otherWidth) {
    add(shapes.reachBetween(begin * layout.inner, width, other * layout.inner, otherWidth, layout.inner,
                            layout.outer, layout.stride));
  };
  add(sums.size());
  add(layout.shardDegree());
  for (const LayerSums* s : sums) {
    add(s->strategyIndex());
    for (int begin = 0; begin + s->strategy().width() <= units && !watch.shouldStopAfter(1000); ++begin) {
      const StageSite site = placeStage(shapes, s->strategy(), layout, begin * layout.inner);
      for (int v : {site.tensorSet, site.contextSet, site.expertSet, site.denseSet, site.expertGradientSet,
                    site.copySet})
        add(v);
      add(site.speed);
      add(site.memory);
    }
  }
  const auto widths = widthsOf(sums);
  for (const int width : widths)
    for (int begin = 0; begin + width <= units && !watch.shouldStopAfter(100 * widths.size()); ++begin)
      for (const int other : widths) {
        if (fromFirst && other <= begin) addLevel(0, other, begin, width);
        if (begin + width + other <= units) addLevel(begin, width, begin + width, other);
      }
  return text;
}

}  // namespace nest::solver
