#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>

#include "lessons/lesson_reader.h"
#include "schedule/pipeline_schedule.h"
#include "text/json_text.h"

namespace nest {

using nlohmann::json;

namespace {

constexpr std::size_t kMostCases = 60, kMostVariables = 4, kMostValues = 16, kMostCombinations = 64;

}  // namespace

void LessonReader::readVariables(JsonFields& f) {
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
        if (value.is_number() && std::isfinite(value.get<double>())) v.values.push_back(value.get<double>());
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

void LessonReader::readCases(JsonFields& f) {
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
  checkOrigins();
}

void LessonReader::checkOrigins() {
  for (const LessonCase& c : m_lesson.cases) {
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
      m_out.push_back(error("lesson", c.where, "fields cannot be changed of a plan that was changed by hand",
                            "change the fields first"));
  }
}

}  // namespace nest
