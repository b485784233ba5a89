#pragma once

#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "analytic/transformer.h"
#include "text/json_fields.h"

namespace nest {

/// Field access with the defaults of a configuration class: an absent key gets the default and is remembered
/// for a note.
class ConfigFields {
public:
  /// `object` stands at `pointer` inside `text`.
  ConfigFields(const JsonText& text, const nlohmann::json& object, const std::string& pointer,
               Diagnostics& out)
      : m_fields(text, object, pointer, out), m_object(object) {}

  JsonFields& fields() { return m_fields; }
  bool isGiven(const char* key) { return m_fields.has(key); }
  bool isNull(const char* key) const;
  /// The first of the names that is given counts; `transformers` knows some fields under two.
  int shape(std::initializer_list<const char*> names, int byDefault, long long least, long long most);
  int optional(const char* name, int byDefault, long long least, long long most);
  bool flag(const char* name, bool byDefault) { return m_fields.boolean(name).value_or(byDefault); }
  /// One note for all absent keys that shape the model.
  void noteDefaults(const std::string& family);

private:
  JsonFields m_fields;
  const nlohmann::json& m_object;
  std::string m_defaulted;
};

/// How the configurations of one model type are read.
struct ConfigFamily {
  const char* type;       ///< model_type
  const char* className;  ///< of "architectures", without what it is for: "Llama" of "LlamaForCausalLM"
  void (*read)(ConfigFields&, TransformerArchitecture&);
  const char* likeType = nullptr;  ///< the family whose shape it has, where it is another's
  const char* shownAs() const { return likeType ? likeType : type; }
};

const std::vector<ConfigFamily>& configFamilies();
const ConfigFamily* familyOfType(std::string_view modelType);
const ConfigFamily* familyOfClass(std::string_view className);
/// From a key that only one family's files have ("n_embd", "kv_lora_rank"); for old files that name no type.
const ConfigFamily* familyOfKeys(JsonFields&);

}  // namespace nest
