#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "fields/field.h"
#include "fields/program_setting.h"
#include "program/program.h"
#include "text/json_fields.h"
#include "text/json_text.h"
#include "units/text.h"

namespace nest {

/// The values of one row: its own columns, then the set's "shapes" entry for its size, its "shape", and the
/// set itself.
class RowValues {
public:
  RowValues(const JsonText& text, const nlohmann::json& set, const nlohmann::json& row,
            const std::string& setPointer, const std::string& rowPointer, Diagnostics& out)
      : m_text(text), m_setPointer(setPointer), m_rowPointer(rowPointer), m_out(out) {
    const nlohmann::json* columns = arrayIn(set, "columns");
    for (std::size_t i = 0; columns && i < columns->size() && i < row.size(); ++i)
      if ((*columns)[i].is_string())
        add((*columns)[i].get<std::string>(), row[i], jsonPointer(rowPointer, i));
    if (const auto it = set.find("shapes"); it != set.end() && it->is_object()) {
      const auto size = number("params_B", 0, 1e9);
      for (const auto& [key, shape] : it->items())
        if (size && shape.is_object() && std::abs(std::atof(key.c_str()) - *size) < 1e-6)
          addAll(shape, setPointer);
    }
    if (const auto it = set.find("shape"); it != set.end() && it->is_object()) addAll(*it, setPointer);
    addAll(set, setPointer);
  }

  bool has(const std::string& name) const { return m_values.contains(name); }
  std::optional<double> number(const std::string& name, double least, double most) {
    const auto it = m_values.find(name);
    if (it == m_values.end()) return std::nullopt;
    const double v = it->second.first->is_number() ? it->second.first->get<double>() : -1;
    if (it->second.first->is_number() && v >= least && v <= most) return v;
    m_out.push_back(
        error("published-figure", m_text.placeOf(it->second.second),
              '"' + name + "\" must be a number from " + text::exact(least) + " to " + text::exact(most)));
    return std::nullopt;
  }
  int whole(const std::string& name, int byDefault, int most = 100'000'000) {
    const auto v = number(name, 1, most);
    if (v && *v != std::floor(*v)) wrong(name, "a whole number");
    return static_cast<int>(v.value_or(byDefault));
  }
  /// The word among `allowed`, else the first of them.
  std::string choice(const std::string& name, const std::vector<std::string>& allowed) {
    if (!has(name)) return allowed.front();
    const std::string given = word(name);
    if (std::find(allowed.begin(), allowed.end(), given) != allowed.end()) return given;
    std::string list;
    for (const std::string& a : allowed) list += (list.empty() ? "" : ", ") + a;
    wrong(name, "one of " + list);
    return allowed.front();
  }
  std::string word(const std::string& name) const {
    const auto it = m_values.find(name);
    return it != m_values.end() && it->second.first->is_string() ? it->second.first->get<std::string>()
                                                                 : std::string();
  }
  bool flag(const std::string& name) {
    const auto it = m_values.find(name);
    if (it == m_values.end()) return false;
    const nlohmann::json& v = *it->second.first;
    if (v.is_boolean()) return v.get<bool>();
    if (v.is_number() && (v.get<double>() == 0 || v.get<double>() == 1)) return v.get<double>() == 1;
    wrong(name, "true or false");
    return false;
  }
  const nlohmann::json* model() const {
    const auto it = m_values.find("model");
    return it != m_values.end() && it->second.first->is_object() ? it->second.first : nullptr;
  }
  /// "settings": fields of the scenario, by key, that the run's configuration sets.
  std::vector<ProgramValue> settings() {
    std::vector<ProgramValue> out;
    const auto it = m_values.find("settings");
    if (it == m_values.end()) return out;
    if (!it->second.first->is_object()) {
      wrong("settings", "an object");
      return out;
    }
    for (const auto& [key, value] : it->second.first->items()) {
      ProgramValue v{key, 0.0, Origin::Catalog, word("source")};
      const Field* field = findField(key);
      if (readValue(value, v) && field && field->access.set)
        out.push_back(std::move(v));
      else
        m_out.push_back(error("published-setting", m_text.placeOf(jsonPointer(it->second.second, key)),
                              '"' + key + "\" is not a settable scenario field"));
    }
    return out;
  }
  Place place() const { return m_text.placeOf(m_rowPointer); }
  Place setPlace() const { return m_text.placeOf(m_setPointer); }
  void wrong(const std::string& name, const std::string& expected) {
    const auto& [value, pointer] = m_values.at(name);
    report(error("published-figure", m_text.placeOf(pointer),
                 '"' + name + "\" must be " + expected + "; found " + value->dump()));
  }
  /// What concerns the set is reported once, not for each row.
  void report(Diagnostic d) {
    if (std::find(m_out.begin(), m_out.end(), d) == m_out.end()) m_out.push_back(std::move(d));
  }

private:
  static const nlohmann::json* arrayIn(const nlohmann::json& object, const char* key) {
    const auto it = object.find(key);
    return it != object.end() && it->is_array() ? &*it : nullptr;
  }
  void add(const std::string& name, const nlohmann::json& value, std::string pointer) {
    if (!value.is_null()) m_values.try_emplace(name, &value, std::move(pointer));
  }
  void addAll(const nlohmann::json& object, const std::string& pointer) {
    for (const auto& [key, value] : object.items()) add(key, value, jsonPointer(pointer, key));
  }

  const JsonText& m_text;
  std::string m_setPointer, m_rowPointer;
  Diagnostics& m_out;
  std::map<std::string, std::pair<const nlohmann::json*, std::string>> m_values;
};

}  // namespace nest
