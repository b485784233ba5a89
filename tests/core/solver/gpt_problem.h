#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "analytic/transformer.h"
#include "cluster/devices/device_catalog.h"
#include "problem/problem.h"

namespace nest::test {

/// GPT-3 on devices of so much memory (bytes), and the speed of an H100: 256 of them, 8 in a host, 4 hosts in
/// a rack.
inline Problem gpt(double memory = 80e9, std::vector<int> fanouts = {8, 4, 8},
                   const std::function<void(SearchOptions&)>& ask = {}) {
  TransformerArchitecture a;
  a.family = "gpt2";
  a.name = "GPT-3";
  a.hidden = 12288, a.intermediate = 49152, a.layers = 96, a.heads = 96, a.keyValueHeads = 96,
  a.headDim = 128;
  a.vocabulary = 50257, a.maxPositions = 2048;
  a.gatedMlp = false, a.learnedPositions = a.layerNorm = true;
  HierarchyInput in;
  in.device = *findDevice("h100-sxm");
  in.device.memory.value = Bytes(memory);
  in.fanouts = std::move(fanouts);
  in.levels = {{"host", BytesPerSecond(450e9), Seconds(2e-6)},
               {"rack", BytesPerSecond(50e9), Seconds(5e-6)},
               {"spine", BytesPerSecond(25e9), Seconds(8e-6)}};
  Problem p;
  p.cluster = std::make_shared<const Hierarchy>(*Hierarchy::build(in));
  p.job.globalBatch = 512;
  p.job.sequenceLength = 2048;
  if (ask) ask(p.search);
  const auto strategies = strategiesOnOffer(a, p.search, p.constraints, p.job, 8, p.cluster->deviceCount());
  auto [graph, profile] = analyticProfile(a, in.device, p.job, strategies);
  p.graph = std::make_shared<const LayerGraph>(std::move(graph));
  p.profile = std::make_shared<const Profile>(std::move(profile));
  return p;
}

}  // namespace nest::test
