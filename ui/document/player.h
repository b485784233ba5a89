#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <optional>

#include "units/quantity.h"

namespace nest {

/// What can be played: it has a length, a place in it, a speed. Moved by hand, from event to event, or as
/// time passes.
class Player : public QObject {
  Q_OBJECT
public:
  static constexpr double kSlowest = 0.1, kFastest = 10;

  virtual Seconds end() = 0;                            ///< 0: there is nothing to play
  virtual std::optional<Seconds> position() const = 0;  ///< nullopt: it stands nowhere
  /// What passes in one second at a speed of 1.
  virtual Seconds pace() = 0;
  bool canPlay() { return end() > Seconds(); }
  /// What is to be played is being computed: it plays then, if that was asked for.
  virtual bool isPreparing() const { return false; }
  bool isAwaited() const { return m_awaited && isPreparing(); }

  void moveTo(Seconds);
  void hide();
  /// To where the next event begins, or back to the one before; of one stage if one is given. Pauses.
  void step(bool forward, std::optional<int> stage = std::nullopt);
  bool isPlaying() const { return m_timer.isActive(); }
  void setPlaying(bool);  ///< from where it stands on; from the beginning if it stands nowhere or at the end
  void setSpeed(double);  ///< within kSlowest and kFastest
  double speed() const { return m_speed; }
  void changeSpeed(bool faster);  ///< to the next of 0.1, 0.2, 0.5, 1, 2, 5, 10
  /// Seconds of what is played that one second plays.
  double rate() { return m_speed * pace().value(); }
  /// As much time passes, in seconds of the person who watches. At the end it pauses.
  void advance(double seconds);

Q_SIGNALS:
  void changed();  ///< isPlaying(), speed() or canPlay()
  void rested();   ///< it was moved by hand, or what played has paused

protected:
  explicit Player(QObject* parent);

  virtual void place(std::optional<Seconds>) = 0;  ///< within [0, end()]
  virtual Seconds next(Seconds, std::optional<int> stage) = 0;
  virtual Seconds previous(Seconds, std::optional<int> stage) = 0;
  void pause();
  void prepared();  ///< it plays if that was asked for
  void giveUp() { m_awaited = false; }

private:
  bool m_awaited = false;  ///< setPlaying() while it was being prepared
  double m_speed = 1;
  QTimer m_timer;
  QElapsedTimer m_since;
};

}  // namespace nest
