#include "document/playback.h"

#include <utility>

#include "document/selection.h"
#include "jobs/study_worker.h"

namespace nest {

Playback::Playback(Selection& selection)
    : Player(&selection), m_selection(selection), m_worker(new StudyWorker(this)) {}

long long Playback::tasksOf(const PlanContext& c) {
  return static_cast<long long>(c.shownPlan()->stageCount()) * c.shownPlan()->chunksPerStage() *
         c.shownEvaluation()->microbatchCount;
}

bool Playback::isLong(const PlanContext& c) {
  return tasksOf(c) > kTasksOfAFrame;
}

bool Playback::isPreparing() const {
  return m_worker->isBusy();
}

void Playback::setPlan(const PlanContext& c) {
  if (m_plan.problem == c.problem && m_plan.plan == c.plan && m_plan.outcome == c.outcome) return;
  m_plan = c;
  m_replay.reset();
  giveUp();
  m_worker->stop();
  if (isPlaying()) pause();
  m_selection.setPlayhead(std::nullopt);
  Q_EMIT changed();
}

void Playback::setReplay(std::shared_ptr<const ScheduleReplay> replay) {
  if (m_replay == replay) return;
  m_replay = std::move(replay);
  m_worker->stop();
  if (!m_replay && isPlaying()) pause();
  if (const auto& head = m_selection.playhead(); head && m_replay)
    m_selection.setPlayhead(m_replay->at(head->at));
  prepared();
}

const ScheduleReplay* Playback::replay() {
  if (!m_replay && m_plan.problem && m_plan.shownPlan()) {
    if (isLong(m_plan)) {
      if (!m_worker->isBusy()) simulateLater();
      return nullptr;
    }
    const Plan& plan = *m_plan.shownPlan();
    const Evaluation& evaluation = *m_plan.shownEvaluation();
    auto simulated =
        std::make_shared<ScheduleReplay>(simulate(*m_plan.problem, plan, evaluation), evaluation);
    if (simulated->end() > Seconds()) m_replay = std::move(simulated);
  }
  return m_replay.get();
}

void Playback::simulateLater() {
  m_worker->start([this, c = m_plan](const Control& control, const BackgroundTask::Deliver& deliver) {
    const Evaluation& evaluation = *c.shownEvaluation();
    Schedule simulated = simulate(*c.problem, *c.shownPlan(), evaluation, true, control.stop);
    auto replay = std::make_shared<const ScheduleReplay>(std::move(simulated), evaluation);
    deliver([this, replay] {
      if (replay->end() > Seconds()) setReplay(replay);
    });
  });
}

void Playback::playSchedule(ScheduleKind kind) {
  const Plan* plan = m_plan.shownPlan();
  if (!m_plan.problem || !plan) return;
  const PipelineSchedule& schedule = scheduleOf(kind);
  const Evaluation& own = *m_plan.shownEvaluation();
  if (!schedule.takesChunks(plan->chunksPerStage()) ||
      !schedule.refusals(plan->stageCount(), plan->chunksPerStage(), own.microbatchCount).empty())
    return;
  setReplay(std::make_shared<ScheduleReplay>(
      simulate(*m_plan.problem, *plan, own, kind),
      kind == plan->schedule ? own : evaluate(*m_plan.problem, underSchedule(*plan, kind))));
}

Seconds Playback::end() {
  const ScheduleReplay* r = replay();
  return r ? r->end() : Seconds();
}

std::optional<Seconds> Playback::position() const {
  const auto& head = m_selection.playhead();
  return head ? std::optional(head->at) : std::nullopt;
}

Seconds Playback::pace() {
  const ScheduleReplay* r = replay();
  if (!r) return {};
  return (r->pace() > Seconds() ? r->pace() : r->end()) / kPace;
}

void Playback::place(std::optional<Seconds> at) {
  m_selection.setPlayhead(at ? std::optional(m_replay->at(*at)) : std::nullopt);
}

}  // namespace nest
