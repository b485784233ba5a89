#include "document/exchange_player.h"

#include <algorithm>
#include <utility>

#include "document/selection.h"

namespace nest {

ExchangePlayer::ExchangePlayer(Selection& selection) : Player(&selection), m_selection(selection) {}

void ExchangePlayer::setPlan(const PlanContext& c) {
  if (m_plan.problem == c.problem && m_plan.plan == c.plan && m_plan.outcome == c.outcome) return;
  m_plan = c;
  hide();
  m_replay.reset();
  Q_EMIT changed();
}

void ExchangePlayer::choose(const std::string& id) {
  if (m_replay && m_replay->exchange().id == id) return;
  const Plan* plan = m_plan.shownPlan();
  const auto all = m_plan.problem && plan ? exchangesOf(*m_plan.problem, *plan, *m_plan.shownEvaluation())
                                          : std::vector<PlanExchange>();
  if (const PlanExchange* one = exchangeNamed(all, id))
    choose({std::make_shared<const ExchangeReplay>(*one),
            {},
            std::make_shared<const std::vector<int>>(ranksOf(*m_plan.problem, *plan, *one))});
}

void ExchangePlayer::choose(const ExchangeInstant& one) {
  if (m_replay && m_replay->exchange().id == one.replay->exchange().id) return;
  hide();
  m_replay = one.replay;
  m_ranks = one.ranks;
  Q_EMIT changed();
}

void ExchangePlayer::show(const std::string& id) {
  choose(id);
  if (!m_replay) return;
  moveTo(Seconds());
  Q_EMIT viewWanted();
}

std::optional<Seconds> ExchangePlayer::position() const {
  const auto& now = m_selection.exchange();
  return now ? std::optional(now->at) : std::nullopt;
}

void ExchangePlayer::place(std::optional<Seconds> at) {
  m_selection.setExchange(at ? std::optional(ExchangeInstant{m_replay, *at, m_ranks}) : std::nullopt);
}

const PlanExchange* exchangeNamed(const std::vector<PlanExchange>& all, const std::string& id) {
  const PlanExchange* longest = nullptr;
  for (const PlanExchange& x : all) {
    if (x.id == id) return &x;
    if (!longest || std::pair(!x.perStep, x.timeInAll()) > std::pair(!longest->perStep, longest->timeInAll()))
      longest = &x;
  }
  return longest;
}

}  // namespace nest
