#pragma once

#include <memory>
#include <optional>

#include "document/plan_context.h"
#include "document/player.h"
#include "evaluation/schedule_replay.h"

namespace nest {

class Selection;
class StudyWorker;

/// Moves the playhead of a selection through a simulated schedule. One for all views that share the
/// selection. Where the playhead stands is in the selection alone.
class Playback : public Player {
  Q_OBJECT
public:
  explicit Playback(Selection&);

  /// The plan that is looked at. Another one than before: the playhead goes, and what plays ends.
  void setPlan(const PlanContext&);
  /// What is played of that plan in place of its own schedule; the playhead stays at its time.
  void setReplay(std::shared_ptr<const ScheduleReplay>);
  /// The schedule that is played: the one given, or the plan's own, which is simulated when it is first asked
  /// for; in the background if it isLong(). Null: there is none, or none yet.
  const ScheduleReplay* replay();
  /// Plays a schedule of the plan, whatever its own is, and waits for its simulation.
  void playSchedule(ScheduleKind);
  bool isPreparing() const override;
  /// The plan shown has more tasks than are simulated within a frame.
  static bool isLong(const PlanContext&);
  static long long tasksOf(const PlanContext&);  ///< passes of all stages in one direction
  static constexpr long long kTasksOfAFrame = 40000;

  Seconds end() override;
  std::optional<Seconds> position() const override;
  /// At a speed of 1 the slowest stage takes kPace seconds for a microbatch.
  Seconds pace() override;

  static constexpr double kPace = 2;  ///< seconds

protected:
  void place(std::optional<Seconds>) override;
  Seconds next(Seconds at, std::optional<int> stage) override { return m_replay->next(at, known(stage)); }
  Seconds previous(Seconds at, std::optional<int> stage) override {
    return m_replay->previous(at, known(stage));
  }

private:
  void simulateLater();
  std::optional<int> known(std::optional<int> stage) const {
    return stage && *stage < m_replay->stageCount() ? stage : std::nullopt;
  }

  Selection& m_selection;
  PlanContext m_plan;
  std::shared_ptr<const ScheduleReplay> m_replay;
  StudyWorker* m_worker;
};

}  // namespace nest
