#include "formats/models/config_fields.h"

#include <nlohmann/json.hpp>
#include <optional>

namespace nest {
namespace {

constexpr const char* kInner[] = {"attn_config", "ffn_config"};

/// A whole number, or a list that holds the same one for each of so many layers.
std::optional<long long> integerOf(JsonFields& f, const char* name, long long least, long long most,
                                   int layers) {
  const nlohmann::json* v = f.any(name);
  if (!v || !v->is_array() || layers == 0) return f.integer(name, least, most);
  if (v->size() != static_cast<std::size_t>(layers)) {
    f.report(Severity::Error, "config-list", name,
             '"' + std::string(name) + "\" lists " + std::to_string(v->size()) +
                 " values, and the model has " + std::to_string(layers) + " layers",
             "give one number, or one for each layer");
    return std::nullopt;
  }
  const nlohmann::json& first = v->front();
  for (const auto& other : *v)
    if (other != first || !other.is_number_integer() || other.get<double>() < double(least) ||
        other.get<double>() > double(most)) {
      f.report(Severity::Error, "config-not-modelled", name,
               '"' + std::string(name) + "\" differs from layer to layer, which is not modelled");
      return std::nullopt;
    }
  return first.get<long long>();
}

std::string alternatives(Names names) {
  std::string out = *names.begin();
  if (names.size() > 1) {
    out += " (or";
    for (auto it = names.begin() + 1; it != names.end(); ++it) out += std::string(" ") + *it;
    out += ')';
  }
  return out;
}

}  // namespace

ConfigFields::ConfigFields(const JsonText& text, const nlohmann::json& object, const std::string& pointer,
                           Diagnostics& out, bool takesDefaults)
    : m_text(text),
      m_out(out),
      m_fields(text, object, pointer, out),
      m_object(object),
      m_takesDefaults(takesDefaults) {
  for (const char* key : kInner)
    if (const auto it = object.find(key); it != object.end() && it->is_object()) {
      m_inner.push_back(std::make_unique<JsonFields>(text, *it, jsonPointer(pointer, key), out));
      m_read.insert(key);
    }
}

JsonFields* ConfigFields::holderOf(Names names, const char*& name) {
  for (const char* n : names) m_read.insert(n);
  for (const char* n : names) {
    name = n;
    if (m_fields.has(n)) return &m_fields;
    for (const auto& inner : m_inner)
      if (inner->has(n)) return inner.get();
  }
  return nullptr;
}

bool ConfigFields::isGiven(Names names) {
  const char* name = nullptr;
  return holderOf(names, name) != nullptr;
}

void ConfigFields::checkAgreement(Names names) {
  const char* firstName = nullptr;
  const nlohmann::json* first = nullptr;
  const auto compare = [&](JsonFields& holder, const char* name) {
    const nlohmann::json* value = holder.has(name) ? holder.any(name) : nullptr;
    if (!value || !value->is_number_integer()) return;
    if (!first) {
      first = value, firstName = name;
    } else if (*first != *value) {
      holder.report(Severity::Warning, "config-contradiction", name,
                    '"' + std::string(firstName) + "\" is " + first->dump() + ", but \"" + name + "\" is " +
                        value->dump() + "; the first is used",
                    std::string("remove the one that is wrong"));
    }
  };
  for (const char* name : names) {
    compare(m_fields, name);
    for (const auto& inner : m_inner) compare(*inner, name);
  }
}

bool ConfigFields::isNull(const char* key) const {
  const auto it = m_object.find(key);
  return it != m_object.end() && it->is_null();
}

int ConfigFields::size(Names names, int byDefault, long long least, long long most) {
  const char* name = nullptr;
  if (JsonFields* holder = holderOf(names, name))
    return static_cast<int>(
        integerOf(*holder, name, least, most, m_layers).value_or(byDefault > 0 ? byDefault : least));
  if (m_takesDefaults && byDefault > 0) return shape(names, byDefault, least, most);
  m_missing += (m_missing.empty() ? "" : ", ") + alternatives(names);
  return byDefault > 0 ? byDefault : static_cast<int>(least);
}

int ConfigFields::shape(Names names, int byDefault, long long least, long long most) {
  const char* name = nullptr;
  if (JsonFields* holder = holderOf(names, name))
    return static_cast<int>(integerOf(*holder, name, least, most, m_layers).value_or(byDefault));
  m_defaulted +=
      (m_defaulted.empty() ? "" : ", ") + std::string(*names.begin()) + " = " + std::to_string(byDefault);
  return byDefault;
}

int ConfigFields::optional(Names names, int byDefault, long long least, long long most) {
  const char* name = nullptr;
  JsonFields* holder = holderOf(names, name);
  return holder ? static_cast<int>(integerOf(*holder, name, least, most, m_layers).value_or(byDefault))
                : byDefault;
}

bool ConfigFields::flag(Names names, bool byDefault) {
  const char* name = nullptr;
  JsonFields* holder = holderOf(names, name);
  return holder ? holder->boolean(name).value_or(byDefault) : byDefault;
}

std::string ConfigFields::string(const char* name) {
  m_read.insert(name);
  return m_fields.string(name).value_or("");
}

const nlohmann::json* ConfigFields::array(const char* name) {
  m_read.insert(name);
  return m_fields.array(name);
}

const nlohmann::json* ConfigFields::value(const char* name) {
  m_read.insert(name);
  return m_fields.any(name);
}

std::vector<std::string> ConfigFields::unread() const {
  std::vector<std::string> out;
  for (const auto& [key, value] : m_object.items())
    if (!m_read.contains(key) && !value.is_null()) out.push_back(key);
  return out;
}

bool ConfigFields::reportMissing(const std::string& family) {
  if (m_missing.empty()) return false;
  m_fields.report(
      Severity::Error, "config-size-missing", "",
      "the file gives no " + m_missing + ", which a model of the family " + family + " cannot be without",
      "add them, or give the file of the model itself");
  return true;
}

void ConfigFields::noteDefaults(const std::string& family) {
  if (m_defaulted.empty()) return;
  m_fields.report(Severity::Note, "config-default", "",
                  "absent keys got the defaults of transformers for " + family + ": " + m_defaulted);
}

}  // namespace nest
