#pragma once

#include <QObject>
#include <QString>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "jobs/study_worker.h"
#include "lessons/lesson_answers.h"
#include "lessons/lesson_library.h"
#include "lessons/lesson_record.h"
#include "lessons/lesson_scene.h"
#include "lessons/lesson_solver.h"

namespace nest {

/// One lesson that is taken: which step is reached and which one is looked at, what was answered, and every
/// text with its numbers. The plans of the lesson are solved in the background first.
class LessonPlay : public QObject {
  Q_OBJECT
public:
  LessonPlay(const LibraryLesson&, LessonRecord&, QObject* parent = nullptr);
  ~LessonPlay() override;

  const LibraryLesson& source() const { return m_source; }
  const Lesson& lesson() const { return *m_source.lesson; }
  const LessonVariables& variables() const { return m_variables; }
  bool isReady() const { return m_solver != nullptr; }  ///< all plans are solved
  double fraction() const { return m_worker.fraction(); }

  int count() const { return static_cast<int>(lesson().steps.size()); }
  int reached() const { return m_progress.step; }  ///< the first step that is not done; count(): none
  int shown() const { return m_shown; }            ///< count(): the end, with the score
  bool isOver() const { return m_shown >= count(); }
  const LessonStep* step() const { return isOver() ? nullptr : &lesson().steps[m_shown]; }
  /// The condition that the shown step is to reach ("until") has been true. The student goes on when ready.
  bool isMet() const { return m_isMet; }
  /// The question of the shown step is still to be answered.
  bool isAsking() const;
  /// The step that shows what is right for the question that is open, or that follows what is only read;
  /// nullptr: no question is open, or no step does.
  const LessonStep* revealAhead() const;

  // What is shown; only when it is ready.
  QString text() const;  ///< of the shown step, as HTML
  QString hint(int number) const;
  QString optionText(int number) const;
  int openHints() const;
  /// A reveal's question; otherwise the step itself.
  const LessonStep* question() const;
  const LessonAnswer* answer() const;    ///< to question(); nullptr: not given yet
  std::optional<Judged> judged() const;  ///< answer()
  std::optional<Judged> judged(const LessonStep&) const;
  QString gap() const;                      ///< what a reveal says about the answer
  std::vector<double> rightValues() const;  ///< of question(), in its unit; of Choose the option, from 1
  double pointsSoFar() const;

  // What the student does.
  void back();
  void next();  ///< to the step after the shown one, as far as it has been reached; ends what is to be read
  void openHint();
  void lock(std::vector<double> given);
  void skip();
  /// Looks whether what is to be done has been done.
  void check(const LessonScene&);

  /// The scenario that the shown step begins with, where it differs from what is open or was changed by hand.
  std::string caseOf(int step) const;
  Reading<Scenario> scenarioOf(const std::string& caseName) const;
  const LessonScreen& screen() const;  ///< what of the window the shown step has

Q_SIGNALS:
  void ready();
  void failed(const nest::Diagnostics&);  ///< a plan or a text cannot be computed
  void stepShown(bool onwards);           ///< another step is shown; onwards: for the first time
  void changed();                         ///< something about the shown step

private:
  void prepare();
  void show(int step, bool onwards);
  void finishStep();
  Expression::Lookup lookup(const SolvedPlan* now = nullptr) const;
  QString filled(const LessonText&) const;
  std::optional<LessonSolver::Answered> answered() const;

  LibraryLesson m_source;
  LessonRecord& m_record;
  LessonVariables m_variables;
  LessonProgress m_progress;
  int m_shown = 0;
  bool m_isMet = false;
  std::shared_ptr<LessonSolver> m_solver;
  LessonSolver m_reader;  ///< gives scenarios, solves nothing
  StudyWorker m_worker;
  PlanContextPtr m_nowOf;  ///< what m_now was made of
  std::shared_ptr<const SolvedPlan> m_now;
};

}  // namespace nest
