#include "formats/scenario/fields_json.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "cluster/devices/device_json.h"
#include "fields/program_setting.h"
#include "text/json_quantities.h"

namespace nest {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMostOfField = std::numeric_limits<double>::max();  // the checks know the ranges

/// What of a field's key stands below the pointer; empty: nothing does.
std::string_view below(const Field& f, std::string_view pointer) {
  const std::string_view key = f.key;
  return key.size() > pointer.size() + 1 && key.starts_with(pointer) && key[pointer.size()] == '/'
             ? key.substr(pointer.size() + 1)
             : std::string_view();
}

std::string allowed(const std::vector<std::string>& options) {
  std::string out;
  for (const std::string& o : options) out += (out.empty() ? "" : ", ") + o;
  return out;
}

/// "pipeline_parallel", "p pp pipeline": what blanks and underscores part.
std::set<std::string> wordsOf(const std::string& text) {
  std::set<std::string> out;
  std::string word;
  for (const char c : text + ' ')
    if (c != ' ' && c != '_')
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!word.empty())
      out.insert(std::exchange(word, {}));
  return out;
}

std::optional<int> optionNamed(const Field& f, std::string_view name) {
  const auto it = std::find(f.options.begin(), f.options.end(), name);
  return it == f.options.end() ? std::nullopt : std::optional(static_cast<int>(it - f.options.begin()));
}

class FieldReader {
public:
  FieldReader(const ScenarioReader& r, JsonFields& object, const Field& field, std::string_view key)
      : m_r(r), m_object(object), m_field(field), m_key(key) {}

  /// nullopt: not said, or wrong.
  std::optional<FieldValue> read() {
    switch (m_field.kind()) {
      case FieldKind::Whole:
        return as(intField(m_object, m_key));
      case FieldKind::Number:
        return number();
      case FieldKind::Flag:
        return as(m_object.boolean(m_key));
      case FieldKind::Text:
        return as(m_object.string(m_key));
      case FieldKind::Choice:
        return choice();
      case FieldKind::Flags:
        return flags();
      case FieldKind::Wholes:
        return m_object.has(m_key) ? std::optional<FieldValue>(m_r.integers(m_object, m_key)) : std::nullopt;
      case FieldKind::Bound:
        return bound();
      case FieldKind::Structured:
        break;
    }
    return std::nullopt;
  }

private:
  template <class T>
  static std::optional<FieldValue> as(const std::optional<T>& v) {
    if constexpr (std::is_same_v<T, int>)
      return v ? std::optional<FieldValue>(double(*v)) : std::nullopt;
    else
      return v ? std::optional<FieldValue>(*v) : std::nullopt;
  }

  std::optional<FieldValue> number() {
    const std::string_view suffix = text::suffixOf(m_field.access.measure);
    if (suffix.empty() || !m_key.ends_with(suffix))
      return as(m_object.number(m_key, -kMostOfField, kMostOfField));
    const std::string_view name = m_key.substr(0, m_key.size() - suffix.size());
    std::optional<double> v;
    if (m_field.access.measure == Measure::Time) {
      if (const auto t = timeField(m_object, name)) v = t->value();
    } else if (m_field.access.measure == Measure::Memory) {
      if (const auto m = memoryField(m_object, name)) v = m->value();
    } else if (const auto b = bandwidthField(m_object, name)) {
      v = b->value.value();
    }
    return as(v);
  }

  std::optional<FieldValue> choice() {
    const auto s = m_object.string(m_key);
    if (!s) return std::nullopt;
    if (const auto i = optionNamed(m_field, *s)) return FieldValue(double(*i));
    m_object.report(Severity::Error, "json-choice", m_key,
                    '"' + *s + "\" is not known here; expected one of " + allowed(m_field.options));
    return std::nullopt;
  }

  std::optional<FieldValue> flags() {
    if (!m_object.has(m_key)) return std::nullopt;
    std::set<int> on;
    const auto names = m_r.strings(m_object, m_key);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (const auto o = optionNamed(m_field, names[i]))
        on.insert(*o);
      else
        m_r.out.push_back(
            error("json-choice", m_r.text.placeOf(jsonPointer(m_object.pointerTo(m_key), i)),
                  '"' + names[i] + "\" is not known here; expected one of " + allowed(m_field.options)));
    }
    return FieldValue(std::vector<int>(on.begin(), on.end()));
  }

  std::optional<FieldValue> bound() {
    const nlohmann::json* v = m_object.any(m_key);
    if (!v) return std::nullopt;
    Bound b;
    if (v->is_number()) {
      b.least = b.most = intField(m_object, m_key);
    } else if (v->is_object()) {
      m_r.section(m_object, m_key, [&](JsonFields& inner) {
        b.least = intField(inner, "least");
        b.most = intField(inner, "most");
      });
    } else {
      m_object.report(
          Severity::Error, "json-type", m_key,
          '"' + std::string(m_key) + "\" must be a whole number (fixed) or {\"least\": …, \"most\": …}");
      return std::nullopt;
    }
    return FieldValue(b);
  }

  const ScenarioReader& m_r;
  JsonFields& m_object;
  const Field& m_field;
  std::string_view m_key;
};

