#include <algorithm>

#include "formats/launch_parts.h"

namespace nest {
namespace {

/// "Et*2|t*3|tL": E embedding, t decoder layer, L loss; empty when a layer has no letter.
std::string layoutOf(LaunchPlan& p) {
  std::string layout;
  for (const auto& part : p.parts()) {
    if (!layout.empty()) layout += '|';
    int blocks = 0;
    const auto flush = [&] {
      if (blocks > 0) layout += blocks == 1 ? "t" : "t*" + std::to_string(blocks);
      blocks = 0;
    };
    for (const LayerIndex l : part) {
      switch (p.kindOf(l)) {
        case LayerKind::Embedding:
          flush(), layout += 'E';
          break;
        case LayerKind::Block:
          ++blocks;
          break;
        case LayerKind::Head:
          flush(), layout += 'L';
          break;
        case LayerKind::Norm:
          break;  // goes with the loss
        case LayerKind::Other:
          p.refuse("layer-kind", "its layer \"" + p.source.problem->graph->layers[l.at()].name +
                                     "\" is neither embedding, block nor head");
          return {};
      }
    }
    flush();
  }
  return layout;
}

/// A norm in another stage than the head runs beside the head in Megatron.
void warnOfNorm(LaunchPlan& p) {
  for (const auto& part : p.parts()) {
    const bool norm =
        std::any_of(part.begin(), part.end(), [&](LayerIndex l) { return p.kindOf(l) == LayerKind::Norm; });
    const bool head =
        std::any_of(part.begin(), part.end(), [&](LayerIndex l) { return p.kindOf(l) == LayerKind::Head; });
    if (norm && !head)
      p.warn("final-norm",
             "the final norm runs in the stage of the loss, not where the plan has it; its cost is small");
  }
}

class ShellArray {
public:
  void add(const std::string& flag, const std::string& value = {}) {
    m_text += "  " + flag + (value.empty() ? "" : ' ' + value) + '\n';
  }
  void add(const std::string& flag, int value) { add(flag, std::to_string(value)); }
  std::string text() const { return m_text; }

private:
  std::string m_text;
};

void addModel(ShellArray& a, const LaunchPlan& p) {
  const TransformerArchitecture* m = p.source.architecture;
  if (!m) return;
  a.add("--num-layers", m->layers);
  a.add("--hidden-size", m->hidden);
  a.add("--ffn-hidden-size", m->intermediate);
  a.add("--num-attention-heads", m->heads);
  if (m->keyValueHeads != m->heads && m->keyValueHeads > 0) {
    a.add("--group-query-attention");
    a.add("--num-query-groups", m->keyValueHeads);
  }
  a.add("--max-position-embeddings", std::max(m->maxPositions, p.job().sequenceLength));
  a.add("--position-embedding-type", m->learnedPositions ? "learned_absolute" : "rope");
  if (m->gatedMlp) a.add("--swiglu");
  if (!m->layerNorm) a.add("--normalization", "RMSNorm");
  if (!m->projectionBias) a.add("--disable-bias-linear");
  if (!m->tiedEmbeddings) a.add("--untie-embeddings-and-output-weights");
  if (m->experts) {
    a.add("--num-experts", m->experts->experts);
    a.add("--moe-router-topk", m->experts->perToken);
    if (m->experts->intermediate > 0) a.add("--moe-ffn-hidden-size", m->experts->intermediate);
  }
}

void addRecompute(ShellArray& a, const LaunchPlan& p) {
  if (p.recompute == Recompute::Full) {
    a.add("--recompute-granularity", "full");
    a.add("--recompute-method", "uniform");
    a.add("--recompute-num-layers", 1);
  } else if (p.recompute == Recompute::Selective) {
    a.add("--recompute-granularity", "selective");
    a.add("--recompute-modules", "core_attn");
  }
}

void addSharding(ShellArray& a, const LaunchPlan& p) {
  static constexpr const char* kStrategies[] = {"no_shard", "optim", "optim_grads", "optim_grads_params"};
  if (p.plan.zero == 0) return;
  a.add("--use-distributed-optimizer");
  if (p.plan.zero == 1) return;
  a.add("--use-megatron-fsdp");
  a.add("--data-parallel-sharding-strategy", kStrategies[p.plan.zero]);
}

}  // namespace

Reading<std::string> writeMegatron(LaunchPlan& p) {
  p.require(p.plan.zero <= 1 || p.stages() == 1, "zero-with-pipeline",
            "ZeRO " + std::to_string(p.plan.zero) + " does not go with a pipeline",
            "offer only 0 and 1 in search.zero_stages");
  const std::string layout = p.out.empty() && p.stages() > 1 ? layoutOf(p) : std::string();
  if (hasErrors(p.out)) return p.finish({});
  warnOfNorm(p);
  p.warnOfPlacement();

  ShellArray a;
  a.add("--tensor-model-parallel-size", p.strategy.tensor);
  a.add("--pipeline-model-parallel-size", p.stages());
  if (!layout.empty()) a.add("--pipeline-model-parallel-layout", "'" + layout + "'");
  if (p.strategy.context > 1)
    a.add("--context-parallel-size", p.strategy.context), a.add("--cp-comm-type", "p2p");
  if (p.source.architecture && p.source.architecture->experts) {
    a.add("--expert-model-parallel-size", p.strategy.expert);
    a.add("--expert-tensor-parallel-size", p.strategy.tensor);
  }
  if (p.strategy.sequence) a.add("--sequence-parallel");
  addSharding(a, p);
  addRecompute(a, p);
  a.add("--micro-batch-size", p.plan.microbatch);
  a.add("--global-batch-size", p.job().globalBatch);
  a.add("--seq-length", p.job().sequenceLength);
  if (p.job().format == NumberFormat::Bf16) a.add("--bf16");
  if (p.job().format == NumberFormat::Fp16) a.add("--fp16");
  addModel(a, p);
  return p.finish(
      "# " + summaryOf(p.plan) + "; " + std::to_string(p.worldSize) + " ranks, data-parallel degree " +
      std::to_string(p.data()) +
      "\n# For Megatron-LM d98e8a64; model flags are those that the plan knows of.\nMEGATRON_ARGS=(\n" +
      a.text() + ")\n");
}

}  // namespace nest
