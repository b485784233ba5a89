#include "document/player.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace nest {
namespace {

constexpr int kFrameMs = 16;
constexpr std::array kSpeeds = {0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0};

}  // namespace

Player::Player(QObject* parent) : QObject(parent) {
  m_timer.setInterval(kFrameMs);
  m_timer.setTimerType(Qt::PreciseTimer);
  connect(&m_timer, &QTimer::timeout, this, [this] {
    const double passed = static_cast<double>(m_since.nsecsElapsed()) * 1e-9;
    m_since.restart();
    advance(passed);
  });
}

void Player::moveTo(Seconds at) {
  if (!canPlay()) return;
  place(std::clamp(at, Seconds(), end()));
  if (!isPlaying()) Q_EMIT rested();
}

void Player::hide() {
  if (isPlaying()) pause();
  if (!position()) return;
  place(std::nullopt);
  Q_EMIT rested();
}

void Player::step(bool forward, std::optional<int> stage) {
  if (!canPlay()) return;
  if (isPlaying()) pause();
  const auto at = position();
  moveTo(!at ? Seconds() : forward ? next(*at, stage) : previous(*at, stage));
}

void Player::setPlaying(bool on) {
  if (on && !canPlay() && isPreparing()) {
    m_awaited = !m_awaited;
    Q_EMIT changed();
    return;
  }
  if (on == isPlaying() || (on && !canPlay())) return;
  if (!on) {
    pause();
    Q_EMIT rested();
    return;
  }
  const auto at = position();
  if (!at || *at >= end()) place(Seconds());
  m_since.start();
  m_timer.start();
  Q_EMIT changed();
}

void Player::prepared() {
  const bool plays = std::exchange(m_awaited, false);
  Q_EMIT changed();
  if (plays) setPlaying(true);
}

void Player::pause() {
  m_timer.stop();
  Q_EMIT changed();
}

void Player::setSpeed(double speed) {
  speed = std::clamp(speed, kSlowest, kFastest);
  if (speed == m_speed) return;
  m_speed = speed;
  Q_EMIT changed();
}

void Player::changeSpeed(bool faster) {
  const auto* next = faster ? std::upper_bound(kSpeeds.begin(), kSpeeds.end(), m_speed)
                            : std::lower_bound(kSpeeds.begin(), kSpeeds.end(), m_speed);
  if (faster ? next != kSpeeds.end() : next != kSpeeds.begin()) setSpeed(faster ? *next : *std::prev(next));
}

void Player::advance(double seconds) {
  const auto at = position();
  if (!at || !canPlay()) return;
  const Seconds to = *at + Seconds(rate() * seconds);
  place(std::min(to, end()));
  if (to < end() || !isPlaying()) return;
  pause();
  Q_EMIT rested();
}

}  // namespace nest
