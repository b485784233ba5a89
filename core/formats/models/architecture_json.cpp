#include "formats/models/architecture_json.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "text/json_quantities.h"

namespace nest {
namespace {

using Json = nlohmann::ordered_json;
constexpr int kMost = 1 << 30;

template <class T>
struct Size {
  const char* key;
  int T::*field;
};
template <class T>
struct Flag {
  const char* key;
  bool T::*field;
};

constexpr Size<TransformerArchitecture> kSizes[] = {
    {"hidden_size", &TransformerArchitecture::hidden},
    {"intermediate_size", &TransformerArchitecture::intermediate},
    {"layers", &TransformerArchitecture::layers},
    {"heads", &TransformerArchitecture::heads},
    {"key_value_heads", &TransformerArchitecture::keyValueHeads},
    {"head_dim", &TransformerArchitecture::headDim},
    {"vocabulary", &TransformerArchitecture::vocabulary},
    {"max_positions", &TransformerArchitecture::maxPositions},
    {"token_types", &TransformerArchitecture::tokenTypes},
    {"sliding_window", &TransformerArchitecture::slidingWindow},
    {"position_rows", &TransformerArchitecture::positionRows},
    {"embedding_width", &TransformerArchitecture::embeddingWidth}};
constexpr std::string_view kRequired[] = {"hidden_size", "layers", "heads", "vocabulary"};

constexpr Flag<TransformerArchitecture> kFlags[] = {
    {"gated_mlp", &TransformerArchitecture::gatedMlp},
    {"causal", &TransformerArchitecture::causal},
    {"tied_embeddings", &TransformerArchitecture::tiedEmbeddings},
    {"learned_positions", &TransformerArchitecture::learnedPositions},
    {"projection_bias", &TransformerArchitecture::projectionBias},
    {"attention_bias", &TransformerArchitecture::attentionBias},
    {"layer_norm", &TransformerArchitecture::layerNorm},
    {"query_key_norm", &TransformerArchitecture::queryKeyNorm},
    {"attention_output_bias", &TransformerArchitecture::attentionOutputBias},
    {"embedding_norm", &TransformerArchitecture::embeddingNorm},
    {"final_norm", &TransformerArchitecture::finalNorm},
    {"pooler", &TransformerArchitecture::pooler}};

constexpr Size<LatentAttention> kLatent[] = {{"query_rank", &LatentAttention::queryRank},
                                             {"key_value_rank", &LatentAttention::keyValueRank},
                                             {"nope_head_dim", &LatentAttention::nopeHeadDim},
                                             {"rope_head_dim", &LatentAttention::ropeHeadDim},
                                             {"value_head_dim", &LatentAttention::valueHeadDim}};

constexpr Size<ExpertLayers> kExperts[] = {{"experts", &ExpertLayers::experts},
                                           {"per_token", &ExpertLayers::perToken},
                                           {"intermediate_size", &ExpertLayers::intermediate},
                                           {"shared_intermediate_size", &ExpertLayers::sharedIntermediate},
                                           {"first_dense", &ExpertLayers::firstDense},
                                           {"period", &ExpertLayers::period}};

template <class T, std::size_t N>
void readSizes(JsonFields& f, const Size<T> (&sizes)[N], T& into) {
  for (const auto& s : sizes)
    if (const auto v = f.integer(s.key, 0, kMost)) into.*s.field = static_cast<int>(*v);
}

template <class T, std::size_t N>
Json sizesJson(const Size<T> (&sizes)[N], const T& from) {
  Json j = Json::object();
  for (const auto& s : sizes) j[s.key] = from.*s.field;
  return j;
}

void readDenseLayers(JsonFields& f, const JsonText& text, ExpertLayers& experts, Diagnostics& out) {
  const nlohmann::json* list = f.array("dense_layers");
  for (std::size_t i = 0; list && i < list->size(); ++i) {
    const auto& v = (*list)[i];
    if (v.is_number_integer() && v.get<double>() >= 0 && v.get<double>() <= kMost)
      experts.denseLayers.push_back(v.get<int>());
    else
      out.push_back(error("json-type", text.placeOf(jsonPointer(f.pointerTo("dense_layers"), i)),
                          "a dense layer is a whole number from 0"));
  }
}

}  // namespace

TransformerArchitecture readArchitecture(JsonFields& f, const JsonText& text, Diagnostics& out) {
  TransformerArchitecture a;
  a.family = f.string("family").value_or("custom");
  a.name = f.string("name").value_or("");
  for (const std::string_view key : kRequired) f.requireKey(key, "a whole number of 1 or more");
  readSizes(f, kSizes, a);
  for (const auto& flag : kFlags)
    if (const auto v = f.boolean(flag.key)) a.*flag.field = *v;
  if (!f.has("key_value_heads")) a.keyValueHeads = a.heads;
  if (!f.has("head_dim") && a.heads > 0) a.headDim = a.hidden / a.heads;
  if (const auto* object = f.object("latent_attention")) {
    JsonFields inner(text, *object, f.pointerTo("latent_attention"), out);
    readSizes(inner, kLatent, a.latent.emplace());
    inner.reportUnknown(Severity::Warning);
  }
  if (const auto* object = f.object("expert_layers")) {
    JsonFields inner(text, *object, f.pointerTo("expert_layers"), out);
    ExpertLayers& experts = a.experts.emplace();
    readSizes(inner, kExperts, experts);
    readDenseLayers(inner, text, experts, out);
    if (const auto gate = inner.boolean("shared_gate")) experts.sharedGate = *gate;
    inner.reportUnknown(Severity::Warning);
  }
  return a;
}

Json architectureJson(const TransformerArchitecture& a) {
  Json j = Json::object();
  j["family"] = a.family;
  j["name"] = a.name;
  for (const auto& s : kSizes) j[s.key] = a.*s.field;
  for (const auto& flag : kFlags) j[flag.key] = a.*flag.field;
  if (a.latent) j["latent_attention"] = sizesJson(kLatent, *a.latent);
  if (a.experts) {
    Json e = sizesJson(kExperts, *a.experts);
    if (!a.experts->denseLayers.empty()) e["dense_layers"] = a.experts->denseLayers;
    if (a.experts->sharedGate) e["shared_gate"] = true;
    j["expert_layers"] = std::move(e);
  }
  return j;
}

}  // namespace nest
