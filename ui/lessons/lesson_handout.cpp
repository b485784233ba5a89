#include "lessons/lesson_handout.h"

#include <QPainter>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "catalogue/registry.h"
#include "catalogue/report_figures.h"
#include "formats/results/report_page.h"
#include "formats/scenario/embedded_scenario.h"
#include "lessons/lesson_answers.h"
#include "lessons/lesson_solver.h"
#include "scenario/scenario.h"
#include "study/conflicts.h"

namespace nest {
namespace {

/// Fills texts, paints figures, and gathers them for one page.
class Handout {
public:
  Handout(const Lesson& lesson, const ReferenceLoader& load, Diagnostics& wrong)
      : m_lesson(lesson), m_solver(lesson, variablesOf(lesson, {}), load), m_wrong(wrong) {}

  ReportPart partOf(const LessonStep& step, int number) {
    ReportPart part{.id = "step-" + std::to_string(number)};
    part.title = std::to_string(number) + (step.isQuestion()               ? ". Question"
                                           : step.kind == StepKind::Reveal ? ". Look"
                                                                           : ". Read");
    if (!step.setsCase.empty()) m_case = step.setsCase;
    std::optional<LessonSolver::Answered> answered;
    LessonWords words;
    if (const LessonStep* question = m_lesson.stepNamed(step.of))
      if (const auto right = rightAnswer(*question, m_solver, m_why)) {
        answered = {right->back(), right->back()};
        words = wordsWithoutAnswer(*question, *right);
      }
    const bool isHidden = step.kind == StepKind::Reveal;  // it gives the answer
    (isHidden ? part.folded : part.html).push_back(filled(step.text, step, answered, words));
    if (isHidden) part.foldedTitle = "What comes out";
    for (std::size_t k = 0; k < step.options.size(); ++k)
      part.html.push_back(std::string(1, static_cast<char>('A' + k)) + ". " +
                          filled(step.options[k].text, step));
    for (const LessonBar& bar : step.bars)
      if (!bar.isGiven)
        part.facts.emplace_back(bar.label, "?");
      else if (const auto height = bar.height.evaluate(m_solver.lookup(), m_why))
        part.facts.emplace_back(bar.label, valueText(*height));
    if (step.isQuestion()) addAnswer(step, part);
    if (step.kind == StepKind::Reveal) part.figure = figureOf(step);
    return part;
  }

  std::vector<PageFigure> figures;
  PageFigures pictures;

private:
  std::string filled(const LessonText& text, const LessonStep& step,
                     const std::optional<LessonSolver::Answered>& answered = {},
                     const LessonWords& words = {}) {
    const auto s = text.filled(m_solver.lookup(nullptr, answered), m_why, words);
    if (!s) m_wrong.push_back(error("lesson-check", step.where, m_why));
    return s.value_or("");
  }

  void addAnswer(const LessonStep& step, ReportPart& part) {
    part.foldedTitle = "Answer";
    LessonAnswer none;
    none.skipped = true;
    if (step.kind == StepKind::Draw) {
      if (const auto heights = rightAnswer(step, m_solver, m_why))
        for (std::size_t k = 0; k < step.bars.size(); ++k)
          part.folded.push_back("<b>" + step.bars[k].label + "</b>: " + valueText((*heights)[k]));
    } else if (const auto judged = judge(step, none, m_solver, m_why)) {
      part.folded.push_back("<b>" + judged->right + "</b>");
    }
    if (part.folded.empty()) m_wrong.push_back(error("lesson-check", step.where, m_why));
    if (!step.solution.empty()) part.folded.push_back(filled(step.solution, step));
  }

  /// The plan that the scenario has while the step is shown.
  PlanContextPtr contextOf(const std::string& caseName) {
    PlanContextPtr& known = m_contexts[caseName];
    if (known) return known;
    auto scenario = m_solver.scenarioOf(caseName);
    if (!scenario) return nullptr;
    auto problem = buildProblem(*scenario);
    if (!problem) return nullptr;
    auto c = std::make_shared<PlanContext>();
    c->scenario = std::make_shared<const Scenario>(std::move(*scenario.value));
    c->problem = std::make_shared<const Problem>(std::move(*problem.value));
    const auto outcome = std::make_shared<const Outcome>(solveAndExplain(*c->problem));
    if (const RankedPlan* best = outcome->best()) c->plan = std::shared_ptr<const RankedPlan>(outcome, best);
    c->outcome = outcome;
    return known = c;
  }

  std::string figureOf(const LessonStep& step) {
    const PlanContextPtr c = contextOf(m_case);
    if (!c || step.view.empty()) return {};
    for (ReportFigure& f : planReportFigures(c)) {
      if (f.id.toStdString() != step.view) continue;
      f.finding.clear();  // it stands behind the click with the figure
      const std::string id = step.view + "-" + std::to_string(figures.size() + 1);
      figures.push_back({id, f.title.toStdString(), pictures.svgOf(f).toStdString()});
      return id;
    }
    return {};
  }

  const Lesson& m_lesson;
  LessonSolver m_solver;
  Diagnostics& m_wrong;
  std::string m_why, m_case{kBaseCase};
  std::map<std::string, PlanContextPtr> m_contexts;
};

}  // namespace

QByteArray lessonAsPage(const Lesson& lesson, const ReferenceLoader& load, const ReportChoice& choice,
                        Diagnostics& wrong) {
  Handout handout(lesson, load, wrong);
  PlanReport report;
  report.title = {"NEST Explorer, a lesson of " + std::to_string(lesson.minutes) + " minutes"};
  report.finding = lesson.title;
  int number = 0;
  for (const LessonStep& step : lesson.steps) report.parts.push_back(handout.partOf(step, ++number));
  const LessonSolver solver(lesson, variablesOf(lesson, {}), load);
  auto scenario = solver.scenarioOf(kBaseCase);
  for (Diagnostic& d : scenario.diagnostics)
    if (d.severity == Severity::Error) wrong.push_back(std::move(d));
  if (hasErrors(wrong) || !scenario) return {};
  Scenario inside = standingAlone(*scenario);
  inside.description = lesson.about;
  PageContent content = pageContent({{&inside, choice.fileName.toStdString()}}, ReportFormat::Html, choice);
  content.figures = std::move(handout.figures);
  content.style = handout.pictures.style().toStdString();
  return QByteArray::fromStdString(writeReportPage(report, content));
}

}  // namespace nest
