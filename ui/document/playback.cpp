#include "document/playback.h"

#include <algorithm>
#include <array>
#include <utility>

#include "document/selection.h"

namespace nest {
namespace {

constexpr int kFrameMs = 16;
constexpr std::array kSpeeds = {0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0};

}  // namespace

Playback::Playback(Selection& selection) : QObject(&selection), m_selection(selection) {
  m_timer.setInterval(kFrameMs);
  m_timer.setTimerType(Qt::PreciseTimer);
  connect(&m_timer, &QTimer::timeout, this, [this] {
    const double passed = static_cast<double>(m_since.nsecsElapsed()) * 1e-9;
    m_since.restart();
    advance(passed);
  });
}

void Playback::setPlan(const PlanContext& c) {
  if (m_plan.problem == c.problem && m_plan.plan == c.plan && m_plan.outcome == c.outcome) return;
  m_plan = c;
  m_replay.reset();
  m_timer.stop();
  m_selection.setPlayhead(std::nullopt);
  Q_EMIT changed();
}

void Playback::setReplay(std::shared_ptr<const ScheduleReplay> replay) {
  if (m_replay == replay) return;
  m_replay = std::move(replay);
  if (!m_replay) m_timer.stop();
  if (const auto& head = m_selection.playhead(); head && m_replay)
    m_selection.setPlayhead(m_replay->at(head->at));
  Q_EMIT changed();
}

const ScheduleReplay* Playback::replay() {
  if (!m_replay && m_plan.problem && m_plan.shownPlan()) {
    const Plan& plan = *m_plan.shownPlan();
    const Evaluation& evaluation = *m_plan.shownEvaluation();
    auto simulated =
        std::make_shared<ScheduleReplay>(simulate(*m_plan.problem, plan, evaluation), evaluation);
    if (simulated->end() > Seconds()) m_replay = std::move(simulated);
  }
  return m_replay.get();
}

void Playback::moveTo(Seconds at) {
  if (!replay()) return;
  m_selection.setPlayhead(m_replay->at(at));
  if (!isPlaying()) Q_EMIT rested();
}

void Playback::hide() {
  if (isPlaying()) pause();
  m_selection.setPlayhead(std::nullopt);
  Q_EMIT rested();
}

void Playback::step(bool forward, std::optional<int> stage) {
  if (!replay()) return;
  if (isPlaying()) pause();
  const auto& head = m_selection.playhead();
  if (!head) return moveTo(Seconds());
  moveTo(forward ? m_replay->next(head->at, stage) : m_replay->previous(head->at, stage));
}

void Playback::setPlaying(bool on) {
  if (on == isPlaying() || (on && !replay())) return;
  if (!on) {
    pause();
    Q_EMIT rested();
    return;
  }
  const auto& head = m_selection.playhead();
  if (!head || head->at >= m_replay->end()) m_selection.setPlayhead(m_replay->at(Seconds()));
  m_since.start();
  m_timer.start();
  Q_EMIT changed();
}

void Playback::pause() {
  m_timer.stop();
  Q_EMIT changed();
}

void Playback::setSpeed(double speed) {
  speed = std::clamp(speed, kSlowest, kFastest);
  if (speed == m_speed) return;
  m_speed = speed;
  Q_EMIT changed();
}

void Playback::changeSpeed(bool faster) {
  const auto* next = faster ? std::upper_bound(kSpeeds.begin(), kSpeeds.end(), m_speed)
                            : std::lower_bound(kSpeeds.begin(), kSpeeds.end(), m_speed);
  if (faster ? next != kSpeeds.end() : next != kSpeeds.begin()) setSpeed(faster ? *next : *std::prev(next));
}

double Playback::rate() {
  const ScheduleReplay* r = replay();
  if (!r) return 0;
  const Seconds pace = r->pace() > Seconds() ? r->pace() : r->end();
  return m_speed * pace.value() / kPace;
}

void Playback::advance(double seconds) {
  const auto& head = m_selection.playhead();
  if (!replay() || !head) return;
  const Seconds to = head->at + Seconds(rate() * seconds);
  m_selection.setPlayhead(m_replay->at(to));
  if (to < m_replay->end() || !isPlaying()) return;
  pause();
  Q_EMIT rested();
}

}  // namespace nest
