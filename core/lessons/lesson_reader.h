#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lessons/lesson.h"
#include "text/json_fields.h"

namespace nest {

inline constexpr std::size_t kLongestLessonName = 32;  ///< of questions, cases and variables

/// Reads one file of a lesson. Of this folder only; others call readLesson.
class LessonReader {
public:
  LessonReader(const JsonText& text, const ReferenceLoader& load, Diagnostics& out)
      : m_text(text), m_load(load), m_out(out) {}

  Lesson read();
  /// Names in expressions that stand for nothing.
  void checkExpressions(const Lesson& lesson);

private:
  static constexpr std::size_t kMostSteps = 60, kMostFields = 60, kLongestLabel = 80;

  void wrong(JsonFields& f, std::string_view key, std::string message, std::string remedy = {});
  std::string label(JsonFields& f, std::string_view key, std::string_view what,
                    std::size_t longest = kLongestLabel);
  LessonText text(JsonFields& f, std::string_view key, bool required = true);
  LessonText parsedText(const std::string& s, const Place& where);
  std::optional<Expression> expression(const std::string& s, const Place& where);
  std::optional<Expression> expression(JsonFields& f, std::string_view key, std::string_view what = {});
  void take(Diagnostics all);
  std::vector<std::string> strings(JsonFields& f, std::string_view key, std::size_t most);
  template <class List>
  static std::string listOf(const List& all) {
    std::string out;
    for (const auto& s : all) out += (out.empty() ? "" : ", ") + std::string(s);
    return out;
  }

  // lesson_json.cpp: what the lesson is
  void readScenarioOf(JsonFields& f, std::string_view key);
  std::optional<std::string> view(JsonFields& f, std::string_view key);
  std::optional<LessonScreen> screen(JsonFields& parent);
  bool checkName(JsonFields& f, std::string_view key, const std::string& name);

  // lesson_cases_json.cpp: what differs between students and plans
  void readVariables(JsonFields& f);
  void readCases(JsonFields& f);
  void checkOrigins();  ///< each case leads back to the scenario

  // lesson_steps_json.cpp: what is to be done and answered
  void readOldSteps(JsonFields& f);
  void readSteps(JsonFields& f);
  void readStep(JsonFields& s);
  /// What the window judges; a condition that it does not know would never hold.
  void readDone(JsonFields& s, LessonStep& step);
  void readDo(JsonFields& s, LessonStep& step);
  void readChoose(JsonFields& s, LessonStep& step);
  void readUnit(JsonFields& s, LessonStep& step);
  void readNumber(JsonFields& s, LessonStep& step);
  void readDraw(JsonFields& s, LessonStep& step);
  void readReveal(JsonFields& s, LessonStep& step);

  const JsonText& m_text;
  const ReferenceLoader& m_load;
  Diagnostics& m_out;
  Lesson m_lesson;
  std::set<std::string> m_names;
  std::vector<std::pair<Expression, Place>> m_asked;
};

}  // namespace nest
