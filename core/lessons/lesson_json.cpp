#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "lessons/builtin_lessons.h"
#include "lessons/json_nulls.h"
#include "lessons/lesson_reader.h"
#include "lessons/solved_plan.h"
#include "text/json_text.h"
#include "text/nearest_name.h"
#include "text/text_hash.h"

namespace nest {

using nlohmann::json;

namespace {

constexpr JsonLimits kLessonLimits{1u << 20, 40, 100'000};
/// What is read by others: scenarios, fields of scenarios, conditions of the window.
constexpr std::array<std::string_view, 3> kOthersKeys = {"scenario", "set", "done"};

bool isLessonName(std::string_view s) {
  if (s.empty() || s.size() > kLongestLessonName || !(s[0] >= 'a' && s[0] <= 'z')) return false;
  return std::all_of(s.begin(), s.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

/// A remedy for a name that stands for nothing: the one that was meant, if it looks like a slip.
template <class Named>
std::string meantBy(const std::string& name, const std::vector<Named>& all, const std::string& otherwise) {
  NearestName nearest(name);
  for (const Named& one : all) nearest.offer(one.name);
  return nearest.name().empty() ? otherwise : "did you mean \"" + nearest.name() + "\"? Else " + otherwise;
}

}  // namespace

Lesson LessonReader::read() {
  JsonFields f(m_text, m_text.root(), "", m_out);
  const bool isOld = !f.has("version");
  f.oneOf("format", {"nest-lesson"});
  if (!isOld) f.integer("version", 2, 2);
  m_lesson.version = isOld ? 1 : 2;
  m_lesson.file = m_text.file();
  std::string name = std::filesystem::path(m_text.file()).filename().string();
  for (const std::string_view suffix : {".json", ".lesson"})
    if (name.ends_with(suffix)) name.resize(name.size() - suffix.size());
  m_lesson.id = name;
  m_lesson.title = label(f, "title", "what the lesson is called");
  m_lesson.about = label(f, "about", "one sentence about it", 400);
  if (const auto arrange = f.oneOf("arrange", {"explore", "teach"})) m_lesson.arrange = *arrange;
  readScenarioOf(f, isOld ? "sample" : "scenario");
  if (isOld) {
    readOldSteps(f);
  } else {
    m_lesson.minutes = static_cast<int>(f.integer("minutes", 1, 240).value_or(10));
    m_lesson.teachers = text(f, "teachers", false);
    m_lesson.screen = screen(f).value_or(LessonScreen{});
    readVariables(f);
    readCases(f);
    readSteps(f);
  }
  f.reportUnknown(Severity::Error);
  return std::move(m_lesson);
}

void LessonReader::wrong(JsonFields& f, std::string_view key, std::string message, std::string remedy) {
  f.report(Severity::Error, "lesson", key, std::move(message), std::move(remedy));
}

std::string LessonReader::label(JsonFields& f, std::string_view key, std::string_view what,
                                std::size_t longest) {
  f.requireKey(key, what);
  std::string s = f.string(key).value_or("");
  if (s.size() > longest)
    wrong(f, key, '"' + std::string(key) + "\" is longer than " + std::to_string(longest) + " characters");
  if (std::any_of(s.begin(), s.end(), [](char c) { return static_cast<unsigned char>(c) < 32 || c == '<'; }))
    wrong(f, key, '"' + std::string(key) + "\" must be one line of plain text");
  return s;
}

LessonText LessonReader::text(JsonFields& f, std::string_view key, bool required) {
  if (required) f.requireKey(key, "a text");
  const auto s = f.string(key);
  if (!s) return {};
  return parsedText(*s, f.placeOf(key));
}

LessonText LessonReader::parsedText(const std::string& s, const Place& where) {
  auto parsed = LessonText::parse(s, where);
  take(std::move(parsed.diagnostics));
  if (!parsed) return {};
  for (const Expression* e : parsed->expressions()) m_asked.emplace_back(*e, where);
  return std::move(*parsed.value);
}

std::optional<Expression> LessonReader::expression(const std::string& s, const Place& where) {
  auto parsed = Expression::parse(s, where);
  take(std::move(parsed.diagnostics));
  if (parsed) m_asked.emplace_back(*parsed, where);
  return std::move(parsed.value);
}

std::optional<Expression> LessonReader::expression(JsonFields& f, std::string_view key,
                                                   std::string_view what) {
  if (!what.empty()) f.requireKey(key, what);
  const auto s = f.string(key);
  return s ? expression(*s, f.placeOf(key)) : std::nullopt;
}

void LessonReader::take(Diagnostics all) {
  for (Diagnostic& d : all) m_out.push_back(std::move(d));
}

std::vector<std::string> LessonReader::strings(JsonFields& f, std::string_view key, std::size_t most) {
  std::vector<std::string> out;
  const json* list = f.array(key);
  if (!list) return out;
  if (list->size() > most)
    wrong(f, key, '"' + std::string(key) + "\" has more than " + std::to_string(most) + " entries");
  for (const json& v : *list) {
    if (v.is_string())
      out.push_back(v.get<std::string>());
    else
      wrong(f, key, '"' + std::string(key) + "\" must hold strings");
    if (out.size() == most) break;
  }
  return out;
}

void LessonReader::readScenarioOf(JsonFields& f, std::string_view key) {
  f.requireKey(key, "the scenario: a file in the lesson's folder, or the name of a sample");
  const json* v = f.any(key);
  if (!v) return;
  if (v->is_object() && m_lesson.version > 1) {
    m_lesson.scenario = v->dump();
  } else if (v->is_string()) {
    m_lesson.scenarioFile = v->get<std::string>();
    if (const auto sample = embeddedSample(m_lesson.scenarioFile)) {
      m_lesson.scenario = std::string(*sample);
    } else {
      auto loaded =
          m_load ? m_load(m_lesson.scenarioFile)
                 : Reading<std::string>{std::nullopt, {error("lesson", {}, "there is no such sample")}};
      for (Diagnostic& d : loaded.diagnostics) {
        d.where = f.placeOf(key);
        m_out.push_back(std::move(d));
      }
      if (loaded) m_lesson.scenario = std::move(*loaded.value);
    }
  } else {
    wrong(f, key, '"' + std::string(key) + "\" must be a file, the name of a sample or a scenario");
  }
}

std::optional<std::string> LessonReader::view(JsonFields& f, std::string_view key) {
  const auto& known = lessonViews();
  return f.oneOf(key, std::span(known.data(), known.size()));
}

std::optional<LessonScreen> LessonReader::screen(JsonFields& parent) {
  const json* object = parent.object("screen");
  if (!object) return std::nullopt;
  JsonFields f(m_text, *object, parent.pointerTo("screen"), m_out);
  LessonScreen out;
  if (f.has("views")) {
    out.views.emplace();
    const auto& known = lessonViews();
    for (const std::string& v : strings(f, "views", known.size())) {
      if (std::find(known.begin(), known.end(), v) == known.end())
        wrong(f, "views", "there is no view \"" + v + '"', "one of " + listOf(known));
      out.views->push_back(v);
    }
    if (out.views->empty()) wrong(f, "views", "\"views\" names no view", "leave it out to show all");
  }
  if (f.has("fields")) {
    out.fields.emplace();
    if (const json* fields = f.object("fields")) {
      JsonFields inner(m_text, *fields, f.pointerTo("fields"), m_out);
      for (const auto& [key, range] : fields->items()) {
        LessonFreedom freedom{key, {}, {}};
        inner.any(key);
        if (range.is_array() && range.size() == 2 && range[0].is_number() && range[1].is_number() &&
            range[0].get<double>() <= range[1].get<double>())
          freedom.least = range[0].get<double>(), freedom.most = range[1].get<double>();
        else if (!(range.is_boolean() && range.get<bool>()))
          wrong(inner, key, "a field that may be changed is followed by true or by [least, most]");
        out.fields->push_back(std::move(freedom));
        if (out.fields->size() < kMostFields || fields->size() == kMostFields) continue;
        wrong(f, "fields", "a screen names at most 60 fields");
        break;
      }
    }
  }
  f.reportUnknown(Severity::Error);
  return out;
}

bool LessonReader::checkName(JsonFields& f, std::string_view key, const std::string& name) {
  if (!isLessonName(name)) {
    wrong(f, key, "\"" + name.substr(0, kLongestLessonName) + "\" is not a name",
          "use at most 32 small letters, digits and _, a letter first");
    return false;
  }
  if (name == kBaseCase || name == kPresentCase || name == "said" || name == "right" ||
      !m_names.insert(name).second) {
    wrong(f, key, "the name \"" + name + "\" is taken", "choose another");
    return false;
  }
  return true;
}

void LessonReader::checkExpressions(const Lesson& lesson) {
  for (const auto& [expression, where] : m_asked)
    for (const LessonName& n : expression.names()) {
      const bool isVariable = std::any_of(lesson.variables.begin(), lesson.variables.end(),
                                          [&](const LessonVariable& v) { return v.name == n.name; });
      if (n.scope.empty() && !n.arguments && (isVariable || n.name == "said" || n.name == "right")) continue;
      if (n.scope.empty()) {
        m_out.push_back(error("lesson-name", where, "there is no variable \"" + n.name + '"',
                              lessonQuantityNamed(n.name)
                                  ? "write base." + n.name + " for the scenario as it is"
                                  : "quantities stand behind a case: base.step_time"));
        continue;
      }
      if (n.scope != kBaseCase && n.scope != kPresentCase && !lesson.caseNamed(n.scope))
        m_out.push_back(error("lesson-name", where, "there is no case \"" + n.scope + '"',
                              meantBy(n.scope, lesson.cases, "list it in \"cases\"")));
      if (!lessonQuantityNamed(n.name))
        m_out.push_back(
            error("lesson-name", where, "there is no quantity \"" + n.name + '"',
                  meantBy(n.name, lessonQuantities(), "nest-plan lessons quantities lists them")));
    }
}

bool isLesson(std::string_view text) {
  const std::string_view begin = text.substr(0, 400);
  const auto has = [&](std::string_view word) { return begin.find(word) != std::string_view::npos; };
  // Those of version 1 do not name their format.
  return has("\"nest-lesson\"") || (has("\"title\"") && has("\"about\"") && has("\"sample\""));
}

Reading<Lesson> readLesson(std::string_view text, const std::string& file, const ReferenceLoader& load) {
  Reading<Lesson> result;
  auto parsed = readJsonText(text, file, kLessonLimits);
  result.diagnostics = std::move(parsed.diagnostics);
  if (!parsed) return result;
  if (!parsed->root().is_object()) {
    result.diagnostics.push_back(error("json-type", {file, 1, 1, ""}, "a lesson is a JSON object"));
    return result;
  }
  LessonReader reader(*parsed, load, result.diagnostics);
  Lesson lesson = reader.read();
  refuseNulls(*parsed, parsed->root(), "", kOthersKeys, result.diagnostics);
  reader.checkExpressions(lesson);
  lesson.digest = hashOf(std::string(text) + '\n' + lesson.scenario);
  if (!hasErrors(result.diagnostics)) result.value = std::move(lesson);
  return result;
}

}  // namespace nest
