#include "solver/space/layout_signature.h"

namespace nest::planner {

std::string layoutSignature(GroupShapes& shapes, const std::vector<LayerSums*>& sums,
                            const BlockLayout& layout, int units, bool fromFirst) {
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
    const int width = s->strategy().width();
    for (int begin = 0; begin + width <= units; ++begin) {
      const StageSite site = placeStage(shapes, s->strategy(), layout, begin * layout.inner);
      for (int v : {site.tensorSet, site.contextSet, site.expertSet, site.denseSet, site.expertGradientSet,
                    site.copySet})
        add(v);
      for (const LayerSums* first : sums)
        if (fromFirst && first->strategy().width() <= begin)
          addLevel(0, first->strategy().width(), begin, width);
      add(site.speed);
      add(site.memory);
      for (const LayerSums* other : sums)
        if (begin + width + other->strategy().width() <= units)
          addLevel(begin, width, begin + width, other->strategy().width());
    }
  }
  return text;
}

}  // namespace nest::planner
