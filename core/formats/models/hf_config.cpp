#include "formats/models/hf_config.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "formats/format.h"
#include "formats/models/hf_families.h"
#include "formats/unused_parts.h"
#include "text/source_text.h"

namespace nest {
namespace {

using nlohmann::json;

/// Where models of several parts keep their language model.
constexpr const char* kLanguageParts[] = {"text_config", "language_config", "llm_config", "thinker_config"};

std::vector<std::string> classNames(JsonFields& fields) {
  std::vector<std::string> out;
  const json* names = fields.array("architectures");
  for (std::size_t i = 0; names && i < names->size() && i < 8; ++i)
    if ((*names)[i].is_string()) out.push_back((*names)[i].get<std::string>());
  return out;
}

/// By model_type; where that is absent or unknown by the class names; where both are absent by telling keys.
const ConfigFamily* familyOf(JsonFields& fields) {
  const auto type = fields.string("model_type");
  if (!type && fields.has("model_type")) return nullptr;  // of a wrong kind, and said so
  const ConfigFamily* family = type ? familyOfType(*type) : nullptr;
  const auto classes = classNames(fields);
  if (family && type)
    for (const std::string& name : classes)
      if (const ConfigFamily* other = familyOfClass(name);
          other && std::string_view(other->shownAs()) != family->shownAs())
        fields.report(Severity::Warning, "config-model-type", "architectures",
                      "the class " + quoted(name) + " builds a model of the family " + other->shownAs() +
                          ", but model_type is " + quoted(*type) + "; the file is read as " +
                          family->shownAs(),
                      "correct model_type or architectures");
  for (std::size_t i = 0; !family && i < classes.size(); ++i) family = familyOfClass(classes[i]);
  if (family && type && *type != family->type && !std::string_view(family->type).starts_with(*type + '_'))
    fields.report(Severity::Warning, "config-model-type", "model_type",
                  "the model type \"" + type->substr(0, 60) + "\" is read as " + family->shownAs() +
                      ", as its class says");
  if (!family && !type && classes.empty()) {
    family = familyOfKeys(fields);
    if (family)
      fields.report(Severity::Warning, "config-model-type", "",
                    std::string("\"model_type\" is missing; by its keys the file is read as ") + family->type,
                    "set model_type");
  }
  return family;
}

/// Classes whose last layer tells labels, or that end at the hidden states, have no head over the vocabulary.
void warnOfOtherHead(JsonFields& fields, const ConfigFamily& family) {
  if (family.images) return;
  for (const std::string& name : classNames(fields)) {
    const auto has = [&](std::string_view part) { return name.find(part) != std::string::npos; };
    const bool isBare = name.ends_with("Model") && !has("LMHead") && !has("DoubleHeads");
    if (isBare || has("Classification") || has("QuestionAnswering") || has("ForMultipleChoice") ||
        has("NextSentence") || has("RewardModel"))
      fields.report(Severity::Warning, "config-head", "architectures",
                    "the class " + quoted(name) +
                        " has no output layer over the vocabulary; the model is costed with one",
                    "give the class that is trained, such as one ForCausalLM, or expect the last stage to be "
                    "cheaper");
  }
}

/// Keys that say how a model is trained, stored, quantised or run, or what stands in its vocabulary.
bool isBesideTheShape(std::string_view key) {
  static constexpr std::string_view kParts[] = {"token",
                                                "_id",
                                                "dropout",
                                                "rope",
                                                "rotary",
                                                "init",
                                                "loss",
                                                "coef",
                                                "eps",
                                                "dtype",
                                                "beam",
                                                "output_",
                                                "quant",
                                                "cache",
                                                "temperature",
                                                "time_step",
                                                "scal",
                                                "pdrop",
                                                "version",
                                                "labels",
                                                "mtp",
                                                "vision",
                                                "audio",
                                                "image",
                                                "video",
                                                "logits",
                                                "topk_group",
                                                "n_group",
                                                "routed",
                                                "capacity",
                                                "jitter",
                                                "norm_topk",
                                                "multiplier",
                                                "pretraining",
                                                "tie_",
                                                "softcap",
                                                "limit",
                                                "generat",
                                                "seed",
                                                "index_share",
                                                "base",
                                                "theta",
                                                "type_vocab",
                                                "min_length",
                                                "no_repeat",
                                                "return_",
                                                "summary",
                                                "classifier",
                                                "problem_type",
                                                "layer_norm",
                                                "beta",
                                                "window_layers",
                                                "initial_context",
                                                "position",
                                                "cross_attention",
                                                "chunk_size_feed",
                                                "smoothing",
                                                "ep_size",
                                                "n_positions",
                                                "n_ctx",
                                                "max_length",
                                                "seq_length",
                                                "sink",
                                                "residual",
                                                "factor",
                                                "task_",
                                                "mrope",
                                                "num_labels",
                                                "soft_tokens",
                                                "top_k",
                                                "vocab_size_per_layer",
                                                "swiglu",
                                                "mamba_ssm",
                                                "sliding_window_size",
                                                "granularity",
                                                "mlp_ratio",
                                                "apply_spec",
                                                "mask"};
  return std::any_of(std::begin(kParts), std::end(kParts),
                     [&](std::string_view part) { return key.find(part) != std::string_view::npos; });
}

/// Keys from which neither a step's time nor its memory follows: names, versions, special tokens, how weights
/// begin and how text is generated.
bool isBesideThePlan(std::string_view key) {
  static constexpr std::string_view kParts[] = {"model_type",
                                                "token",
                                                "_id",
                                                "version",
                                                "init",
                                                "label",
                                                "cache",
                                                "output_att",
                                                "output_hid",
                                                "output_rout",
                                                "output_scor",
                                                "output_past",
                                                "return_",
                                                "summary",
                                                "classif",
                                                "problem_",
                                                "task_",
                                                "prefix",
                                                "beam",
                                                "generat",
                                                "min_len",
                                                "no_repeat",
                                                "pretraining_tp",
                                                "checkpointing",
                                                "aux_loss",
                                                "loss_coef",
                                                "loss_alpha",
                                                "loss_type",
                                                "seed",
                                                "drop",
                                                "pdrop",
                                                "vision",
                                                "image",
                                                "video",
                                                "audio",
                                                "dtype",
                                                "_name",
                                                "directionality",
                                                "architectures",
                                                "auto_map",
                                                "finetuning",
                                                "tokenizer",
                                                "is_decoder",
                                                "top_k",
                                                "top_p",
                                                "penalty",
                                                "do_sample",
                                                "suppress",
                                                "forced",
                                                "bad_words",
                                                "length_penalty",
                                                "chunk_size_feed",
                                                "tf_legacy",
                                                "torchscript",
                                                "bos",
                                                "eos",
                                                "pad_",
                                                "max_length",
                                                "ep_size",
                                                "jitter",
                                                "gradient",
                                                "tie_",
                                                "sep_",
                                                "bfloat16",
                                                "softmax_scale",
                                                "max_window_layers"};
  return key == "temperature" ||
         std::any_of(std::begin(kParts), std::end(kParts),
                     [&](std::string_view part) { return key.find(part) != std::string_view::npos; });
}

/// Keys that change what a block is made of; models of a family that honours them have read them.
struct StructuralKey {
  const char* key;
  Severity severity;
  const char* what;
};
constexpr StructuralKey kStructural[] = {
    {"is_encoder_decoder", Severity::Error, "an encoder in addition to the decoder"},
    {"ssm_cfg", Severity::Error, "state-space layers"},
    {"mamba_d_state", Severity::Error, "state-space layers"},
    {"mamba_num_heads", Severity::Error, "state-space layers"},
    {"mamba_n_heads", Severity::Error, "state-space layers"},
    {"mamba_d_ssm", Severity::Error, "state-space layers"},
    {"ssm_state_size", Severity::Error, "state-space layers"},
    {"hybrid_override_pattern", Severity::Error, "a pattern of different layers"},
    {"layers_block_type", Severity::Error, "a pattern of different layers"},
    {"block_configs", Severity::Error, "blocks of different sizes"},
    {"linear_num_value_heads", Severity::Error, "linear attention"},
    {"linear_attn_config", Severity::Error, "linear attention"},
    {"full_attention_interval", Severity::Error, "linear attention"},
    {"num_experts", Severity::Error, "experts"},
    {"num_local_experts", Severity::Error, "experts"},
    {"n_routed_experts", Severity::Error, "experts"},
    {"moe_num_experts", Severity::Error, "experts"},
    {"kv_lora_rank", Severity::Error, "latent attention"},
    {"compress_ratios", Severity::Error, "compressed attention"},
    {"cross_attention_layers", Severity::Error, "layers that attend to another input"},
    {"add_cross_attention", Severity::Error, "layers that attend to another input"},
    {"altup_num_inputs", Severity::Error, "alternating updates"},
    {"attention_chunk_size", Severity::Warning, "attention inside chunks; all of it is costed in full"},
    {"index_topk", Severity::Warning, "sparse attention; it is costed in full, without its indexer"},
    {"index_n_heads", Severity::Warning, "the indexer of sparse attention"},
    {"sparse_attention_config", Severity::Warning, "sparse attention; it is costed in full"},
    {"parallel_attn", Severity::Warning,
     "attention in parallel with the MLP; they are costed one after the other"},
    {"use_parallel_residual", Severity::Warning,
     "attention in parallel with the MLP; they are costed one after the other"},
    {"attn_output_gate", Severity::Warning, "a gate of the attention's output"},
    {"attention_output_gate", Severity::Warning, "a gate of the attention's output"},
    {"pruned_heads", Severity::Warning, "pruned attention heads; all heads are costed"},
    {"residual_moe", Severity::Warning, "a dense MLP in parallel with the experts"},
    {"use_residual", Severity::Warning, "a dense MLP in parallel with the experts"},
    {"num_kv_shared_layers", Severity::Warning, "layers that share keys and values"},
    {"hidden_size_per_layer_input", Severity::Warning, "embeddings of their own for every layer"},
    {"yoco", Severity::Warning, "layers that share keys and values"},
    {"use_cla", Severity::Warning, "layers that share keys and values"},
    {"auto_map", Severity::Note, "code of its own, which may build other blocks than the family's"}};

bool isEmpty(const json& v) {
  return v.is_null() || v == false || v == 0 || v == -1 ||
         ((v.is_array() || v.is_object() || v.is_string()) && v.empty());
}

/// Keys that are not read are named: those that may change the shape in a warning, all others in a note.
void auditKeys(ConfigFields& f, const ConfigFamily& family) {
  std::string sizes;
  UnusedParts unused;
  // What follows from figures that were read, or repeats them.
  static constexpr std::string_view kEchoes[] = {"head_dim",
                                                 "d_kv",
                                                 "kv_channels",
                                                 "n_inner",
                                                 "qk_head_dim",
                                                 "num_hidden_layers",
                                                 "num_key_value_heads",
                                                 "expand",
                                                 "relative_attention_num_buckets",
                                                 "relative_attention_max_distance"};
  for (const std::string& key : f.unread()) {
    const json& value = f.object()[key];
    const auto known = std::find_if(std::begin(kStructural), std::end(kStructural),
                                    [&](const StructuralKey& k) { return key == k.key; });
    if (known != std::end(kStructural)) {
      if (isEmpty(value) || (key == "auto_map" && f.string("model_type") == family.type)) continue;
      f.fields().report(known->severity, "config-not-modelled", key,
                        "the file asks for " + std::string(known->what) +
                            (known->severity == Severity::Error ? ", which the family " : "; the family ") +
                            family.shownAs() +
                            (known->severity == Severity::Error ? " does not have" : " has none"));
      continue;
    }
    const bool isFigure = value.is_number_integer() && value.get<double>() >= 2;
    const bool isEcho = std::find(std::begin(kEchoes), std::end(kEchoes), key) != std::end(kEchoes);
    if (isFigure && !isEcho && !isBesideTheShape(key))
      sizes += (sizes.empty() ? "" : ", ") + key;
    else if (!isEcho && !isEmpty(value) && !isBesideThePlan(key))
      unused.add(key);
  }
  if (!sizes.empty())
    f.fields().report(Severity::Warning, "config-key-unread", "",
                      "not read, though they may belong to the model's shape: " + sizes,
                      "compare the parameter count with the published one");
  unused.report(f.diagnostics(), f.fields().placeOf(""));
}

/// The families that read the whole file without a doubt, of those whose shapes others have taken over.
std::string candidates(const JsonText& text, const json& object, const std::string& pointer) {
  std::string out;
  for (const char* type :
       {"llama", "qwen2", "qwen3", "mixtral", "qwen3_moe", "olmo2", "gpt2", "bert", "deepseek_v3"}) {
    const ConfigFamily& family = *familyOfType(type);
    Diagnostics found;
    ConfigFields fields(text, object, pointer, found, false);
    TransformerArchitecture a;
    fields.string("model_type");
    readFamily(family, fields, a);
    fields.reportMissing(type);
    if (!hasErrors(found)) auditKeys(fields, family);
    const bool doubtful = std::any_of(found.begin(), found.end(),
                                      [](const Diagnostic& d) { return d.severity != Severity::Note; });
    if (!doubtful) out += (out.empty() ? "" : ", ") + std::string(type);
  }
  return out;
}

void reportUnknownFamily(JsonFields& fields, const JsonText& text, const json& object) {
  if (fields.has("model_type") && !fields.string("model_type")) return;
  const auto type = fields.string("model_type");
  const char* nature = natureOf(object);
  const std::string fits = nature ? std::string() : candidates(text, object, fields.pointer());
  fields.report(
      Severity::Error, "config-model-type", "model_type",
      type ? "the model type \"" + type->substr(0, 60) + "\" is not known" +
                 (nature ? std::string("; by its keys it is ") + nature : std::string())
           : std::string("\"model_type\" is missing, so the shape of the model is unknown") +
                 (nature ? std::string("; by its keys it is ") + nature : std::string()),
      fits.empty() ? "give a measured profile of its layers (samples/profiling), or describe it inline as "
                     "\"architecture\""
                   : "if its blocks are those of one of these families, set model_type to it and compare the "
                     "parameter count with the published one: " +
                         fits);
}

/// Python writes Infinity and NaN, which JSON does not have. An empty string of the same length takes their
/// place: a key that is read then has a wrong type, and any other does not matter.
std::string withoutInfinities(std::string_view text) {
  std::string out(text);
  bool inString = false;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (inString && out[i] == '\\')
      ++i;
    else if (out[i] == '"')
      inString = !inString;
    else if (!inString)
      for (const std::string_view word : {"-Infinity", "Infinity", "NaN"})
        if (std::string_view(out).substr(i, word.size()) == word) {
          out.replace(i, word.size(), "\"\"" + std::string(word.size() - 2, ' '));
          i += word.size() - 1;
          break;
        }
  }
  return out;
}

/// The object that holds the language model's sizes, and its pointer.
struct LanguagePart {
  const json* object;
  std::string pointer;
  std::string key;  ///< empty: the whole file
};

LanguagePart languagePart(const json& root) {
  LanguagePart part{&root, "", ""};
  for (int depth = 0; depth < 3; ++depth) {
    const json* inner = nullptr;
    for (const char* key : kLanguageParts)
      if (const auto it = part.object->find(key); !inner && it != part.object->end() && it->is_object())
        inner = &*it, part.pointer = jsonPointer(part.pointer, key), part.key = key;
    // Files of the older shape hold the sizes outside; a text_config that holds none is then a leftover.
    if (!inner || (inner->empty() && part.object->contains("hidden_size"))) break;
    part.object = inner;
  }
  return part;
}

std::string nameOf(JsonFields& outer, JsonFields& inner, const std::string& otherwise) {
  std::string name = inner.string("_name_or_path").value_or("");
  if (name.empty()) name = outer.string("_name_or_path").value_or("");
  while (!name.empty() && name.back() == '/') name.pop_back();
  name = name.substr(name.find_last_of('/') + 1);
  return name.empty() ? otherwise : name;
}

}  // namespace

