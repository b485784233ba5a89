#include <algorithm>
#include <nlohmann/json.hpp>

#include "lessons/lesson_reader.h"
#include "text/json_text.h"

namespace nest {

using nlohmann::json;

namespace {

constexpr std::size_t kMostOptions = 8, kMostBars = 12, kMostHints = 3;
constexpr double kMostPoints = 100;

}  // namespace

void LessonReader::readOldSteps(JsonFields& f) {
  f.requireKey("steps", "what is to be done");
  f.objects("steps", kMostSteps, Severity::Error, [&](JsonFields& s, std::size_t) {
    LessonStep step;
    step.where = m_text.placeOf(s.pointer());
    step.text = text(s, "text");
    step.view = view(s, "view").value_or("");
    s.requireKey("done", "when the step is done");
    readDone(s, step);
    m_lesson.steps.push_back(std::move(step));
  });
  if (m_lesson.steps.empty()) wrong(f, "steps", "a lesson has at least one step");
}

void LessonReader::readSteps(JsonFields& f) {
  f.requireKey("steps", "what is to be done and answered");
  f.objects("steps", kMostSteps, Severity::Error, [&](JsonFields& s, std::size_t) { readStep(s); });
  if (m_lesson.steps.empty()) wrong(f, "steps", "a lesson has at least one step");
}

void LessonReader::readStep(JsonFields& s) {
  LessonStep step;
  step.where = m_text.placeOf(s.pointer());
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

void LessonReader::readDone(JsonFields& s, LessonStep& step) {
  const json* done = s.object("done");
  if (!done) return;
  step.done = done->dump();
  const auto& known = lessonConditions();
  if (done->empty()) wrong(s, "done", "\"done\" names no condition", "one of " + listOf(known));
  JsonFields inner(m_text, *done, s.pointerTo("done"), m_out);
  for (const auto& [key, value] : done->items()) {
    inner.any(key);
    if (std::find(known.begin(), known.end(), key) == known.end())
      wrong(inner, key, "there is no condition \"" + key.substr(0, kLongestLessonName) + '"',
            "one of " + listOf(known));
  }
}

void LessonReader::readDo(JsonFields& s, LessonStep& step) {
  readDone(s, step);
  step.until = expression(s, "until");
  if (!step.until) return;
  s.requireKey("reached_by", "a case with which \"until\" holds, so that it can be checked");
  step.reachedBy = s.string("reached_by").value_or("");
  if (s.has("reached_by") && step.reachedBy != kBaseCase && !m_lesson.caseNamed(step.reachedBy))
    wrong(s, "reached_by", "there is no case \"" + step.reachedBy + '"', "list it in \"cases\"");
}

void LessonReader::readChoose(JsonFields& s, LessonStep& step) {
  s.requireKey("options", "what can be chosen, 2 to 8");
  s.objects("options", kMostOptions, Severity::Error, [&](JsonFields& o, std::size_t) {
    LessonOption option;
    option.text = text(o, "text");
    if (auto right = expression(o, "right", "an expression that says whether the option is right"))
      option.right = std::move(*right);
    step.options.push_back(std::move(option));
  });
  if (step.options.size() < 2) wrong(s, "options", "a question has at least 2 options");
}

void LessonReader::readUnit(JsonFields& s, LessonStep& step) {
  const std::string unit = s.string("unit").value_or("");
  if (unit.size() > 24 || unit.find('<') != std::string::npos) wrong(s, "unit", "\"unit\" is not a unit");
  step.unit = lessonUnit(unit);
  step.tolerance = s.number("tolerance", 0, 1).value_or(0.05);
  step.absolute = s.number("tolerance_absolute", 0, 1e15).value_or(0);
}

void LessonReader::readNumber(JsonFields& s, LessonStep& step) {
  step.answer = expression(s, "answer", "an expression that is computed from the plans");
  readUnit(s, step);
}

void LessonReader::readDraw(JsonFields& s, LessonStep& step) {
  s.requireKey("bars", "what is drawn, 2 to 12 bars");
  readUnit(s, step);
  s.objects("bars", kMostBars, Severity::Error, [&](JsonFields& b, std::size_t) {
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

void LessonReader::readReveal(JsonFields& s, LessonStep& step) {
  s.requireKey("of", "the question whose answer is shown");
  step.of = s.string("of").value_or("");
  const LessonStep* question = m_lesson.stepNamed(step.of);
  if (s.has("of") && (!question || !question->isQuestion()))
    wrong(s, "of", "no question before this step has the id \"" + step.of + '"');
  s.objects("gap", kMostOptions, Severity::Error, [&](JsonFields& g, std::size_t) {
    LessonGap gap;
    gap.when = expression(g, "when");
    gap.text = text(g, "text");
    step.gaps.push_back(std::move(gap));
  });
}

}  // namespace nest
