#include "formats/models/architecture_json.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "formats/models/model_details.h"
#include "text/json_quantities.h"

namespace nest {
namespace {

using Json = nlohmann::ordered_json;
constexpr int kMostOfModel = 1 << 30;

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

/// Sizes and flags that few models have: written only where they differ from their defaults.
constexpr Size<TransformerArchitecture> kRareSizes[] = {
    {"value_head_dim", &TransformerArchitecture::valueHeadDim},
    {"block_norms", &TransformerArchitecture::blockNorms},
    {"patch_inputs", &TransformerArchitecture::patchInputs},
    {"short_convolution", &TransformerArchitecture::shortConvolution}};
constexpr Flag<TransformerArchitecture> kRareFlags[] = {
    {"norm_bias", &TransformerArchitecture::normBias},
    {"parallel_block", &TransformerArchitecture::parallelBlock},
    {"wide_query_key_norm", &TransformerArchitecture::wideQueryKeyNorm},
    {"attention_gate", &TransformerArchitecture::attentionGate},
    {"attention_sinks", &TransformerArchitecture::attentionSinks},
    {"clamped_gate", &TransformerArchitecture::clampedGate},
    {"scaled_rotary", &TransformerArchitecture::scaledRotary},
    {"head_bias", &TransformerArchitecture::headBias},
    {"shared_key_value", &TransformerArchitecture::sharedKeyValue},
    {"window_is_chunk", &TransformerArchitecture::windowIsChunk},
    {"short_convolution_bias", &TransformerArchitecture::shortConvolutionBias}};

constexpr Size<StateSpace> kStateSpace[] = {{"heads", &StateSpace::heads},
                                            {"head_dim", &StateSpace::headDim},
                                            {"state_size", &StateSpace::stateSize},
                                            {"groups", &StateSpace::groups},
                                            {"convolution", &StateSpace::convolution},
                                            {"chunk", &StateSpace::chunk},
                                            {"time_rank", &StateSpace::timeRank}};
constexpr Flag<StateSpace> kStateSpaceFlags[] = {{"projection_bias", &StateSpace::projectionBias},
                                                 {"convolution_bias", &StateSpace::convolutionBias}};
constexpr Size<DeltaNet> kDeltaNet[] = {{"key_heads", &DeltaNet::keyHeads},
                                        {"value_heads", &DeltaNet::valueHeads},
                                        {"key_head_dim", &DeltaNet::keyHeadDim},
                                        {"value_head_dim", &DeltaNet::valueHeadDim},
                                        {"convolution", &DeltaNet::convolution}};
constexpr Size<DeltaNet> kRareDeltaNet[] = {{"gate_rank", &DeltaNet::gateRank}};
constexpr Flag<DeltaNet> kRareDeltaNetFlags[] = {{"whole_gate", &DeltaNet::wholeGate}};
constexpr Size<SparseAttention> kSparse[] = {{"heads", &SparseAttention::heads},
                                             {"head_dim", &SparseAttention::headDim},
                                             {"keys", &SparseAttention::keys}};
constexpr Size<EncoderStack> kEncoder[] = {{"layers", &EncoderStack::layers},
                                           {"intermediate_size", &EncoderStack::intermediate},
                                           {"length", &EncoderStack::length},
                                           {"position_rows", &EncoderStack::positionRows},
                                           {"patch_inputs", &EncoderStack::patchInputs}};
constexpr Size<BlockVariant> kVariant[] = {{"window", &BlockVariant::window},
                                           {"heads", &BlockVariant::heads},
                                           {"key_value_heads", &BlockVariant::keyValueHeads},
                                           {"head_dim", &BlockVariant::headDim},
                                           {"value_head_dim", &BlockVariant::valueHeadDim},
                                           {"intermediate_size", &BlockVariant::intermediate}};
constexpr Flag<BlockVariant> kVariantFlags[] = {{"window_is_chunk", &BlockVariant::windowIsChunk},
                                                {"shared_key_value", &BlockVariant::sharedKeyValue}};
constexpr const char* kMixers[] = {"attention", "state_space", "delta_net", "none", "short_convolution"};
constexpr const char* kFeeds[] = {"dense", "experts", "none"};
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
constexpr Size<ExpertLayers> kRareExperts[] = {{"latent_size", &ExpertLayers::latent},
                                               {"groups", &ExpertLayers::groups},
                                               {"groups_per_token", &ExpertLayers::groupsPerToken},
                                               {"zero_experts", &ExpertLayers::zeroExperts}};
constexpr Flag<ExpertLayers> kRareExpertFlags[] = {{"router_bias", &ExpertLayers::routerBias}};

template <class T, std::size_t N>
void readSizes(JsonFields& f, const Size<T> (&sizes)[N], T& into) {
  for (const auto& s : sizes)
    if (const auto v = f.integer(s.key, 0, kMostOfModel)) into.*s.field = static_cast<int>(*v);
}

template <class T, std::size_t N>
void readFlags(JsonFields& f, const Flag<T> (&flags)[N], T& into) {
  for (const auto& flag : flags)
    if (const auto v = f.boolean(flag.key)) into.*flag.field = *v;
}

template <class T, std::size_t N>
Json sizesJson(const Size<T> (&sizes)[N], const T& from) {
  Json j = Json::object();
  for (const auto& s : sizes) j[s.key] = from.*s.field;
  return j;
}

/// Adds what differs from a default-made T.
template <class T, class Field, std::size_t N>
void addRare(Json& j, const Field (&fields)[N], const T& from) {
  const T usual;
  for (const auto& f : fields)
    if (from.*f.field != usual.*f.field) j[f.key] = from.*f.field;
}

template <std::size_t N>
int indexOf(JsonFields& f, const char* key, const char* const (&names)[N]) {
  const auto name = f.string(key);
  for (std::size_t i = 0; name && i < N; ++i)
    if (*name == names[i]) return static_cast<int>(i);
  if (name)
    f.report(Severity::Error, "json-choice", key, '"' + name->substr(0, 40) + "\" is not expected here",
             std::string("write ") + names[0] + ", " + names[1] + " or " + names[N - 1]);
  return 0;
}

void readVariants(JsonFields& f, const JsonText& text, TransformerArchitecture& a, Diagnostics& out) {
  const nlohmann::json* list = f.array("block_variants");
  for (std::size_t i = 0; list && i < list->size(); ++i) {
    const std::string place = jsonPointer(f.pointerTo("block_variants"), i);
    if (!(*list)[i].is_object()) {
      out.push_back(error("json-type", text.placeOf(place), "a variant of blocks must be an object"));
      continue;
    }
    JsonFields inner(text, (*list)[i], place, out);
    BlockVariant& v = a.variants.emplace_back();
    v.mixer = static_cast<Mixer>(indexOf(inner, "mixer", kMixers));
    v.feed = static_cast<Feed>(indexOf(inner, "feed", kFeeds));
    readSizes(inner, kVariant, v);
    readFlags(inner, kVariantFlags, v);
    inner.reportUnknown(Severity::Warning);
  }
  const nlohmann::json* of = f.array("variant_of_block");
  for (std::size_t i = 0; of && i < of->size(); ++i) {
    const auto& v = (*of)[i];
    if (v.is_number_integer() && v.get<double>() >= 0 && v.get<double>() < double(a.variants.size()))
      a.variantOf.push_back(v.get<int>());
    else
      out.push_back(error("json-range", text.placeOf(jsonPointer(f.pointerTo("variant_of_block"), i)),
                          "expected the number of a block variant, from 0"));
  }
  if (a.variantOf.size() != (a.variants.empty() ? 0 : static_cast<std::size_t>(a.layers)))
    f.report(Severity::Error, "architecture-variants", "variant_of_block",
             "expected one variant for each of the " + std::to_string(a.layers) + " layers",
             "list a number per layer, or remove block_variants");
}

Json variantsJson(const TransformerArchitecture& a) {
  Json list = Json::array();
  for (const BlockVariant& v : a.variants) {
    Json j = {{"mixer", kMixers[std::size_t(v.mixer)]}, {"feed", kFeeds[std::size_t(v.feed)]}};
    addRare(j, kVariant, v);
    addRare(j, kVariantFlags, v);
    list.push_back(std::move(j));
  }
  return list;
}

/// The part of an architecture under a key of its own, where it has one.
template <class T, std::size_t N>
JsonFields* readPart(JsonFields& f, const JsonText& text, const char* key, const Size<T> (&sizes)[N],
                     std::optional<T>& into, Diagnostics& out, std::optional<JsonFields>& inner) {
  const auto* object = f.object(key);
  if (!object) return nullptr;
  inner.emplace(text, *object, f.pointerTo(key), out);
  readSizes(*inner, sizes, into.emplace());
  return &*inner;
}

/// What a mixer or an encoder of the model needs to be told, and is not.
void checkParts(JsonFields& f, const TransformerArchitecture& a) {
  const auto need = [&](bool holds, const char* key) {
    if (!holds)
      f.report(Severity::Error, "architecture-part", key, std::string("\"") + key + "\" is missing or empty",
               "give its sizes");
  };
  const auto uses = [&](Mixer m) {
    bool any = a.variants.empty() && a.mixer == m;
    for (const BlockVariant& v : a.variants) any = any || v.mixer == m;
    return any;
  };
  bool feedsExperts = false;
  for (const BlockVariant& v : a.variants) feedsExperts = feedsExperts || v.feed == Feed::Experts;
  need(!uses(Mixer::StateSpace) || (a.stateSpace && a.stateSpace->heads > 0 && a.stateSpace->chunk > 0),
       "state_space");
  need(!uses(Mixer::DeltaNet) || (a.deltaNet && a.deltaNet->valueHeads > 0), "delta_net");
  need(!uses(Mixer::ShortConvolution) || a.shortConvolution > 0, "short_convolution");
  need(!feedsExperts || a.experts, "expert_layers");
  need(!a.sparse || (a.latent && a.sparse->keys > 0), "sparse_attention");
}

void readDetails(JsonFields& f, const JsonText& text, TransformerArchitecture& a, Diagnostics& out) {
  const nlohmann::json* object = f.object("details");
  if (!object) return;
  JsonFields details(text, *object, f.pointerTo("details"), out);
  for (const auto& [name, value] : object->items())
    if (auto detail = readDetail(name, details, name)) a.details[name] = std::move(*detail);
}

void readDenseLayers(JsonFields& f, const JsonText& text, ExpertLayers& experts, Diagnostics& out) {
  const nlohmann::json* list = f.array("dense_layers");
  for (std::size_t i = 0; list && i < list->size(); ++i) {
    const auto& v = (*list)[i];
    if (v.is_number_integer() && v.get<double>() >= 0 && v.get<double>() <= kMostOfModel)
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
  readFlags(f, kFlags, a);
  readSizes(f, kRareSizes, a);
  readFlags(f, kRareFlags, a);
  a.dropout = f.boolean("dropout");
  a.activation = readActivation(f, "activation");
  a.mixer = static_cast<Mixer>(indexOf(f, "mixer", kMixers));
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
    readSizes(inner, kRareExperts, experts);
    readFlags(inner, kRareExpertFlags, experts);
    inner.reportUnknown(Severity::Warning);
  }
  std::optional<JsonFields> inner;
  if (readPart(f, text, "state_space", kStateSpace, a.stateSpace, out, inner))
    readFlags(*inner, kStateSpaceFlags, *a.stateSpace), inner->reportUnknown(Severity::Warning);
  if (readPart(f, text, "delta_net", kDeltaNet, a.deltaNet, out, inner)) {
    readSizes(*inner, kRareDeltaNet, *a.deltaNet);
    readFlags(*inner, kRareDeltaNetFlags, *a.deltaNet);
    inner->reportUnknown(Severity::Warning);
  }
  if (readPart(f, text, "sparse_attention", kSparse, a.sparse, out, inner))
    inner->reportUnknown(Severity::Warning);
  if (readPart(f, text, "encoder", kEncoder, a.encoder, out, inner)) inner->reportUnknown(Severity::Warning);
  readVariants(f, text, a, out);
  readDetails(f, text, a, out);
  checkParts(f, a);
  return a;
}

Json architectureJson(const TransformerArchitecture& a) {
  Json j = Json::object();
  j["family"] = a.family;
  j["name"] = a.name;
  for (const auto& s : kSizes) j[s.key] = a.*s.field;
  for (const auto& flag : kFlags) j[flag.key] = a.*flag.field;
  addRare(j, kRareSizes, a);
  addRare(j, kRareFlags, a);
  if (a.dropout) j["dropout"] = *a.dropout;
  if (!a.activation.empty()) j["activation"] = a.activation;
  if (a.mixer != Mixer::Attention) j["mixer"] = kMixers[std::size_t(a.mixer)];
  if (a.latent) j["latent_attention"] = sizesJson(kLatent, *a.latent);
  if (a.experts) {
    Json e = sizesJson(kExperts, *a.experts);
    if (!a.experts->denseLayers.empty()) e["dense_layers"] = a.experts->denseLayers;
    if (a.experts->sharedGate) e["shared_gate"] = true;
    addRare(e, kRareExperts, *a.experts);
    addRare(e, kRareExpertFlags, *a.experts);
    j["expert_layers"] = std::move(e);
  }
  if (a.stateSpace) {
    Json space = sizesJson(kStateSpace, *a.stateSpace);
    addRare(space, kStateSpaceFlags, *a.stateSpace);
    j["state_space"] = std::move(space);
  }
  if (a.deltaNet) {
    Json net = sizesJson(kDeltaNet, *a.deltaNet);
    addRare(net, kRareDeltaNet, *a.deltaNet);
    addRare(net, kRareDeltaNetFlags, *a.deltaNet);
    j["delta_net"] = std::move(net);
  }
  if (a.sparse) j["sparse_attention"] = sizesJson(kSparse, *a.sparse);
  if (a.encoder) j["encoder"] = sizesJson(kEncoder, *a.encoder);
  if (!a.variants.empty()) {
    j["block_variants"] = variantsJson(a);
    j["variant_of_block"] = a.variantOf;
  }
  for (const auto& [key, value] : a.details)
    std::visit([&, &key = key](const auto& v) { j["details"][key] = v; }, value);
  return j;
}

}  // namespace nest
