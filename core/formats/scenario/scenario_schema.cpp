#include "formats/scenario/scenario_schema.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "fields/field.h"
#include "text/embedded.h"
#include "text/json_layout.h"

namespace nest {
namespace {

using Json = nlohmann::ordered_json;

class SchemaWriter {
public:
  explicit SchemaWriter(Json parts) : m_root(std::move(parts)) {}

  Json run() {
    for (const Field& f : fields())
      if (f.kind() != FieldKind::Structured) add(f);
    allowNull(m_root);
    return std::move(m_root);
  }

private:
  /// The reader takes null as if the key were left out, so every key allows it that may be left out.
  static void allowNull(Json& node) {
    if (!node.is_structured()) return;
    for (auto& [key, part] : node.items())
      if (key != "default") allowNull(part);
    const auto properties = node.is_object() ? node.find("properties") : node.end();
    if (properties == node.end() || !properties->is_object()) return;
    Json needed = node.value("required", Json::array());
    for (const char* choice : {"oneOf", "anyOf"})
      for (const Json& form : node.value(choice, Json::array()))
        for (const Json& key : form.value("required", Json::array())) needed.push_back(key);
    for (auto& [key, part] : properties->items())
      if (part.is_object() && std::find(needed.begin(), needed.end(), key) == needed.end())
        part = orNull(part);
  }

  static Json orNull(Json part) {
    const Json null{{"type", "null"}};
    if (const auto forms = part.find("oneOf"); forms != part.end()) return forms->push_back(null), part;
    if (const auto choices = part.find("enum"); choices != part.end()) {
      choices->push_back(nullptr);
    } else if (const auto only = part.find("const"); only != part.end()) {
      return {{"enum", {*only, nullptr}}};
    } else if (!part.contains("type")) {
      return {{"anyOf", {part, null}}};
    }
    if (const auto type = part.find("type"); type != part.end()) {
      if (!type->is_array()) *type = Json::array({*type});
      type->push_back("null");
    }
    return part;
  }

  void add(const Field& f) {
    Json* node = &m_root;
    std::size_t begin = 1;
    for (std::size_t end; (end = f.key.find('/', begin)) != std::string::npos; begin = end + 1)
      node = &objectOf(f.key.substr(begin, end - begin) == "*"
                           ? (*node)["items"]
                           : property(*node, f.key.substr(begin, end - begin)));
    const std::string key = f.key.substr(begin);
    Json& properties = (*node)["properties"];
    properties[key] = leaf(f, key);
    const std::string_view suffix = text::suffixOf(f.access.measure);
    const bool isFigure = f.access.setFigure != nullptr;
    if (!isFigure && !suffix.empty() && key.ends_with(suffix))
      properties[key.substr(0, key.size() - suffix.size())] = {
          {"description", "the same as a text with its unit"}, {"type", "string"}};
    if (f.required && f.key.find('*') == std::string::npos) (*node)["required"].push_back(key);
  }

  /// The schema of an object's property; a new one is an object without other keys than its fields.
  static Json& property(Json& node, const std::string& key) {
    Json& p = node["properties"][key];
    if (p.is_null())
      p = {{"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}};
    return p;
  }

  /// What a reference or a choice of forms says about the object.
  Json& objectOf(Json& node) {
    if (const auto ref = node.find("$ref"); ref != node.end())
      return m_root["$defs"][ref->get<std::string>().substr(std::string("#/$defs/").size())];
    if (const auto forms = node.find("oneOf"); forms != node.end())
      for (Json& form : *forms)
        if (form.contains("$ref") || form.value("type", Json()) == "object") return objectOf(form);
    return node;
  }

  static void addLimits(Json& j, const Field& f) {
    j["minimum"] = f.least;
    j["maximum"] = f.most;
  }

  static Json leaf(const Field& f, const std::string& key) {
    Json j{{"description", f.meaning}};
    const std::string_view suffix = text::suffixOf(f.access.measure);
    switch (f.kind()) {
      case FieldKind::Whole:
        j["type"] = "integer";
        addLimits(j, f);
        break;
      case FieldKind::Number:
        if (f.access.setFigure) {
          j["$ref"] = "#/$defs/figure";
          addLimits(j["properties"]["value"], f);
        } else if (!suffix.empty() && key.ends_with(suffix)) {
          j["description"] =
              f.meaning + "; a number, or a text with its unit (" + text::exampleOf(f.access.measure) + ")";
          j["type"] = {"number", "string"};
        } else {
          j["type"] = "number";
        }
        addLimits(j, f);
        break;
      case FieldKind::Flag:
        j["type"] = "boolean";
        break;
      case FieldKind::Text:
        j["type"] = "string";
        break;
      case FieldKind::Choice:
        j["enum"] = f.options;
        break;
      case FieldKind::Flags:
        j["type"] = "array";
        j["items"] = {{"enum", f.options}};
        break;
      case FieldKind::Wholes:
        j["type"] = "array";
        j["items"] = {{"type", "integer"}};
        addLimits(j["items"], f);
        break;
      case FieldKind::Bound: {
        Json number{{"type", "integer"}};
        addLimits(number, f);
        j["oneOf"] = {number,
                      {{"type", "object"},
                       {"properties", {{"least", number}, {"most", number}}},
                       {"additionalProperties", false}}};
        break;
      }
      case FieldKind::Structured:
        break;
    }
    addDefault(j, f);
    return j;
  }

  /// What a file without the field means.
  static void addDefault(Json& j, const Field& f) {
    if (f.required || f.key.find('*') != std::string::npos || f.key.starts_with("/cluster/")) return;
    static const Setting usual;
    const FieldValue v = f.access.get(usual, 0);
    if (const auto* flag = std::get_if<bool>(&v)) j["default"] = *flag;
    if (const auto* list = std::get_if<std::vector<int>>(&v); list && f.kind() == FieldKind::Wholes)
      j["default"] = *list;
    if (const auto* d = std::get_if<double>(&v)) {
      if (f.kind() == FieldKind::Choice)
        j["default"] = f.options.at(static_cast<std::size_t>(*d));
      else
        j["default"] = *d;
    }
  }

  Json m_root;
};

}  // namespace

std::string scenarioSchema() {
  return layOut(SchemaWriter(Json::parse(embeddedResource("scenario_schema_parts.json"))).run());
}

}  // namespace nest
