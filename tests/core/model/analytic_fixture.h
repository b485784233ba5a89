#pragma once

#include <cmath>
#include <string>

#include "analytic/transformer.h"
#include "cluster/devices/device_catalog.h"
#include "formats/models/hf_config.h"
#include "support/test_main.h"
#include "test_paths.h"

namespace nest::test {

inline TransformerArchitecture sample(const char* name) {
  return *readHuggingFaceConfig(
      test::readFile(std::string(NEST_SOURCE_DIR) + "/samples/models/" + name + ".json"), name);
}

inline TransformerArchitecture gpt(int hidden, int heads, int layers) {
  TransformerArchitecture a;
  a.family = "gpt2";
  a.hidden = hidden;
  a.heads = a.keyValueHeads = heads;
  a.headDim = hidden / heads;
  a.layers = layers;
  a.intermediate = 4 * hidden;
  a.vocabulary = 51200;
  a.maxPositions = 2048;
  a.gatedMlp = false;
  a.layerNorm = a.learnedPositions = a.projectionBias = a.attentionBias = a.tiedEmbeddings = true;
  return a;
}

inline Job job(int sequence, int microbatch) {
  Job j;
  j.sequenceLength = sequence;
  j.microbatches = {microbatch};
  return j;
}

inline const LayerCost& block(const GraphAndProfile& g, int strategy, int layer = 1) {
  return *g.profile.cost(g.graph.layers[std::size_t(layer)].classId, strategy, 0);
}

inline double bytesOf(const LayerCost& c, CollectiveKind kind, GroupKind group, Phase phase) {
  double sum = 0;
  for (const auto& x : c.collectives)
    if (x.kind == kind && x.group == group && x.phase == phase) sum += x.bytes.value() * x.times;
  return sum;
}

inline bool isNear(double a, double b, double relative = 1e-12) {
  return std::abs(a - b) <= relative * std::abs(b);
}

}  // namespace nest::test
