#include "lessons/lesson_play.h"

#include <algorithm>
#include <utility>

#include "theme/qt_text.h"

namespace nest {
namespace {

/// Computes everything that a lesson says, so that showing it computes nothing.
class LessonPreparation {
public:
  explicit LessonPreparation(LessonSolver& solver) : m_solver(solver) {}

  Diagnostics run() {
    for (const LessonStep& step : m_solver.lesson().steps) {
      if (step.kind != StepKind::Reveal) compute(step.text, step);
      for (const LessonText& hint : step.hints) compute(hint, step);
      for (const LessonOption& option : step.options) compute(option.text, step);
      std::string why;
      if (step.isQuestion() && !rightAnswer(step, m_solver, why)) fail(step, '"' + step.id + "\": " + why);
      if (!step.setsCase.empty())
        if (const auto scenario = m_solver.scenarioOf(step.setsCase); !scenario)
          for (const Diagnostic& d : scenario.diagnostics) m_failed.push_back(d);
      if (step.kind == StepKind::Reveal) reveal(step);
      if (step.until) {
        const auto plan = m_solver.solved(step.reachedBy, why);
        if (!plan || !step.until->evaluate(m_solver.lookup(plan.get()), why)) fail(step, why);
      }
    }
    return std::move(m_failed);
  }

private:
  void fail(const LessonStep& step, const std::string& why) {
    m_failed.push_back(error("lesson-text", step.where, "this step cannot be computed: " + why,
                             "nest-plan lessons check names all that is wrong"));
  }
  void compute(const LessonText& text, const LessonStep& step,
               std::optional<LessonSolver::Answered> answered = std::nullopt) {
    std::string why;
    if (!text.filled(m_solver.lookup(nullptr, answered), why)) fail(step, why);
  }
  void reveal(const LessonStep& step) {
    std::string why;
    const LessonStep* question = m_solver.lesson().stepNamed(step.of);
    const auto right = question ? rightAnswer(*question, m_solver, why) : std::nullopt;
    if (!right) return;  // it was reported at the question
    const LessonSolver::Answered answered{right->back(), right->back()};
    compute(step.text, step, answered);
    for (const LessonGap& gap : step.gaps) {
      compute(gap.text, step, answered);
      if (gap.when && !gap.when->evaluate(m_solver.lookup(nullptr, answered), why)) fail(step, why);
    }
  }

