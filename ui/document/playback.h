#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <memory>
#include <optional>

#include "document/plan_context.h"
#include "evaluation/schedule_replay.h"

namespace nest {

class Selection;

/// Moves the playhead of a selection through a simulated schedule: by hand, task by task, or as it runs. One
/// for all views that share the selection. Where the playhead stands is in the selection alone.
class Playback : public QObject {
  Q_OBJECT
public:
  static constexpr double kSlowest = 0.1, kFastest = 10;

  explicit Playback(Selection&);

  /// The plan that is looked at. Another one than before: the playhead goes, and what plays ends.
  void setPlan(const PlanContext&);
  /// What is played of that plan in place of its own schedule; the playhead stays at its time.
  void setReplay(std::shared_ptr<const ScheduleReplay>);
  /// The schedule that is played: the one given, or the plan's own, which is simulated when it is first asked
  /// for. Null: there is none.
  const ScheduleReplay* replay();
  bool canPlay() { return replay() != nullptr; }

  void moveTo(Seconds);
  void hide();
  /// To the next beginning of a task, or back to the one before; of one stage if one is given. Pauses.
  void step(bool forward, std::optional<int> stage = std::nullopt);
  bool isPlaying() const { return m_timer.isActive(); }
  void setPlaying(bool);  ///< from the playhead on; from the beginning if it stands nowhere or at the end
  /// 1: the slowest stage takes kPace seconds for a microbatch. Within kSlowest and kFastest.
  void setSpeed(double);
  double speed() const { return m_speed; }
  void changeSpeed(bool faster);  ///< to the next of 0.1, 0.2, 0.5, 1, 2, 5, 10
  /// Seconds of the step that one second plays.
  double rate();
  /// As much time passes, in seconds of the person who watches. At the end it pauses.
  void advance(double seconds);

  static constexpr double kPace = 2;  ///< seconds

Q_SIGNALS:
  void changed();  ///< isPlaying(), speed() or canPlay()
  void rested();   ///< the playhead was moved by hand, or what played has paused

private:
  void pause();

  Selection& m_selection;
  PlanContext m_plan;
  std::shared_ptr<const ScheduleReplay> m_replay;
  double m_speed = 1;
  QTimer m_timer;
  QElapsedTimer m_since;
};

}  // namespace nest
