// What a configuration says of a model that changes neither sizes nor costs.
#include <nlohmann/json.hpp>
#include <span>

#include "formats/models/hf_families.h"
#include "formats/models/model_details.h"

namespace nest {
namespace {

using nlohmann::json;

/// A detail, and the keys that it stands under.
struct DetailKeys {
  const char* name;
  Names keys;
};

/// Of the class, where a file says nothing.
double rotaryShareOf(const std::string& family) {
  const bool quarter = family == "gpt_neox" || family == "stablelm";
  return quarter ? 0.25 : family == "nemotron" || family == "phi" || family.starts_with("glm") ? 0.5 : 1;
}

}  // namespace

void readDetails(ConfigFields& f, TransformerArchitecture& a) {
  const DetailKeys all[] = {
      {"norm_eps", {"rms_norm_eps", "layer_norm_epsilon", "layer_norm_eps", "norm_eps", "norm_epsilon"}},
      {"scoring_func", {"scoring_func"}},
      {"topk_method", {"topk_method"}},
      {"norm_topk_prob", {"norm_topk_prob"}},
      {"routed_scaling_factor", {"routed_scaling_factor"}},
      {"rope_theta", {"rope_theta", "rotary_emb_base"}},
      {"partial_rotary_factor", {"partial_rotary_factor", "rotary_pct"}},
      {"rope_type", {"rope_type", "type"}},
      {"rope_factor", {"factor"}},
      {"rope_low_freq_factor", {"low_freq_factor"}},
      {"rope_high_freq_factor", {"high_freq_factor"}},
      {"rope_original_positions", {"original_max_position_embeddings"}},
      {"rope_beta_fast", {"beta_fast"}},
      {"rope_beta_slow", {"beta_slow"}},
      {"rope_mscale", {"mscale"}},
      {"rope_mscale_all_dim", {"mscale_all_dim"}}};
  // The base of the positions and the share that has them stand in either place.
  const auto ofTheFile = std::span(all).first(7), ofPositions = std::span(all).subspan(5);
  const auto take = [&](const char* name, JsonFields& fields, const char* key) {
    if (!fields.has(key)) return;
    if (auto detail = readDetail(name, fields, key)) a.details[name] = std::move(*detail);
  };
  // Of these all models score experts by sigmoids, with a bias for balance, whatever their files say.
  if (a.experts && (a.family == "deepseek_v3" || a.family == "glm4_moe")) {
    a.details["scoring_func"] = std::string("sigmoid");
    a.details["topk_method"] = std::string("noaux_tc");
  }
  if (const double share = rotaryShareOf(a.family); share != 1) a.details["partial_rotary_factor"] = share;
  for (const DetailKeys& d : ofTheFile)
    for (const char* key : d.keys) f.value(key), take(d.name, f.fields(), key);
  for (const char* part : {"rope_scaling", "rope_parameters"}) {
    const json* object = f.value(part);
    if (!object || *object == false || !(object = f.fields().object(part))) continue;
    std::string pointer = f.fields().pointerTo(part);
    // Models with two kinds of attention have positions for each.
    if (const auto whole = object->find("full_attention"); whole != object->end() && whole->is_object())
      object = &*whole, pointer = jsonPointer(pointer, "full_attention");
    JsonFields inner(f.text(), *object, pointer, f.diagnostics());
    for (const DetailKeys& d : ofPositions)
      for (const char* key : d.keys) take(d.name, inner, key);
  }
  checkBesideSizes(f.fields());
}

}  // namespace nest