void readOne(const ScenarioReader& r, JsonFields& object, const Field& f, std::string_view key, Setting& s) {
  if (f.required) object.requireKey(key, "the " + f.meaning);
  if (f.access.setFigure) {
    if (const auto v = readFigure(object, r.text, key, f.access.measure, f.least, f.most, r.out))
      f.access.setFigure(s, *v);
  } else if (const auto v = FieldReader(r, object, f, key).read()) {
    f.access.set(s, 0, *v);
  }
}

Json boundJson(const Bound& b) {
  if (b.least && b.most && *b.least == *b.most) return *b.least;
  Json j = Json::object();
  if (b.least) j["least"] = *b.least;
  if (b.most) j["most"] = *b.most;
  return j;
}

Json valueJson(const Field& f, const FieldValue& v) {
  switch (f.kind()) {
    case FieldKind::Whole:
      return static_cast<int>(std::get<double>(v));
    case FieldKind::Number:
      return std::get<double>(v);
    case FieldKind::Flag:
      return std::get<bool>(v);
    case FieldKind::Text:
      return std::get<std::string>(v);
    case FieldKind::Choice:
      return f.options.at(static_cast<std::size_t>(std::get<double>(v)));
    case FieldKind::Wholes:
      return std::get<std::vector<int>>(v);
    case FieldKind::Flags: {
      Json names = Json::array();
      for (const int i : std::get<std::vector<int>>(v))
        names.push_back(f.options.at(static_cast<std::size_t>(i)));
      return names;
    }
    case FieldKind::Bound:
      return boundJson(std::get<Bound>(v));
    case FieldKind::Structured:
      break;
  }
  return {};
}

}  // namespace

void readFields(const ScenarioReader& r, JsonFields& object, std::string_view pointer, Setting& setting) {
  std::set<std::string_view> sections;
  for (const Field& f : fields()) {
    const std::string_view key = below(f, pointer);
    const auto slash = key.find('/');
    if (key.empty() || f.kind() == FieldKind::Structured) continue;
    if (slash == std::string_view::npos) {
      readOne(r, object, f, key, setting);
      continue;
    }
    const std::string_view section = key.substr(0, slash);
    const std::string inner = std::string(pointer) + '/' + std::string(section);
    const Field* whole = findField(inner);
    if (whole || !sections.insert(section).second) continue;  // structured: the caller's
    r.section(object, section, [&](JsonFields& x) { readFields(r, x, inner, setting); });
  }
}

void adviseOnUnknownKeys(Diagnostics& all) {
  for (Diagnostic& d : all) {
    const auto slash = d.where.pointer.rfind('/');
    if (d.code != "json-unknown-key" || slash == std::string::npos || slash == 0) continue;
    const std::string_view section(d.where.pointer.data(), slash);
    const std::set<std::string> words = wordsOf(d.where.pointer.substr(slash + 1));
    std::set<std::string_view> listed;
    std::string known, meant;
    for (const Field& f : fields()) {
      const std::string_view key = below(f, section).substr(0, below(f, section).find('/'));
      if (key.empty() || key == "*" || !listed.insert(key).second) continue;
      known += (known.empty() ? "" : ", ") + std::string(key);
      for (const std::string& alias : wordsOf(f.aliases))
        if (meant.empty() && words.contains(alias)) meant = key;
    }
    if (known.empty()) continue;
    if (d.remedy.empty() && !meant.empty()) d.remedy = "did you mean \"" + meant + "\"?";
    d.remedy += (d.remedy.empty() ? "known here: " : " Known here: ") + known;
  }
}

Json fieldsJson(std::string_view pointer, const Setting& s,
                const std::function<void(std::string_view key, Json& into)>& structured) {
  Json j = Json::object();
  const Setting& usual = usualSetting(s.program);
  for (const Field& f : fields()) {
    const std::string_view key = below(f, pointer);
    if (key.empty()) continue;
    // What the program sets, its name says.
    const bool always = f.stored == Stored::Always && !programValue(s, f);
    const auto slash = key.find('/');
    if (f.kind() == FieldKind::Structured) {
      if (structured && slash == std::string_view::npos) structured(key, j);
      continue;
    }
    const std::string section(slash == std::string_view::npos ? "" : key.substr(0, slash));
    if (!section.empty() && findField(std::string(pointer) + '/' + section)) continue;
    const FieldValue v = f.access.get(s, 0);
    if (std::holds_alternative<std::monostate>(v)) continue;
    const auto put = [&](Json value) {
      (section.empty() ? j : j[section])[std::string(section.empty() ? key : key.substr(slash + 1))] =
          std::move(value);
    };
    if (f.access.figure) {
      const auto figure = f.access.figure(s);
      if (always || figure != f.access.figure(usual)) put(Json(figureJson(*figure)));
    } else if (always || v != f.access.get(usual, 0)) {
      put(valueJson(f, v));
    }
  }
  return j;
}

}  // namespace nest
