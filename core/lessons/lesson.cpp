#include "lessons/lesson.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "text/text_hash.h"

namespace nest {
namespace {

constexpr std::uint64_t kStudentSeed = 0xcbf29ce484222325ULL;  ///< stays: numbers that were handed out

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
      "topology", "network", "stages", "memory",  "communication", "exchange", "timeline", "placement",
      "cuts",     "whatif",  "search", "compare", "run",           "study",    "accuracy"};
  return all;
}

const std::vector<std::string_view>& lessonConditions() {
  static const std::vector<std::string_view> all{
      "selected", "state",        "state_not", "score_below", "score_at_least", "pinned", "play_head",
      "exchange", "bubble_below", "slower_by", "fits",        "kept",           "asked"};
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

LessonVariables variablesOf(const Lesson& lesson, std::string_view student) {
  LessonVariables out;
  for (const LessonVariable& v : lesson.variables) {
    const std::uint64_t hash = fnv1a(v.name, fnv1a("\n", fnv1a(student, kStudentSeed)));
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