  LessonSolver& m_solver;
  Diagnostics m_failed;
};

}  // namespace

LessonPlay::LessonPlay(const LibraryLesson& source, LessonRecord& record, QObject* parent)
    : QObject(parent),
      m_source(source),
      m_record(record),
      m_variables(variablesOf(*source.lesson, record.student())),
      m_progress(record.progressIn(*source.lesson)),
      m_shown(m_progress.step),
      m_reader(*source.lesson, m_variables, source.loader()),
      m_worker(this) {
  connect(&m_worker, &StudyWorker::finished, this, [this] {
    if (!m_worker.failure().isEmpty())
      Q_EMIT failed({error("lesson", {lesson().file, 0, 0, ""}, m_worker.failure().toStdString())});
  });
  prepare();
}

LessonPlay::~LessonPlay() {
  m_worker.disconnect(this);
  m_worker.stop();
}

void LessonPlay::prepare() {
  m_worker.start([this, source = m_source, variables = m_variables](const Control& control,
                                                                    const BackgroundTask::Deliver& deliver) {
    auto solver = std::make_shared<LessonSolver>(*source.lesson, variables, source.loader(), control);
    const Diagnostics wrong = LessonPreparation(*solver).run();
    if (control.shouldStop()) return;
    deliver([this, solver, wrong] {
      if (hasErrors(wrong)) return Q_EMIT failed(wrong);
      m_solver = solver;
      Q_EMIT ready();
    });
  });
}

bool LessonPlay::isAsking() const {
  return step() && step()->isQuestion() && !answer();
}

const LessonStep* LessonPlay::revealAhead() const {
  const auto isReadOnly = [](const LessonStep& s) {
    return s.kind == StepKind::Do && s.view.empty() && s.done.empty() && !s.until;
  };
  int asked = m_shown;
  while (asked < count() && isReadOnly(lesson().steps[asked])) ++asked;
  if (asked >= count() || !lesson().steps[asked].isQuestion()) return nullptr;
  const std::string& id = lesson().steps[asked].id;
  if (m_progress.answerTo(id)) return nullptr;
  for (int i = asked + 1; i < count(); ++i)
    if (lesson().steps[i].of == id) return &lesson().steps[i];
  return nullptr;
}

const LessonStep* LessonPlay::question() const {
  if (!step()) return nullptr;
  return step()->kind == StepKind::Reveal ? lesson().stepNamed(step()->of) : step();
}

const LessonAnswer* LessonPlay::answer() const {
  const LessonStep* asked = question();
  return asked && asked->isQuestion() ? m_progress.answerTo(asked->id) : nullptr;
}

std::optional<Judged> LessonPlay::judged(const LessonStep& asked) const {
  const LessonAnswer* given = m_progress.answerTo(asked.id);
  std::string why;
  return m_solver && given ? judge(asked, *given, *m_solver, why) : std::nullopt;
}

std::optional<Judged> LessonPlay::judged() const {
  return question() && answer() ? judged(*question()) : std::nullopt;
}

std::vector<double> LessonPlay::rightValues() const {
  std::string why;
  std::vector<double> out;
  const LessonStep* asked = question();
  const auto right = m_solver && asked ? rightAnswer(*asked, *m_solver, why) : std::nullopt;
  if (!right) return out;
  for (const LessonValue& v : *right)
    out.push_back(asked->kind == StepKind::Choose ? v.value : v.value / asked->unit.scale);
  return out;
}

std::optional<LessonSolver::Answered> LessonPlay::answered() const {
  std::string why;
  const LessonStep* asked = question();
  const auto right =
      m_solver && asked && asked->isQuestion() ? rightAnswer(*asked, *m_solver, why) : std::nullopt;
  if (!right || right->empty()) return std::nullopt;
  const LessonAnswer* given = answer();
  LessonValue said = right->back();
  if (given && !given->given.empty())
    said.value = given->given.back() * (asked->kind == StepKind::Choose ? 1 : asked->unit.scale);
  return LessonSolver::Answered{said, right->back()};
}

Expression::Lookup LessonPlay::lookup(const SolvedPlan* now) const {
  return m_solver->lookup(now, step() && step()->kind == StepKind::Reveal ? answered() : std::nullopt);
}

QString LessonPlay::filled(const LessonText& text) const {
  if (!m_solver || text.empty()) return {};
  std::string why;
  LessonWords words;
  if (const LessonAnswer* given = answer(); given && question() != step()) {
    if (given->given.empty())
      words.said = "nothing (skipped)";
    else if (question()->kind == StepKind::Choose)
      words.said = optionLetter(given->given.back());
    else
      words.said = inUnit(given->given.back(), question()->unit);
    if (question()->kind == StepKind::Choose)
      for (const double right : rightValues()) words.right = optionLetter(right);
  }
  return toQt(text.filled(lookup(), why, words).value_or(std::string()));
}

QString LessonPlay::text() const {
  return step() ? filled(step()->text) : QString();
}

QString LessonPlay::hint(int number) const {
  return filled(step()->hints[static_cast<std::size_t>(number)]);
}

QString LessonPlay::optionText(int number) const {
  return filled(question()->options[static_cast<std::size_t>(number)].text);
}

int LessonPlay::openHints() const {
  if (const LessonAnswer* given = answer())
    return std::min<int>(given->hints, static_cast<int>(step()->hints.size()));
  return step()
             ? std::min<int>(m_record.openHints(lesson(), step()->id), static_cast<int>(step()->hints.size()))
             : 0;
}

QString LessonPlay::gap() const {
  if (!m_solver || !step() || step()->kind != StepKind::Reveal) return {};
  const LessonAnswer* given = answer();
  if (!given || given->given.empty()) return {};
  std::string why;
  for (const LessonGap& g : step()->gaps) {
    const auto applies = g.when ? g.when->evaluate(lookup(), why) : std::optional(LessonValue{1});
    if (applies && applies->value != 0) return filled(g.text);
  }
  return {};
}

double LessonPlay::pointsSoFar() const {
  double sum = 0;
  for (const LessonStep& s : lesson().steps)
    if (s.isQuestion())
      if (const auto done = judged(s)) sum += done->points;
  return sum;
}

void LessonPlay::show(int step, bool onwards) {
  m_shown = std::clamp(step, 0, count());
  m_isMet = false;
  Q_EMIT stepShown(onwards);
}

void LessonPlay::finishStep() {
  if (m_shown == m_progress.step) {
    ++m_progress.step;
    m_progress.finished = m_progress.step >= count();
    m_record.keep(m_progress);
    if (m_progress.finished) m_record.setPoints(lesson(), pointsSoFar());
  }
  show(m_shown + 1, true);
}

void LessonPlay::back() {
  if (m_shown > 0) show(m_shown - 1, false);
}

void LessonPlay::next() {
  if (isOver()) return;
  if (m_shown < m_progress.step) return show(m_shown + 1, false);
  const bool isRead = step()->kind == StepKind::Reveal ||
                      (step()->kind == StepKind::Do && step()->done.empty() && !step()->until);
  if (isRead || m_isMet || (step()->isQuestion() && answer())) finishStep();
}

void LessonPlay::openHint() {
  if (!isAsking() || openHints() >= static_cast<int>(step()->hints.size())) return;
  m_record.setOpenHints(lesson(), step()->id, openHints() + 1);
  Q_EMIT changed();
}

void LessonPlay::lock(std::vector<double> given) {
  if (!isAsking() || given.empty()) return;
  m_progress.answers.push_back({step()->id, std::move(given), openHints(), false});
  finishStep();
}

void LessonPlay::skip() {
  if (isOver() || m_shown < m_progress.step) return;
  if (isAsking()) m_progress.answers.push_back({step()->id, {}, openHints(), true});
  finishStep();
}

void LessonPlay::check(const LessonScene& scene) {
  if (!m_solver || !step() || m_shown != m_progress.step || step()->kind != StepKind::Do) return;
  if (step()->done.empty() && !step()->until) return;
  const PlanContext& c = *scene.context;
  if (!scene.start || (!step()->done.empty() && !holds(step()->done, scene))) return;
  if (step()->until) {
    if (!c.current || c.soFar || !c.outcome || !c.problem || !c.scenario || c.byHand) return;
    if (m_nowOf != scene.context) {
      m_nowOf = scene.context;
      const auto& architecture = c.scenario->model.architecture;
      m_now = SolvedPlan::of(c.problem, architecture ? &*architecture : nullptr, *c.outcome);
    }
    std::string why;
    const auto is = m_now ? step()->until->evaluate(lookup(m_now.get()), why) : std::nullopt;
    if (!is || is->value == 0 || m_isMet) return;
    m_isMet = true;
    Q_EMIT changed();
    return;
  }
  finishStep();
}

std::string LessonPlay::caseOf(int step) const {
  for (int i = std::min(step, count() - 1); i >= 0; --i)
    if (!lesson().steps[i].setsCase.empty()) return lesson().steps[i].setsCase;
  return std::string(kBaseCase);
}

Reading<Scenario> LessonPlay::scenarioOf(const std::string& caseName) const {
  return m_reader.scenarioOf(caseName);
}

const LessonScreen& LessonPlay::screen() const {
  return step() && step()->screen ? *step()->screen : lesson().screen;
}

}  // namespace nest