Reading<TransformerArchitecture> readHuggingFaceConfig(std::string_view text, const std::string& file,
                                                       bool takesDefaults) {
  constexpr JsonLimits kLimits{4u << 20, 32, 200'000};
  const std::string finite = withoutInfinities(text);
  const auto jsonText = readJsonText(finite, file, kLimits);
  Diagnostics out = jsonText.diagnostics;
  if (!jsonText) return {std::nullopt, out};
  if (!jsonText->root().is_object()) {
    out.push_back(error("config-not-object", jsonText->placeOf(""),
                        "a config.json is an object, not " + std::string(kindOf(jsonText->root()))));
    return {std::nullopt, out};
  }
  const LanguagePart part = languagePart(jsonText->root());
  ConfigFields outer(*jsonText, jsonText->root(), "", out, true);
  ConfigFields fields(*jsonText, *part.object, part.pointer, out, takesDefaults || !part.key.empty());
  // Some name the language part by the family that its code was made of.
  const ConfigFamily* family =
      part.key.empty() ? nullptr : familyOfType(outer.string("model_type") + "_text");
  if (!family) family = familyOf(fields.fields());
  if (!family && !hasErrors(out)) reportUnknownFamily(fields.fields(), *jsonText, *part.object);
  if (!family) return {std::nullopt, out};
  TransformerArchitecture a;
  a.family = family->shownAs();
  a.name = nameOf(outer.fields(), fields.fields(), family->type);
  readFamily(*family, fields, a);
  if (part.key.empty()) warnOfOtherHead(fields.fields(), *family);
  if (!part.key.empty()) {
    if (!fields.isGiven({"tie_word_embeddings"}))
      a.tiedEmbeddings = outer.flag({"tie_word_embeddings"}, a.tiedEmbeddings);
    fields.fields().report(Severity::Note, "config-part", "",
                           "of this model of several parts the language model is read (" + part.key +
                               "); what sees or hears is left out");
  }
  if (fields.reportMissing(a.family)) return {std::nullopt, out};
  if (!a.latent && a.heads % a.keyValueHeads != 0)
    fields.fields().report(Severity::Error, "config-key-value-heads", "num_key_value_heads",
                           "the " + std::to_string(a.heads) + " attention heads are not a multiple of the " +
                               std::to_string(a.keyValueHeads) + " key-value heads");
  if (!hasErrors(out)) auditKeys(fields, *family);
  if (hasErrors(out)) return {std::nullopt, out};
  fields.noteDefaults(a.family);
  return {std::move(a), out};
}

const Format& huggingFaceFormat() {
  static constexpr Format format = {
      .key = "hf-config",
      .name = "Hugging Face config.json",
      .suffixes = "json",
      .fileNames = "config.json",
      .example = R"({"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32,
 "num_attention_heads": 32, "intermediate_size": 11008, "vocab_size": 32000})",
      .remarks =
          R"(Dense and with experts: llama, mistral, qwen2 to qwen3_5, deepseek to v3.2, kimi_k2, glm4, glm4_moe, glm_moe_dsa,
gpt_oss, minimax_m2, minimax_m3, gemma to gemma4, olmo, olmoe, cohere, nemotron, phi, granite, falcon, starcoder2, …
Hybrids with state-space, linear attention or convolutions: nemotron_h, granitemoehybrid, qwen3_next, kimi_linear,
lfm2, jamba, mamba, mamba2. Layers in two halves: longcat_flash.
Encoder-decoders: t5, bart, whisper. Images: vit. Of models that also see or hear the language part (text_config).
Sizes have to be there; other absent keys get the defaults of transformers, and are reported. What a file asks for and
its family does not have is named.)",
      .claims =
          [](const FileLook& f) {
            if (f.names("sets") && f.names("columns") && f.names("rows"))
              return false;  // runs of many models
            return f.names("model_type") || f.names("architectures") || f.names("num_hidden_layers") ||
                   f.names("hidden_size") || f.names("n_embd");
          },
      .read = ReadModel(
          [](std::string_view text, const std::string& file) { return readHuggingFaceConfig(text, file); })};
  return format;
}

}  // namespace nest
