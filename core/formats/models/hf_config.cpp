#include "formats/models/hf_config.h"

#include <nlohmann/json.hpp>

#include "formats/models/hf_families.h"

namespace nest {
namespace {

using nlohmann::json;

/// Where models of several parts keep their language model.
constexpr const char* kLanguageParts[] = {"text_config", "language_config", "llm_config", "thinker_config"};

std::string listOfFamilies() {
  std::string known;
  for (const ConfigFamily& f : configFamilies())
    if (!f.likeType) known += (known.empty() ? "" : ", ") + std::string(f.type);
  return known;
}

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
  for (std::size_t i = 0; !family && i < classes.size(); ++i) family = familyOfClass(classes[i]);
  if (family && type && *type != family->type)
    fields.report(Severity::Warning, "config-model-type", "model_type",
                  "The model type \"" + type->substr(0, 60) + "\" is read as " + family->shownAs() +
                      ", as its class says");
  if (!family && !type && classes.empty()) {
    family = familyOfKeys(fields);
    if (family)
      fields.report(Severity::Warning, "config-model-type", "",
                    std::string("\"model_type\" is missing; by its keys the file is read as ") + family->type,
                    "Set model_type");
  }
  return family;
}

void reportUnknownFamily(JsonFields& fields) {
  if (fields.has("model_type") && !fields.string("model_type")) return;
  const auto type = fields.string("model_type");
  fields.report(
      Severity::Error, "config-model-type", "model_type",
      (type ? "The model type \"" + type->substr(0, 60) +
                  "\" is not known here, so what its blocks are made of is missing"
            : std::string("\"model_type\" is missing, so the shape of the model is unknown")) +
          "; known are " + listOfFamilies(),
      "Set model_type to the known family of the same shape: llama (gated MLP, RMSNorm), mixtral or "
      "qwen3_moe (with experts), gpt2 (two-matrix MLP, LayerNorm, biases), deepseek_v3 (latent "
      "attention)");
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

std::vector<std::string> knownModelTypes() {
  std::vector<std::string> out;
  for (const ConfigFamily& f : configFamilies()) out.emplace_back(f.type);
  return out;
}

Reading<TransformerArchitecture> readHuggingFaceConfig(std::string_view text, const std::string& file) {
  constexpr JsonLimits kLimits{4u << 20, 32, 200'000};
  const auto jsonText = readJsonText(text, file, kLimits);
  Diagnostics out = jsonText.diagnostics;
  if (!jsonText) return {std::nullopt, out};
  if (!jsonText->root().is_object()) {
    out.push_back(error("config-not-object", jsonText->placeOf(""),
                        "A config.json is an object, not " + std::string(kindOf(jsonText->root()))));
    return {std::nullopt, out};
  }
  const LanguagePart part = languagePart(jsonText->root());
  ConfigFields outer(*jsonText, jsonText->root(), "", out);
  ConfigFields fields(*jsonText, *part.object, part.pointer, out);
  const ConfigFamily* family = familyOf(fields.fields());
  if (!family && !hasErrors(out)) reportUnknownFamily(fields.fields());
  if (!family) return {std::nullopt, out};
  TransformerArchitecture a;
  a.family = family->shownAs();
  a.name = nameOf(outer.fields(), fields.fields(), family->type);
  family->read(fields, a);
  if (!part.key.empty()) {
    if (!fields.isGiven("tie_word_embeddings"))
      a.tiedEmbeddings = outer.flag("tie_word_embeddings", a.tiedEmbeddings);
    fields.fields().report(Severity::Note, "config-part", "",
                           "Of this model of several parts the language model is read (" + part.key +
                               "); what sees or hears is left out");
  }
  if (!a.latent && a.heads % a.keyValueHeads != 0)
    fields.fields().report(Severity::Error, "config-key-value-heads", "num_key_value_heads",
                           "The " + std::to_string(a.heads) + " attention heads are not a multiple of the " +
                               std::to_string(a.keyValueHeads) + " key-value heads");
  if (hasErrors(out)) return {std::nullopt, out};
  fields.noteDefaults(a.family);
  return {std::move(a), out};
}

}  // namespace nest
