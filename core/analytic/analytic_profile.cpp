#include <algorithm>
#include <map>
#include <optional>

#include "analytic/layer_costs.h"
#include "analytic/transformer.h"

namespace nest {
namespace {

enum class Part { Embedding, EncoderBlock, EncoderNorm, DecoderEmbedding, Block, Norm, Head };

/// What a layer's costs follow from: its part, and among blocks its variant and whether it has experts.
struct Kind {
  Part part;
  int variant = -1;
  bool hasExperts = false;
  auto operator<=>(const Kind&) const = default;
};

/// Layers in order, equal parts sharing a class.
struct Outline {
  LayerGraph graph;
  std::vector<Kind> kinds;  ///< by class
};

/// Reads of what layers apart from their predecessors: the encoder's result goes to every block of the
/// decoder, whose own embedding reads nothing.
void connectDecoder(LayerGraph& graph, int encoderNorm, int decoderEmbedding, int lastBlock) {
  for (Tensor& t : graph.tensors)
    if (t.producer == LayerIndex(encoderNorm)) {
      t.consumers.clear();
      for (int l = decoderEmbedding + 1; l <= lastBlock; ++l) t.consumers.push_back(LayerIndex(l));
    }
}

Outline outlineOf(const TransformerArchitecture& a) {
  Outline out;
  std::vector<Layer> layers;
  std::map<Kind, int> classes;
  const auto add = [&](std::string name, LayerKind kind, Kind part) {
    const auto [it, isNew] = classes.emplace(part, static_cast<int>(out.kinds.size()));
    if (isNew) out.kinds.push_back(part);
    layers.push_back({std::move(name), kind, it->second});
  };
  add(a.encoder ? "encoder embedding" : "embedding", LayerKind::Embedding, {Part::Embedding});
  if (a.encoder) {
    for (int i = 0; i < a.encoder->layers; ++i)
      add("encoder block " + std::to_string(i + 1), LayerKind::Block, {Part::EncoderBlock});
    add("encoder norm", LayerKind::Norm, {Part::EncoderNorm});
    add("decoder embedding", LayerKind::Embedding, {Part::DecoderEmbedding});
  }
  for (int i = 0; i < a.layers; ++i)
    add((a.encoder ? "decoder block " : "block ") + std::to_string(i + 1), LayerKind::Block,
        {Part::Block, a.variants.empty() ? -1 : a.variantOf[std::size_t(i)], a.hasExperts(i)});
  if (a.finalNorm) add("final norm", LayerKind::Norm, {Part::Norm});
  add("head", LayerKind::Head, {Part::Head});
  out.graph = LayerGraph::chain(std::move(layers));
  if (a.encoder)
    connectDecoder(out.graph, a.encoder->layers + 1, a.encoder->layers + 2, a.encoder->layers + 2 + a.layers);
  return out;
}

/// The architectures and jobs that the layers of one model are costed with.
class Settings {
public:
  Settings(const TransformerArchitecture& a, const Job& job) : m_job(job), m_encoderJob(job) {
    m_models.push_back(a);
    for (int v = 0; v < static_cast<int>(a.variants.size()); ++v) m_models.push_back(a.withVariant(v));
    if (!a.encoder) return;
    m_encoder = encoderArchitecture(a);
    m_encoder->patchInputs = a.encoder->patchInputs;
    m_encoder->positionRows = a.encoder->positionRows;
    m_encoder->learnedPositions = a.encoder->positionRows > 0;
    if (a.encoder->length > 0) m_encoderJob.sequenceLength = a.encoder->length;
  }
  bool isOfEncoder(const Kind& k) const { return m_encoder && k.part <= Part::EncoderNorm; }
  const TransformerArchitecture& model(const Kind& k) const {
    return isOfEncoder(k) ? *m_encoder : m_models[std::size_t(k.part == Part::Block ? k.variant + 1 : 0)];
  }
  const Job& job(const Kind& k) const { return isOfEncoder(k) ? m_encoderJob : m_job; }

private:
  std::vector<TransformerArchitecture> m_models;  ///< the model itself, then its variants
  std::optional<TransformerArchitecture> m_encoder;
  Job m_job, m_encoderJob;
};

/// What a layer of multi-token prediction is like: the last block.
Kind lastBlock(const TransformerArchitecture& a) {
  const int last = a.layers - 1;
  return {Part::Block, a.variants.empty() ? -1 : a.variantOf[std::size_t(last)], a.hasExperts(last)};
}

LayerCost costOf(const Kind& kind, const LayerSetting& s) {
  switch (kind.part) {
    case Part::Embedding:
    case Part::DecoderEmbedding:
      return embeddingCost(s);
    case Part::EncoderBlock:
    case Part::Block:
      return blockCost(s, kind.hasExperts);
    case Part::EncoderNorm:
    case Part::Norm:
      return finalNormCost(s);
    case Part::Head:
      break;
  }
  return headCost(s);
}

}  // namespace

GraphAndProfile analyticProfile(const TransformerArchitecture& a, const DeviceSpec& device, const Job& job,
                                const std::vector<Strategy>& strategies, const AnalyticOptions& options) {
  Outline outline = outlineOf(a);
  const Settings settings(a, job);
  const Roofline roofline(device, job.format, options);
  Profile profile(strategies, job.microbatches, outline.graph.classCount,
                  static_cast<int>(outline.graph.tensors.size()));
  for (int s = 0; s < static_cast<int>(strategies.size()); ++s) {
    for (int b = 0; b < static_cast<int>(job.microbatches.size()); ++b) {
      const auto setting = [&](const Kind& kind) {
        return LayerSetting(settings.model(kind), roofline, options, settings.job(kind),
                            strategies[std::size_t(s)], job.microbatches[std::size_t(b)]);
      };
      for (int c = 0; c < outline.graph.classCount; ++c) {
        const Kind& kind = outline.kinds[std::size_t(c)];
        const Kind last = lastBlock(a);
        LayerCost cost =
            kind.part == Part::Head && options.predictionLayers > 0
                ? headCost(setting(kind), setting(last), last.hasExperts, options.predictionLayers)
                : costOf(kind, setting(kind));
        for (RecomputeCost& r : cost.recompute) {
          r.stash = r.stash * options.activationFactor;
          r.workspace = r.workspace * options.workspaceFactor;
        }
        profile.setCost(c, s, b, std::move(cost));
      }
      for (int t = 0; t < static_cast<int>(outline.graph.tensors.size()); ++t) {
        const Layer& producer = outline.graph.layers[outline.graph.tensors[std::size_t(t)].producer.at()];
        profile.setTensorBytes(t, s, b, boundaryBytes(setting(outline.kinds[std::size_t(producer.classId)])));
      }
    }
  }
  // Multi-token prediction looks tokens up where the head is.
  if (a.tiedEmbeddings || (options.predictionLayers > 0 && a.patchInputs == 0)) {
    TiedParameters tied{LayerIndex(0), LayerIndex(outline.graph.layerCount() - 1), {}};
    tied.frozen = options.frozenOfEmbedding();
    if (a.encoder) tied.first = LayerIndex(a.encoder->layers + 2);
    for (const Strategy& s : strategies) tied.parameters.push_back(vocabularyTable(a) / s.tensor);
    profile.tied = std::move(tied);
  }
  profile.trainedWork = trainedWork(a, options, job.sequenceLength);
  profile.provenance = "roofline per operator on " + device.name +
                       (options.flashAttention ? ", fused attention" : ", attention with stored scores");
  return {std::move(outline.graph), std::move(profile)};
}

}  // namespace nest
