#pragma once

#include "cluster/graph/graph_edit.h"

namespace nest::test {

/// 4,096 devices in hosts of 16.
inline NetworkGraph thousands() {
  LevelsSource levels;
  levels.levels.resize(2);
  levels.levels[0] = {"host", 16, BytesPerSecond(450e9), {}, Seconds(2e-6)};
  levels.levels[1] = {"leaf", 256, BytesPerSecond(50e9), {}, Seconds(4e-6)};
  return graph::fromLevels(levels);
}

}  // namespace nest::test
