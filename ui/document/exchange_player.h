#pragma once

#include <memory>
#include <optional>
#include <string>

#include "document/plan_context.h"
#include "document/player.h"
#include "evaluation/plan_exchange.h"

namespace nest {

class Selection;

/// One exchange of a plan at one time of its run.
struct ExchangeInstant {
  std::shared_ptr<const ExchangeReplay> replay;  ///< never null
  Seconds at;
  std::shared_ptr<const std::vector<int>> ranks;  ///< positions of the devices that take part; never null
  friend bool operator==(const ExchangeInstant&, const ExchangeInstant&) = default;

  std::size_t step() const { return replay->stepAt(at); }  ///< that many have ended
  /// The one that runs; null at the end.
  const CollectiveStep* running() const {
    return step() < replay->steps().size() ? &replay->steps()[step()] : nullptr;
  }
};

/// Plays one exchange of a plan, step by step over the levels. Where it stands is in the selection alone.
class ExchangePlayer : public Player {
  Q_OBJECT
public:
  explicit ExchangePlayer(Selection&);

  /// Another plan than before: what plays ends.
  void setPlan(const PlanContext&);
  /// Chooses one of that plan by its id, and pauses. One that the plan does not have: its longest.
  void choose(const std::string& id);
  void choose(const ExchangeInstant&);  ///< of that plan
  /// Somebody wants to see it: its beginning, and a view that shows it.
  void show(const std::string& id);
  const std::shared_ptr<const ExchangeReplay>& replay() const { return m_replay; }  ///< null: none is chosen

  Seconds end() override { return m_replay ? m_replay->end() : Seconds(); }
  std::optional<Seconds> position() const override;
  /// At a speed of 1 a run takes kWhole seconds.
  Seconds pace() override { return end() / kWhole; }

  static constexpr double kWhole = 8;  ///< seconds

Q_SIGNALS:
  void viewWanted();

protected:
  void place(std::optional<Seconds>) override;
  Seconds next(Seconds at, std::optional<int>) override { return m_replay->next(at); }
  Seconds previous(Seconds at, std::optional<int>) override { return m_replay->previous(at); }

private:
  Selection& m_selection;
  PlanContext m_plan;
  std::shared_ptr<const ExchangeReplay> m_replay;
  std::shared_ptr<const std::vector<int>> m_ranks;
};

/// Of a plan's exchanges that with this id. Without one, or with one that there is not, the one that takes
/// longest with each microbatch, or else per step. nullptr: there are none.
const PlanExchange* exchangeNamed(const std::vector<PlanExchange>&, const std::string& id);

}  // namespace nest
