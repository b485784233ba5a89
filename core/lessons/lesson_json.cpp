#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "lessons/builtin_lessons.h"
#include "lessons/json_nulls.h"
#include "lessons/lesson.h"
#include "lessons/solved_plan.h"
#include "schedule/pipeline_schedule.h"
#include "text/json_fields.h"
#include "text/json_text.h"
#include "text/nearest_name.h"
#include "text/text_hash.h"

namespace nest {
namespace {

using nlohmann::json;

constexpr JsonLimits kLessonLimits{1u << 20, 40, 100'000};
constexpr std::size_t kMostSteps = 60, kMostCases = 60, kMostFields = 60, kMostOptions = 8, kMostBars = 12,
                      kMostHints = 3, kMostVariables = 4, kMostValues = 16, kMostCombinations = 64,
                      kLongestName = 32, kLongestLabel = 80;
/// Of something to do, as ui/lessons/lesson_scene.h describes them.
constexpr std::array<std::string_view, 12> kConditions = {
    "selected",  "state",        "state_not", "score_below", "score_at_least", "pinned",
    "play_head", "bubble_below", "slower_by", "fits",        "kept",           "asked"};
constexpr double kMostPoints = 100;
/// What is read by others: scenarios, fields of scenarios, conditions of the window.
constexpr std::array<std::string_view, 3> kOthersKeys = {"scenario", "set", "done"};

bool isLessonName(std::string_view s) {
  if (s.empty() || s.size() > kLongestName || !(s[0] >= 'a' && s[0] <= 'z')) return false;
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

/// Reads one file.
class LessonReader {
public:
  LessonReader(const JsonText& text, const ReferenceLoader& load, Diagnostics& out)
      : m_text(text), m_load(load), m_out(out) {}

  Lesson read() {
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

private:
  void wrong(JsonFields& f, std::string_view key, std::string message, std::string remedy = {}) {
    f.report(Severity::Error, "lesson", key, std::move(message), std::move(remedy));
  }

  std::string label(JsonFields& f, std::string_view key, std::string_view what,
                    std::size_t longest = kLongestLabel) {
    f.requireKey(key, what);
    std::string s = f.string(key).value_or("");
    if (s.size() > longest)
      wrong(f, key, '"' + std::string(key) + "\" is longer than " + std::to_string(longest) + " characters");
    if (std::any_of(s.begin(), s.end(),
                    [](char c) { return static_cast<unsigned char>(c) < 32 || c == '<'; }))
      wrong(f, key, '"' + std::string(key) + "\" must be one line of plain text");
    return s;
  }

  LessonText text(JsonFields& f, std::string_view key, bool required = true) {
    if (required) f.requireKey(key, "a text");
    const auto s = f.string(key);
    if (!s) return {};
    return parsedText(*s, f.placeOf(key));
  }
  LessonText parsedText(const std::string& s, const Place& where) {
    auto parsed = LessonText::parse(s, where);
    take(std::move(parsed.diagnostics));
    if (!parsed) return {};
    for (const Expression* e : parsed->expressions()) m_asked.emplace_back(*e, where);
    return std::move(*parsed.value);
  }
  std::optional<Expression> expression(const std::string& s, const Place& where) {
    auto parsed = Expression::parse(s, where);
    take(std::move(parsed.diagnostics));
    if (parsed) m_asked.emplace_back(*parsed, where);
    return std::move(parsed.value);
  }
  std::optional<Expression> expression(JsonFields& f, std::string_view key, std::string_view what = {}) {
    if (!what.empty()) f.requireKey(key, what);
    const auto s = f.string(key);
    return s ? expression(*s, f.placeOf(key)) : std::nullopt;
  }
  void take(Diagnostics all) {
    for (Diagnostic& d : all) m_out.push_back(std::move(d));
  }

  std::vector<std::string> strings(JsonFields& f, std::string_view key, std::size_t most) {
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

  /// Calls read(JsonFields&, place) on each object of a list; its unknown keys are errors.
  template <class Read>
  void objects(JsonFields& f, std::string_view key, std::size_t most, Read&& read) {
    const json* list = f.array(key);
    if (!list) return;
    if (list->size() > most) {
      wrong(f, key, '"' + std::string(key) + "\" has more than " + std::to_string(most) + " entries");
      return;
    }
    for (std::size_t i = 0; i < list->size(); ++i) {
      const std::string pointer = jsonPointer(f.pointerTo(key), i);
      if (!(*list)[i].is_object()) {
        m_out.push_back(error("json-type", m_text.placeOf(pointer), "expected an object"));
        continue;
      }
      JsonFields inner(m_text, (*list)[i], pointer, m_out);
      read(inner, m_text.placeOf(pointer));
      inner.reportUnknown(Severity::Error);
    }
  }

  void readScenarioOf(JsonFields& f, std::string_view key) {
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

  void readOldSteps(JsonFields& f) {
    f.requireKey("steps", "what is to be done");
    objects(f, "steps", kMostSteps, [&](JsonFields& s, const Place& where) {
      LessonStep step;
      step.where = where;
      step.text = text(s, "text");
      step.view = view(s, "view").value_or("");
      s.requireKey("done", "when the step is done");
      readDone(s, step);
      m_lesson.steps.push_back(std::move(step));
    });
    if (m_lesson.steps.empty()) wrong(f, "steps", "a lesson has at least one step");
  }

  std::optional<std::string> view(JsonFields& f, std::string_view key) {
    const auto& known = lessonViews();
    return f.oneOf(key, std::span(known.data(), known.size()));
  }

  std::optional<LessonScreen> screen(JsonFields& parent) {
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

  template <class List>
  static std::string listOf(const List& all) {
    std::string out;
    for (const auto& s : all) out += (out.empty() ? "" : ", ") + std::string(s);
    return out;
  }

  void readVariables(JsonFields& f) {
    const json* object = f.object("variables");
    if (!object) return;
    JsonFields inner(m_text, *object, f.pointerTo("variables"), m_out);
    if (object->size() > kMostVariables) wrong(f, "variables", "a lesson has at most 4 variables");
    std::size_t combinations = 1;
    for (const auto& [key, values] : object->items()) {
      if (m_lesson.variables.size() == kMostVariables) break;
      inner.any(key);
      LessonVariable v{key, {}};
      checkName(inner, key, key);
      if (values.is_array())
        for (const json& value : values)
          if (value.is_number() && std::isfinite(value.get<double>()))
            v.values.push_back(value.get<double>());
      if (!values.is_array() || v.values.size() != values.size() || v.values.empty() ||
          v.values.size() > kMostValues) {
        wrong(inner, key, "a variable is a list of 1 to 16 numbers, one of which each student gets");
        continue;
      }
      combinations *= v.values.size();
      m_lesson.variables.push_back(std::move(v));
    }
    if (combinations > kMostCombinations)
      wrong(f, "variables", "the variables have more than 64 combinations",
            "each is checked against the solver: use fewer");
  }

  bool checkName(JsonFields& f, std::string_view key, const std::string& name) {
    if (!isLessonName(name)) {
      wrong(f, key, "\"" + name.substr(0, kLongestName) + "\" is not a name",
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

  void readCases(JsonFields& f) {
    const json* object = f.object("cases");
    if (!object) return;
    if (object->size() > kMostCases) {
      wrong(f, "cases", "a lesson has at most 60 cases");
      return;
    }
    JsonFields inner(m_text, *object, f.pointerTo("cases"), m_out);
    for (const auto& [key, value] : object->items()) {
      inner.any(key);
      if (!checkName(inner, key, key)) continue;
      if (!value.is_object()) {
        wrong(inner, key, "a case is an object");
        continue;
      }
      JsonFields c(m_text, value, inner.pointerTo(key), m_out);
      LessonCase one;
      one.name = key;
      one.where = inner.placeOf(key);
      if (const auto from = c.string("from")) one.from = *from;
      if (const json* set = c.object("set"); set && set->size() > kMostFields)
        wrong(c, "set", "a case changes at most 60 fields");
      else if (set)
        for (const auto& [field, to] : set->items()) one.set.emplace_back(field, to.dump());
      if (const json* cut = c.array("cut")) {
        if (cut->size() == 2 && (*cut)[0].is_number_integer() && (*cut)[1].is_number_integer() &&
            (*cut)[0].get<double>() >= 2 && (*cut)[0].get<double>() < 1e6 && (*cut)[1].get<double>() >= 1 &&
            (*cut)[1].get<double>() < 1e6)
          one.cut = {(*cut)[0].get<int>(), (*cut)[1].get<int>()};
        else
          wrong(c, "cut", "\"cut\" is [stage, layer]: the stage, from 2, begins at that layer");
      }
      if (const auto schedule = c.string("schedule")) {
        std::vector<std::string_view> known;
        for (const PipelineSchedule* s : schedules()) known.push_back(s->id());
        if (c.oneOf("schedule", std::span<const std::string_view>(known))) one.schedule = *schedule;
      }
      if (one.isByHand() && !one.set.empty())
        wrong(c, "set", "a case changes fields or a plan by hand, not both",
              "make it two cases, one \"from\" the other");
      c.reportUnknown(Severity::Error);
      m_lesson.cases.push_back(std::move(one));
    }
    // In the order of the file, which the parsed object does not keep.
    std::sort(m_lesson.cases.begin(), m_lesson.cases.end(), [](const LessonCase& a, const LessonCase& b) {
      return std::tie(a.where.line, a.where.column) < std::tie(b.where.line, b.where.column);
    });
    for (const LessonCase& c : m_lesson.cases) {
      // Each case leads back to the scenario.
      const LessonCase* at = &c;
      std::size_t steps = 0;
      while (at && at->from != kBaseCase && steps++ <= m_lesson.cases.size()) {
        const LessonCase* before = m_lesson.caseNamed(at->from);
        if (!before)
          m_out.push_back(
              error("lesson", c.where, "there is no case \"" + at->from + '"', "list it in \"cases\""));
        at = before;
      }
      if (at && steps > m_lesson.cases.size())
        m_out.push_back(error("lesson", c.where, "the case \"" + c.name + "\" is made from itself"));
      const LessonCase* before = m_lesson.caseNamed(c.from);
      if (!c.set.empty() && before && before->isByHand())
        m_out.push_back(error("lesson", c.where,
                              "fields cannot be changed of a plan that was changed by hand",
                              "change the fields first"));
    }
  }

  void readSteps(JsonFields& f) {
    f.requireKey("steps", "what is to be done and answered");
    objects(f, "steps", kMostSteps, [&](JsonFields& s, const Place& where) { readStep(s, where); });
    if (m_lesson.steps.empty()) wrong(f, "steps", "a lesson has at least one step");
  }

  void readStep(JsonFields& s, const Place& where) {
    LessonStep step;
    step.where = where;
    s.requireKey("kind", "do, choose, number, draw or reveal");
    const std::string kind = s.oneOf("kind", {"do", "choose", "number", "draw", "reveal"}).value_or("do");
    for (const StepKind k :
         {StepKind::Do, StepKind::Choose, StepKind::Number, StepKind::Draw, StepKind::Reveal})
      if (kind == nameOf(k)) step.kind = k;
    step.text = text(s, "text");
    step.view = view(s, "view").value_or("");
    step.point = s.string("point").value_or("");
    if (step.point.size() > kLongestLabel) wrong(s, "point", "\"point\" is too long");
    if (const auto name = s.string("case")) {
      step.setsCase = *name;
      if (*name != kBaseCase && !m_lesson.caseNamed(*name))
        wrong(s, "case", "there is no case \"" + *name + '"', "list it in \"cases\"");
      else if (const LessonCase* c = m_lesson.caseNamed(*name); c && c->isByHand())
        wrong(s, "case", "a plan that was changed by hand cannot be opened",
              "open the case that it is made from");
    }
    const auto hints = strings(s, "hints", kMostHints);
    for (std::size_t i = 0; i < hints.size(); ++i)
      step.hints.push_back(parsedText(hints[i], m_text.placeOf(jsonPointer(s.pointerTo("hints"), i))));
    step.screen = screen(s);
    const auto holds = strings(s, "holds", kMostSteps);
    for (std::size_t i = 0; i < holds.size(); ++i) {
      const Place place = m_text.placeOf(jsonPointer(s.pointerTo("holds"), i));
      if (auto e = expression(holds[i], place)) step.holds.emplace_back(std::move(*e), place);
    }
    step.solution = text(s, "solution", false);
    if (step.isQuestion()) {
      s.requireKey("id", "a name for the answer");
      step.id = s.string("id").value_or("");
      if (s.has("id")) checkName(s, "id", step.id);
      step.points = s.number("points", 0, kMostPoints).value_or(1);
    }
    switch (step.kind) {
      case StepKind::Do:
        readDo(s, step);
        break;
      case StepKind::Choose:
        readChoose(s, step);
        break;
      case StepKind::Number:
        readNumber(s, step);
        break;
      case StepKind::Draw:
        readDraw(s, step);
        break;
      case StepKind::Reveal:
        readReveal(s, step);
        break;
    }
    m_lesson.steps.push_back(std::move(step));
  }

  /// What the window judges; a condition that it does not know would never hold.
  void readDone(JsonFields& s, LessonStep& step) {
    const json* done = s.object("done");
    if (!done) return;
    step.done = done->dump();
    if (done->empty()) wrong(s, "done", "\"done\" names no condition", "one of " + listOf(kConditions));
    JsonFields inner(m_text, *done, s.pointerTo("done"), m_out);
    for (const auto& [key, value] : done->items()) {
      inner.any(key);
      if (std::find(kConditions.begin(), kConditions.end(), key) == kConditions.end())
        wrong(inner, key, "there is no condition \"" + key.substr(0, kLongestName) + '"',
              "one of " + listOf(kConditions));
    }
  }

  void readDo(JsonFields& s, LessonStep& step) {
    readDone(s, step);
    step.until = expression(s, "until");
    if (!step.until) return;
    s.requireKey("reached_by", "a case with which \"until\" holds, so that it can be checked");
    step.reachedBy = s.string("reached_by").value_or("");
    if (s.has("reached_by") && step.reachedBy != kBaseCase && !m_lesson.caseNamed(step.reachedBy))
      wrong(s, "reached_by", "there is no case \"" + step.reachedBy + '"', "list it in \"cases\"");
  }

  void readChoose(JsonFields& s, LessonStep& step) {
    s.requireKey("options", "what can be chosen, 2 to 8");
    objects(s, "options", kMostOptions, [&](JsonFields& o, const Place&) {
      LessonOption option;
      option.text = text(o, "text");
      if (auto right = expression(o, "right", "an expression that says whether the option is right"))
        option.right = std::move(*right);
      step.options.push_back(std::move(option));
    });
    if (step.options.size() < 2) wrong(s, "options", "a question has at least 2 options");
  }

  void readUnit(JsonFields& s, LessonStep& step) {
    const std::string unit = s.string("unit").value_or("");
    if (unit.size() > 24 || unit.find('<') != std::string::npos) wrong(s, "unit", "\"unit\" is not a unit");
    step.unit = lessonUnit(unit);
    step.tolerance = s.number("tolerance", 0, 1).value_or(0.05);
    step.absolute = s.number("tolerance_absolute", 0, 1e15).value_or(0);
  }

  void readNumber(JsonFields& s, LessonStep& step) {
    step.answer = expression(s, "answer", "an expression that is computed from the plans");
    readUnit(s, step);
  }

  void readDraw(JsonFields& s, LessonStep& step) {
    s.requireKey("bars", "what is drawn, 2 to 12 bars");
    readUnit(s, step);
    objects(s, "bars", kMostBars, [&](JsonFields& b, const Place&) {
      LessonBar bar;
      bar.label = label(b, "label", "what stands below the bar", 24);
      if (auto height = expression(b, "height", "an expression that is computed from the plans"))
        bar.height = std::move(*height);
      bar.isGiven = b.boolean("given").value_or(false);
      step.bars.push_back(std::move(bar));
    });
    if (step.bars.size() < 2) wrong(s, "bars", "a drawing has at least 2 bars");
    if (std::all_of(step.bars.begin(), step.bars.end(), [](const LessonBar& b) { return b.isGiven; }))
      wrong(s, "bars", "every bar is given", "leave at least one to draw");
  }

  void readReveal(JsonFields& s, LessonStep& step) {
    s.requireKey("of", "the question whose answer is shown");
    step.of = s.string("of").value_or("");
    const LessonStep* question = m_lesson.stepNamed(step.of);
    if (s.has("of") && (!question || !question->isQuestion()))
      wrong(s, "of", "no question before this step has the id \"" + step.of + '"');
    objects(s, "gap", kMostOptions, [&](JsonFields& g, const Place&) {
      LessonGap gap;
      gap.when = expression(g, "when");
      gap.text = text(g, "text");
      step.gaps.push_back(std::move(gap));
    });
  }

public:
  /// Names in expressions that stand for nothing.
  void checkExpressions(const Lesson& lesson) {
    for (const auto& [expression, where] : m_asked)
      for (const LessonName& n : expression.names()) {
        const bool isVariable = std::any_of(lesson.variables.begin(), lesson.variables.end(),
                                            [&](const LessonVariable& v) { return v.name == n.name; });
        if (n.scope.empty() && !n.arguments && (isVariable || n.name == "said" || n.name == "right"))
          continue;
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

private:
  const JsonText& m_text;
  const ReferenceLoader& m_load;
  Diagnostics& m_out;
  Lesson m_lesson;
  std::set<std::string> m_names;
  std::vector<std::pair<Expression, Place>> m_asked;
};

std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 30, x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27, x *= 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

const char* nameOf(StepKind k) {
  constexpr std::array kNames = {"do", "choose", "number", "draw", "reveal"};
  return kNames[static_cast<std::size_t>(k)];
}

const std::vector<std::string_view>& lessonViews() {
  static const std::vector<std::string_view> all{
      "topology", "network", "stages", "memory",  "communication", "timeline", "placement",
      "cuts",     "whatif",  "search", "compare", "run",           "study",    "accuracy"};
  return all;
}

const LessonCase* Lesson::caseNamed(std::string_view name) const {
  const auto it =
      std::find_if(cases.begin(), cases.end(), [&](const LessonCase& c) { return c.name == name; });
  return it == cases.end() ? nullptr : &*it;
}

const LessonStep* Lesson::stepNamed(std::string_view step) const {
  if (step.empty()) return nullptr;
  const auto it = std::find_if(steps.begin(), steps.end(), [&](const LessonStep& s) { return s.id == step; });
  return it == steps.end() ? nullptr : &*it;
}

double Lesson::points() const {
  double sum = 0;
  for (const LessonStep& s : steps)
    if (s.isQuestion()) sum += s.points;
  return sum;
}

bool isLesson(std::string_view text) {
  const std::string_view begin = text.substr(0, 400);
  return begin.find("\"nest-lesson\"") != std::string_view::npos;
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

LessonVariables variablesOf(const Lesson& lesson, std::string_view student) {
  LessonVariables out;
  for (const LessonVariable& v : lesson.variables) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const std::string_view part : {student, std::string_view("\n"), std::string_view(v.name)})
      for (const char c : part) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    out[v.name] = student.empty() ? v.values.front() : v.values[mixed(hash) % v.values.size()];
  }
  return out;
}

std::vector<LessonVariables> allVariables(const Lesson& lesson) {
  std::vector<LessonVariables> out{{}};
  for (const LessonVariable& v : lesson.variables) {
    std::vector<LessonVariables> more;
    for (const double value : v.values)
      for (LessonVariables one : out) {
        one[v.name] = value;
        more.push_back(std::move(one));
      }
    out = std::move(more);
  }
  return out;
}

}  // namespace nest
